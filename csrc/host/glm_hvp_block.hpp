// glm_hvp_block.hpp -- what some rows of one client add to the products of a group of runs.
#pragma once
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
  static constexpr int kRows = Rows::kRows;
  const Curved<T>& t;
  i64 r0, runs, i;  // runs r0 .. r0 + runs - 1 of client i
  const T* points;  // (runs, cells)
  const i64* rows;  // (runs), how many count
  T* few;           // (numbers)
  Pace& pace;

  static TL_HD i64 wide(const Curved<T>& t) { return Rows::padded(t.k * t.columns); }
  static TL_HD i64 cells(const Curved<T>& t) {
    return t.columns ? t.d * wide(t) : t.k * Rows::padded(t.d);
  }
  static TL_HD i64 numbers(const Curved<T>& t, i64 group) {
    return t.columns ? kRows * wide(t) : kRows * group * t.k;
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
    if (kRows * t.d * i64(sizeof(T)) <= kHvpBlockBytes)
      for (; j + kRows <= least && pace.on(kRows * products); j += kRows)
        glm_rows<kRows>(j, 0, runs, last, sums);
    for (; j < least && pace.on(products); ++j) glm_rows<1>(j, 0, runs, last, sums);
    for (; j < last && pace.on(products); ++j)  // padding of some run
      for (i64 r = 0; r < runs; ++r)
        if (j < rows[r]) glm_rows<1>(j, r, r + 1, last, sums);
  }

  template <int kCount>
  void glm_rows(i64 j, i64 from, i64 to, i64 last, T* sums) const {
    constexpr int kDot = kCount < Rows::kDotRows ? kCount : Rows::kDotRows;
    constexpr int kPull = kCount < Rows::kPullRows ? kCount : Rows::kPullRows;
    const i64 d = t.d, width = Rows::padded(d), end = to * t.k;
    const T* A = t.data(r0, i) + j * d;
    i64 q = from * t.k;
    for (; q + 2 <= end; q += 2)
      for (int a = 0; a < kCount; a += kDot)
        Rows::template dots<kDot, 2>(A + a * d, d, points + q * width, width, few + q * kRows + a);
    if (q < end)
      for (int a = 0; a < kCount; a += kDot)
        Rows::template dots<kDot, 1>(A + a * d, d, points + q * width, width, few + q * kRows + a);
    for (q = from * t.k; q < end; ++q) {
      const T* h = t.weights(r0 + q / t.k, i) + j;
      for (int a = 0; a < kCount; ++a) few[q * kRows + a] *= h[a];
    }
    // The next block's rows are fetched once, by the first points.
    const bool fetch = kCount == kRows && j + 2 * kRows <= last;
    q = from * t.k;
    if (fetch) {
      const i64 own = q + 2 <= end ? 2 : 1;
      for (int a = 0; a < kCount; a += kPull) {
        const T* next = A + (kCount + a) * d;
        if (own == 2)
          Rows::template pull_back<kPull, 2, true>(A + a * d, d, few + q * kRows + a, width,
                                                   sums + q * width, next);
        else
          Rows::template pull_back<kPull, 1, true>(A + a * d, d, few + q * kRows + a, width,
                                                   sums + q * width, next);
      }
      q += own;
    }
    for (; q + 2 <= end; q += 2)
      for (int a = 0; a < kCount; a += kPull)
        Rows::template pull_back<kPull, 2, false>(A + a * d, d, few + q * kRows + a, width,
                                                  sums + q * width, nullptr);
    if (q < end)
      for (int a = 0; a < kCount; a += kPull)
        Rows::template pull_back<kPull, 1, false>(A + a * d, d, few + q * kRows + a, width,
                                                  sums + q * width, nullptr);
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
