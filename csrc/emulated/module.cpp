// module.cpp -- theorylab._emulated: the GPU's schedules as plain loops on the host, for tests.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <map>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "../core/tape.hpp"
#include "../cuda/schedules.hpp"
#include "loops.hpp"

namespace tl {
namespace py = pybind11;
namespace {

// A call's words as the arguments of a schedule.
template <class... A>
struct Call {
  void (*schedule)(const Loops&, A...);
  const u64* words;

  template <class T>
  static T word_as(u64 word) {
    static_assert(sizeof(T) == sizeof(u64), "an argument is i64, double or a pointer");
    T value;
    memcpy(&value, &word, sizeof value);
    return value;
  }
  template <std::size_t... K>
  void spread(const Loops& loops, std::index_sequence<K...>) const {
    schedule(loops, word_as<A>(words[K])...);
  }
  static void body(const Loops& loops, const void* call) {
    static_cast<const Call*>(call)->spread(loops, std::index_sequence_for<A...>());
  }
};

struct Entry {
  std::size_t arguments;
  void (*run)(const Grid&, const u64* words);
};

template <auto kSchedule>
struct Bound;
template <class... A, void (*kSchedule)(const Loops&, A...)>
struct Bound<kSchedule> {
  static void run(const Grid& grid, const u64* words) {
    const Call<A...> call{kSchedule, words};
    Loops::run(grid, &Call<A...>::body, &call);
  }
  static Entry entry() { return Entry{sizeof...(A), &run}; }
};

const std::map<std::string, Entry>& table() {
#define TL_SCHEDULE(name, ...) \
  {#name "<" #__VA_ARGS__ ">", Bound<&name<Loops, __VA_ARGS__>>::entry()},
  static const std::map<std::string, Entry> made = {TL_SCHEDULES};
#undef TL_SCHEDULE
  return made;
}

// A schedule with one cut into blocks, and the order in which threads take turns.
class Prepared {
 public:
  Prepared(const std::string& name, i64 blocks, int threads, i64 shared, int order)
      : name_(name), grid_{blocks, threads, shared, order} {
    const auto found = table().find(name);
    if (found == table().end()) throw py::value_error("_emulated: no schedule is named " + name);
    entry_ = &found->second;
    if (blocks < 1 || threads < kWarp || threads % kWarp || threads > 1024 || shared < 0)
      throw py::value_error("_emulated: " + name + ": blocks=" + std::to_string(blocks) +
                            " threads=" + std::to_string(threads) +
                            "; need blocks >= 1 and 32 to 1024 threads in whole warps");
  }
  void run(const std::vector<u64>& words) const {
    if (entry_->arguments != words.size())
      throw py::value_error("_emulated: " + name_ + " got " + std::to_string(words.size()) +
                            " arguments; need " + std::to_string(entry_->arguments));
    entry_->run(grid_, words.data());
  }
  // As of a tape, which knows no stream here. A fault of the schedule names it.
  void launch(const std::string& words, u64) const {
    std::vector<u64> values(words.size() / sizeof(u64));
    memcpy(values.data(), words.data(), values.size() * sizeof(u64));
    try {
      run(values);
    } catch (const std::logic_error& fault) {
      throw std::runtime_error(name_ + ": " + fault.what());
    }
  }

 private:
  std::string name_;
  Grid grid_;
  const Entry* entry_;
};

void launch(const std::string& name, i64 blocks, int threads, i64 shared,
            const std::vector<u64>& words, int order) {
  Prepared(name, blocks, threads, shared, order).run(words);
}

}  // namespace
}  // namespace tl

PYBIND11_MODULE(_emulated, m) {
  namespace py = pybind11;
  m.doc() = "GPU schedules of theorylab run as loops on the host; addresses are not checked.";
  m.def("launch", &tl::launch);
  typedef tl::Tape<tl::Prepared> Tape;
  py::class_<tl::Prepared>(m, "Prepared").def(py::init<const std::string&, i64, int, i64, int>());
  py::class_<Tape>(m, "Tape").def(py::init<>()).def("add", &Tape::add).def("play", &Tape::play);
  m.def("schedules", [] {
    std::vector<std::string> names;
    for (const auto& entry : tl::table()) names.push_back(entry.first);
    return names;
  });
}
