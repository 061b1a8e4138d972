// local_steps_pairs.cuh -- the schedule of local_steps.cuh for losses whose coordinates are apart.
#pragma once
#include "local_steps_model.cuh"

namespace tl {
inline namespace TL_ISA {

// Coordinates that are apart, without SAM: a thread takes two of them, which share their draws,
// through all steps in registers. x is read once and out written once. runs, w, gradients: as for
// local_steps_blocks.
template <class M, class T, Family kFamily>
TL_HD void local_steps_pairs(const M& m, i64 R, i64 n, i64 d, double scale, double clip,
                             double noise, const T* diagonals, const T* centers, i64 seed,
                             i64 round, const i64* runs, i64 steps, const i64* counts, double eta,
                             double alpha, const T* x, const T* w, T* out, i64 gradients) {
  const LossTable<T> t{n,       d,       1,       d, d,    diagonals, nullptr, centers,
                       nullptr, nullptr, nullptr, 0, T(0), T(scale),  T(clip), noise};
  const T rate = T(eta), momentum = T(alpha);
  const i64 pairs = (d + 1) / 2, threads = m.blocks() * m.threads();
  for (i64 at = m.block() * m.threads() + m.thread(); at < R * n * pairs; at += threads) {
    const i64 own = at / pairs, i = own % n, r = own / n, first = at % pairs * 2;
    const int k = int(first);
    const bool two = k + 1 < d;
    const i64 count = counts ? counts[own] : steps;
    const u32 last = u32(count < 0 ? 0 : count < steps ? count : steps);
    StepModel<M, T, kFamily, 0> model{
        m,
        t,
        StepSizes<T>{rate, momentum, T(0)},
        false,
        nullptr,
        nullptr,
        nullptr,
        nullptr,
        nullptr,
        nullptr,
        nullptr,
        false,
        int(d),
        Source{u64(seed), u32(round), u32(i), runs ? u32(runs[r]) : 0},
        centers + i * d,
        diagonals + i * d,
        w ? w[own] : T(1),
        Key{0, 0}};
    const T* from = x + own * d + k;
    T point[2] = {from[0], two ? from[1] : T(0)}, pull[2] = {T(0), T(0)};
    TL_COPIES(1) for (u32 step = 0; step < last; ++step) {
      T slope[2] = {model.slope(k, model.debiased(point[0])), T(0)};
      if (two) slope[1] = model.slope(k + 1, model.debiased(point[1]));
      if (noise > 0) {
        model.begin_step(step);
        model.add_noise_pair(k, two ? 2 : 1, false, slope);
      }
      for (int a = 0; a < 2; ++a) {
        pull[a] = step && momentum != 0 ? momentum * pull[a] + slope[a] : slope[a];
        point[a] = gradients ? pull[a] : point[a] - rate * pull[a];
      }
    }
    T* to = out + own * d + k;
    to[0] = point[0];
    if (two) to[1] = point[1];
  }
}

#ifdef __CUDACC__
template <class T, Family kFamily>
__global__ void __launch_bounds__(kBlock)
    local_steps_pairs_gpu(i64 R, i64 n, i64 d, double scale, double clip, double noise,
                          const T* diagonals, const T* centers, i64 seed, i64 round,
                          const i64* runs, i64 steps, const i64* counts, double eta, double alpha,
                          const T* x, const T* w, T* out, i64 gradients) {
  local_steps_pairs<Gpu, T, kFamily>(Gpu(), R, n, d, scale, clip, noise, diagonals, centers, seed,
                                     round, runs, steps, counts, eta, alpha, x, w, out, gradients);
}
#endif

}  // namespace TL_ISA
}  // namespace tl
