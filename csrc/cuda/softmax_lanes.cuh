// softmax_lanes.cuh (cuda) -- what the lanes of softmax_rows (softmax_rows.cuh) add up.
//
//   lane_curves   logits: a warp has one vector, a lane has kRowsALane rows with all classes of it,
//                 features in order, so that the curvature of a row needs no other lane
//   add_rows      outer sum: a warp has one vector and a strip of kStrip features, a lane has
//                 kFeaturesALane of them with all classes, rows in order. The sums are in registers
//                 for a chunk. Where the features behind the last strip are so few that a lane may
//                 have one (feature, class) of them, its warp has them, too: 65 features are one
//                 strip and one feature
//
// classes  at most kClasses; fewer cost as much, since those that are missing are 0
// cost     for 2 kRowsALane kClasses flop of a feature, and for 2 kFeaturesALane kClasses of a row,
//          a lane reads as many numbers and one line of classes, which is the same for its warp
// bits     those of the host: a class that is missing adds +0 to q, which is never -0
#pragma once
#include "hvp.cuh"

namespace tl {
inline namespace TL_ISA {

constexpr int kClasses = 10;
template <class T>
constexpr int kRowsALane = 8 / int(sizeof(T));
template <class T>
constexpr int kFeaturesALane = 8 / int(sizeof(T));
template <class T>
constexpr int kStrip = kFeaturesALane<T> * kWarp;
template <class T>
constexpr int kRowsAWarp = kRowsALane<T> * kWarp;
// Numbers from one line of classes to the next: packets, an odd number of them.
template <class T>
constexpr int kLine = (int(parts_of(kClasses, kWide<T>)) | 1) * kWide<T>;

template <class T>
TL_HD void read_line(const T* from, T (&to)[kClasses]) {
  constexpr int kNumbers = kWide<T>, kRest = kClasses % kNumbers;
  TL_UNROLL
  for (int c = 0; c + kNumbers <= kClasses; c += kNumbers) {
    Lanes<T, kNumbers> near;
    near.packet = *reinterpret_cast<const decltype(near.packet)*>(from + c);
    TL_UNROLL
    for (int w = 0; w < kNumbers; ++w) to[c + w] = near.value[w];
  }
  if constexpr (kRest) {
    Lanes<T, kRest> near;
    near.packet = *reinterpret_cast<const decltype(near.packet)*>(from + kClasses - kRest);
    TL_UNROLL
    for (int w = 0; w < kRest; ++w) to[kClasses - kRest + w] = near.value[w];
  }
}

template <class T>
TL_HD void write_line(T* to, const T (&from)[kClasses]) {
  constexpr int kNumbers = kWide<T>, kRest = kClasses % kNumbers;
  TL_UNROLL
  for (int c = 0; c + kNumbers <= kClasses; c += kNumbers) {
    Lanes<T, kNumbers> near;
    TL_UNROLL
    for (int w = 0; w < kNumbers; ++w) near.value[w] = from[c + w];
    *reinterpret_cast<decltype(near.packet)*>(to + c) = near.packet;
  }
  if constexpr (kRest) {
    Lanes<T, kRest> near;
    TL_UNROLL
    for (int w = 0; w < kRest; ++w) near.value[w] = from[kClasses - kRest + w];
    *reinterpret_cast<decltype(near.packet)*>(to + kClasses - kRest) = near.packet;
  }
}

// y of the rows first, first + kWarp, .. that the lane has, kLine apart. points: V of the warp's
// vector, likewise a line of classes for each feature.
template <int kVec, class T>
TL_HD void lane_curves(int first, int rows, int d, int C, int stride, const T* near,
                       const T* points, const T* chances, const T* weights, T* y) {
  constexpr int kQ = kRowsALane<T>;
  const T* a[kQ];
  TL_UNROLL
  for (int q = 0; q < kQ; ++q) {
    const int j = first + q * kWarp;
    a[q] = near + (j < rows ? j : 0) * stride;
  }
  T z[kQ][kClasses] = {};
  TL_UNROLL_4
  for (int f = 0; f < d; f += kVec) {
    Lanes<T, kVec> x[kQ];
    TL_UNROLL
    for (int q = 0; q < kQ; ++q)
      x[q].packet = *reinterpret_cast<const decltype(x[q].packet)*>(a[q] + f);
    TL_UNROLL
    for (int u = 0; u < kVec; ++u) {
      T point[kClasses];
      read_line(points + (f + u) * kLine<T>, point);
      TL_UNROLL
      for (int q = 0; q < kQ; ++q) {
        TL_UNROLL
        for (int c = 0; c < kClasses; ++c) z[q][c] += x[q].value[u] * point[c];
      }
    }
  }
  TL_UNROLL
  for (int q = 0; q < kQ; ++q) {
    const int j = first + q * kWarp;
    if (j >= rows) continue;
    T p[kClasses];
    TL_UNROLL
    for (int c = 0; c < kClasses; ++c) p[c] = c < C ? chances[j * C + c] : T(0);
    softmax_curved(kClasses, weights[j], p, z[q]);
    write_line(y + j * kLine<T>, z[q]);
  }
}

// What a lane adds up: its features with all classes, and one (feature, class) of the rest.
template <class T>
struct LaneSums {
  T sum[kFeaturesALane<T>][kClasses], rest;
};

// a: the first row from the lane's first feature on, the others `kVec == 1 ? kWarp : 1` apart.
template <int kVec, bool kRest, class T>
TL_HD void add_rows(int rows, int stride, const T* a, const T* y, const T* a_rest, const T* y_rest,
                    LaneSums<T>& to) {
  constexpr int kTogether = kFeaturesALane<T>;
  TL_UNROLL_4
  for (int j = 0; j < rows; ++j) {
    T x[kTogether], line[kClasses];
    if constexpr (kVec == 1) {
      TL_UNROLL
      for (int i = 0; i < kTogether; ++i) x[i] = a[i * kWarp];
    } else {
      Lanes<T, kTogether> both;
      both.packet = *reinterpret_cast<const decltype(both.packet)*>(a);
      TL_UNROLL
      for (int i = 0; i < kTogether; ++i) x[i] = both.value[i];
    }
    read_line(y + j * kLine<T>, line);
    TL_UNROLL
    for (int i = 0; i < kTogether; ++i) {
      TL_UNROLL
      for (int c = 0; c < kClasses; ++c) to.sum[i][c] += x[i] * line[c];
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
