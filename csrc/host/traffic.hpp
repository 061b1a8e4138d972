// traffic.hpp -- how fast this machine reads, writes and copies memory: the roof over push_mix.
//
// Whole pages only, every thread its own contiguous share; writes are streaming stores, so a copy
// of b bytes moves 2 b bytes and no more.
#pragma once
#include "simd.hpp"
#include "table.hpp"

namespace tl {
inline namespace TL_ISA {

inline void traffic(Traffic kind, const void* from, void* to, i64 bytes, int threads) {
  typedef Simd<double> S;
  const i64 page = 4096 / sizeof(double), pages = bytes / 4096;
  const double* source = static_cast<const double*>(from);
  double* target = static_cast<double*>(to);
#pragma omp parallel num_threads(threads) if (threads > 1)
  {
    S::Vec sum[8] = {};
#pragma omp for schedule(static)
    for (i64 p = 0; p < pages; ++p) {
      for (i64 k = p * page; k < (p + 1) * page; k += 8 * S::kLanes) {
#pragma GCC unroll 8
        for (int v = 0; v < 8; ++v) {
          const i64 at = k + v * S::kLanes;
          if (kind == Traffic::kCopy)
            S::stream(target + at, S::load(source + at));
          else if (kind == Traffic::kWrite)
            S::stream(target + at, sum[v]);
          else
            sum[v] += S::load(source + at);
        }
      }
    }
    fence();
    // A sum that nobody needs would be optimized away, and the reads with it.
    for (int v = 0; v < 8; ++v) asm volatile("" : : "g"(&sum[v]) : "memory");
  }
}

}  // namespace TL_ISA
}  // namespace tl
