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

// Column strips outermost, so that a strip of x is still in some cache when its next row needs it;
// rows in blocks, so that a narrow state has enough tasks for every thread.
template <class T, class V, class I>
void gather(const MixJob& job, int threads, Watch& watch) {
  typedef Mixer<T> M;
  const i64 n = job.n, d = job.d, strips = (d + M::kStrip - 1) / M::kStrip;
  const i64 block = 128, blocks = (n + block - 1) / block;
  const T *x = static_cast<const T*>(job.x), *w1 = static_cast<const T*>(job.w1);
  T *x1 = static_cast<T*>(job.x1), *z1 = static_cast<T*>(job.z1);
#pragma omp parallel num_threads(threads) if (threads > 1)
  {
    Pace pace(watch);
#pragma omp for schedule(static) nowait
    for (i64 task = 0; task < job.runs * strips * blocks; ++task) {
      const i64 r = task / (strips * blocks), first = task % blocks * block;
      const i64 c = task / blocks % strips * M::kStrip;
      const i64 width = d - c < M::kStrip ? d - c : M::kStrip;
      const typename M::template FromState<V, I> from{rows_of<V, I>(job, r), x + r * n * d + c, d};
      for (i64 i = first; i < first + block && i < n; ++i) {
        const i64 e0 = from.P.indptr[i], e1 = from.P.indptr[i + 1], at = (r * n + i) * d + c;
        if (!pace.on((e1 - e0 + 1) * width)) break;
        if (width == M::kStrip)
          M::template strip_row<false, false>(from, e0, e1, 0, w1[r * n + i], x1 + at, z1 + at);
        else
          M::narrow_row(from, e0, e1, width, w1[r * n + i], x1 + at, z1 + at);
      }
    }
    wait_watched(watch);
  }
}

}  // namespace TL_ISA
}  // namespace tl
