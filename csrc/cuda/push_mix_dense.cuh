// push_mix_dense.cuh (cuda) -- push_mix (../kernels/push_mix.cuh) with a full P, on matrix units.
//
//   push_mix_dense   the tiles of push_mix_tiles (push_mix.cuh): columns of all n clients in shared
//                    memory, read once, the next tile on its way. A warp makes 32 rows by 128 bytes
//                    of x1 in registers, as sums of small products by M::mma:
//
//     double   8 x 4 by 4 x 8 in float64, each sum rounded to nearest
//     float    16 x 8 by 8 x 8 in tf32, which has 11 bits: P = P' + p, x = x' + y, each part
//     rounded
//              to tf32, and x1 = sum of p x' + P' y + P' x', accumulated in float
//
// P       fragments: the numbers that lane l holds of A at (row tile, step) lie together, rows and
//         columns filled up with 0; of a float the four of P', then the four of p. One array a run,
//         or with runs_apart = 0 one for all
// w1      made by push_weights before, with the host's bits; z1 = x1 / w1
// x       finite and below 2^127: a nan or infinity makes its whole column not finite, even where
//         its client sends nothing
// shared  P's fragments if staged, and two tiles of n tile T, rows apart by a pad that spreads the
//         fragments of B over all banks: DenseLayout
// error   with S = sum_j |P[i,j] x[j,k]| and n' = n filled up to whole steps. double, u = 2^-53: n'
//         roundings in whichever order, n' u / (1 - n' u) S. float, u = 2^-24: what the split
//         loses, 14 u S (y is off by 2^-22 |x|, p by 2^-23 |P|, and p y, left out, is below 2^-21
//         |P x|), and what the sums lose: 3 n' roundings in the emulation; a GPU may cut the 9
//         addends of each of 3 n' / 8 steps at 2^-23 of the largest, 6.75 n' u S. Both are below
//         (14 + 8 n') u S. Parts and products below 2^-126 may count as 0
// cost    x once, x1 and z1 once. n = 100: 2 n^2 d flop over 24 n d bytes are 8 a byte in double,
//         36 Tflop/s at 4.3 TB/s of an H200's 67 on matrix units; in float 3 products, 50 a byte,
//         215 of 495 Tflop/s in tf32. mma.sync reaches half of these peaks or more (the wgmma of
//         sm_90 takes B from shared memory in tf32 only column by column, and double not at all),
//         so up to n = 100 the bound is near the memory's, above it the time grows with n. A step
//         of a warp reads 1.5 KiB of shared memory for 8 products of 256 (double), 3 KiB for 24 of
//         1024 (float): not the bound. Without matrix units a row of more than 20 entries is bound
//         by shared memory. 110 to 120 registers: one block of 512 threads on a multiprocessor
// bits    not the host's
#pragma once
#include "push_mix.cuh"

namespace tl {
inline namespace TL_ISA {

// A warp's share of one step: kBand row tiles by kAcross column tiles. Tile q's column c is column
// (q / kPair) 8 kPair + kPair c + q % kPair of the state, so that a lane reads kPair and stores
// 2 kPair = 16 bytes together.
template <class T>
struct Unit;

template <>
struct Unit<double> {
  static constexpr int kRows = 8, kDepth = 4, kBand = 4, kAcross = 2, kPair = 1;
  static constexpr int kSums = 2;       // of a lane in one tile
  static constexpr int kFragment = 32;  // numbers of P of one row tile and step
  static constexpr int kPad = 4;        // tile + kPad = 4 mod 16
  double left[kBand], right[kAcross];

  // here: whether the row tile is there, else 0.
  TL_HD void take_left(const double* fragment, int lane, int b, bool here) {
    left[b] = here ? fragment[lane] : 0;
  }
  // near: row of this step, first column of the warp
  TL_HD void take_right(const double* near, i64 stride, int lane) {
    for (int q = 0; q < kAcross; ++q) right[q] = near[(lane % 4) * stride + q * 8 + lane / 4];
  }
  template <class M>
  TL_HD void multiply(const M& m, i64 here, double (&sum)[kBand][kAcross][kSums]) const {
    for (int b = 0; b < kBand; b += 2)
      for (int q = 0; q < kAcross && b < here; ++q)
        m.mma(sum[b][q], sum[b + 1][q], left[b], left[b + 1], right[q]);
  }
};

// The high 11 bits of a float's significand; what is not finite stays so.
TL_HD u32 tf32_below(float v) { return bits_of(v) & 0xFFFFE000u; }
// The nearest, ties away from 0. v is what tf32_below left over, so never above its range.
TL_HD u32 tf32_nearest(float v) { return (bits_of(v) + 0x1000u) & 0xFFFFE000u; }

template <>
struct Unit<float> {
  static constexpr int kRows = 16, kDepth = 8, kBand = 2, kAcross = 4, kPair = 2;
  static constexpr int kSums = 4;
  static constexpr int kFragment = 2 * 32 * 4;
  static constexpr int kPad = 8;  // tile + kPad = 8 mod 32
  Packet<16> high[kBand], low[kBand];
  u32 right_high[kAcross][2], right_low[kAcross][2];

  TL_HD void take_left(const float* fragment, int lane, int b, bool here) {
    if (!here) return;
    const Packet<16>* packets = reinterpret_cast<const Packet<16>*>(fragment);
    high[b] = packets[lane];
    low[b] = packets[kWarp + lane];
  }
  TL_HD void take_right(const float* near, i64 stride, int lane) {
    for (int pair = 0; pair < kAcross / kPair; ++pair)
      for (int e = 0; e < 2; ++e) {
        Lanes<float, kPair> two;
        two.packet = *reinterpret_cast<const Packet<8>*>(near + (lane % 4 + 4 * e) * stride +
                                                         pair * 8 * kPair + kPair * (lane / 4));
        for (int f = 0; f < kPair; ++f) {
          const u32 cut = tf32_below(two.value[f]);
          right_high[pair * kPair + f][e] = cut;
          right_low[pair * kPair + f][e] = tf32_nearest(two.value[f] - float_of(cut));
        }
      }
  }
  template <class M>
  TL_HD void multiply(const M& m, i64 here, float (&sum)[kBand][kAcross][kSums]) const {
    for (int b = 0; b < kBand; ++b)
      for (int q = 0; q < kAcross && b < here; ++q) {
        m.mma(sum[b][q], low[b].word, right_high[q]);
        m.mma(sum[b][q], high[b].word, right_low[q]);
        m.mma(sum[b][q], high[b].word, right_high[q]);
      }
  }
};

// Where things lie in shared memory, in bytes; `end` is how much there must be.
template <class T>
struct DenseLayout {
  i64 row_tiles, steps, fragments, tiles, buffer, end;
  TL_HD DenseLayout(i64 n, i64 tile, i64 staged) {
    typedef Unit<T> U;
    row_tiles = (n + U::kRows - 1) / U::kRows;
    steps = (n + U::kDepth - 1) / U::kDepth;
    fragments = 0;
    tiles = staged ? up_to(row_tiles * steps * U::kFragment * i64(sizeof(T))) : 0;
    buffer = up_to(steps * U::kDepth * (tile + U::kPad) * i64(sizeof(T)));
    end = tiles + 2 * buffer;
  }
};

constexpr int kDenseBytes = 128;  // of a row of x1: what a warp makes at once

// A warp's sums: `here` row tiles (at most kBand) whose fragments start at P, by kDenseBytes of the
// tile whose first column is at near.
template <class M, class T>
TL_HD void multiply_band(const M& m, const T* P, i64 here, i64 steps, const T* near, i64 stride,
                         T (&sum)[Unit<T>::kBand][Unit<T>::kAcross][Unit<T>::kSums]) {
  typedef Unit<T> U;
  const int lane = m.thread() % kWarp;
  for (int b = 0; b < U::kBand; ++b)
    for (int q = 0; q < U::kAcross; ++q)
      for (int e = 0; e < U::kSums; ++e) sum[b][q][e] = 0;
  for (i64 step = 0; step < steps; ++step) {
    U unit;
    unit.take_right(near + step * U::kDepth * stride, stride, lane);
    for (int b = 0; b < U::kBand; ++b)
      unit.take_left(P + (b * steps + step) * U::kFragment, lane, b, b < here);
    unit.multiply(m, here, sum);
  }
}

// x, x1, z1 are aligned to kVec T and kVec divides d; tile is a multiple of kDenseBytes and
// tile / kVec divides the threads.
template <class M, class T, int kVec>
TL_HD void push_mix_dense(const M& m, i64 R, i64 n, i64 d, i64 tile, i64 runs_apart, i64 staged,
                          const T* fragments, const T* x, const T* w1, T* x1, T* z1) {
  typedef Unit<T> U;
  constexpr int kWide = kDenseBytes / int(sizeof(T)), kTogether = 2 * U::kPair;
  const DenseLayout<T> at(n, tile, staged);
  T* near_P = reinterpret_cast<T*>(m.shared() + at.fragments);
  const i64 stride = tile + U::kPad, of_run = at.row_tiles * at.steps * U::kFragment;
  const Stay<kVec> stay(m, R, n, d, tile);
  const int lane = m.thread() % kWarp, warp = m.thread() / kWarp, warps = m.threads() / kWarp;
  const i64 bands = parts_of(at.row_tiles, U::kBand);

  const auto buffer = [&](i64 t) {
    return reinterpret_cast<T*>(m.shared() + at.tiles + stay.side(t) * at.buffer);
  };
  const auto fetch = [&](i64 t) { stay.fetch(m, t, x, buffer(t), stride); };

  // Rows beyond n, up to a whole step: 0 by 0 is nothing, 0 by what lies there may be nan.
  for (i64 k = n * stride + m.thread(); k < at.steps * U::kDepth * stride; k += m.threads())
    buffer(stay.first)[k] = buffer(stay.first + 1)[k] = 0;
  i64 run = -1;
  if (stay.first < stay.last) fetch(stay.first);
  m.commit();
  for (i64 t = stay.first; t < stay.last; ++t) {
    const Slice<kVec> s(t, d, tile);
    const T* far_P = fragments + (runs_apart ? s.run * of_run : 0);
    if (staged && (run < 0 || (runs_apart && s.run != run))) {
      constexpr int kPacket = 16 / int(sizeof(T));
      for (i64 k = m.thread() * kPacket; k < of_run; k += m.threads() * kPacket)
        m.template copy_async<16>(near_P + k, far_P + k);
      m.commit();
    }
    run = s.run;
    if (t + 1 < stay.last) fetch(t + 1);
    m.commit();
    m.template wait_all_but<1>();
    m.barrier();
    const i64 width = s.inside * kVec, chunks = parts_of(width, kWide);
    for (i64 task = warp; task < bands * chunks; task += warps) {
      const i64 tile_row = task % bands * U::kBand, from = task / bands * kWide;
      const i64 here = at.row_tiles - tile_row;
      T sum[U::kBand][U::kAcross][U::kSums];
      if (staged)
        multiply_band(m, near_P + tile_row * at.steps * U::kFragment, here, at.steps,
                      buffer(t) + from, stride, sum);
      else
        multiply_band(m, far_P + tile_row * at.steps * U::kFragment, here, at.steps,
                      buffer(t) + from, stride, sum);
      for (int b = 0; b < U::kBand; ++b)
        for (int half = 0; half < U::kRows / 8; ++half) {
          const i64 i = (tile_row + b) * U::kRows + half * 8 + lane / 4;
          if (i >= n) continue;
          const T weight = w1[s.run * n + i];
          T* row_x1 = x1 + (s.run * n + i) * d + s.column;
          T* row_z1 = z1 + (s.run * n + i) * d + s.column;
          for (int pair = 0; pair < U::kAcross / U::kPair; ++pair) {
            const i64 k = from + pair * 8 * U::kPair + lane % 4 * kTogether;
            T value[kTogether], ratio[kTogether];
            for (int v = 0; v < kTogether; ++v) {
              value[v] = sum[b][pair * U::kPair + v % U::kPair][half * 2 + v / U::kPair];
              ratio[v] = value[v] / weight;
            }
            for (int v = 0; v < kTogether; v += kVec) {
              if (k + v >= width) break;
              put<M, T, kVec>(m, row_x1 + k + v, value + v);
              put<M, T, kVec>(m, row_z1 + k + v, ratio + v);
            }
          }
        }
    }
    m.barrier();  // the buffer and the fragments may be written again
  }
}

#ifdef __CUDACC__
template <class T, int kVec>
__global__ void __launch_bounds__(512, 1)
    push_mix_dense_gpu(i64 R, i64 n, i64 d, i64 tile, i64 runs_apart, i64 staged,
                       const T* fragments, const T* x, const T* w1, T* x1, T* z1) {
  push_mix_dense<Gpu, T, kVec>(Gpu(), R, n, d, tile, runs_apart, staged, fragments, x, w1, x1, z1);
}
#endif

}  // namespace TL_ISA
}  // namespace tl
