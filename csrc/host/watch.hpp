// watch.hpp -- how Ctrl-C ends a long call early.
//
// The threads of a call ask between pieces of work whether to go on. Signals may be looked for only
// by the thread that Python called, and only with the GIL: it does so ten times a second, also
// while it waits for the others. An ended call leaves anything in its outputs, and raises.
#pragma once
#include <omp.h>

#include <functional>

#include "../core/hd.cuh"

namespace tl {

class Watch;  // of one call

// Does the work, by the thread that Python called. False: a signal's handler raised meanwhile, and
// its exception is set in that thread.
bool worked(const std::function<void(Watch&)>& work);

// caller: whether the thread that asks is the one that Python called.
bool told_to_stop(Watch& watch, bool caller);

// Every thread of a parallel region calls it before it waits for the others.
void wait_watched(Watch& watch);

inline namespace TL_ISA {

constexpr i64 kPiece = 1 << 18;  // products between two questions: about a tenth of a millisecond

// One thread's count of the work since it last asked.
class Pace {
 public:
  explicit Pace(Watch& watch) : watch_(watch), caller_(omp_get_thread_num() == 0) {}

  // After so many more products: whether to go on. Once false, always false.
  TL_HD bool on(i64 products) {
    left_ -= products;
    return left_ > 0 || asked();
  }

 private:
  Watch& watch_;
  const bool caller_;
  i64 left_ = kPiece;

  __attribute__((noinline)) bool asked() {
    left_ = told_to_stop(watch_, caller_) ? 0 : kPiece;
    return left_ > 0;
  }
};

}  // namespace TL_ISA
}  // namespace tl
