// local_steps_few.hpp -- all local steps of dense quadratics of few coordinates, in registers.
//
// A task is a block of clients of one run. The noise of the whole block is drawn first, so that
// every vector of draws is full; then each client's point, gradient and momentum stay in kVecs
// registers from the first step to the last. The same operations in the same order as
// local_steps_task of kernels/local_steps.cuh, coordinate by coordinate.
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

template <class T, int kVecs>
void few_coordinates(const StepJob& job, int threads, Watch& watch) {
  const LossTable<T> t = loss_table<T>(job.table);
  const bool moves = job.work == StepWork::kSteps, noisy = moves && t.noise > 0;
  // Steps whose noise is drawn at once: all of them, unless a client's are many.
  const i64 most = noisy && job.steps > kBlockNoise / t.d ? kBlockNoise / t.d : job.steps;
  const i64 wide = noisy && most > 1 ? t.d * most : t.d;
  const i64 block = wide < kBlockNumbers && most >= job.steps ? kBlockNumbers / wide : 1;
  const i64 blocks = (t.n + block - 1) / block, tasks = job.runs * blocks;
  const i64 share = tasks / (8 * threads);
  const i64 chunk = share < job.runs ? (share > 0 ? share : 1) : job.runs;
  const i64 stride = block * t.d;  // of a step's noise
  const Scratch buffers(noisy ? times(stride, most, 8) : 8, threads);
#pragma omp parallel num_threads(threads) if (threads > 1)
  {
    double* noise = noisy ? reinterpret_cast<double*>(buffers.own()) : nullptr;
    const FewCoordinates<T, kVecs> clients(job, t);  // seen by nobody else: it lives in registers
    typename Simd<T>::Vec momentum[kVecs] = {};
    Tails tails;
    Pace pace(watch);
#pragma omp for schedule(dynamic, chunk) nowait
    for (i64 task = 0; task < tasks; ++task) {
      const i64 r = task % job.runs, first = task / job.runs * block;
      const i64 many = first + block < t.n ? block : t.n - first;
      if (!moves) {
        for (i64 a = 0; a < many && pace.on((t.d + 8) * t.d); ++a)
          clients.gradient_at(r, first + a);
        continue;
      }
      i64 from = 0, to = 0;
      do {
        to = job.steps - from < most ? job.steps : from + most;
        if (!pace.on(noisy ? many * (to - from) * t.d * kDrawProducts : 1)) break;
        if (noisy) {
          for (i64 k = from; k < to; ++k)
            normals_of_clients(stream_key(job.seed, kNoise, u32(k)), job.round, u32(first), many,
                               u32(job.run[r]), t.d, t.noise, noise + (k - from) * stride, &tails);
          tails.finish(t.noise);
        }
        for (i64 a = 0; a < many; ++a)
          clients.steps(r, first + a, from, to, noisy ? noise + a * t.d : nullptr, stride, momentum,
                        pace);
        from = to;
      } while (from < job.steps);
    }
    wait_watched(watch);
  }
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
