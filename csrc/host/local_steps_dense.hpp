// local_steps_dense.hpp -- a symmetric matrix times a vector from its upper triangle alone.
//
//     g[k] = sum_j H[j][k] y[j], j rising: the sum of kernels/local_steps.cuh
//
// Half of H is read, and what is above the diagonal serves twice. Of a band of as many rows as a
// vector has lanes, every tile adds its rows to the g of its columns; its transpose, made in
// registers, adds its columns to the g of the band. The bands come in order, and the tiles of a
// band in order, so both kinds of sum run through j = 0, 1, ... as they have to.
#pragma once
#include "../kernels/local_steps.cuh"
#include "simd.hpp"

namespace tl {
inline namespace TL_ISA {

template <class T>
class Triangle {
 public:
  typedef Simd<T> S;
  typedef typename S::Vec Vec;
  static constexpr int kLanes = S::kLanes;

  // Rows of H are `width` long, a multiple of kLine; y and g are padded to it, y with 0.
  static void product(const T* H, const T* y, i64 d, i64 width, T* TL_RESTRICT g) {
    for (i64 k = 0; k < width; k += kLanes) S::store(g + k, Vec{});
    for (i64 j = 0; j < d; j += kLanes)
      j + kLanes <= d ? band<true>(H, y, d, width, j, g) : band<false>(H, y, d, width, j, g);
  }

 private:
  template <bool kWhole>
  static TL_HD void band(const T* H, const T* y, i64 d, i64 width, i64 j, T* TL_RESTRICT g) {
    const int rows = kWhole ? kLanes : int(d - j);
    const T* row = H + j * width;
    Vec own = S::load(g + j);
    for (int a = 0; a < rows; ++a) own += S::load(row + a * width + j) * y[j + a];
    for (i64 k = j + kLanes; k < width; k += kLanes) {
      Vec tile[kLanes];
      Vec sum = S::load(g + k);
#pragma GCC unroll 16
      for (int a = 0; a < kLanes; ++a) {
        if (kWhole || a < rows) {
          tile[a] = S::load(row + a * width + k);
          sum += tile[a] * y[j + a];
        } else {
          tile[a] = Vec{};
        }
      }
      S::store(g + k, sum);
      S::transpose(tile);
#pragma GCC unroll 16
      for (int b = 0; b < kLanes; ++b) own += tile[b] * y[k + b];
    }
    S::store(g + j, own);
  }
};

}  // namespace TL_ISA
}  // namespace tl
