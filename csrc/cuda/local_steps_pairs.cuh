// local_steps_pairs.cuh -- the schedule of local_steps.cuh for losses whose coordinates are apart,
// without SAM.
#pragma once
#include "local_steps_quads.cuh"

namespace tl {
inline namespace TL_ISA {

// A thread takes four coordinates, two pairs that share their draws, through all steps in
// registers. x is read once and out written once. runs, w, gradients: as for local_steps_blocks.
template <class M, class T, Family kFamily>
TL_HD void local_steps_pairs(const M& m, i64 R, i64 n, i64 d, double scale, double clip,
                             double noise, const T* diagonals, const T* centers, i64 seed,
                             i64 round, const i64* runs, i64 steps, const i64* counts, double eta,
                             double alpha, const T* x, const T* w, T* out, i64 gradients) {
  const T rate = T(eta), momentum = T(alpha);
  const bool whole = in_packets(d, x, out, centers, diagonals);
  QuadNormals<M> normals(m, u64(seed), 0, u32(steps));
  QuadSlopes<T, kFamily> slopes{T(scale), T(clip), {}, {}};
  for (QuadWalk walk(m, R * n, n, d); walk.more(); walk.next()) {
    const QuadPlace at = walk.place(m.thread());
    const i64 from = at.task * d + at.first, own = i64(at.client) * d + at.first;
    const int inside = at.inside;
    u32 last = 0;
    Quad<T> point = {}, pull = {};
    Source source{u64(seed), u32(round), at.client, 0};
    T weight = T(1);
    if (inside) {
      last = steps_of(steps, counts, at.task);
      point = quad_at(x + from, whole, inside);
      slopes.load(centers + own, kFamily == Family::kDiagonal ? diagonals + own : nullptr, whole,
                  inside);
      if (runs) source.run = u32(runs[at.run]);
      if (w) weight = w[at.task];
    }
    const Debiased<T> debiased(weight);
    TL_COPIES(1) for (u32 step = 0; step < u32(steps); ++step) {
      if (noise > 0 && step < last) normals.draw(source, step, at.first);
      Quad<T> slope = slopes(debiased(point));
      if (noise > 0) {
        normals.settle();
        for (int a = 0; a < kQuad; ++a)
          slope.value[a] = T(double(slope.value[a]) + normals.value[a] * noise);
      }
      if (step >= last) continue;
      for (int a = 0; a < kQuad; ++a) {
        pull.value[a] =
            step && momentum != 0 ? momentum * pull.value[a] + slope.value[a] : slope.value[a];
        point.value[a] = gradients ? pull.value[a] : point.value[a] - rate * pull.value[a];
      }
    }
    if (inside) put_quad(out + from, whole, inside, point);
  }
}

#ifdef __CUDACC__
template <class T, Family kFamily>
__global__ void __launch_bounds__(kBlock, sizeof(T) == 4 ? 3 : 2)
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
