// push_mix_packed.hpp -- push_mix through packed strips; see push_mix.hpp.
#pragma once
#include <cstdlib>

namespace tl {
inline namespace TL_ISA {

// A row of x1 need not start on a line of 64 bytes. Streaming stores want whole lines, so row i
// works on columns shifted right by lead(i), the distance to its first line: strip s covers
// [s kStrip + lead, (s+1) kStrip + lead). The strip is packed kLine columns wider for that, and the
// first strip also does the lead columns.
template <class T>
struct PackedPlan {
  typedef Mixer<T> M;
  const MixJob& job;
  int threads;
  i64 n, d, strips, width, per_chunk, chunks;
  bool use, stream;

  PackedPlan(const MixJob& j, int t) : job(j), threads(t), n(j.n), d(j.d) {
    const i64 bytes = job.runs * n * d * i64(sizeof(T));
    strips = (d + M::kStrip - 1) / M::kStrip;
    stream = 2 * bytes >= job.tuning.stream_bytes;
    const bool ragged = d % M::kLine || reinterpret_cast<std::uintptr_t>(job.x1) % kLineBytes;
    width = M::kStrip + (stream && ragged ? M::kLine : 0);
    const i64 strip_bytes = n * width * i64(sizeof(T));
    const i64 share = kScratchBytes / threads;
    const i64 limit = share < job.tuning.strip_limit ? share : job.tuning.strip_limit;
    use = n > 0 && d >= M::kStrip && n * d * i64(sizeof(T)) >= job.tuning.packed_from &&
          strip_bytes <= limit && job.entries <= kPackedEntries;
    if (!use) return;
    per_chunk = job.tuning.chunk_bytes / 256;
    const i64 budget = job.tuning.chunk_limit < share ? job.tuning.chunk_limit : share;
    if (times(per_chunk, strip_bytes) > budget) per_chunk = budget / strip_bytes;
    const i64 even = job.runs * strips / (4 * threads);  // four chunks a thread, or more
    if (per_chunk > even) per_chunk = even;
    if (per_chunk < 1) per_chunk = 1;
    chunks = (strips + per_chunk - 1) / per_chunk;
  }

  // False: not this schedule (or no memory for the entries); nothing was written.
  template <class V, class I>
  bool run(Watch& watch) const {
    if (!use) return false;
    const Scratch buffers(times(n, width, per_chunk, i64(sizeof(T))), threads);
    const i64 matrices = job.per_run ? job.runs : 1;
    const i64 words = job.entries * i64(sizeof(T) + sizeof(i32)) + (matrices * n + 1) * 8;
    char* memory = static_cast<char*>(std::malloc(words));
    if (!memory) return false;
    typename M::Packed packed;
    packed.begin = reinterpret_cast<i64*>(memory);
    packed.value = reinterpret_cast<T*>(packed.begin + matrices * n + 1);
    packed.offset = reinterpret_cast<i32*>(packed.value + job.entries);
    i64 at = 0;
    for (i64 m = 0; m < matrices; ++m) {
      const Rows<V, I> P = rows_of<V, I>(job, m);
      for (i64 i = 0; i < n; ++i) {
        packed.begin[m * n + i] = at;
        for (i64 e = P.indptr[i]; e < P.indptr[i + 1]; ++e, ++at) {
          packed.value[at] = static_cast<T>(P.data[e]);
          packed.offset[at] = static_cast<i32>(P.indices[e] * width);
        }
      }
    }
    packed.begin[matrices * n] = at;
    const i64 tasks = job.runs * chunks;
    i64 next = 0;
#pragma omp parallel num_threads(threads) if (threads > 1)
    {
      T* buffer = reinterpret_cast<T*>(buffers.own());
      Pace pace(watch);
      for (;;) {
        i64 task;
#pragma omp atomic capture
        task = next++;
        if (task >= tasks || !pace.on(n * width * per_chunk)) break;
        pack(task, buffer);
        compute(packed, task, buffer, pace);
      }
      fence();
      wait_watched(watch);
    }
    std::free(memory);
    return true;
  }

  void pack(i64 task, T* buffer) const {
    const i64 first = task % chunks * per_chunk;
    const i64 last = first + per_chunk < strips ? first + per_chunk : strips;
    const T* x = static_cast<const T*>(job.x) + task / chunks * n * d;
    for (i64 j = 0; j < n; ++j) {
      const T* row = x + j * d;
      for (i64 s = first; s < last; ++s) {
        T* to = buffer + ((s - first) * n + j) * width;
        const T* from = row + s * M::kStrip;
        const i64 left = d - s * M::kStrip;
        if (left >= width) {
          for (i64 k = 0; k < width; k += M::S::kLanes) M::S::store(to + k, M::S::load(from + k));
        } else {
          for (i64 k = 0; k < width; ++k) to[k] = k < left ? from[k] : T(0);
        }
      }
    }
  }

  void compute(const typename M::Packed& packed, i64 task, const T* buffer, Pace& pace) const {
    const i64 r = task / chunks, first = task % chunks * per_chunk;
    const i64 last = first + per_chunk < strips ? first + per_chunk : strips;
    const i64* begin = packed.begin + (job.per_run ? r * n : 0);
    const T* w1 = static_cast<const T*>(job.w1) + r * n;
    for (i64 s = first; s < last && pace.on((begin[n] - begin[0]) * M::kStrip); ++s) {
      const typename M::FromStrip from{packed.value, packed.offset,
                                       buffer + (s - first) * n * width};
      for (i64 i = 0; i < n; ++i) row(from, begin[i], begin[i + 1], s, (r * n + i) * d, w1[i]);
    }
  }

  static TL_HD i64 lead(const T* p) {
    return i64(-reinterpret_cast<std::uintptr_t>(p) % kLineBytes / sizeof(T));
  }

  TL_HD void row(const typename M::FromStrip& from, i64 e0, i64 e1, i64 s, i64 at, T w1) const {
    T* x1 = static_cast<T*>(job.x1) + at;
    T* z1 = static_cast<T*>(job.z1) + at;
    const i64 shift = stream ? lead(x1) : 0, c = s * M::kStrip;
    if (!s)
      for (i64 k = 0; k < shift && k < d; ++k) M::one(from, e0, e1, k, w1, x1, z1);
    if (c + shift + M::kStrip > d) {
      alignas(kLineBytes) T sums[M::kStrip], ratios[M::kStrip];
      M::template strip_row<false, false>(from, e0, e1, shift, w1, sums, ratios);
      for (i64 k = 0; c + shift + k < d; ++k) {
        x1[c + shift + k] = sums[k];
        z1[c + shift + k] = ratios[k];
      }
    } else if (!stream) {
      M::template strip_row<false, false>(from, e0, e1, 0, w1, x1 + c, z1 + c);
    } else if (lead(z1) == shift) {
      M::template strip_row<true, true>(from, e0, e1, shift, w1, x1 + c + shift, z1 + c + shift);
    } else {
      M::template strip_row<true, false>(from, e0, e1, shift, w1, x1 + c + shift, z1 + c + shift);
    }
  }
};

}  // namespace TL_ISA
}  // namespace tl
