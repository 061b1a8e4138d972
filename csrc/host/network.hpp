// network.hpp -- host schedule of kernels/random_edges.cuh: one round's network straight into CSR.
//
// The draws of one step of all clients stand side by side; the rows are filled in the order of the
// senders, so that each comes out ascending without a sort.
#pragma once
#include "../kernels/random_edges.cuh"
#include "table.hpp"
#include "watch.hpp"

namespace tl {
inline namespace TL_ISA {

inline void network(const NetworkJob& job, int threads, Watch& watch) {
  const i64 n = job.n, degree = job.degree, out = degree + job.self;
  const Network net{n, degree, job.self, job.seed, job.purpose, job.round, job.run};
  i32* TL_RESTRICT chosen = job.chosen;
  const i64 block = 1024, blocks = (n + block - 1) / block;
  if (n * degree < 16384) threads = 1;  // as many draws cost less than a parallel region
#pragma omp parallel num_threads(threads) if (threads > 1)
  {
    Pace pace(watch);
#pragma omp for schedule(static) nowait
    for (i64 b = 0; b < blocks; ++b) {
      if (!pace.on(block * degree * 16)) continue;
      const i64 end = (b + 1) * block < n ? (b + 1) * block : n;
      for (i64 k = 0; k < degree; ++k) {
        const Key key = net.key(k);
        for (i64 j = b * block; j < end; ++j) chosen[k * n + j] = net.drawn(key, j, k);
      }
      for (i64 j = b * block; j < end; ++j) net.choose(j, chosen + j, n);
    }
    wait_watched(watch);
  }
  if (told_to_stop(watch, true)) return;  // some receivers are not there
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
  if (job.data)
    for (i64 e = 0; e < n * out; ++e) job.data[e] = net.share();
}

}  // namespace TL_ISA
}  // namespace tl
