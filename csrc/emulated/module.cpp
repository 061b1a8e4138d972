// module.cpp -- theorylab._emulated: the GPU's schedules as plain loops on the host, for tests.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <map>
#include <tuple>
#include <utility>

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

void launch(const std::string& name, i64 blocks, int threads, i64 shared,
            const std::vector<u64>& words, int order) {
  const auto found = table().find(name);
  if (found == table().end()) throw py::value_error("_emulated: no schedule is named " + name);
  if (found->second.arguments != words.size())
    throw py::value_error("_emulated: " + name + " got " + std::to_string(words.size()) +
                          " arguments; need " + std::to_string(found->second.arguments));
  if (blocks < 1 || threads < kWarp || threads % kWarp || threads > 1024 || shared < 0)
    throw py::value_error("_emulated: " + name + ": blocks=" + std::to_string(blocks) +
                          " threads=" + std::to_string(threads) +
                          "; need blocks >= 1 and 32 to 1024 threads in whole warps");
  found->second.run(Grid{blocks, threads, shared, order}, words.data());
}

}  // namespace
}  // namespace tl

PYBIND11_MODULE(_emulated, m) {
  m.doc() = "GPU schedules of theorylab run as loops on the host; addresses are not checked.";
  m.def("launch", &tl::launch);
  m.def("schedules", [] {
    std::vector<std::string> names;
    for (const auto& entry : tl::table()) names.push_back(entry.first);
    return names;
  });
}
