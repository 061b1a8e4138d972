// dispatch.cpp -- which instruction set and how many threads; what a fork changes.
#include <omp.h>
#include <pthread.h>
#include <sched.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <new>

#include "../core/sizes.hpp"
#include "table.hpp"

namespace tl {

extern const Table table_baseline;
#ifdef __x86_64__
extern const Table table_avx2, table_avx512;
#endif

namespace {

bool has_avx2() {
#ifdef __x86_64__
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
         __builtin_cpu_supports("bmi2");
#else
  return false;
#endif
}

bool has_avx512() {
#ifdef __x86_64__
  return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
         __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq");
#else
  return false;
#endif
}

std::atomic<const Table*> chosen{&table_baseline};
std::atomic<int> threads{1};
std::atomic<bool> forked{false};

// libgomp's workers do not survive a fork: the child's first parallel region would wait for them
// for ever. One thread opens no region.
void after_fork_in_child() {
  forked = true;
  threads = 1;
}
const int registered = pthread_atfork(nullptr, nullptr, after_fork_in_child);

}  // namespace

namespace {

constexpr i64 kPage = 4096;

struct NoMemory : std::bad_alloc {
  const char* what() const noexcept override {
    return "no memory for the work space of a kernel; need smaller sizes";
  }
};

}  // namespace

Scratch::Scratch(i64 bytes, int threads) : bytes_(whole(bytes, kPage)) {
  struct Buffer {
    void* data = nullptr;
    i64 size = 0;
    ~Buffer() { std::free(data); }
  };
  static thread_local Buffer buffer;
  const i64 all = times(bytes_, threads);
  if (all > buffer.size) {
    std::free(buffer.data);
    buffer.size = 0;
    buffer.data = all > kMostBytes ? nullptr : std::aligned_alloc(kPage, std::size_t(all));
    if (!buffer.data) throw NoMemory();
    buffer.size = all;
  }
  first_ = static_cast<char*>(buffer.data);
}

char* Scratch::own() const { return first_ + bytes_ * omp_get_thread_num(); }

const Table* find_isa(const char* name) {
  if (!std::strcmp(name, "baseline")) return &table_baseline;
#ifdef __x86_64__
  if (!std::strcmp(name, "avx2") && has_avx2()) return &table_avx2;
  if (!std::strcmp(name, "avx512") && has_avx512()) return &table_avx512;
#endif
  return nullptr;
}

const char* usable_isas() {
  return has_avx512() ? "baseline, avx2, avx512" : has_avx2() ? "baseline, avx2" : "baseline";
}

const Table& current_isa() { return *chosen; }
void choose_isa(const Table& table) { chosen = &table; }

int get_threads() { return threads; }
bool was_forked() { return forked; }
void set_threads(int count) { threads = count; }

int default_threads() {
  int count = 1;
#ifdef __linux__
  cpu_set_t cpus;
  if (!sched_getaffinity(0, sizeof cpus, &cpus)) count = CPU_COUNT(&cpus);
#endif
  return registered != 0 ? 1 : count < 8 ? count : 8;
}

}  // namespace tl
