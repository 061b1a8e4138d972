// local_steps.hpp -- host schedules of kernels/local_steps.cuh.
//
// A task is one (client, run), clients outermost: the runs of a client follow
// each other on one thread and find its rows in that core's cache. A gradient
// takes its rows in blocks of four: the four products with z, while the next
// four rows are fetched, then one pass over g that adds all four, whose lines
// are still in L1. A minibatch is never gathered.
#pragma once
#include "local_steps_few.hpp"
#include "local_steps_loss.hpp"
#include "local_steps_mean.hpp"

namespace tl {
inline namespace TL_ISA {

template <class T, Family kFamily>
void one_task(const StepJob& job, const LossTable<T>& t, const Workspace<T>& work, Pace& pace,
              i64 r, i64 i) {
  const i64 task = r * t.n + i, d = t.d;
  const T* x = static_cast<const T*>(job.x) + task * d;
  T* out = static_cast<T*>(job.out);
  FastLoss<T, kFamily> loss{t,       work,    i, Source{job.seed, job.round, u32(i), 0},
                            nullptr, nullptr, 0, pace};
  if (job.work == StepWork::kSteps) {
    loss.steps = job.count && job.count[task] < job.steps ? job.count[task] : job.steps;
    loss.source.run = u32(job.run[r]);
    const StepSizes<T> sizes{T(job.eta), T(job.alpha), T(job.rho)};
    return local_steps_task(loss, d, loss.steps, static_cast<const T*>(job.w)[task], sizes, x,
                            out + task * d, work.z, work.g, work.v);
  }
  for (i64 k = 0; k < d; ++k) work.z[k] = x[k];
  if (job.work == StepWork::kLosses) {
    out[task] = loss.loss(work.z);
    return;
  }
  if (job.drawn) loss.rows = job.drawn + task * t.batch;
  if (job.drawn_noise) loss.noise = job.drawn_noise + task * d;
  loss.gradient(work.z, work.g);
  for (i64 k = 0; k < d; ++k) out[task * d + k] = work.g[k];
}

template <class T, Family kFamily>
void every_task(const StepJob& job, int threads, Watch& watch) {
  const LossTable<T> t = loss_table<T>(job.table);
  if (step_products(job) < kSerial) threads = 1;
  const i64 tasks = job.runs * t.n, share = tasks / (8 * threads);
  const i64 chunk = share < job.runs ? (share > 0 ? share : 1) : job.runs;
  const i64 steps = job.work == StepWork::kSteps ? job.steps : 0;
  const WorkPlan<T> plan(job.table, steps);
  const Scratch buffers(plan.total, threads);
#pragma omp parallel num_threads(threads) if (threads > 1)
  {
    const Workspace<T> work(plan, buffers.own());
    Pace pace(watch);
    if (t.noise > 0 && work.kept)
      for (i64 k = 0; k < steps; ++k) work.keys[k] = stream_key(job.seed, kNoise, u32(k));
#pragma omp for schedule(dynamic, chunk) nowait
    for (i64 task = 0; task < tasks; ++task)
      if (pace.on(t.d)) one_task<T, kFamily>(job, t, work, pace, task % job.runs, task / job.runs);
    wait_watched(watch);
  }
}

template <class T>
void ascents(const StepJob& job, int threads, Watch& watch) {
  const i64 d = job.table.d, tasks = job.runs * job.table.n;
  if (tasks * d < kSerial) threads = 1;
  const T *x = static_cast<const T*>(job.x), *g = static_cast<const T*>(job.direction);
  T* out = static_cast<T*>(job.out);
#pragma omp parallel num_threads(threads) if (threads > 1)
  {
    Pace pace(watch);
#pragma omp for schedule(static) nowait
    for (i64 task = 0; task < tasks; ++task) {
      if (!pace.on(4 * d)) continue;
      for (i64 k = 0; k < d; ++k) out[task * d + k] = x[task * d + k];
      ascend(d, RowSums<T>::square(d, g + task * d), T(job.rho), g + task * d, out + task * d);
    }
    wait_watched(watch);
  }
}

template <class T>
void local_steps_typed(const StepJob& job, int threads, Watch& watch) {
  if (job.work == StepWork::kAscent) return ascents<T>(job, threads, watch);
  if (job.work == StepWork::kMeans) return means<T>(job, threads, watch);
  switch (Family(job.table.family)) {
    case Family::kLogistic:
      return every_task<T, Family::kLogistic>(job, threads, watch);
    case Family::kSoftmax:
      return every_task<T, Family::kSoftmax>(job, threads, watch);
    case Family::kDense:
      if (few_coordinates<T>(job, threads, watch)) return;
      return every_task<T, Family::kDense>(job, threads, watch);
    case Family::kDiagonal:
      return every_task<T, Family::kDiagonal>(job, threads, watch);
    case Family::kLogCosh:
      return every_task<T, Family::kLogCosh>(job, threads, watch);
    case Family::kClipped:
      return every_task<T, Family::kClipped>(job, threads, watch);
  }
}

inline void local_steps(const StepJob& job, int threads, Watch& watch) {
  job.table.single ? local_steps_typed<float>(job, threads, watch)
                   : local_steps_typed<double>(job, threads, watch);
}

}  // namespace TL_ISA
}  // namespace tl
