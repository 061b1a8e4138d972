// mix_drawn.hpp -- push_mix of drawn networks where a row of x is a few vectors.
//
// All entries of P are one share, so P is where its rows begin and who sends: no values are read.
// A row's sum stays in kVecs registers; the products and their order are those of
// kernels/push_mix.cuh. Without z1 nothing is divided: who makes the next round divides anyway.
#pragma once
#include "../core/sizes.hpp"
#include "../kernels/push_mix.cuh"
#include "simd.hpp"
#include "table.hpp"
#include "watch.hpp"

namespace tl {
inline namespace TL_ISA {

constexpr i64 kRowBlock = 256;  // rows of a task
constexpr int kRunsTogether = 4;
constexpr i64 kSendersAhead = 24;   // entries whose x is fetched ahead ..
constexpr i64 kFarBytes = 1 << 20;  // .. where one run's x is larger than this

// One thread's part. kRuns runs over the same network go through its entries together, so that one
// row's end is guessed for all of them.
template <class T, int kVecs, bool kFar, int kRuns>
void mix_drawn_part(const MixJob& job, Watch& watch) {
  typedef Simd<T> S;
  const i64 n = job.n, d = job.d, blocks = (n + kRowBlock - 1) / kRowBlock;
  const T share = T(job.share);
  const Row<T, kVecs> row(d);
  Pace pace(watch);
#pragma omp for schedule(static) nowait
  for (i64 task = 0; task < job.runs / kRuns * blocks; ++task) {
    const i64 r = task / blocks * kRuns, first = task % blocks * kRowBlock;
    const i64 end = first + kRowBlock < n ? first + kRowBlock : n;
    const MixRows& P = job.P[job.per_run ? r : 0];
    const i32* begin = static_cast<const i32*>(P.indptr);
    const i32* TL_RESTRICT sender = static_cast<const i32*>(P.indices);
    const T* x = static_cast<const T*>(job.x) + r * n * d;
    const T* w = static_cast<const T*>(job.w) + r * n;
    T* TL_RESTRICT x1 = static_cast<T*>(job.x1) + r * n * d;
    T* TL_RESTRICT w1 = static_cast<T*>(job.w1) + r * n;
    T* TL_RESTRICT z1 = job.z1 ? static_cast<T*>(job.z1) + r * n * d : nullptr;
    const i64 last = begin[n];
    if (!pace.on(kRuns * (begin[end] - begin[first] + end - first) * (d + 1))) continue;
    for (i64 i = first; i < end; ++i) {
      typename S::Vec sum[kRuns][kVecs];
      T weight[kRuns];
#pragma GCC unroll 4
      for (int q = 0; q < kRuns; ++q) {
        weight[q] = 0;
#pragma GCC unroll 4
        for (int u = 0; u < kVecs; ++u) sum[q][u] = typename S::Vec{};
      }
      for (i64 e = begin[i]; e < begin[i + 1]; ++e) {
        if constexpr (kFar) {
          const i64 ahead = e + kSendersAhead < last ? e + kSendersAhead : e;
          __builtin_prefetch(x + sender[ahead] * d);
          __builtin_prefetch(x + sender[ahead] * d + d - 1);
        }
        const T *from = x + sender[e] * d, *mass = w + sender[e];
#pragma GCC unroll 4
        for (int q = 0; q < kRuns; ++q) {
          weight[q] += share * mass[q * n];
#pragma GCC unroll 4
          for (int u = 0; u < kVecs; ++u) sum[q][u] += share * row.load(from + q * n * d, u);
        }
      }
#pragma GCC unroll 4
      for (int q = 0; q < kRuns; ++q) {
        w1[q * n + i] = weight[q];
#pragma GCC unroll 4
        for (int u = 0; u < kVecs; ++u) {
          row.store(x1 + (q * n + i) * d, u, sum[q][u]);
          if (z1) row.store(z1 + (q * n + i) * d, u, sum[q][u] / weight[q]);
        }
      }
    }
  }
  wait_watched(watch);
}

template <class T, int kVecs, bool kFar, int kRuns = 1>
void mix_drawn(const MixJob& job, int threads, Watch& watch) {
  // No region where one thread is enough: opening one costs more than a tiny call.
  if (threads == 1) return mix_drawn_part<T, kVecs, kFar, kRuns>(job, watch);
#pragma omp parallel num_threads(threads)
  mix_drawn_part<T, kVecs, kFar, kRuns>(job, watch);
}

// False: the rows are too long, and nothing was written.
template <class T, int kVecs = 1>
bool mix_drawn_as(const MixJob& job, int threads, Watch& watch) {
  if constexpr (kVecs > 4) {
    return false;
  } else {
    if (job.d > kVecs * Simd<T>::kLanes) return mix_drawn_as<T, kVecs + 1>(job, threads, watch);
    const i64 products = times(job.entries, job.per_run ? 1 : job.runs, job.d + 1);
    if (products < kSerial) threads = 1;
    if (job.n * job.d * i64(sizeof(T)) > kFarBytes)
      mix_drawn<T, kVecs, true>(job, threads, watch);
    else if (kVecs <= 2 && !job.per_run && job.runs % kRunsTogether == 0)
      mix_drawn<T, kVecs, false, kVecs <= 2 ? kRunsTogether : 1>(job, threads, watch);
    else
      mix_drawn<T, kVecs, false>(job, threads, watch);
    return true;
  }
}

inline bool mix_drawn(const MixJob& job, int threads, Watch& watch) {
  return job.single ? mix_drawn_as<float>(job, threads, watch)
                    : mix_drawn_as<double>(job, threads, watch);
}

}  // namespace TL_ISA
}  // namespace tl
