// watch.cpp -- signals are looked for while a call runs without the GIL; see watch.hpp.
//
// Python's own header alone: pybind11's costs seconds in every file that includes it.
#include "watch.hpp"

#include <Python.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>

namespace tl {

typedef std::chrono::steady_clock Clock;
constexpr std::chrono::milliseconds kEvery(100);  // between two looks: each waits for the GIL

class Watch {
 public:
  bool told() const { return stop_.load(std::memory_order_relaxed); }

  void look() {
    if (told() || Clock::now() < next_) return;
    const PyGILState_STATE gil = PyGILState_Ensure();
    // What a handler raises stays set in this thread's state until the call raises it.
    if (PyErr_CheckSignals() != 0) stop_ = true;
    PyGILState_Release(gil);
    next_ = Clock::now() + kEvery;
  }

  void arrive() {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      ++arrived_;
    }
    last_.notify_one();
  }

  // The usual wait is short, and a sleeping thread wakes late.
  void await(int others) {
    expected_ += others;
    for (int turn = 0; turn < 2000; ++turn) {
      if (arrived_ == expected_) return;
#ifdef __x86_64__
      __builtin_ia32_pause();
#endif
    }
    std::unique_lock<std::mutex> lock(mutex_);
    while (!last_.wait_for(lock, kEvery, [this] { return arrived_ == expected_; })) {
      lock.unlock();
      look();
      lock.lock();
    }
  }

 private:
  std::atomic<bool> stop_{false};
  Clock::time_point next_ = Clock::now() + kEvery;
  std::mutex mutex_;
  std::condition_variable last_;
  std::atomic<std::int64_t> arrived_{0};
  std::int64_t expected_ = 0;
};

bool told_to_stop(Watch& watch, bool caller) {
  if (caller) watch.look();
  return watch.told();
}

void wait_watched(Watch& watch) {
  const int team = omp_get_num_threads();
  if (team < 2) return;
  omp_get_thread_num() == 0 ? watch.await(team - 1) : watch.arrive();
}

bool worked(const std::function<void(Watch&)>& work) {
  Watch watch;
  work(watch);
  return !watch.told();
}

}  // namespace tl
