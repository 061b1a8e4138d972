// push_mix_packed.hpp -- push_mix through packed strips; see push_mix.hpp.
#pragma once
#include <cstdlib>

namespace tl {
inline namespace TL_ISA {

// A row of x1 need not start on a line of 64 bytes, and streaming stores want whole lines.
//
// join   (AVX-512) the sums of a strip start where the strip does; whole lines are joined from two
//        neighbouring vectors in registers. A row's last vector waits in `carry` for the next
//        strip.
// shift  (others) row i works on columns shifted right by lead(i), the distance to its first line:
//        strip s covers [s kStrip + lead, (s+1) kStrip + lead). The strip is packed kLine columns
//        wider for that, and the first strip also does the lead columns.
template <class T>
struct PackedPlan {
  typedef Mixer<T> M;
  typedef typename M::S S;
  typedef typename M::Vec Vec;
  static constexpr bool kJoin = kVectorBytes == kLineBytes;
  static constexpr i64 kAhead = 2048 / (M::kStrip * sizeof(T));  // pieces from asking to copying
  const MixJob& job;
  int threads;
  i64 n, d, strips, width, per_chunk, per_span, spans;
  bool use, stream, ragged, twice;

  PackedPlan(const MixJob& j, int t) : job(j), threads(t), n(j.n), d(j.d) {
    const i64 bytes = job.runs * n * d * i64(sizeof(T));
    strips = (d + M::kStrip - 1) / M::kStrip;
    stream = 2 * bytes >= job.tuning.stream_bytes;
    ragged =
        stream && (d % M::kLine || lead(static_cast<T*>(job.x1)) || lead(static_cast<T*>(job.z1)));
    width = M::kStrip + (ragged && !kJoin ? M::kLine : 0);
    const i64 strip_bytes = n * width * i64(sizeof(T));
    const i64 share = kScratchBytes / threads - (ragged && kJoin ? 2 * n * kLineBytes : 0);
    const i64 limit = share < job.tuning.strip_limit ? share : job.tuning.strip_limit;
    use = n > 0 && d >= M::kStrip && n * d * i64(sizeof(T)) >= job.tuning.packed_from &&
          strip_bytes <= limit && job.entries <= kPackedEntries;
    if (!use) return;
    // Two buffers, one filled while the other is summed, where both stay in L2.
    i64 budget = job.tuning.chunk_limit < share ? job.tuning.chunk_limit : share;
    twice = 2 * strip_bytes <= budget;
    if (twice) budget /= 2;
    per_chunk = job.tuning.chunk_bytes / 256;
    if (times(per_chunk, strip_bytes) > budget) per_chunk = budget / strip_bytes;
    const i64 even = job.runs * strips / (4 * threads);  // four chunks a thread, or more
    if (per_chunk > even) per_chunk = even;
    if (per_chunk < 1) per_chunk = 1;
    // A line that two spans share is read from memory by both: long spans where rows are ragged,
    // but one for each thread.
    const i64 fair = (job.runs * strips + threads - 1) / threads;
    per_span = kJoin && ragged ? 128 : per_chunk;
    if (per_span < fair / 16) per_span = fair / 16;
    if (per_span > fair) per_span = fair;
    spans = (strips + per_span - 1) / per_span;
  }

  // Strips [first, last) of a run, packed at once. A span of chunks is one thread's, in order.
  struct Chunk {
    i64 run, first, last, begin, end;  // begin, end: of the span
  };

  // False: not this schedule (or no memory for the entries); nothing was written.
  template <class V, class I>
  bool run(Watch& watch) const {
    if (!use) return false;
    const i64 room = whole(times(n, width, per_chunk, i64(sizeof(T))), kLineBytes);
    const i64 carried = ragged && kJoin ? 2 * n * kLineBytes : 0;
    const Scratch buffers(plus(times(room, twice ? 2 : 1), carried), threads);
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
    i64 next = 0;
#pragma omp parallel num_threads(threads) if (threads > 1)
    {
      char* own = buffers.own();
      T* const carry = reinterpret_cast<T*>(own);
      T* buffer = reinterpret_cast<T*>(own + carried);
      T* other = twice ? reinterpret_cast<T*>(own + carried + room) : buffer;
      Pace pace(watch);
      Chunk chunk{};
      bool more = follow(chunk, next);
      if (more) Feed(*this, chunk, buffer).rest();
      while (more && pace.on(n * width * per_chunk)) {
        Chunk after = chunk;
        more = follow(after, next);
        Feed feed(*this, more ? after : Chunk{}, other);
        compute(packed, chunk, buffer, carry, pace, feed);
        feed.rest();
        T* const filled = other;
        other = twice ? buffer : other;
        buffer = filled;
        chunk = after;
      }
      fence();
      wait_watched(watch);
    }
    std::free(memory);
    return true;
  }

  // The thread's next chunk: the next of its span, or the first of a span that nobody has.
  bool follow(Chunk& chunk, i64& next) const {
    chunk.first = chunk.last;
    if (chunk.first == chunk.end) {
      i64 task;
#pragma omp atomic capture
      task = next++;
      if (task >= job.runs * spans) return false;
      chunk.run = task / spans;
      chunk.first = chunk.begin = task % spans * per_span;
      chunk.end = chunk.first + per_span < strips ? chunk.first + per_span : strips;
    }
    chunk.last = chunk.first + per_chunk < chunk.end ? chunk.first + per_chunk : chunk.end;
    return true;
  }

  // Copies a chunk into a buffer, one piece (a row of a strip) at a time, along the rows of x.
  class Feed {
   public:
    Feed(const PackedPlan& plan, const Chunk& chunk, T* buffer)
        : plan_(plan), to_(buffer), first_(chunk.first), count_(chunk.last - chunk.first) {
      left_ = count_ * plan.n;
      soon_rows_ = count_ ? kAhead / count_ : 0;
      soon_strips_ = kAhead - soon_rows_ * count_;
      from_ = static_cast<const T*>(plan.job.x) + chunk.run * plan.n * plan.d;
    }
    TL_HD void piece() {
      if (left_ > 0) copy();
    }
    void rest() {
      while (left_ > 0) copy();
    }

   private:
    const PackedPlan& plan_;
    T* const to_;
    const T* from_;
    const i64 first_, count_;
    i64 row_ = 0, strip_ = 0, left_, soon_rows_, soon_strips_;

    TL_HD void copy() {
      const i64 d = plan_.d, width = plan_.width, column = (first_ + strip_) * M::kStrip;
      const T* const from = from_ + row_ * d + column;
      T* const to = to_ + (strip_ * plan_.n + row_) * width;
      if (d - column >= width) {
        // What is copied soon is asked for now: the sums in between hide the wait. An address
        // beyond x is harmless in a prefetch.
        const bool wraps = strip_ + soon_strips_ >= count_;
        const i64 step = (soon_rows_ + wraps) * d + (soon_strips_ - wraps * count_) * M::kStrip;
        const std::uintptr_t soon = reinterpret_cast<std::uintptr_t>(from) + step * i64(sizeof(T));
#pragma GCC unroll 4
        for (int k = 0; k < 256; k += kLineBytes)
          __builtin_prefetch(reinterpret_cast<const void*>(soon + k), 0, 2);
        for (i64 k = 0; k < width; k += S::kLanes) S::store(to + k, S::load(from + k));
      } else {
        for (i64 k = 0; k < width; ++k) to[k] = k < d - column ? from[k] : T(0);
      }
      --left_;
      if (++strip_ == count_) strip_ = 0, ++row_;
    }
  };

  void compute(const typename M::Packed& packed, const Chunk& chunk, const T* buffer, T* carry,
               Pace& pace, Feed& feed) const {
    const i64* begin = packed.begin + (job.per_run ? chunk.run * n : 0);
    const T* w1 = static_cast<const T*>(job.w1) + chunk.run * n;
    const i64 work = (begin[n] - begin[0]) * M::kStrip;
    for (i64 s = chunk.first; s < chunk.last && pace.on(work); ++s) {
      const typename M::FromStrip from{packed.value, packed.offset,
                                       buffer + (s - chunk.first) * n * width};
      const bool opens = s == chunk.begin, closes = s + 1 == chunk.end || (s + 2) * M::kStrip > d;
      for (i64 i = 0; i < n; ++i) {
        row(from, begin[i], begin[i + 1], s, (chunk.run * n + i) * d, w1[i],
            carry + i * 2 * M::kLine, opens, closes);
        if (twice) feed.piece();
      }
    }
  }

  // opens, closes: no strip before it, or after it, takes part in its first, or last, line.
  TL_HD void row(const typename M::FromStrip& from, i64 e0, i64 e1, i64 s, i64 at, T w1, T* carry,
                 bool opens, bool closes) const {
    T* x1 = static_cast<T*>(job.x1) + at;
    T* z1 = static_cast<T*>(job.z1) + at;
    const i64 shift = stream && !kJoin ? lead(x1) : 0, c = s * M::kStrip;
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
    } else if (kJoin && ragged) {
      joined(from, e0, e1, w1, x1 + c, z1 + c, carry, opens, closes);
    } else if (lead(z1) == shift) {
      M::template strip_row<true, true>(from, e0, e1, shift, w1, x1 + c + shift, z1 + c + shift);
    } else {
      M::template strip_row<true, false>(from, e0, e1, shift, w1, x1 + c + shift, z1 + c + shift);
    }
  }

  static TL_HD void joined(const typename M::FromStrip& from, i64 e0, i64 e1, T w1, T* x1, T* z1,
                           T* carry, bool opens, bool closes) {
    if constexpr (kJoin) {
      Vec sum[M::kSums];
      M::sum_block(from, e0, e1, 0, sum);
      put(x1, sum, carry, opens, closes);
#pragma GCC unroll 8
      for (int v = 0; v < M::kSums; ++v) sum[v] = sum[v] / w1;
      put(z1, sum, carry + M::kLine, opens, closes);
    }
  }

  // Whole lines past the caches; the strip's first and last, which it shares, as they are complete.
  static TL_HD void put(T* p, const Vec (&v)[M::kSums], T* carry, bool opens, bool closes) {
    if constexpr (kJoin) {
      const int skip = int(lead(p)), last = M::kSums - 1;
      if (!skip) {
#pragma GCC unroll 8
        for (int k = 0; k <= last; ++k) S::stream(p + k * S::kLanes, v[k]);
        return;
      }
      T* line = p + skip - S::kLanes;
      if (opens)
        S::store_lanes(p, v[0], 0, skip);
      else
        S::stream(line, S::join(S::load(carry), v[0], skip));
#pragma GCC unroll 8
      for (int k = 1; k <= last; ++k)
        S::stream(line + k * S::kLanes, S::join(v[k - 1], v[k], skip));
      if (closes)
        S::store_lanes(p + last * S::kLanes, v[last], skip, S::kLanes);
      else
        S::store(carry, v[last]);
    }
  }

  static TL_HD i64 lead(const T* p) {
    return i64(-reinterpret_cast<std::uintptr_t>(p) % kLineBytes / sizeof(T));
  }
};

}  // namespace TL_ISA
}  // namespace tl
