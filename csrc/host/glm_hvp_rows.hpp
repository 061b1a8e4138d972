// glm_hvp_rows.hpp -- the sums of kernels/glm_hvp.cuh over a block of rows, with vectors.
#pragma once
#include "../kernels/glm_hvp.cuh"
#include "simd.hpp"

namespace tl {
inline namespace TL_ISA {

// Lane numbers as wide as the lanes.
template <int kBytes>
struct Index {
  typedef i64 Lanes __attribute__((vector_size(kVectorBytes)));
};
template <>
struct Index<4> {
  typedef i32 Lanes __attribute__((vector_size(kVectorBytes)));
};

// Coordinates first .. end - 1 of a row: whole lines, but for the last of the row.
struct Tile {
  i64 first, end;
};

template <class T>
struct CurvedRows {
  typedef Simd<T> S;
  typedef typename S::Vec Vec;
  static constexpr int kLine = kLineBytes / sizeof(T);  // lanes of a dot
  static constexpr int kVecs = kLine / S::kLanes;       // registers that hold them: 1, 2 or 4
  static constexpr int kRows = 8;                       // rows that meet in a pass
  // Sums kept in registers at once, as rows x points; and factors, in the second pass.
  static constexpr int kDotRows = kVectorBytes == 64 ? 8 : 4;
  static constexpr int kPullRows = kVectorBytes == 64 ? 8 : 4;
  static constexpr int kDotPoints = kVectorBytes == 64 ? 4 : 2;

  static TL_HD i64 padded(i64 size) { return (size + kLine - 1) / kLine * kLine; }

  // p[0..count), then zeros; nothing behind is read. count may be negative.
  static TL_HD Vec load_some(const T* p, i64 count) {
    if (count >= S::kLanes) return S::load(p);
    if (count <= 0) return Vec{};
#if defined(__AVX512F__)
    if constexpr (sizeof(T) == 4)
      return (Vec)_mm512_maskz_loadu_ps(__mmask16((1u << count) - 1), p);
    else
      return (Vec)_mm512_maskz_loadu_pd(__mmask8((1u << count) - 1), p);
#elif defined(__AVX2__)
    if constexpr (sizeof(T) == 4) {
      const __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
      return (Vec)_mm256_maskload_ps(p, _mm256_cmpgt_epi32(_mm256_set1_epi32(int(count)), lane));
    } else {
      const __m256i lane = _mm256_setr_epi64x(0, 1, 2, 3);
      return (Vec)_mm256_maskload_pd(p, _mm256_cmpgt_epi64(_mm256_set1_epi64x(count), lane));
    }
#else
    alignas(kVectorBytes) T some[S::kLanes] = {};
    for (int l = 0; l < S::kLanes; ++l) some[l] = l < count ? p[l] : T(0);
    return S::load(some);
#endif
  }

  // Of each 2 kHalf lanes of a, then of b, the lower or the upper half, side by side.
  template <int kHalf, bool kUpper>
  static TL_HD Vec halves(Vec a, Vec b) {
    constexpr int kGroups = S::kLanes / (2 * kHalf);
    typename Index<sizeof(T)>::Lanes from;
#pragma GCC unroll 16
    for (int l = 0; l < S::kLanes; ++l)
      from[l] = (l / kHalf % kGroups * 2 + kUpper) * kHalf + l % kHalf +
                (l / kHalf < kGroups ? 0 : S::kLanes);
#ifdef __clang__  // which lacks the builtin, and makes as few instructions of this
    Vec made;
#pragma GCC unroll 16
    for (int l = 0; l < S::kLanes; ++l)
      made[l] = from[l] < S::kLanes ? a[from[l]] : b[from[l] - S::kLanes];
    return made;
#else
    return __builtin_shuffle(a, b, from);
#endif
  }

  // The lanes of each vector added up, the upper half to the lower until one is left: many sums at
  // once, which end side by side in v[0], v[1] and so on.
  template <int kMany, int kHalf = S::kLanes / 2>
  static TL_HD void fold(Vec* v) {
    if constexpr (kHalf > 0) {
      constexpr int kLeft = (kMany + 1) / 2;
#pragma GCC unroll 16
      for (int i = 0; i < kLeft; ++i) {
        const Vec a = v[2 * i], b = v[kMany > 1 ? 2 * i + 1 : 2 * i];
        v[i] = halves<kHalf, false>(a, b) + halves<kHalf, true>(a, b);
      }
      fold<kLeft, kHalf / 2>(v);
    }
  }

  // t[b][a] = <rows[a], points[b]>: rows d apart, points `width` apart and padded with 0, kRows
  // apart in t. Of it the coordinates of a tile; until the last one the lanes wait in `kept`, a
  // line for each number of t.
  template <int kA, int kB>
  static TL_HD void dots(const T* rows, i64 d, Tile tile, const T* points, i64 width, T* kept,
                         T* t) {
    Vec sum[kA][kB][kVecs];
#pragma GCC unroll 8
    for (int a = 0; a < kA; ++a)
#pragma GCC unroll 4
      for (int b = 0; b < kB; ++b)
#pragma GCC unroll 4
        for (int v = 0; v < kVecs; ++v)
          sum[a][b][v] =
              tile.first ? S::load(kept + (b * kRows + a) * kLine + v * S::kLanes) : Vec{};
    // One vector of each line after the other: all of them at once would not fit the registers.
    const i64 whole = tile.first + (tile.end - tile.first) / kLine * kLine;
#pragma GCC unroll 4
    for (int v = 0; v < kVecs; ++v) {
      const i64 lane = v * S::kLanes;
      for (i64 e = tile.first; e < whole; e += kLine)
        add<kA, kB, true>(rows, d, points, width, e + lane, v, sum);
      if (tile.end == d && whole < d)
        add<kA, kB, false>(rows, d, points, width, whole + lane, v, sum);
    }
    if (tile.end < d) {
#pragma GCC unroll 8
      for (int a = 0; a < kA; ++a)
#pragma GCC unroll 4
        for (int b = 0; b < kB; ++b)
#pragma GCC unroll 4
          for (int v = 0; v < kVecs; ++v)
            S::store(kept + (b * kRows + a) * kLine + v * S::kLanes, sum[a][b][v]);
      return;
    }
    constexpr int kMany = kA * kB;
    Vec made[kMany];  // those of point 0, then those of point 1
#pragma GCC unroll 4
    for (int b = 0; b < kB; ++b)
#pragma GCC unroll 8
      for (int a = 0; a < kA; ++a) {
        Vec* lines = sum[a][b];
#pragma GCC unroll 4
        for (int half = kVecs / 2; half; half /= 2)
#pragma GCC unroll 4
          for (int v = 0; v < half; ++v) lines[v] += lines[v + half];
        made[b * kA + a] = lines[0];
      }
    fold<kMany>(made);
    if constexpr (kA == kRows && kMany % S::kLanes == 0) {
#pragma GCC unroll 8
      for (int v = 0; v < kMany / S::kLanes; ++v) S::store(t + v * S::kLanes, made[v]);
    } else {
      constexpr int kVectors = (kMany + S::kLanes - 1) / S::kLanes;
      alignas(kVectorBytes) T some[kVectors * S::kLanes];
#pragma GCC unroll 8
      for (int v = 0; v < kVectors; ++v) S::store(some + v * S::kLanes, made[v]);
#pragma GCC unroll 4
      for (int b = 0; b < kB; ++b)
#pragma GCC unroll 8
        for (int a = 0; a < kA; ++a) t[b * kRows + a] = some[b * kA + a];
    }
  }
  template <int kA, int kB, bool kWhole>
  static TL_HD void add(const T* rows, i64 d, const T* points, i64 width, i64 at, int v,
                        Vec (&sum)[kA][kB][kVecs]) {
    Vec p[kB];
#pragma GCC unroll 4
    for (int b = 0; b < kB; ++b) p[b] = S::load(points + b * width + at);
#pragma GCC unroll 8
    for (int a = 0; a < kA; ++a) {
      const Vec x = kWhole ? S::load_once(rows + a * d + at) : load_some(rows + a * d + at, d - at);
#pragma GCC unroll 4
      for (int b = 0; b < kB; ++b) sum[a][b][v] += x * p[b];
    }
  }

  // g[b] += t[b][0] rows[0], then t[b][1] rows[1], ...; g padded as points are. Of it the
  // coordinates of a tile. Fetches kFetch rows from `next` on meanwhile.
  template <int kA, int kB, int kFetch>
  static TL_HD void pull_back(const T* rows, i64 d, Tile tile, const T* t, i64 width,
                              T* TL_RESTRICT g, const T* next) {
    Vec factor[kA][kB];
#pragma GCC unroll 8
    for (int a = 0; a < kA; ++a)
#pragma GCC unroll 4
      for (int b = 0; b < kB; ++b) factor[a][b] = S::spread(t[b * kRows + a]);
    i64 e = tile.first;
    for (; e + S::kLanes <= tile.end; e += S::kLanes) {
      Vec sum[kB];
#pragma GCC unroll 4
      for (int b = 0; b < kB; ++b) sum[b] = S::load(g + b * width + e);
#pragma GCC unroll 8
      for (int a = 0; a < kA; ++a) {
        const Vec x = S::load_once(rows + a * d + e);
#pragma GCC unroll 4
        for (int b = 0; b < kB; ++b) sum[b] += factor[a][b] * x;
      }
#pragma GCC unroll 4
      for (int b = 0; b < kB; ++b) S::store(g + b * width + e, sum[b]);
      if (kFetch && e % kLine == 0)
#pragma GCC unroll 8
        for (int a = 0; a < kFetch; ++a) __builtin_prefetch(next + a * d + e, 0, 2);
    }
    if (e < tile.end) {
      Vec sum[kB];
#pragma GCC unroll 4
      for (int b = 0; b < kB; ++b) sum[b] = S::load(g + b * width + e);
#pragma GCC unroll 8
      for (int a = 0; a < kA; ++a) {
        const Vec x = load_some(rows + a * d + e, d - e);
#pragma GCC unroll 4
        for (int b = 0; b < kB; ++b) sum[b] += factor[a][b] * x;
      }
#pragma GCC unroll 4
      for (int b = 0; b < kB; ++b) S::store(g + b * width + e, sum[b]);
    }
  }

  // Columns that meet in registers: kColumnRows x kWide sums.
  static constexpr int kColumnRows = kVectorBytes == 64 ? 8 : 4;
  static constexpr int kWide = 3;

  // z[a][c] = sum_e rows[a][e] Z[e][c], e rising; Z is (d, wide), z has `wide` a row.
  template <int kA>
  static TL_HD void logits(const T* rows, i64 d, const T* Z, i64 wide, T* z) {
    i64 c = 0;
    for (; c + kWide * S::kLanes <= wide; c += kWide * S::kLanes)
      logit_columns<kA, kWide>(rows, d, Z + c, wide, z + c);
    if (c + S::kLanes < wide) return logit_columns<kA, 2>(rows, d, Z + c, wide, z + c);
    if (c < wide) logit_columns<kA, 1>(rows, d, Z + c, wide, z + c);
  }
  template <int kA, int kW>
  static TL_HD void logit_columns(const T* rows, i64 d, const T* Z, i64 wide, T* z) {
    Vec sum[kA][kW];
#pragma GCC unroll 8
    for (int a = 0; a < kA; ++a)
#pragma GCC unroll 3
      for (int v = 0; v < kW; ++v) sum[a][v] = Vec{};
    for (i64 e = 0; e < d; ++e) {
      Vec column[kW];
#pragma GCC unroll 3
      for (int v = 0; v < kW; ++v) column[v] = S::load(Z + e * wide + v * S::kLanes);
#pragma GCC unroll 8
      for (int a = 0; a < kA; ++a) {
        const Vec x = S::spread(rows[a * d + e]);
#pragma GCC unroll 3
        for (int v = 0; v < kW; ++v) sum[a][v] += x * column[v];
      }
    }
#pragma GCC unroll 8
    for (int a = 0; a < kA; ++a)
#pragma GCC unroll 3
      for (int v = 0; v < kW; ++v) S::store(z + a * wide + v * S::kLanes, sum[a][v]);
  }

  // G[e][c] += rows[a][e] y[a][c], a rising.
  template <int kA>
  static TL_HD void outer(const T* rows, i64 d, const T* y, i64 wide, T* TL_RESTRICT G) {
    i64 c = 0;
    for (; c + kWide * S::kLanes <= wide; c += kWide * S::kLanes)
      outer_columns<kA, kWide>(rows, d, y + c, wide, G + c);
    if (c + S::kLanes < wide) return outer_columns<kA, 2>(rows, d, y + c, wide, G + c);
    if (c < wide) outer_columns<kA, 1>(rows, d, y + c, wide, G + c);
  }
  template <int kA, int kW>
  static TL_HD void outer_columns(const T* rows, i64 d, const T* y, i64 wide, T* TL_RESTRICT G) {
    Vec factor[kA][kW];
#pragma GCC unroll 8
    for (int a = 0; a < kA; ++a)
#pragma GCC unroll 3
      for (int v = 0; v < kW; ++v) factor[a][v] = S::load(y + a * wide + v * S::kLanes);
    for (i64 e = 0; e < d; ++e) {
      Vec sum[kW];
#pragma GCC unroll 3
      for (int v = 0; v < kW; ++v) sum[v] = S::load(G + e * wide + v * S::kLanes);
#pragma GCC unroll 8
      for (int a = 0; a < kA; ++a) {
        const Vec x = S::spread(rows[a * d + e]);
#pragma GCC unroll 3
        for (int v = 0; v < kW; ++v) sum[v] += x * factor[a][v];
      }
#pragma GCC unroll 3
      for (int v = 0; v < kW; ++v) S::store(G + e * wide + v * S::kLanes, sum[v]);
    }
  }
};

}  // namespace TL_ISA
}  // namespace tl
