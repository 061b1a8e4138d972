// local_steps_few.hpp -- all local steps of dense quadratics of few coordinates, in registers.
//
// A task is a block of clients of one run. The noise of the whole block is drawn first, so that
// every vector of draws is full; then each client's point, gradient and momentum stay in kVecs
// registers from the first step to the last. Runs without noise go through a client's Hessian
// together. The same operations in the same order as local_steps_task of kernels/local_steps.cuh,
// coordinate by coordinate.
#pragma once
#include "local_steps_loss.hpp"

namespace tl {
inline namespace TL_ISA {

// Products of all tasks together, to see whether a parallel region is worth its
// cost.
inline i64 step_products(const StepJob& job) {
  const StepTable& t = job.table;
  i64 rows = 1;
  if (t.family <= int(Family::kSoftmax)) rows = t.batch ? t.batch : t.samples / t.n + 1;
  if (t.family == int(Family::kDense)) rows = t.d;
  if (t.noise > 0) rows = plus(rows, 20);  // a normal costs as much
  return times(times(job.runs, t.n, t.d), rows, job.work == StepWork::kSteps ? job.steps : 1);
}

constexpr i64 kBlockNumbers =
    256;  // of the points of a block: its Hessians stay near for every run
constexpr int kFewVectors = kFewBytes > 4 * kVectorBytes ? kFewBytes / kVectorBytes : 4;
constexpr i64 kBlockNoise = 4096;  // draws of one client made at once, at most

template <class T, int kVecs>
class FewCoordinates {
 public:
  typedef Simd<T> S;
  typedef typename S::Vec Vec;

  FewCoordinates(const StepJob& job, const LossTable<T>& t) : job_(job), t_(t), row_(t.d) {}

  // Steps from .. to - 1. noise: (steps, block, d) from the first of these, this client's, `stride`
  // numbers a step; or null. momentum: v between two calls.
  TL_HD void steps(i64 r, i64 i, i64 from, i64 to, const double* noise, i64 stride, Vec* momentum,
                   Pace& pace) const {
    const i64 task = r * t_.n + i, d = t_.d;
    const i64 most = job_.count && job_.count[task] < to ? job_.count[task] : to;
    const T w = static_cast<const T*>(job_.w)[task];
    const T eta = T(job_.eta), alpha = T(job_.alpha), rho = T(job_.rho);
    T* end = static_cast<T*>(job_.out) + task * d;
    const T* x = from ? end : static_cast<const T*>(job_.x) + task * d;
    Vec out[kVecs], z[kVecs], g[kVecs], v[kVecs], center[kVecs];
#pragma GCC unroll 8
    for (int u = 0; u < kVecs; ++u) {
      out[u] = row_.load(x, u);
      center[u] = row_.load(t_.centers + i * d, u);
      v[u] = from ? momentum[u] : Vec{};
    }
    for (i64 step = from; step < most && pace.on((d + 8) * d); ++step) {
      const double* drawn = noise ? noise + (step - from) * stride : nullptr;
#pragma GCC unroll 8
      for (int u = 0; u < kVecs; ++u) z[u] = w == T(1) ? out[u] : row_.quotient(out[u], w, u);
      gradient(i, center, drawn, z, g);
      if (rho != 0) {
        alignas(kLineBytes) T numbers[kVecs * S::kLanes];
#pragma GCC unroll 8
        for (int u = 0; u < kVecs; ++u) S::store(numbers + u * S::kLanes, g[u]);
        const T square = RowSums<T>::square(d, numbers);
        if (square > 0) {
          const T pull = rho / T(square_root(double(square)));
#pragma GCC unroll 8
          for (int u = 0; u < kVecs; ++u) z[u] += pull * g[u];
        }
        gradient(i, center, drawn, z, g);
      }
      const bool moves = step && alpha != 0;
#pragma GCC unroll 8
      for (int u = 0; u < kVecs; ++u) {
        v[u] = moves ? alpha * v[u] + g[u] : g[u];
        out[u] -= eta * v[u];
      }
    }
#pragma GCC unroll 8
    for (int u = 0; u < kVecs; ++u) {
      row_.store(end, u, out[u]);
      momentum[u] = v[u];
    }
  }

  // All steps of a client in runs r .. r + kTogether - 1, without noise, SAM and counts: H is
  // loaded once for them, and their sums do not wait for each other.
  static constexpr int kRoom = (kVectorBytes == 64 ? 8 : 4) / kVecs;  // registers for their sums
  static constexpr int kTogether = kRoom < 1 ? 1 : kRoom < 4 ? kRoom : 4;
  TL_HD void plain_steps(i64 r, i64 i, Pace& pace) const {
    constexpr int kRuns = kTogether;
    const i64 d = t_.d;
    const T eta = T(job_.eta), alpha = T(job_.alpha);
    const T* H = t_.rows + i * d * t_.stride;
    T w[kRuns];
    Vec out[kRuns][kVecs], v[kRuns][kVecs], center[kVecs];
#pragma GCC unroll 4
    for (int u = 0; u < kVecs; ++u) center[u] = row_.load(t_.centers + i * d, u);
#pragma GCC unroll 4
    for (int q = 0; q < kRuns; ++q) {
      const i64 task = (r + q) * t_.n + i;
      w[q] = static_cast<const T*>(job_.w)[task];
#pragma GCC unroll 4
      for (int u = 0; u < kVecs; ++u) {
        out[q][u] = row_.load(static_cast<const T*>(job_.x) + task * d, u);
        v[q][u] = Vec{};
      }
    }
    for (i64 step = 0; step < job_.steps && pace.on(kRuns * (d + 8) * d); ++step) {
      alignas(kLineBytes) T y[kRuns][kVecs * S::kLanes];
      Vec g[kRuns][kVecs];
#pragma GCC unroll 4
      for (int q = 0; q < kRuns; ++q)
#pragma GCC unroll 4
        for (int u = 0; u < kVecs; ++u) {
          const Vec z = w[q] == T(1) ? out[q][u] : row_.quotient(out[q][u], w[q], u);
          S::store(y[q] + u * S::kLanes, z - center[u]);
          g[q][u] = Vec{};
        }
      for (i64 j = 0; j < d; ++j)
#pragma GCC unroll 4
        for (int u = 0; u < kVecs; ++u) {
          const Vec h = S::held(row_.load(H + j * t_.stride, u));
#pragma GCC unroll 4
          for (int q = 0; q < kRuns; ++q) g[q][u] += h * y[q][j];
        }
      const bool moves = step && alpha != 0;
#pragma GCC unroll 4
      for (int q = 0; q < kRuns; ++q)
#pragma GCC unroll 4
        for (int u = 0; u < kVecs; ++u) {
          v[q][u] = moves ? alpha * v[q][u] + g[q][u] : g[q][u];
          out[q][u] -= eta * v[q][u];
        }
    }
#pragma GCC unroll 4
    for (int q = 0; q < kRuns; ++q)
#pragma GCC unroll 4
      for (int u = 0; u < kVecs; ++u)
        row_.store(static_cast<T*>(job_.out) + ((r + q) * t_.n + i) * d, u, out[q][u]);
  }

  // The gradient at x, with the noise that was given.
  TL_HD void gradient_at(i64 r, i64 i) const {
    const i64 task = r * t_.n + i, d = t_.d;
    Vec z[kVecs], g[kVecs], center[kVecs];
#pragma GCC unroll 8
    for (int u = 0; u < kVecs; ++u) {
      z[u] = row_.load(static_cast<const T*>(job_.x) + task * d, u);
      center[u] = row_.load(t_.centers + i * d, u);
    }
    gradient(i, center, job_.drawn_noise ? job_.drawn_noise + task * d : nullptr, z, g);
#pragma GCC unroll 8
    for (int u = 0; u < kVecs; ++u) row_.store(static_cast<T*>(job_.out) + task * d, u, g[u]);
  }

 private:
  const StepJob job_;
  const LossTable<T> t_;
  const Row<T, kVecs> row_;

  TL_HD void gradient(i64 i, const Vec (&center)[kVecs], const double* noise, const Vec (&z)[kVecs],
                      Vec (&g)[kVecs]) const {
    alignas(kLineBytes) T y[kVecs * S::kLanes];
#pragma GCC unroll 8
    for (int u = 0; u < kVecs; ++u) {
      S::store(y + u * S::kLanes, z[u] - center[u]);
      g[u] = Vec{};
    }
    const T* H = t_.rows + i * t_.d * t_.stride;
    for (i64 j = 0; j < t_.d; ++j)
#pragma GCC unroll 8
      for (int u = 0; u < kVecs; ++u) g[u] += row_.load(H + j * t_.stride, u) * y[j];
    if (!noise) return;
    if constexpr (sizeof(T) == 8) {
#pragma GCC unroll 8
      for (int u = 0; u < kVecs; ++u) g[u] += row_.load(noise, u);
    } else {
      for (int u = 0; u < kVecs; ++u) S::store(y + u * S::kLanes, g[u]);
      add_noise(t_.d, noise, y);
      for (int u = 0; u < kVecs; ++u) g[u] = S::load(y + u * S::kLanes);
    }
  }
};

// How the clients and runs of a call are dealt out.
template <class T, int kVecs>
struct FewPlan {
  typedef FewCoordinates<T, kVecs> Clients;
  const StepJob& job;
  const LossTable<T> t;
  bool moves, noisy;
  i64 most;              // steps whose noise is drawn at once: all of them, unless they are many
  i64 together, groups;  // runs of a client side by side
  i64 block, blocks, tasks, chunk;

  FewPlan(const StepJob& j, int threads) : job(j), t(loss_table<T>(j.table)) {
    moves = job.work == StepWork::kSteps;
    noisy = moves && t.noise > 0;
    most = noisy && job.steps > kBlockNoise / t.d ? kBlockNoise / t.d : job.steps;
    const i64 wide = noisy && most > 1 ? t.d * most : t.d;
    block = wide < kBlockNumbers && most >= job.steps ? kBlockNumbers / wide : 1;
    blocks = (t.n + block - 1) / block;
    const bool plain = moves && !noisy && !job.count && !(T(job.rho) != 0);
    together = plain ? Clients::kTogether : 1;
    groups = (job.runs + together - 1) / together;
    tasks = groups * blocks;
    const i64 share = tasks / (8 * threads);
    chunk = share < groups ? (share > 0 ? share : 1) : groups;
  }
  i64 stride() const { return block * t.d; }  // of a step's noise
  i64 numbers() const { return noisy ? times(stride(), most) : 1; }

  // One thread's part; `next` is the first task that nobody has.
  void part(double* noise, i64& next, Watch& watch) const {
    const Clients clients(job, t);  // seen by nobody else: it lives in registers
    typename Simd<T>::Vec momentum[kVecs] = {};
    Tails tails;
    Pace pace(watch);
    for (;;) {
      i64 task;
#pragma omp atomic capture
      {
        task = next;
        next += chunk;
      }
      if (task >= tasks) break;
      for (const i64 end = task + chunk < tasks ? task + chunk : tasks; task < end; ++task) {
        const i64 r = task % groups * together, first = task / groups * block;
        const i64 many = first + block < t.n ? block : t.n - first;
        if (!moves) {
          for (i64 a = 0; a < many && pace.on((t.d + 8) * t.d); ++a)
            clients.gradient_at(r, first + a);
        } else if (together > 1 && r + together <= job.runs) {
          for (i64 a = 0; a < many && pace.on(1); ++a) clients.plain_steps(r, first + a, pace);
        } else {
          for (i64 own = r; own < r + together && own < job.runs; ++own)
            steps(clients, own, first, many, noise, momentum, tails, pace);
        }
      }
    }
    wait_watched(watch);
  }

  TL_HD void steps(const Clients& clients, i64 r, i64 first, i64 many, double* noise,
                   typename Simd<T>::Vec* momentum, Tails& tails, Pace& pace) const {
    i64 from = 0, to = 0;
    do {
      to = job.steps - from < most ? job.steps : from + most;
      if (!pace.on(noisy ? many * (to - from) * t.d * kDrawProducts : 1)) break;
      if (noisy) {
        for (i64 k = from; k < to; ++k)
          normals_of_clients(stream_key(job.seed, kNoise, u32(k)), job.round, u32(first), many,
                             u32(job.run[r]), t.d, t.noise, noise + (k - from) * stride(), &tails);
        tails.finish(t.noise);
      }
      for (i64 a = 0; a < many; ++a) {
        clients.steps(r, first + a, from, to, noisy ? noise + a * t.d : nullptr, stride(), momentum,
                      pace);
      }
      from = to;
    } while (from < job.steps);
  }
};

template <class T, int kVecs>
void few_coordinates(const StepJob& job, int threads, Watch& watch) {
  const FewPlan<T, kVecs> plan(job, threads);
  const Scratch buffers(times(plan.numbers(), 8), threads);
  i64 next = 0;
  if (threads == 1)  // no region: opening one costs more than a tiny call
    return plan.part(reinterpret_cast<double*>(buffers.own()), next, watch);
#pragma omp parallel num_threads(threads)
  plan.part(reinterpret_cast<double*>(buffers.own()), next, watch);
}

template <class T, int kVecs = 1>
void few_coordinates_as(const StepJob& job, int threads, Watch& watch) {
  if constexpr (kVecs <= kFewVectors) {
    if (job.table.d <= kVecs * Simd<T>::kLanes)
      return few_coordinates<T, kVecs>(job, threads, watch);
    return few_coordinates_as<T, kVecs + 1>(job, threads, watch);
  }
}

// False: too many coordinates, and nothing was done.
template <class T>
bool few_coordinates(const StepJob& job, int threads, Watch& watch) {
  if (job.table.d > kFewVectors * Simd<T>::kLanes) return false;
  few_coordinates_as<T>(job, step_products(job) < kSerial ? 1 : threads, watch);
  return true;
}

}  // namespace TL_ISA
}  // namespace tl
