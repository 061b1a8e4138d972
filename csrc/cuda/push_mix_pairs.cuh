// push_mix_pairs.cuh (cuda) -- push_mix (../kernels/push_mix.cuh) where the rows of P are long.
//
// The schedule of push_mix_tiles (push_mix.cuh) is bound by shared memory once a row has some 25
// entries: each is a read of x there. Two neighbouring rows share senders, so here a thread owns
// two rows (2 p and 2 p + 1) of a packet of columns, runs through the senders of either, and reads
// x once for both. With 41 of 100 senders a row a pair has 65, so 65 reads instead of 82.
//
// P       steps of all runs in one array, ascending senders of a pair: (sender, which of the two
//         rows have it, their shares); pair p of run r is indptr[r (pairs + 1) + p] .. [.. + p +
//         1]. runs_apart = 0: one P for all runs. The rows themselves must be ascending without
//         repeats
// shared  steps of one run, pairs + 1 offsets, 2 pairs T for the weights, two tiles of n tile T:
//         PairsLayout
// cost    x once, x1 and z1 once. Shared memory: a packet of x and a broadcast of a step for each
//         step and packet. On paper on an H200, f32, n = 100: 41 entries .5 of a copy (.4 without)
// bits    those of the host: a row adds its own entries in the order of the row, and nothing for a
//         sender of the other row alone
#pragma once
#include "push_mix.cuh"

namespace tl {
inline namespace TL_ISA {

template <class T>
struct alignas(16) PairStep {
  i32 from;
  u32 rows;  // bit 0: row 2 p, bit 1: row 2 p + 1
  T share[2];
};
static_assert(sizeof(PairStep<float>) == 16 && sizeof(PairStep<double>) == 32,
              "as Python packs it");

// Where things lie in shared memory, in bytes; `end` is how much there must be.
template <class T>
struct PairsLayout {
  i64 steps, indptr, weights, tiles, end;
  TL_HD PairsLayout(i64 n, i64 tile, i64 most) {
    const i64 pairs = parts_of(n, 2);
    steps = 0;
    indptr = steps + up_to(most * i64(sizeof(PairStep<T>)));
    weights = indptr + up_to((pairs + 1) * 4);
    tiles = weights + up_to(2 * pairs * i64(sizeof(T)));
    end = tiles + 2 * up_to(n * tile * i64(sizeof(T)));
  }
};

// The two rows of a pair times kVec neighbouring columns.
template <class T, int kVec>
TL_HD void pair_times_lanes(const PairStep<T>* begin, const PairStep<T>* end,
                            const T* TL_RESTRICT x, T* first, T* second) {
  for (int v = 0; v < kVec; ++v) first[v] = second[v] = 0;
  for (const PairStep<T>* e = begin; e < end; ++e) {
    const PairStep<T> step = *e;
    Lanes<T, kVec> from;
    from.packet = *reinterpret_cast<const decltype(from.packet)*>(x + step.from);
    if (step.rows & 1)
      for (int v = 0; v < kVec; ++v) first[v] += step.share[0] * from.value[v];
    if (step.rows & 2)
      for (int v = 0; v < kVec; ++v) second[v] += step.share[1] * from.value[v];
  }
}

// d and tile are multiples of kVec, x, x1, z1 aligned to kVec T; tile / kVec divides the threads.
// most: the steps of the run that has most.
template <class M, class T, int kVec>
TL_HD void push_mix_pairs(const M& m, i64 R, i64 n, i64 d, i64 tile, i64 runs_apart, i64 most,
                          const i64* indptr, const PairStep<T>* steps, const T* x, const T* w,
                          T* x1, T* w1, T* z1) {
  const PairsLayout<T> at(n, tile, most);
  unsigned char* memory = m.shared();
  PairStep<T>* near_steps = reinterpret_cast<PairStep<T>*>(memory + at.steps);
  i32* near_indptr = reinterpret_cast<i32*>(memory + at.indptr);
  T* weight = reinterpret_cast<T*>(memory + at.weights);
  T* buffers = reinterpret_cast<T*>(memory + at.tiles);
  const int buffer = int((at.end - at.tiles) / 2 / i64(sizeof(T)));  // n tile < 2^31
  const int pairs = int(parts_of(n, 2));
  const Stay<kVec> stay(m, R, n, d, tile);
  const auto fetch = [&](i64 t) { stay.fetch(m, t, x, buffers + stay.side(t) * buffer, tile); };

  i64 run = -1;
  if (stay.first < stay.last) fetch(stay.first);
  m.commit();
  for (i64 t = stay.first; t < stay.last; ++t) {
    const Slice<kVec> s(t, d, tile);
    if (s.run != run) {
      const bool unread = run < 0 || runs_apart;
      run = s.run;
      const i64* rows = indptr + (runs_apart ? run * (pairs + 1) : 0);
      if (unread) {
        for (i64 e = m.thread(); e < rows[pairs] - rows[0]; e += m.threads()) {
          PairStep<T> step = steps[rows[0] + e];
          step.from = i32(step.from * tile);
          near_steps[e] = step;
        }
        for (int p = m.thread(); p <= pairs; p += m.threads())
          near_indptr[p] = i32(rows[p] - rows[0]);
      }
      for (int p = m.thread(); p < pairs; p += m.threads()) {
        pair_times_lanes<T, 1>(steps + rows[p], steps + rows[p + 1], w + run * n, &weight[2 * p],
                               &weight[2 * p + 1]);
        if (s.column != 0) continue;  // the block of a run's first tile
        w1[run * n + 2 * p] = weight[2 * p];
        if (2 * p + 1 < n) w1[run * n + 2 * p + 1] = weight[2 * p + 1];
      }
    }
    if (t + 1 < stay.last) fetch(t + 1);
    m.commit();
    m.template wait_all_but<1>();
    m.barrier();
    const T* near = buffers + stay.side(t) * buffer + stay.lane * kVec;
    for (int p = stay.first_row; p < pairs && stay.lane < s.inside; p += stay.rows_at_once) {
      T sum[2][kVec];
      pair_times_lanes<T, kVec>(near_steps + near_indptr[p], near_steps + near_indptr[p + 1], near,
                                sum[0], sum[1]);
      i64 to = (run * n + 2 * p) * d + s.column + stay.lane * kVec;
      for (int row = 0; row < 2; ++row, to += d) {
        const int i = 2 * p + row;
        if (i == n) break;
        put<M, T, kVec>(m, x1 + to, sum[row]);
        for (int v = 0; v < kVec; ++v) sum[row][v] /= weight[i];
        put<M, T, kVec>(m, z1 + to, sum[row]);
      }
    }
    m.barrier();  // the buffer, the weights and the steps may be written again
  }
}

#ifdef __CUDACC__
template <class T, int kVec>
__global__ void __launch_bounds__(512, 2)
    push_mix_pairs_gpu(i64 R, i64 n, i64 d, i64 tile, i64 runs_apart, i64 most, const i64* indptr,
                       const PairStep<T>* steps, const T* x, const T* w, T* x1, T* w1, T* z1) {
  push_mix_pairs<Gpu, T, kVec>(Gpu(), R, n, d, tile, runs_apart, most, indptr, steps, x, w, x1, w1,
                               z1);
}
#endif

}  // namespace TL_ISA
}  // namespace tl
