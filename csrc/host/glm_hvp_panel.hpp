// glm_hvp_panel.hpp -- the two passes of kernels/glm_hvp.cuh for many vectors, as products of
// matrices whose sums stay in registers: over the coordinates of a tile, then over a block's rows.
//
// Both passes take what they multiply from panels, which hold it in the order of the loops: of the
// rows two vectors for each number of the points. In the first pass a vector holds the same
// coordinate of several rows, and each lane of a dot has sums of its own; in the second it holds
// coordinates of one row.
#pragma once
#include "../kernels/glm_hvp.cuh"
#include "simd.hpp"

namespace tl {
inline namespace TL_ISA {

template <class T>
struct CurvedPanel {
  typedef Simd<T> S;
  typedef typename S::Vec Vec;
  static constexpr i64 kLine = kLineBytes / sizeof(T);  // lanes of a dot
  // Sums kept in registers at once, as points x vectors.
  static constexpr int kPoints = 6, kVecs = 2;
  static constexpr i64 kWide = kVecs * S::kLanes;
  static constexpr i64 kRows = 32;    // of a block: whole panels of any instruction set
  static constexpr i64 kBatch = 36;   // points of a block
  static constexpr i64 kTile = 1024;  // coordinates of a tile: a lane of its rows stays in L1

  static TL_HD i64 rounded(i64 size, i64 unit) { return (size + unit - 1) / unit * unit; }
  static TL_HD i64 tile(i64 d) {
    const i64 tiles = (d + kTile - 1) / kTile;
    return rounded((d + tiles - 1) / tiles, kLine);
  }

  // f(how many, the first of them): six points at a time. Seven or eight go in two groups, since
  // one or two alone would wait for their own sums.
  template <class F>
  static TL_HD void groups(i64 points, const F& f) {
    i64 q = 0;
    for (; points - q >= kPoints && points - q != 7 && points - q != 8; q += kPoints)
      f(std::integral_constant<int, kPoints>(), q);
    for (; points - q >= 4; q += 4) f(std::integral_constant<int, 4>(), q);
    for (; points - q >= 2; q += 2) f(std::integral_constant<int, 2>(), q);
    if (q < points) f(std::integral_constant<int, 1>(), q);
  }

  // Numbers of work space for a block of so many points: factors, lanes and a tile's panels.
  static TL_HD i64 numbers(i64 d, i64 points) {
    const i64 some = points < kBatch ? points : kBatch;
    return some * kRows * (1 + kLine) + kRows * tile(d);
  }

  // sums[b] += rows[j] h_b[j] <rows[j], v_b>, j rising: count <= kRows rows that are d apart. v is
  // what `spread` made of at most kBatch points; weights(b) is h_b; sums lie as points do there.
  // Fetches `next` rows behind them meanwhile, a few lines for each product of the first pass.
  template <class W>
  static TL_HD void add(const T* rows, i64 count, i64 d, const T* v, i64 points, const W& weights,
                        i64 width, T* sums, T* space, i64 next) {
    T *factors = space, *lanes = space + points * kRows, *panel = lanes + points * kRows * kLine;
    const i64 used = rounded(count, kWide);
    const i64 length = tile(d);
    const T *ahead = rows + count * d, *last = ahead + next * d;
    const i64 products = kLine * (used / kWide) * ((points + kPoints - 1) / kPoints);
    const i64 share = rounded(next * d / products + 1, kLine);
    for (i64 e = 0; e < d; e += length) {
      const i64 end = e + length < d ? e + length : d, steps = (end - e + kLine - 1) / kLine;
      turned(rows, count, used, d, e, end, panel);
      for (i64 l = 0; l < kLine; ++l)
        groups(points, [&](auto n, i64 q) {
          const T* factor = v + e * points + (l * points + q) * steps;
          for (i64 j = 0; j < used; j += kWide) {
            for (i64 a = 0; a < share && ahead < last; a += kLine, ahead += kLine)
              __builtin_prefetch(ahead, 0, 2);
            multiplied<decltype(n)::value, kVecs>(panel + (l * used + j) * steps, steps, factor,
                                                  kRows, lanes + (l * points + q) * kRows + j, !e);
          }
        });
    }
    const i64 size = points * kRows;
    for (i64 half = kLine / 2; half; half /= 2)
      for (i64 e = 0; e < half * size; ++e) lanes[e] += lanes[e + half * size];
    groups(points, [&](auto n, i64 q) {
      constexpr int kB = decltype(n)::value;
      for (int b = 0; b < kB; ++b) {
        const T *h = weights(q + b), *t = lanes + (q + b) * kRows;
        for (i64 j = 0; j < count; ++j) factors[q * kRows + j * kB + b] = t[j] * h[j];
      }
    });
    i64 e = 0;
    for (; e + kWide <= width; e += kWide)
      pull_back<kVecs>(rows, count, d, e, factors, points, width, sums, panel);
    for (; e < width; e += S::kLanes)
      pull_back<1>(rows, count, d, e, factors, points, width, sums, panel);
  }

  // Points that are `width` apart, padded with 0 to whole lines, in the order of the first pass:
  // by tiles, lanes and groups.
  static TL_HD void spread(const T* points, i64 count, i64 d, i64 width, T* to) {
    const i64 length = tile(d);
    for (i64 e = 0; e < d; e += length) {
      const i64 end = e + length < d ? e + length : d, steps = (end - e + kLine - 1) / kLine;
      groups(count, [&](auto n, i64 q) {
        constexpr int kB = decltype(n)::value;
        for (i64 s = 0; s < steps; ++s)
          for (i64 l = 0; l < kLine; ++l)
#pragma GCC unroll 8
            for (int b = 0; b < kB; ++b)
              to[e * count + (l * count + q) * steps + s * kB + b] =
                  points[(q + b) * width + e + s * kLine + l];
      });
    }
  }

 private:
  // Each coordinate of the rows side by side, zeros behind the last row and the last coordinate:
  // by lanes and panels.
  static TL_HD void turned(const T* rows, i64 count, i64 used, i64 d, i64 first, i64 end,
                           T* panel) {
    const i64 steps = (end - first + kLine - 1) / kLine;
    for (i64 j = 0; j < used; j += S::kLanes) {
      const i64 column = j % kWide;
      T* to = panel + (j - column) * steps + column;
      for (i64 e = first; e < end; e += S::kLanes) {
        Vec block[S::kLanes];
#pragma GCC unroll 16
        for (int a = 0; a < S::kLanes; ++a)
          block[a] = j + a < count ? loaded(rows + (j + a) * d + e, d - e) : Vec{};
        S::transpose(block);
        const i64 line = (e - first) / kLine, lane = (e - first) % kLine;
#pragma GCC unroll 16
        for (int a = 0; a < S::kLanes; ++a)
          S::store(to + (lane + a) * used * steps + line * kWide, block[a]);
      }
      for (i64 e = rounded(end - first, S::kLanes); e < steps * kLine; ++e)
        S::store(to + e % kLine * used * steps + e / kLine * kWide, Vec{});
    }
  }
  // The second pass over kV vectors of coordinates.
  template <int kV>
  static TL_HD void pull_back(const T* rows, i64 count, i64 d, i64 e, const T* factors, i64 points,
                              i64 width, T* sums, T* panel) {
    for (i64 j = 0; j < count; ++j)
#pragma GCC unroll 2
      for (int v = 0; v < kV; ++v) {
        const i64 from = e + v * S::kLanes;
        S::store(panel + (j * kV + v) * S::kLanes, loaded(rows + j * d + from, d - from));
      }
    groups(points, [&](auto n, i64 q) {
      multiplied<decltype(n)::value, kV>(panel, count, factors + q * kRows, width,
                                         sums + q * width + e, false);
    });
  }
  static TL_HD Vec loaded(const T* p, i64 count) {
    return count >= S::kLanes ? S::load(p) : count > 0 ? Part<T>(count).load(p) : Vec{};
  }

  // g[b] += t[j][b] x[j], j rising; g `width` apart, fresh: nothing is there yet.
  template <int kB, int kV>
  static TL_HD void multiplied(const T* x, i64 count, const T* t, i64 width, T* TL_RESTRICT g,
                               bool fresh) {
    Vec sum[kB][kV];
#pragma GCC unroll 8
    for (int b = 0; b < kB; ++b)
#pragma GCC unroll 2
      for (int v = 0; v < kV; ++v)
        sum[b][v] = fresh ? Vec{} : S::load(g + b * width + v * S::kLanes);
    for (i64 j = 0; j < count; ++j) {
      Vec row[kV];
#pragma GCC unroll 2
      for (int v = 0; v < kV; ++v) row[v] = S::load_once(x + (j * kV + v) * S::kLanes);
#pragma GCC unroll 8
      for (int b = 0; b < kB; ++b) {
        const Vec factor = S::held(S::spread(t[j * kB + b]));
#pragma GCC unroll 2
        for (int v = 0; v < kV; ++v) sum[b][v] += factor * row[v];
      }
    }
#pragma GCC unroll 8
    for (int b = 0; b < kB; ++b)
#pragma GCC unroll 2
      for (int v = 0; v < kV; ++v) S::store(g + b * width + v * S::kLanes, sum[b][v]);
  }
};

}  // namespace TL_ISA
}  // namespace tl
