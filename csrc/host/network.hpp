// network.hpp -- host schedule of kernels/random_edges.cuh: networks straight into CSR.
//
// The draws of one step of a block of clients stand side by side, and so do their comparisons: both
// are vectors. The rows are filled in the order of the senders, so that each comes out ascending
// without a sort. Networks of several rounds are drawn by a thread each.
#pragma once
#include "../kernels/random_edges.cuh"
#include "normals.hpp"
#include "table.hpp"
#include "watch.hpp"

namespace tl {
inline namespace TL_ISA {

constexpr i64 kSenders = 1024;  // whose receivers are drawn together

// The receivers of clients first .. end - 1, at chosen[k n + j].
inline void draw_receivers(const Network& net, i64 first, i64 end, i32* TL_RESTRICT chosen) {
  typedef Wide W;
  const i64 n = net.n, degree = net.degree;
  for (i64 k = 0; k < degree; ++k) {
    const Key key = net.key(k);
    const W::Bits low = W::all(u64(key.lo)), high = W::all(u64(key.hi));
    const W::Bits bound = W::all(u64(net.top(k)) + 1);
    i32* TL_RESTRICT own = chosen + k * n;
    // The last vector ends where the block ends: a number in two of them is drawn twice.
    i64 j = first;
    for (i64 left = end - first; left > 0 && end - first >= W::kLanes; left -= W::kLanes) {
      if (left < W::kLanes) j = end - W::kLanes;
      W::Bits client, word, unused;
      for (int l = 0; l < W::kLanes; ++l) client[l] = u64(j + l);
      philox_words(W::Bits{}, low, high, net.round, client, net.run, &word, &unused);
      // floor(word bound / 2^64), bound below 2^31: nothing of this overflows
      const W::Bits drawn = (W::product(word >> 32, bound) + (W::product(word, bound) >> 32)) >> 32;
      for (int l = 0; l < W::kLanes; ++l) own[j + l] = i32(drawn[l]);
      j += W::kLanes;
    }
    for (; j < end; ++j) own[j] = net.drawn(key, j, k);
    i32 seen[kSenders];
    for (j = first; j < end; ++j) seen[j - first] = 0;
    for (i64 before = 0; before < k; ++before) {
      const i32* TL_RESTRICT other = chosen + before * n;
      for (j = first; j < end; ++j) seen[j - first] |= other[j] == own[j];
    }
    const i32 top = net.top(k);
    for (j = first; j < end; ++j) own[j] = seen[j - first] ? top : own[j];
  }
  for (i64 k = 0; k < degree; ++k)
    for (i64 j = first; j < end; ++j) chosen[k * n + j] += chosen[k * n + j] >= i32(j);
}

inline void fill_rows(const NetworkJob& job) {
  const i64 n = job.n, degree = job.degree;
  const i32* TL_RESTRICT chosen = job.chosen;
  i32 *TL_RESTRICT first = job.indptr, *TL_RESTRICT indices = job.indices;
  for (i64 i = 0; i <= n; ++i) first[i] = 0;
  // next[i] counts row i - 1, then is where row i begins, and at last where it ends.
  i32* TL_RESTRICT next = first + 1;
  for (i64 e = 0; e < n * degree; ++e)
    if (chosen[e] + 1 < n) ++next[chosen[e] + 1];
  for (i64 i = 1; i < n; ++i) next[i] += next[i - 1] + i32(job.self);
  for (i64 j = 0; j < n; ++j) {
    for (i64 k = 0; k < degree; ++k) indices[next[chosen[k * n + j]]++] = i32(j);
    if (job.self) indices[next[j]++] = i32(j);
  }
}

// Networks of one size: a thread draws one, or all threads draw each.
inline void networks(const NetworkJob* jobs, i64 count, int threads, Watch& watch) {
  const i64 n = jobs->n, degree = jobs->degree, blocks = (n + kSenders - 1) / kSenders;
  if (times(count, n, degree) < 16384) threads = 1;  // cost less than a parallel region
  const bool each = count >= threads;
  for (i64 at = 0; at < count && !told_to_stop(watch, true); at = each ? count : at + 1) {
#pragma omp parallel num_threads(threads) if (threads > 1)
    {
      Pace pace(watch);
      const auto draw = [&](i64 g, i64 b) {
        const NetworkJob& job = jobs[g];
        const Network net{n, degree, job.self, job.seed, job.purpose, job.round, job.run};
        const i64 end = (b + 1) * kSenders < n ? (b + 1) * kSenders : n;
        const bool on = pace.on(kSenders * degree * 16);
        if (on) draw_receivers(net, b * kSenders, end, job.chosen);
        return on;
      };
      if (each) {
#pragma omp for schedule(dynamic, 1) nowait
        for (i64 g = 0; g < count; ++g) {
          i64 b = 0;
          while (b < blocks && draw(g, b)) ++b;
          if (b == blocks) fill_rows(jobs[g]);
        }
      } else {
#pragma omp for schedule(static) nowait
        for (i64 b = 0; b < blocks; ++b) draw(at, b);
      }
      wait_watched(watch);
    }
    if (!each && !told_to_stop(watch, true)) fill_rows(jobs[at]);
  }
}

}  // namespace TL_ISA
}  // namespace tl
