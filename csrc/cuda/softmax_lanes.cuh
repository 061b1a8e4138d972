// softmax_lanes.cuh (cuda) -- what the lanes of softmax_rows (softmax_rows.cuh) add up.
//
// A warp has one vector. Half of its lanes have classes 0 to 3 and 8, half 4 to 7 and 9.
//
//   lane_curves   logits: a lane has kTile rows, features in order; then q goes from half to half,
//                 as classes follow each other, and y to shared memory
//   add_rows      outer sum: a lane has kTile of a strip of features, rows in order. The sums are
//   in
//                 registers for a chunk. Where the features behind the last strip are so few that
//                 each lane of its warp has at most one (feature, class) of them, that warp adds
//                 them, too: 65 features are one strip and one feature
//
// classes  at most kClasses; fewer cost as much, since those that are missing are 0
// cost     a word of shared memory that all lanes read is one for each lane, of which a processor
//          gets 32 a cycle. So a lane reads kTile + kHalf numbers for 2 kTile kHalf flop: 9 words
//          for 40 flop (float), which take 9 and 10 cycles of a processor
// bits     those of the host: a class that is missing adds +0 to q, which is never -0
#pragma once
#include "hvp.cuh"

namespace tl {
inline namespace TL_ISA {

constexpr int kClasses = 10, kHalf = 5, kHalfWarp = kWarp / 2;
template <class T>
constexpr int kTile = kWide<T>;
template <class T>
constexpr int kStrip = kTile<T> * kHalfWarp;  // features of a warp, and rows
// Numbers from one line of classes to the next: packets, an odd number of them.
template <class T>
constexpr int kLine = (int(parts_of(kClasses, kWide<T>)) | 1) * kWide<T>;

TL_HD int class_of(int half, int x) { return x < 4 ? 4 * half + x : 8 + half; }

template <class T>
TL_HD void read_half(const T* line, int half, T (&to)[kHalf]) {
  constexpr int kNumbers = kWide<T>;
  TL_UNROLL
  for (int x = 0; x < 4; x += kNumbers) {
    Lanes<T, kNumbers> near;
    near.packet = *reinterpret_cast<const decltype(near.packet)*>(line + 4 * half + x);
    TL_UNROLL
    for (int w = 0; w < kNumbers; ++w) to[x + w] = near.value[w];
  }
  to[4] = line[8 + half];
}

template <class T>
TL_HD void write_half(T* line, int half, const T (&from)[kHalf]) {
  constexpr int kNumbers = kWide<T>;
  TL_UNROLL
  for (int x = 0; x < 4; x += kNumbers) {
    Lanes<T, kNumbers> near;
    TL_UNROLL
    for (int w = 0; w < kNumbers; ++w) near.value[w] = from[x + w];
    *reinterpret_cast<decltype(near.packet)*>(line + 4 * half + x) = near.packet;
  }
  line[8 + half] = from[4];
}

// y of rows first, first + kHalfWarp, .. of the tile; each has a line of classes, and so has each
// feature of `points`, V of the warp's vector.
template <int kVec, class M, class T>
TL_HD void lane_curves(const M& gpu, int first, int half, int rows, int d, int C, int stride,
                       const T* near, const T* points, const T* chances, const T* weights, T* y) {
  constexpr int kQ = kTile<T>;
  const T* a[kQ];
  TL_UNROLL
  for (int q = 0; q < kQ; ++q) {
    const int j = first + q * kHalfWarp;
    a[q] = near + (j < rows ? j : 0) * stride;
  }
  T z[kQ][kHalf] = {};
  TL_UNROLL_4
  for (int f = 0; f < d; f += kVec) {
    Lanes<T, kVec> x[kQ];
    TL_UNROLL
    for (int q = 0; q < kQ; ++q)
      x[q].packet = *reinterpret_cast<const decltype(x[q].packet)*>(a[q] + f);
    TL_UNROLL
    for (int u = 0; u < kVec; ++u) {
      T point[kHalf];
      read_half(points + (f + u) * kLine<T>, half, point);
      TL_UNROLL
      for (int q = 0; q < kQ; ++q) {
        TL_UNROLL
        for (int c = 0; c < kHalf; ++c) z[q][c] += x[q].value[u] * point[c];
      }
    }
  }
  TL_UNROLL
  for (int q = 0; q < kQ; ++q) {
    const int j = first + q * kHalfWarp, row = j < rows ? j : 0;
    T p[kHalf], mean = 0;
    TL_UNROLL
    for (int c = 0; c < kHalf; ++c)
      p[c] = class_of(half, c) < C ? chances[row * C + class_of(half, c)] : T(0);
    TL_UNROLL
    for (int part = 0; part < 4; ++part) {  // classes 0 to 3, 4 to 7, 8, 9
      T own = mean;
      TL_UNROLL
      for (int c = part < 2 ? 0 : 4; c < (part < 2 ? 4 : kHalf); ++c) own += p[c] * z[q][c];
      const T other = gpu.from_lane_xor(own, kHalfWarp);
      mean = half == part % 2 ? own : other;
    }
    TL_UNROLL
    for (int c = 0; c < kHalf; ++c) z[q][c] = softmax_curve(z[q][c], mean, p[c], weights[row]);
    if (j < rows) write_half(y + j * kLine<T>, half, z[q]);
  }
}

// What a lane adds up: its features with its classes, and one (feature, class) of the rest.
template <class T>
struct LaneSums {
  T sum[kTile<T>][kHalf], rest;
};

// a: the first row from the lane's first feature on, the others kVec == 1 ? kHalfWarp : 1 apart.
template <int kVec, bool kRest, class T>
TL_HD void add_rows(int rows, int half, int stride, const T* a, const T* y, const T* a_rest,
                    const T* y_rest, LaneSums<T>& to) {
  constexpr int kTogether = kTile<T>;
  TL_UNROLL_4
  for (int j = 0; j < rows; ++j) {
    T line[kHalf];
    Lanes<T, kTogether> x;
    if constexpr (kVec == 1) {
      TL_UNROLL
      for (int i = 0; i < kTogether; ++i) x.value[i] = a[i * kHalfWarp];
    } else {
      x.packet = *reinterpret_cast<const decltype(x.packet)*>(a);
    }
    read_half(y + j * kLine<T>, half, line);
    TL_UNROLL
    for (int i = 0; i < kTogether; ++i) {
      TL_UNROLL
      for (int c = 0; c < kHalf; ++c) to.sum[i][c] += x.value[i] * line[c];
    }
    if (kRest) {
      to.rest += *a_rest * y_rest[j * kLine<T>];
      a_rest += stride;
    }
    a += stride;
  }
}

}  // namespace TL_ISA
}  // namespace tl
