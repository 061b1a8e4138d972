// draws.hpp -- host schedule of kernels/draws.cuh: (run, client) pairs shared among threads.
#pragma once
#include "../core/sizes.hpp"
#include "../kernels/draws.cuh"
#include "normals.hpp"
#include "table.hpp"
#include "watch.hpp"

namespace tl {
inline namespace TL_ISA {

constexpr i64 kDraws = 1 << 16;    // of one task between two questions; even
constexpr i64 kDrawProducts = 16;  // what a draw costs

template <class To>
void draws_host(const DrawJob& job, int threads, Watch& watch) {
  const Key key = stream_key(job.seed, job.purpose, job.step);
  const i64 tasks = job.runs * job.clients;
  typename To::value* out = static_cast<typename To::value*>(job.out);
#pragma omp parallel num_threads(threads) if (threads > 1)
  {
    Pace pace(watch);
    const i64 group = job.count < 16 ? 64 : 1, groups = (tasks + group - 1) / group;
#pragma omp for schedule(static) nowait
    for (i64 g = 0; g < groups; ++g)
      for (i64 k = 0, end; k < job.count; k = end) {
        end = job.count - k < kDraws ? job.count : k + kDraws;
        if (!pace.on(group * (end - k) * kDrawProducts)) break;
        for (i64 t = g * group; t < (g + 1) * group && t < tasks; ++t)
          draws_task(t, job.clients, job.count, k, end, job.run, job.client, job.bound, key,
                     job.round, To(), out);
      }
    wait_watched(watch);
  }
}

inline void draws_normal(const DrawJob& job, int threads, Watch& watch) {
  const Key key = stream_key(job.seed, job.purpose, job.step);
  const i64 tasks = job.runs * job.clients;
  double* out = static_cast<double*>(job.out);
#pragma omp parallel num_threads(threads) if (threads > 1)
  {
    Pace pace(watch);
#pragma omp for schedule(static) nowait
    for (i64 t = 0; t < tasks; ++t) {
      if (!pace.on(job.count < kDraws ? job.count * kDrawProducts : 0)) continue;
      normals(&key, 1, job.round, u32(job.client[t % job.clients]), u32(job.run[t / job.clients]),
              job.count, 1.0, out + t * job.count, pace);
    }
    wait_watched(watch);
  }
}

// Opening a parallel region costs about as much as a thousand draws.
inline void draws(const DrawJob& job, int threads, Watch& watch) {
  if (times(job.runs, job.clients, job.count) < 16384) threads = 1;
  switch (job.kind) {
    case Draw::kUniform:
      return draws_host<ToUniform>(job, threads, watch);
    case Draw::kNormal:
      return draws_normal(job, threads, watch);
    case Draw::kInteger:
      return draws_host<ToInteger>(job, threads, watch);
  }
}

}  // namespace TL_ISA
}  // namespace tl
