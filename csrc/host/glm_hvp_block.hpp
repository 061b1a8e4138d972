// glm_hvp_block.hpp -- what some rows of one client add to the products of a group of runs.
#pragma once
#include "glm_hvp_panel.hpp"
#include "glm_hvp_rows.hpp"
#include "table.hpp"
#include "watch.hpp"

namespace tl {
inline namespace TL_ISA {

// Points and sums of a run are `cells` numbers. GLM: k rows of the padded length of a vector.
// Softmax: d rows of the k vectors' classes side by side, padded, so that a feature of the data
// meets all of them in one pass.
template <class T>
struct CurvedBlock {
  typedef CurvedRows<T> Rows;
  typedef CurvedPanel<T> Panel;
  static constexpr int kRows = Rows::kRows;
  const Curved<T>& t;
  i64 r0, runs, i;  // runs r0 .. r0 + runs - 1 of client i
  const T* points;  // (runs, cells)
  const i64* rows;  // (runs), how many count
  T* few;           // (numbers)
  Pace& pace;

  static TL_HD i64 wide(const Curved<T>& t) {
    constexpr i64 lanes = Simd<T>::kLanes;
    return (t.k * t.columns + lanes - 1) / lanes * lanes;
  }
  static TL_HD i64 cells(const Curved<T>& t) {
    return t.columns ? t.d * wide(t) : t.k * Rows::padded(t.d);
  }
  // Coordinates that all points of a pass go through together, so that eight rows of them stay in
  // L1 meanwhile: about even tiles of whole lines. One pair of points reads its rows once anyway.
  static TL_HD i64 tile(const Curved<T>& t, i64 points) {
    constexpr i64 most = kHvpTileBytes / sizeof(T);
    if (points <= 2 || t.d <= most) return t.d;
    const i64 tiles = (t.d + most - 1) / most;
    return Rows::padded((t.d + tiles - 1) / tiles);
  }
  // The products of eight rows with all points, and their lanes between two tiles.
  static TL_HD i64 numbers(const Curved<T>& t, i64 group) {
    if (t.columns) return kRows * wide(t);
    const i64 points = group * t.k;
    const i64 few = kRows * points * (tile(t, points) < t.d ? 1 + Rows::kLine : 1);
    if (!many(t, points)) return few;
    const i64 panels = points * Rows::padded(t.d) + Panel::numbers(t.d, points);
    return few > panels ? few : panels;
  }

  // Where vector b's numbers are: f(cell, number within the k vectors, how many follow in both).
  template <class F>
  static TL_HD void runs_of(const Curved<T>& t, i64 b, const F& f) {
    if (!t.columns) return f(b * Rows::padded(t.d), b * t.d, t.d);
    for (i64 e = 0; e < t.d; ++e)
      f(e * wide(t) + b * t.columns, (b * t.d + e) * t.columns, t.columns);
  }

  static void pack(const Curved<T>& t, const T* v, T* to) {
    const i64 width = t.columns ? wide(t) : Rows::padded(t.d),
              used = t.columns ? t.k * t.columns : t.d;
    for (i64 row = 0; row < (t.columns ? t.d : t.k); ++row)
      for (i64 e = used; e < width; ++e) to[row * width + e] = 0;
    for (i64 b = 0; b < t.k; ++b)
      runs_of(t, b, [&](i64 cell, i64 number, i64 count) {
        for (i64 e = 0; e < count; ++e) to[cell + e] = v[number + e];
      });
  }

  // sums (runs, cells) += rows first .. last - 1.
  void add(i64 first, i64 last, T* sums) const {
    if (t.columns) {
      for (i64 r = 0; r < runs; ++r)
        softmax_rows(r, first, last < rows[r] ? last : rows[r], sums + r * cells(t));
      return;
    }
    i64 least = last;
    for (i64 r = 0; r < runs; ++r) least = rows[r] < least ? rows[r] : least;
    const i64 products = 2 * runs * t.k * t.d;  // of a row
    i64 j = first;
    if (many(t, runs * t.k)) j = panels(first, least, sums);
    if (kRows * t.d * i64(sizeof(T)) <= kHvpBlockBytes)
      for (; j + kRows <= least && pace.on(kRows * products); j += kRows)
        glm_rows<kRows>(j, 0, runs, last, sums);
    for (; j < least && pace.on(products); ++j) glm_rows<1>(j, 0, runs, last, sums);
    for (; j < last && pace.on(products); ++j)  // padding of some run
      for (i64 r = 0; r < runs; ++r)
        if (j < rows[r]) glm_rows<1>(j, r, r + 1, last, sums);
  }

  // Points that a small cache would not hold. Without AVX2 a panel costs more than it saves.
  static TL_HD bool many(const Curved<T>& t, i64 points) {
    return kVectorBytes > 16 && points >= 2 * Panel::kPoints &&
           points * Rows::padded(t.d) * i64(sizeof(T)) >= kHvpPanelBytes;
  }

  // The rows that all runs have, in about even blocks. Returns the first row that is left.
  i64 panels(i64 first, i64 last, T* sums) const {
    const i64 d = t.d, width = Rows::padded(d), points = runs * t.k;
    T* space = few + points * width;
    for (i64 q = 0; q < points; q += Panel::kBatch)
      Panel::spread(this->points + q * width, batch(q), d, width, few + q * width);
    i64 j = first;
    while (j < last && pace.on(2 * Panel::kRows * points * d)) {
      const i64 blocks = (last - j + Panel::kRows - 1) / Panel::kRows;
      const i64 even = Panel::rounded((last - j + blocks - 1) / blocks, kRows);
      const i64 count = even < last - j ? even : last - j;
      const i64 left = last - j - count, next = left < count ? left : count;
      for (i64 q = 0; q < points; q += Panel::kBatch)
        Panel::add(
            t.data(r0, i) + j * d, count, d, few + q * width, batch(q),
            [&](i64 b) { return t.weights(r0 + (q + b) / t.k, i) + j; }, width, sums + q * width,
            space, q ? 0 : next);
      j += count;
    }
    return j;
  }
  i64 batch(i64 q) const {
    const i64 left = runs * t.k - q;
    return left < Panel::kBatch ? left : Panel::kBatch;
  }

  template <int kCount>
  void glm_rows(i64 j, i64 from, i64 to, i64 last, T* sums) const {
    const i64 first = from * t.k, end = to * t.k, length = tile(t, end - first);
    const T* A = t.data(r0, i) + j * t.d;
    for (i64 e = 0; e < t.d; e += length)
      each<Rows::kDotPoints>(first, end, [&](auto points, i64 q) {
        dots<kCount, decltype(points)::value>(A, cut(e, length), q);
      });
    for (i64 q = first; q < end; ++q) {
      const T* h = t.weights(r0 + q / t.k, i) + j;
      for (int a = 0; a < kCount; ++a) few[q * kRows + a] *= h[a];
    }
    // The next block's rows are fetched once, by the first points: a row by each group of them,
    // since fetches in a bunch wait for each other, or all rows by the first of few groups.
    const i64 groups = (end - first + 1) / 2;
    const T* next = kCount == kRows && j + 2 * kRows <= last ? A + kCount * t.d : nullptr;
    for (i64 e = 0; e < t.d; e += length)
      each<2>(first, end, [&](auto points, i64 q) {
        constexpr int kB = decltype(points)::value;
        const i64 group = (q - first) / 2;
        const Tile tile = cut(e, length);
        if (next && groups >= kRows && group < kRows)
          pull_back<kCount, kB, 1>(A, tile, q, sums, next + group * t.d);
        else if (next && groups < kRows && !group)
          pull_back<kCount, kB, kRows>(A, tile, q, sums, next);
        else
          pull_back<kCount, kB, 0>(A, tile, q, sums, nullptr);
      });
  }

  // f(how many, the first of them): kMost points at a time, then half as many, to the last one.
  template <int kMost, class F>
  static TL_HD void each(i64 q, i64 end, const F& f) {
    for (; q + kMost <= end; q += kMost) f(std::integral_constant<int, kMost>(), q);
    if constexpr (kMost > 1) each<kMost / 2>(q, end, f);
  }

  TL_HD Tile cut(i64 e, i64 length) const { return Tile{e, e + length < t.d ? e + length : t.d}; }
  template <int kCount, int kB>
  TL_HD void dots(const T* A, Tile tile, i64 q) const {
    constexpr int kMost = kB == 4 ? 4 : Rows::kDotRows, kDot = kCount < kMost ? kCount : kMost;
    const i64 d = t.d, width = Rows::padded(d);
    T *made = few + q * kRows, *kept = few + (runs * t.k + q * Rows::kLine) * kRows;
    for (int a = 0; a < kCount; a += kDot)
      Rows::template dots<kDot, kB>(A + a * d, d, tile, points + q * width, width,
                                    kept + a * Rows::kLine, made + a);
  }
  template <int kCount, int kB, int kFetch>
  TL_HD void pull_back(const T* A, Tile tile, i64 q, T* sums, const T* next) const {
    constexpr int kPull = kCount < Rows::kPullRows ? kCount : Rows::kPullRows;
    const i64 d = t.d, width = Rows::padded(d);
    const T* factors = few + q * kRows;
    T* to = sums + q * width;
    Rows::template pull_back<kPull, kB, kFetch>(A, d, tile, factors, width, to, next);
    for (int a = kPull; a < kCount; a += kPull)
      Rows::template pull_back<kPull, kB, 0>(A + a * d, d, tile, factors + a, width, to, nullptr);
  }

  void softmax_rows(i64 r, i64 first, i64 last, T* sums) const {
    constexpr int kCount = Rows::kColumnRows;
    const i64 products = 2 * t.d * wide(t);  // of a row
    i64 j = first;
    for (; j + kCount <= last && pace.on(kCount * products); j += kCount)
      softmax_block<kCount>(r, j, sums);
    for (; j < last && pace.on(products); ++j) softmax_block<1>(r, j, sums);
  }
  template <int kCount>
  void softmax_block(i64 r, i64 j, T* sums) const {
    const i64 C = t.columns, width = wide(t);
    const T *A = t.data(r0 + r, i) + j * t.d, *w = t.weights(r0 + r, i) + j;
    const T* p = t.chances(r0 + r, i) + j * C;
    Rows::template logits<kCount>(A, t.d, points + r * cells(t), width, few);
    for (int a = 0; a < kCount; ++a)
      for (i64 b = 0; b < t.k; ++b) softmax_curved(C, w[a], p + a * C, few + a * width + b * C);
    Rows::template outer<kCount>(A, t.d, few, width, sums);
  }
};

}  // namespace TL_ISA
}  // namespace tl
