// push_mix.hpp -- host schedules of kernels/push_mix.cuh.
//
// packed  columns are cut into chunks. A thread copies a chunk of all n rows of x into its own
//         buffer, laid out [strip][n][256 bytes], so that memory is read once, a strip of about a
//         hundred rows stays in L1, and rows a power of two apart do not evict each other. Each
//         output row of a strip is then summed in registers, and stored past the caches. Between
//         two output rows it copies a piece of the next chunk: memory and arithmetic overlap.
// gather  straight from x: when a strip does not fit (large n) or is not worth copying (small x).
//         A row's weight is summed with its first columns.
//
// Each output element adds the same products in the same order in both, so they agree to the bit.
#pragma once
#include "../core/sizes.hpp"
#include "../kernels/push_mix.cuh"
#include "simd.hpp"
#include "table.hpp"
#include "watch.hpp"

namespace tl {
inline namespace TL_ISA {

template <class T>
struct Mixer {
  typedef Simd<T> S;
  typedef typename S::Vec Vec;
  static constexpr int kStrip = 256 / sizeof(T);  // columns of a strip: whole lines of any output
  static constexpr int kLine = kLineBytes / sizeof(T);
  // Sums kept in registers at once: 4 of 32 (AVX-512), 8 of 16 (others).
  static constexpr int kSums = kVectorBytes == 64 ? 4 : 8;
  static constexpr int kBlock = kSums * S::kLanes;  // kStrip, or half of it without AVX

  // Entries of all matrices with T values and offsets into a packed strip.
  struct Packed {
    T* value;
    i32* offset;
    i64* begin;  // (matrices * n + 1)
  };

  struct FromStrip {
    const T* value;
    const i32* offset;
    const T* strip;
    TL_HD T weight(i64 e) const { return value[e]; }
    TL_HD const T* column(i64 e) const { return strip + offset[e]; }
  };
  template <class V, class I>
  struct FromState {
    Rows<V, I> P;
    const T* x;
    i64 d;
    const T* w;
    TL_HD T weight(i64 e) const { return static_cast<T>(P.data[e]); }
    TL_HD const T* column(i64 e) const { return x + P.indices[e] * d; }
    TL_HD T mass(i64 e) const { return w[P.indices[e]]; }
  };

  template <class From>
  static TL_HD void sum_block(const From& from, i64 e0, i64 e1, i64 shift, Vec (&sum)[kSums]) {
#pragma GCC unroll 8
    for (int v = 0; v < kSums; ++v) sum[v] = Vec{};
    for (i64 e = e0; e < e1; ++e) {
      const T p = from.weight(e);
      const T* column = from.column(e) + shift;
#pragma GCC unroll 8
      for (int v = 0; v < kSums; ++v) sum[v] += p * S::load(column + v * S::kLanes);
    }
  }

  // One (row, column) of any source: heads and tails.
  template <class From>
  static TL_HD void one(const From& from, i64 e0, i64 e1, i64 k, T w1, T* x1, T* z1) {
    T sum = 0;
    for (i64 e = e0; e < e1; ++e) sum += from.weight(e) * from.column(e)[k];
    x1[k] = sum;
    z1[k] = sum / w1;
  }

  // kStrip columns of one output row; from.column(e)[shift] is the first.
  template <bool kStreamX, bool kStreamZ, class From>
  static TL_HD void strip_row(const From& from, i64 e0, i64 e1, i64 shift, T w1, T* x1, T* z1) {
    for (int block = 0; block < kStrip; block += kBlock) {
      Vec sum[kSums];
      sum_block(from, e0, e1, shift + block, sum);
#pragma GCC unroll 8
      for (int v = 0; v < kSums; ++v) {
        T *px = x1 + block + v * S::kLanes, *pz = z1 + block + v * S::kLanes;
        kStreamX ? S::stream(px, sum[v]) : S::store(px, sum[v]);
        kStreamZ ? S::stream(pz, sum[v] / w1) : S::store(pz, sum[v] / w1);
      }
    }
  }
};

}  // namespace TL_ISA
}  // namespace tl

#include "push_mix_gather.hpp"
#include "push_mix_packed.hpp"

namespace tl {
inline namespace TL_ISA {

template <class T, class V, class I>
void push_weights(const MixJob& job, int threads, Watch& watch) {
  const T* w = static_cast<const T*>(job.w);
  T* w1 = static_cast<T*>(job.w1);
#pragma omp parallel num_threads(threads) if (threads > 1)
  {
    Pace pace(watch);
#pragma omp for schedule(static) nowait
    for (i64 t = 0; t < job.runs * job.n; ++t) {
      const Rows<V, I> P = rows_of<V, I>(job, t / job.n);
      if (pace.on(P.indptr[t % job.n + 1] - P.indptr[t % job.n] + 1))
        push_weight_task(t, job.n, P, w, w1);
    }
    wait_watched(watch);
  }
}

template <class T, class V, class I>
void push_mix_typed(const MixJob& job, int threads, Watch& watch) {
  const i64 products = times(job.entries, job.per_run ? 1 : job.runs);
  const i64 size = job.runs * job.n * job.d;
  const int team = times(products, job.d) < kSerial && size < kSerial ? 1 : threads;
  const PackedPlan<T> plan(job, team);
  if (plan.use || !size) push_weights<T, V, I>(job, products < kSerial ? 1 : threads, watch);
  if (!size || (plan.use && plan.template run<V, I>(watch))) return;
  gather<T, V, I>(job, team, watch);
}

inline void push_mix(const MixJob& job, int threads, Watch& watch) {
  if (job.single) {
    if (job.single_data)
      job.wide ? push_mix_typed<float, float, i64>(job, threads, watch)
               : push_mix_typed<float, float, i32>(job, threads, watch);
    else
      job.wide ? push_mix_typed<float, double, i64>(job, threads, watch)
               : push_mix_typed<float, double, i32>(job, threads, watch);
  } else {
    if (job.single_data)
      job.wide ? push_mix_typed<double, float, i64>(job, threads, watch)
               : push_mix_typed<double, float, i32>(job, threads, watch);
    else
      job.wide ? push_mix_typed<double, double, i64>(job, threads, watch)
               : push_mix_typed<double, double, i32>(job, threads, watch);
  }
}

}  // namespace TL_ISA
}  // namespace tl
