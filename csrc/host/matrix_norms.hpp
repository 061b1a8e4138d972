// matrix_norms.hpp -- of many small matrices M the largest row norm and the largest 2-norm.
//
// The 2-norm needs no eigensolver. ||M||_2^2 is the largest eigenvalue l of A = M M^T, and squaring
// leads to it: with A_0 = A and A_(k+1) = A_k^2, each scaled by a power of 2, l is a root of l_k,
// and l_k of A_k has two bounds that close in on each other. With t the trace, f the Frobenius
// norm, c = f^2 / t and e = ||A_k^2 - c A_k||_F,
//
//     c <= l_k <= min(f, (c + sqrt(c^2 + 4 e)) / 2),
//
// since f^2 = sum l^2 <= l_k t, and l_k^2 - c l_k is an eigenvalue of A_k^2 - c A_k. The root
// halves a bound's relative error k times. So the result is a bound, and no more than 2^-51 above
// what the rounded products say; f <= c sqrt(n) ends the play after some fifty squarings at the
// latest.
//
// Rounding. fl(A_k^2) is off by at most g f^2 <= g n l_k^2 in the 2-norm, g = gamma_n: relative to
// l_(k+1) by n g, and 2^-(k+1) as much of l. M M^T is off by g ||M||_F^2 <= g n l. Together l is
// off by 2 n g, and ||M||_2 by n g, some n^2 2^-53 relative; the sums in t, f and e add n^2 2^-54
// at most and the roots 2^-51. What underflows is below 2^-1000 of the largest entry. e as computed
// lacks at most (n + 4) 2^-52 f^2, which is added to it.
#pragma once
#include <cmath>
#include <cstdlib>
#include <cstring>

#include "../core/sizes.hpp"
#include "simd.hpp"
#include "table.hpp"
#include "watch.hpp"

namespace tl {
inline namespace TL_ISA {

constexpr int kNormLanes = 8;  // of a sum: they come together in pairs
constexpr int kNormRows = 4;   // of a product, made together
typedef Simd<double> NormSimd;
constexpr int kNormVecs = kNormLanes / NormSimd::kLanes;

inline i64 norm_stride(i64 n) { return (n + kNormLanes - 1) / kNormLanes * kNormLanes; }

TL_HD double sum_of_lanes(const double* lane) {
  return ((lane[0] + lane[1]) + (lane[2] + lane[3])) + ((lane[4] + lane[5]) + (lane[6] + lane[7]));
}

// sum |row_j|, in NumPy's order up to 128 entries.
TL_HD double row_norm(const double* row, i64 n) {
  double sum = 0, lane[kNormLanes];
  i64 j = 0;
  if (n >= kNormLanes) {
    for (i64 l = 0; l < kNormLanes; ++l) lane[l] = std::fabs(row[l]);
    for (j = kNormLanes; j + kNormLanes <= n; j += kNormLanes)
      for (i64 l = 0; l < kNormLanes; ++l) lane[l] += std::fabs(row[j + l]);
    sum = sum_of_lanes(lane);
  }
  for (; j < n; ++j) sum += std::fabs(row[j]);
  return sum;
}

// C = A B, all (stride, stride) with zeros beyond n; every entry sums over k in order.
inline void norm_product(i64 n, i64 stride, const double* A, const double* B, double* C) {
  for (i64 i = 0; i < n; i += kNormRows)
    for (i64 j = 0; j < stride; j += kNormLanes) {
      NormSimd::Vec sum[kNormRows][kNormVecs] = {};
      const double *a = A + i * stride, *b = B + j;
      for (i64 k = 0; k < n; ++k, ++a, b += stride)
        for (int r = 0; r < kNormRows; ++r)
          for (int v = 0; v < kNormVecs; ++v)
            sum[r][v] += a[r * stride] * NormSimd::load(b + v * NormSimd::kLanes);
      for (int r = 0; r < kNormRows; ++r)
        for (int v = 0; v < kNormVecs; ++v)
          NormSimd::store(C + (i + r) * stride + j + v * NormSimd::kLanes, sum[r][v]);
    }
}

// sum f(i)^2 over the entries.
template <class Entry>
TL_HD double sum_of_squares(i64 all, Entry f) {
  double lane[kNormLanes] = {};
  for (i64 i = 0; i < all; i += kNormLanes)
    for (int l = 0; l < kNormLanes; ++l) {
      const double x = f(i + l);
      lane[l] += x * x;
    }
  return sum_of_lanes(lane);
}

// The number that all squarings make of `value`, a bound of A_k: scales[j] was taken out of A_j.
TL_HD double rooted(double value, const double* scales, int k) {
  for (; k > 0; --k) value = std::sqrt(value * scales[k]);
  return value * scales[0];
}

// ||M||_2^2 up to rounding, or anything up to `known` where it is no more. A, B, C: (stride,
// stride).
inline double two_norm_squared(i64 n, const double* M, double factor, double known, double* A,
                               double* B, double* C) {
  const i64 stride = norm_stride(n), all = stride * stride;
  std::memset(B, 0, std::size_t(all) * sizeof *B);
  std::memset(C, 0, std::size_t(all) * sizeof *C);
  for (i64 i = 0; i < n; ++i)
    for (i64 j = 0; j < n; ++j) B[i * stride + j] = C[j * stride + i] = M[i * n + j] * factor;
  std::memset(A, 0, std::size_t(all) * sizeof *A);
  norm_product(n, stride, B, C, A);
  double scales[64] = {1};
  const double short_by = double(n + 4) * 0x1p-52;
  double slack = 0x1p-50;  // of a bound of A_k: its root has 2^-k of it
  for (int k = 0;; ++k, slack *= 2) {
    double trace = 0;
    for (i64 i = 0; i < n; ++i) trace += A[i * stride + i];
    if (!(trace > 0)) return 0;
    int exponent;
    std::frexp(trace, &exponent);
    const double down = std::ldexp(1, -exponent);
    scales[k] *= std::ldexp(1, exponent);
    trace *= down;
    const double square = sum_of_squares(all, [&](i64 i) { return A[i] *= down; });
    const double center = square / trace;
    double most = std::sqrt(square);
    double bound = rooted(most, scales, k);
    if (bound <= known || most <= center * (1 + slack)) return bound;
    norm_product(n, stride, A, A, B);
    const double rest =
        std::sqrt(sum_of_squares(all, [&](i64 i) { return B[i] - center * A[i]; })) +
        short_by * square;
    const double other = (center + std::sqrt(center * center + 4 * rest)) / 2;
    most = other < most ? other : most;
    bound = rooted(most, scales, k);
    if (bound <= known || most <= center * (1 + slack)) return bound;
    double* const squared = B;
    B = A;
    A = squared;
    scales[k + 1] = 1;
  }
}

inline int larger_bound_first(const void* left, const void* right) {
  const NormBound &a = *static_cast<const NormBound*>(left),
                  &b = *static_cast<const NormBound*>(right);
  if (a.square != b.square) return a.square > b.square ? -1 : 1;
  return a.matrix < b.matrix ? -1 : 1;
}

// At least ||M||_2^2 of the scaled M: of ||M||_F^2 and ||M||_1 ||M||_inf the smaller.
inline double bound_of_square(i64 n, const double* M, double scale, double* columns) {
  double rows = 0, widest = 0, square = 0;
  std::memset(columns, 0, std::size_t(n) * sizeof *columns);
  for (i64 i = 0; i < n; ++i) {
    double row = 0;
    for (i64 j = 0; j < n; ++j) {
      const double a = std::fabs(M[i * n + j]) * scale;
      columns[j] += a;
      row += a;
      square += a * a;
    }
    if (row > rows) rows = row;
  }
  for (i64 j = 0; j < n; ++j)
    if (columns[j] > widest) widest = columns[j];
  return (square < rows * widest ? square : rows * widest) * (1 + 1e-12);
}

// The matrices with the largest bounds come first: what is left then is below what was found.
inline void matrix_norms(const NormsJob& job, Watch& watch) {
  const i64 n = job.n, size = n * n, part = norm_stride(n) * norm_stride(n);
  Pace pace(watch);
  double row = 0, entry = 0;
  for (i64 i = 0; i < job.count * n; ++i) {
    const double sum = row_norm(job.M + i * n, n);
    if (!(sum <= row)) row = sum;
    if (!(row < HUGE_VAL)) break;
  }
  *job.row = row;
  *job.two = row < HUGE_VAL ? job.known : row;
  if (!(row > 0 && row < HUGE_VAL && job.known < HUGE_VAL)) return;
  for (i64 i = 0; i < job.count * size; ++i)
    if (std::fabs(job.M[i]) > entry) entry = std::fabs(job.M[i]);
  int exponent;
  std::frexp(entry, &exponent);
  if (exponent < -1000) exponent = -1000;
  const double scale = std::ldexp(1, -exponent), least = std::ldexp(job.known, -exponent);
  if (least > double(n)) return;  // no 2-norm is as large, and its square might overflow
  for (i64 k = 0; k < job.count; ++k)
    job.bounds[k] = {bound_of_square(n, job.M + k * size, scale, job.work), k};
  std::qsort(job.bounds, std::size_t(job.count), sizeof *job.bounds, larger_bound_first);
  double known = least * least;
  for (i64 k = 0; k < job.count && job.bounds[k].square > known; ++k) {
    const double found = two_norm_squared(n, job.M + job.bounds[k].matrix * size, scale, known,
                                          job.work, job.work + part, job.work + 2 * part);
    if (found > known) known = found;
    if (!pace.on(times(16, n, size))) return;
  }
  const double two = std::ldexp(std::sqrt(known), exponent);
  if (two > job.known) *job.two = two;
}

}  // namespace TL_ISA
}  // namespace tl
