// push_mix_gather.hpp -- push_mix straight from x; see push_mix.hpp.
#pragma once

namespace tl {
inline namespace TL_ISA {

template <class V, class I>
TL_HD Rows<V, I> rows_of(const MixJob& job, i64 run) {
  const MixRows& P = job.P[job.per_run ? run : 0];
  return Rows<V, I>{static_cast<const I*>(P.indptr), static_cast<const I*>(P.indices),
                    static_cast<const V*>(P.data)};
}

// One row of any width, and its weight, in one pass over its entries (one for each kSums vectors).
// Its last vector ends where the row ends and may overlap the one before: the numbers in both are
// the same. Rows shorter than a vector take shorter vectors.
template <class T, class From>
struct GatherRow {
  const From& from;
  i64 e0, e1, width;
  T *x1, *z1;

  template <int kBytes>
  struct As {
    typedef T Vec __attribute__((vector_size(kBytes)));
    typedef T Loose __attribute__((vector_size(kBytes), aligned(sizeof(T)), may_alias));
    static constexpr i64 kLanes = kBytes / sizeof(T);
    static TL_HD Vec load(const T* p) { return *reinterpret_cast<const Loose*>(p); }
    static TL_HD void store(T* p, Vec v) { *reinterpret_cast<Loose*>(p) = v; }
  };
  static constexpr int kSums = Mixer<T>::kSums;

  // kCount vectors: from column k on, but the last one at `last`.
  template <int kBytes, int kCount, bool kWeigh>
  TL_HD void few(i64 k, i64 last, T& w1) const {
    typedef As<kBytes> S;
    typename S::Vec sum[kCount] = {};
    T mass = 0;
    for (i64 e = e0; e < e1; ++e) {
      const T p = from.weight(e);
      const T* column = from.column(e);
      if (kWeigh) mass += p * from.mass(e);
#pragma GCC unroll 8
      for (int v = 0; v < kCount - 1; ++v) sum[v] += p * S::load(column + k + v * S::kLanes);
      sum[kCount - 1] += p * S::load(column + last);
    }
    if (kWeigh) w1 = mass;
#pragma GCC unroll 8
    for (int v = 0; v < kCount; ++v) {
      const i64 at = v == kCount - 1 ? last : k + v * S::kLanes;
      S::store(x1 + at, sum[v]);
      S::store(z1 + at, sum[v] / w1);
    }
  }

  // Columns k to the end, at most kMost vectors of them.
  template <int kBytes, bool kWeigh, int kMost = kSums>
  TL_HD void rest(i64 k, T& w1) const {
    constexpr i64 lanes = As<kBytes>::kLanes;
    if constexpr (kMost > 1)
      if (width - k <= (kMost - 1) * lanes) return rest<kBytes, kWeigh, kMost - 1>(k, w1);
    few<kBytes, kMost, kWeigh>(k, width - lanes, w1);
  }

  TL_HD T mix() const {
    T w1 = 0;
    if (width >= As<kVectorBytes>::kLanes) {
      const i64 block = kSums * As<kVectorBytes>::kLanes;
      if (width <= block) return rest<kVectorBytes, true>(0, w1), w1;
      few<kVectorBytes, kSums, true>(0, block - As<kVectorBytes>::kLanes, w1);
      i64 k = block;
      for (; width - k > block; k += block)
        few<kVectorBytes, kSums, false>(k, k + block - As<kVectorBytes>::kLanes, w1);
      rest<kVectorBytes, false>(k, w1);
      return w1;
    }
    if constexpr (kVectorBytes > 32)
      if (width >= As<32>::kLanes) return rest<32, true>(0, w1), w1;
    if constexpr (kVectorBytes > 16)
      if (width >= As<16>::kLanes) return rest<16, true>(0, w1), w1;
    T sum = 0;
    for (i64 e = e0; e < e1; ++e) {
      const T p = from.weight(e);
      sum += p * from.column(e)[0];
      w1 += p * from.mass(e);
    }
    x1[0] = sum;
    z1[0] = sum / w1;
    for (i64 k = 1; k < width; ++k) Mixer<T>::one(from, e0, e1, k, w1, x1, z1);
    return w1;
  }
};

// Column strips outermost, so that a strip of x is still in some cache when its next row needs it;
// rows in blocks, so that a narrow state has enough tasks for every thread. The last strip takes
// the columns that are left, too. Each strip sums the weights anew, and the first one keeps them.
template <class T, class V, class I>
struct Gather {
  typedef typename Mixer<T>::template FromState<V, I> From;
  static constexpr i64 kRows = 128;
  const MixJob& job;
  i64 n, d, step, strips, blocks;

  explicit Gather(const MixJob& j) : job(j), n(j.n), d(j.d) {
    step = Mixer<T>::kStrip;
    if (n * 256 > job.tuning.strip_limit) step *= 4;  // no cache holds a strip: fewer passes
    strips = d < step ? 1 : d / step;
    blocks = (n + kRows - 1) / kRows;
  }
  i64 tasks() const { return job.runs * strips * blocks; }

  void task(i64 number, Pace& pace) const {
    const i64 r = number / (strips * blocks), first = number % blocks * kRows;
    const i64 strip = number / blocks % strips, c = strip * step;
    const i64 width = strip + 1 < strips ? step : d - c;
    const From from{rows_of<V, I>(job, r), static_cast<const T*>(job.x) + r * n * d + c, d,
                    static_cast<const T*>(job.w) + r * n};
    T* w1 = static_cast<T*>(job.w1) + r * n;
    for (i64 i = first; i < first + kRows && i < n; ++i) {
      const i64 e0 = from.P.indptr[i], e1 = from.P.indptr[i + 1], at = (r * n + i) * d + c;
      if (!pace.on((e1 - e0 + 1) * width)) return;
      const T sum =
          GatherRow<T, From>{
              from, e0, e1, width, static_cast<T*>(job.x1) + at, static_cast<T*>(job.z1) + at}
              .mix();
      if (!strip) w1[i] = sum;
    }
  }
};

template <class T, class V, class I>
void gather(const MixJob& job, int threads, Watch& watch) {
  const Gather<T, V, I> all(job);
  if (threads == 1) {  // no region: opening one costs more than a tiny call
    Pace pace(watch);
    for (i64 task = 0; task < all.tasks(); ++task) all.task(task, pace);
    return;
  }
#pragma omp parallel num_threads(threads)
  {
    Pace pace(watch);
#pragma omp for schedule(static) nowait
    for (i64 task = 0; task < all.tasks(); ++task) all.task(task, pace);
    wait_watched(watch);
  }
}

}  // namespace TL_ISA
}  // namespace tl
