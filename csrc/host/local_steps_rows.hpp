// local_steps_rows.hpp -- the sums of kernels/local_steps.cuh over rows of
// data, with vectors.
#pragma once
#include "../kernels/local_steps.cuh"
#include "simd.hpp"

namespace tl {
inline namespace TL_ISA {

template <class T>
struct RowSums {
  typedef Simd<T> S;
  typedef typename S::Vec Vec;
  static constexpr int kLanes = SumLanes<T>::kLanes, kLine = SumLanes<T>::kLine;
  static constexpr int kVecs = kLanes / S::kLanes;  // registers that hold all lanes: 2, 4 or 8
  static constexpr int kHalf = kVecs / 2;           // and one line
  static constexpr int kRows = kVectorBytes == 64 ? 8 : 4;  // rows that meet in a pass over g
  // Sums kept in registers at once, as rows x points.
  static constexpr int kDotRows = kVectorBytes == 64 ? 4 : kVectorBytes == 32 ? 2 : 1;
  static constexpr int kPoints = kVectorBytes == 64 ? 2 : 1;

  static TL_HD T tree(Vec (&sum)[kVecs]) {
#pragma GCC unroll 8
    for (int half = kHalf; half; half /= 2)
#pragma GCC unroll 8
      for (int v = 0; v < half; ++v) sum[v] += sum[v + half];
    T lane[S::kLanes];
    S::store(lane, sum[0]);
#pragma GCC unroll 8
    for (int half = S::kLanes / 2; half; half /= 2)
#pragma GCC unroll 16
      for (int l = 0; l < half; ++l) lane[l] += lane[l + half];
    return lane[0];
  }

  // A vector of T from data that are T, or float where T is double: every float is a double.
  template <class V>
  static TL_HD Vec load_as(const V* p) {
    if constexpr (sizeof(V) == sizeof(T)) {
      return S::load(p);
    } else {
#if defined(__AVX512F__)
      return (Vec)_mm512_maskz_cvtps_pd(0xFF, _mm256_loadu_ps(p));
#elif defined(__AVX2__)
      return (Vec)_mm256_cvtps_pd(_mm_loadu_ps(p));
#else
      Vec made;
      for (int l = 0; l < S::kLanes; ++l) made[l] = p[l];
      return made;
#endif
    }
  }

  // out[a][b] = <rows[a], points[b]>, width a multiple of kLine; fetches the
  // lines of `next` meanwhile.
  template <int kA, int kB, class V>
  static TL_HD void dots(const V* const* rows, const T* const* points, i64 width,
                         const V* const* next, T* out) {
    Vec sum[kA][kB][kVecs];
#pragma GCC unroll 4
    for (int a = 0; a < kA; ++a)
#pragma GCC unroll 4
      for (int b = 0; b < kB; ++b)
#pragma GCC unroll 8
        for (int v = 0; v < kVecs; ++v) sum[a][b][v] = Vec{};
    i64 k = 0;
    for (; k + kLanes <= width; k += kLanes) {
      add<kA, kB, kVecs, V>(rows, points, k, sum);
      if (next)  // into L2: in L1 the rows would push z and g out
#pragma GCC unroll 4
        for (int a = 0; a < kA; ++a) {
          __builtin_prefetch(next[a] + k, 0, 2);
          if (sizeof(V) * kLanes > kLineBytes) __builtin_prefetch(next[a] + k + kLine, 0, 2);
        }
    }
    if (k < width) add<kA, kB, kHalf, V>(rows, points, k, sum);
#pragma GCC unroll 4
    for (int a = 0; a < kA; ++a)
#pragma GCC unroll 4
      for (int b = 0; b < kB; ++b) out[a * kB + b] = tree(sum[a][b]);
  }
  template <int kA, int kB, int kCount, class V>
  static TL_HD void add(const V* const* rows, const T* const* points, i64 k,
                        Vec (&sum)[kA][kB][kVecs]) {
#pragma GCC unroll 8
    for (int v = 0; v < kCount; ++v)
#pragma GCC unroll 4
      for (int a = 0; a < kA; ++a) {
        const Vec x = load_as(rows[a] + k + v * S::kLanes);
#pragma GCC unroll 4
        for (int b = 0; b < kB; ++b) sum[a][b][v] += x * S::load(points[b] + k + v * S::kLanes);
      }
  }

  // |a|^2 in the same lanes, any size.
  static TL_HD T square(i64 size, const T* a) {
    Vec sum[kVecs];
#pragma GCC unroll 8
    for (int v = 0; v < kVecs; ++v) sum[v] = Vec{};
    i64 k = 0;
    for (; k + kLanes <= size; k += kLanes)
#pragma GCC unroll 8
      for (int v = 0; v < kVecs; ++v) {
        const Vec x = S::load(a + k + v * S::kLanes);
        sum[v] += x * x;
      }
    if (k < size) {
      T rest[kLanes] = {};
      for (i64 l = 0; k + l < size; ++l) rest[l] = a[k + l];
#pragma GCC unroll 8
      for (int v = 0; v < kVecs; ++v) {
        const Vec x = S::load(rest + v * S::kLanes);
        sum[v] += x * x;
      }
    }
    return tree(sum);
  }

  // g += r[0] rows[0], then r[1] rows[1], ...: width a multiple of kLine.
  template <int kCount, class V>
  static TL_HD void pull_back(const V* const* rows, const T* r, i64 width, T* TL_RESTRICT g) {
    for (i64 k = 0; k < width; k += S::kLanes) {
      Vec sum = S::load(g + k);
#pragma GCC unroll 8
      for (int a = 0; a < kCount; ++a) sum += r[a] * load_as(rows[a] + k);
      S::store(g + k, sum);
    }
  }

  // g[b] += r[b][0] rows[0], then r[b][1] rows[1], ... for every point b; g[b]
  // = g + b width. A line of all rows is loaded once for all points.
  template <int kCount, class V>
  static TL_HD void pull_back_each(const V* const* rows, const T* r, i64 points, i64 width,
                                   T* TL_RESTRICT g) {
    for (i64 k = 0; k < width; k += S::kLanes) {
      Vec x[kCount];
#pragma GCC unroll 8
      for (int a = 0; a < kCount; ++a) x[a] = load_as(rows[a] + k);
      for (i64 b = 0; b < points; ++b) {
        Vec sum = S::load(g + b * width + k);
#pragma GCC unroll 8
        for (int a = 0; a < kCount; ++a) sum += r[b * kCount + a] * x[a];
        S::store(g + b * width + k, sum);
      }
    }
  }

  // Z and G are (features, wide), wide a multiple of kLine, padding 0 in Z.
  // logits[a][c] = sum_k rows[a][k] Z[k][c], k rising.
  template <int kCount>
  static TL_HD void logits(const T* const* rows, const T* Z, i64 features, i64 wide, T* out) {
    constexpr int kWide = kVectorBytes == 64 ? 2 : 1;
    i64 c = 0;
    for (; c + kWide * S::kLanes <= wide; c += kWide * S::kLanes)
      logit_columns<kCount, kWide>(rows, Z, features, wide, c, out);
    for (; c < wide; c += S::kLanes) logit_columns<kCount, 1>(rows, Z, features, wide, c, out);
  }
  template <int kCount, int kWide>
  static TL_HD void logit_columns(const T* const* rows, const T* Z, i64 features, i64 wide, i64 c,
                                  T* out) {
    Vec sum[kCount][kWide];
#pragma GCC unroll 4
    for (int a = 0; a < kCount; ++a)
#pragma GCC unroll 2
      for (int v = 0; v < kWide; ++v) sum[a][v] = Vec{};
    for (i64 k = 0; k < features; ++k)
#pragma GCC unroll 2
      for (int v = 0; v < kWide; ++v) {
        const Vec z = S::load(Z + k * wide + c + v * S::kLanes);
#pragma GCC unroll 4
        for (int a = 0; a < kCount; ++a) sum[a][v] += rows[a][k] * z;
      }
#pragma GCC unroll 4
    for (int a = 0; a < kCount; ++a)
#pragma GCC unroll 2
      for (int v = 0; v < kWide; ++v) S::store(out + a * wide + c + v * S::kLanes, sum[a][v]);
  }

  // G[k][c] += rows[a][k] r[a][c], a rising.
  template <int kCount>
  static TL_HD void outer(const T* const* rows, const T* r, i64 features, i64 wide,
                          T* TL_RESTRICT G) {
    for (i64 c = 0; c < wide; c += S::kLanes) {
      Vec part[kCount];
#pragma GCC unroll 4
      for (int a = 0; a < kCount; ++a) part[a] = S::load(r + a * wide + c);
      for (i64 k = 0; k < features; ++k) {
        Vec sum = S::load(G + k * wide + c);
#pragma GCC unroll 4
        for (int a = 0; a < kCount; ++a) sum += rows[a][k] * part[a];
        S::store(G + k * wide + c, sum);
      }
    }
  }

  // g[k] = sum_j H[j][k] y[j], j rising; rows of H are `width` long, a multiple
  // of kLine.
  static TL_HD void symmetric_product(const T* H, const T* y, i64 d, i64 width, T* TL_RESTRICT g) {
    constexpr int kWide = 4;
    i64 k = 0;
    for (; k + kWide * S::kLanes <= width; k += kWide * S::kLanes)
      product_columns<kWide>(H, y, d, width, k, g);
    // Chains side by side: one alone would wait for each of its sums.
    const i64 rest = (width - k) / S::kLanes;
    if (rest == 3) product_columns<3>(H, y, d, width, k, g);
    if (rest == 2) product_columns<2>(H, y, d, width, k, g);
    if (rest == 1) product_columns<1>(H, y, d, width, k, g);
  }
  template <int kWide>
  static TL_HD void product_columns(const T* H, const T* y, i64 d, i64 width, i64 k,
                                    T* TL_RESTRICT g) {
    Vec sum[kWide];
#pragma GCC unroll 4
    for (int v = 0; v < kWide; ++v) sum[v] = Vec{};
    for (i64 j = 0; j < d; ++j)
#pragma GCC unroll 4
      for (int v = 0; v < kWide; ++v) sum[v] += S::load(H + j * width + k + v * S::kLanes) * y[j];
#pragma GCC unroll 4
    for (int v = 0; v < kWide; ++v) S::store(g + k + v * S::kLanes, sum[v]);
  }
};

}  // namespace TL_ISA
}  // namespace tl
