// push_mix_lanes.cuh (cuda) -- what schedules of push_mix have in common: the columns of a thread,
// the tiles of a block, and quotients by one weight.
#pragma once
#include "../core/gpu.cuh"

namespace tl {
inline namespace TL_ISA {

// A thread holds kVec columns. kStep = 1: neighbours, which travel as one packet. Otherwise they
// are kStep apart, as many as a row has threads, and travel alone: where rows do not begin at
// packets, a warp still reads and writes neighbours, and an edge still serves kVec columns.
template <class T, int kVec, int kStep>
TL_HD void take(const T* from, T* value) {
  if constexpr (kStep == 1) {
    Lanes<T, kVec> lanes;
    lanes.packet = *reinterpret_cast<const decltype(lanes.packet)*>(from);
    for (int v = 0; v < kVec; ++v) value[v] = lanes.value[v];
  } else {
    for (int v = 0; v < kVec; ++v) value[v] = from[v * kStep];
  }
}

// left: columns from `to` on that are there.
template <class M, class T, int kVec, int kStep = 1>
TL_HD void put(const M& m, T* to, const T* value, i64 left = kVec) {
  if constexpr (kStep == 1) {
    Lanes<T, kVec> lanes;
    for (int v = 0; v < kVec; ++v) lanes.value[v] = value[v];
    m.stream(reinterpret_cast<decltype(lanes.packet)*>(to), lanes.packet);
  } else {
    for (int v = 0; v < kVec; ++v)
      if (v * kStep < left) put<M, T, 1>(m, to + v * kStep, value + v);
  }
}

// One call's tile t of a run: its first column, how many columns are there, and as packets.
template <int kVec>
struct Slice {
  i64 run, column, width, inside;
  TL_HD Slice(i64 t, i64 d, i64 tile) {
    const i64 per_run = parts_of(d, tile);
    run = t / per_run;
    column = t % per_run * tile;
    width = d - column < tile ? d - column : tile;
    inside = width / kVec;
  }
};

// A block's tiles of a call, first .. last - 1, and a thread's place in each: it begins with row
// first_row, takes every rows_at_once-th, and of each the columns from `column` on.
template <int kVec, int kStep = 1>
struct Stay {
  i64 n, d, tile, first, last;
  int rows_at_once, column, first_row;

  template <class M>
  TL_HD Stay(const M& m, i64 R, i64 n_, i64 d_, i64 tile_) : n(n_), d(d_), tile(tile_) {
    const i64 all = R * parts_of(d, tile);
    first = all * m.block() / m.blocks();
    last = all * (m.block() + 1) / m.blocks();
    const int packets = int(tile / kVec);
    rows_at_once = m.threads() / packets;
    column = m.thread() % packets * (kStep == 1 ? kVec : 1);
    first_row = m.thread() / packets;
  }
  // Which of the two buffers a tile is in.
  TL_HD int side(i64 t) const { return int((t - first) & 1); }
  // Puts tile t of x on its way into rows `stride` apart.
  template <class M, class T>
  TL_HD void fetch(const M& m, i64 t, const T* x, T* near, i64 stride) const {
    const Slice<kVec> s(t, d, tile);
    const i64 left = s.width - column;
    if (left <= 0) return;
    const T* from = x + s.run * n * d + s.column + column;
    T* to = near + column;
    for (i64 j = first_row; j < n; j += rows_at_once)
      if constexpr (kStep == 1)
        m.template copy_async<int(sizeof(T)) * kVec>(to + j * stride, from + j * d);
      else
        for (int v = 0; v < kVec; ++v)
          if (v * kStep < left)
            m.template copy_async<int(sizeof(T))>(to + j * stride + v * kStep,
                                                  from + j * d + v * kStep);
  }
};

// A weight, and quotients by it that are IEEE's: from its inverse, but divided where either is far
// from 1.
template <class T>
struct alignas(2 * sizeof(T)) Weight {
  T by, inverse;

  static constexpr bool kWide = sizeof(T) == 8;
  // Whether 2^-bits <= |v| < 2^bits, by the exponent.
  TL_HD static bool near(T v, u32 bits) {
    constexpr u32 kOne = kWide ? 1023 : 127, kBelow = kWide ? 21 : 24;  // a bit further left
    const u32 top = u32(bits_of(v) >> (sizeof(T) * 8 - 32)) << 1;       // without the sign
    return top - ((kOne - bits) << kBelow) < bits << (kBelow + 1);
  }
  TL_HD explicit Weight(T w) : by(w), inverse(near(w, kWide ? 100 : 20) ? 1 / w : 0) {}
  TL_HD T under(T a) const {
    const T q = quotient(a, by, inverse);
    return near(q, kWide ? 400 : 40) ? q : a / by;
  }
};

// x1 and z1 of a thread's columns.
template <class M, class T, int kVec, int kStep>
TL_HD void put_both(const M& m, T* x1, T* z1, const T* sum, const Weight<T>& weight, i64 left) {
  T ratio[kVec];
  for (int v = 0; v < kVec; ++v) ratio[v] = weight.under(sum[v]);
  put<M, T, kVec, kStep>(m, x1, sum, left);
  put<M, T, kVec, kStep>(m, z1, ratio, left);
}

}  // namespace TL_ISA
}  // namespace tl
