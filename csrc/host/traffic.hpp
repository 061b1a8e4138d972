// traffic.hpp -- how fast this machine reads, writes and copies memory: the roof over push_mix; and
// how fast it multiplies and adds: the roof over glm_hvp.
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

constexpr int kChains = 12;  // hide the latency of a product and a sum, and fit 16 registers

#if defined(__AVX512F__)
TL_HD __m512d fused(__m512d a, __m512d b, __m512d c) { return _mm512_fmadd_pd(a, b, c); }
TL_HD __m512 fused(__m512 a, __m512 b, __m512 c) { return _mm512_fmadd_ps(a, b, c); }
#elif defined(__FMA__)
TL_HD __m256d fused(__m256d a, __m256d b, __m256d c) { return _mm256_fmadd_pd(a, b, c); }
TL_HD __m256 fused(__m256 a, __m256 b, __m256 c) { return _mm256_fmadd_ps(a, b, c); }
#else
#define TL_NO_FUSED
#endif

template <class T, bool kFused>
void multiplied(i64 rounds) {
  typedef typename Simd<T>::Vec Vec;
  const volatile T part = T(0.75);  // not known to the compiler
  const Vec x = Vec{} + part, y = Vec{} + (1 - part);
  Vec sum[kChains];
#pragma GCC unroll 12
  for (int v = 0; v < kChains; ++v) sum[v] = x * T(v + 1);  // equal ones would be made one chain
  for (i64 r = 0; r < rounds; ++r)
#pragma GCC unroll 12
    for (int v = 0; v < kChains; ++v)
#ifndef TL_NO_FUSED
      if constexpr (kFused)
        sum[v] = fused(sum[v], x, y);
      else
#endif
        sum[v] = sum[v] * x + y;
  for (int v = 0; v < kChains; ++v) asm volatile("" : : "g"(&sum[v]) : "memory");
}

// At least so many products, each added to a sum, among the threads: all in registers. one_rounding
// (FMA) is for comparison alone, no kernel uses it; false: this build has none.
template <class T>
bool multiply(bool one_rounding, i64 products, int threads) {
#ifdef TL_NO_FUSED
  if (one_rounding) return false;
#endif
  const i64 all = i64(kChains) * Simd<T>::kLanes * threads, rounds = (products + all - 1) / all;
#pragma omp parallel num_threads(threads) if (threads > 1)
  one_rounding ? multiplied<T, true>(rounds) : multiplied<T, false>(rounds);
  return true;
}

inline bool arithmetic(bool single, bool one_rounding, i64 products, int threads) {
  return single ? multiply<float>(one_rounding, products, threads)
                : multiply<double>(one_rounding, products, threads);
}

}  // namespace TL_ISA
}  // namespace tl
