// lag_sums.hpp -- one lag of a product of mixing matrices, and the sums that bound its norms.
//
// E <- P E, less its w-average: E_ij - w_i mean_j, w = P here, mean_j the mean of column j of P E.
// Sums of |E| over rows and columns, and of E^2 over rows, come with the same pass. E lies in
// blocks of kSumColumns columns, zeros beyond column n, so that a block stays in a core's cache:
// block, row, column. Every entry adds in the order of the CSR, and every sum in one order,
// whatever the instruction set.
#pragma once
#include <cmath>
#include <cstring>

#include "../core/sizes.hpp"
#include "simd.hpp"
#include "table.hpp"
#include "watch.hpp"

namespace tl {
inline namespace TL_ISA {

typedef Simd<double> SumSimd;
constexpr int kSumVecs = kSumColumns / SumSimd::kLanes;

// Halves are added until one number is left, whatever the width of a vector.
TL_HD double sum_of_columns(const SumSimd::Vec* v) {
  double lane[kSumColumns];
  for (int k = 0; k < kSumVecs; ++k) SumSimd::store(lane + k * SumSimd::kLanes, v[k]);
  for (int half = kSumColumns / 2; half > 0; half /= 2)
    for (int l = 0; l < half; ++l) lane[l] += lane[l + half];
  return lane[0];
}

// x = P E of one block, (n, columns), and the sums of its columns.
template <class I>
void lag_product(const LagJob& job, const double* E, double* x, SumSimd::Vec* sums) {
  const I* indptr = static_cast<const I*>(job.P->indptr);
  const I* indices = static_cast<const I*>(job.P->indices);
  const double* data = static_cast<const double*>(job.P->data);
  for (i64 i = 0; i < job.n; ++i) {
    SumSimd::Vec row[kSumVecs] = {};
    for (i64 e = indptr[i]; e < i64(indptr[i + 1]); ++e) {
      const double* from = E + i64(indices[e]) * kSumColumns;
      for (int v = 0; v < kSumVecs; ++v)
        row[v] += data[e] * SumSimd::load(from + v * SumSimd::kLanes);
    }
    for (int v = 0; v < kSumVecs; ++v) {
      sums[v] += row[v];
      SumSimd::store(x + i * kSumColumns + v * SumSimd::kLanes, row[v]);
    }
  }
}

// w = P here; without P it is here.
template <class I>
void lag_weights(const LagJob& job) {
  const I* indptr = static_cast<const I*>(job.P->indptr);
  const I* indices = static_cast<const I*>(job.P->indices);
  const double* data = static_cast<const double*>(job.P->data);
  for (i64 i = 0; i < job.n; ++i) {
    double sum = 0;
    for (i64 e = indptr[i]; e < i64(indptr[i + 1]); ++e) sum += data[e] * job.here[indices[e]];
    job.there[i] = sum;
  }
}

// The block without its w-average, and its sums. before, and its squares: of the block's columns.
inline void lag_block(const LagJob& job, const double* x, const SumSimd::Vec* mean,
                      const double* before, const double* squares, double* E, double* columns,
                      SumSimd::Vec* most) {
  typedef SumSimd::Vec Vec;
  Vec first[kSumVecs] = {}, second[kSumVecs] = {};
  for (i64 i = 0; i < job.n; ++i) {
    const double w = job.there[i], inverse = 1 / w;
    Vec a[kSumVecs], weighed[kSumVecs];
    for (int v = 0; v < kSumVecs; ++v) {
      const i64 place = i * kSumColumns + v * SumSimd::kLanes;
      const Vec e = SumSimd::load(x + place) - w * mean[v];
      SumSimd::store(E + place, e);
      a[v] = e < 0 ? -e : e;
      most[v] = a[v] > most[v] ? a[v] : most[v];
      first[v] += a[v];
      second[v] += a[v] * inverse;
      weighed[v] = a[v] * SumSimd::load(before + v * SumSimd::kLanes);
    }
    job.rows[2 * i] += sum_of_columns(a);
    job.rows[2 * i + 1] += sum_of_columns(weighed);
    if (job.squares) {
      for (int v = 0; v < kSumVecs; ++v) {
        a[v] *= job.down;
        a[v] *= a[v];
        weighed[v] = a[v] * SumSimd::load(squares + v * SumSimd::kLanes);
      }
      job.squares[2 * i] += sum_of_columns(a);
      job.squares[2 * i + 1] += sum_of_columns(weighed);
    }
  }
  for (int v = 0; v < kSumVecs; ++v) {
    SumSimd::store(columns + v * SumSimd::kLanes, first[v]);
    SumSimd::store(columns + job.stride + v * SumSimd::kLanes, second[v]);
  }
}

// rows and squares are 0 before it.
inline void lag_sums(const LagJob& job, Watch& watch) {
  typedef SumSimd::Vec Vec;
  const i64 size = job.n * kSumColumns;
  Pace pace(watch);
  if (!job.P)
    std::memcpy(job.there, job.here, std::size_t(job.n) * sizeof *job.there);
  else
    job.wide ? lag_weights<i64>(job) : lag_weights<i32>(job);
  Vec most[kSumVecs] = {};
  for (i64 first = 0; first < job.stride; first += kSumColumns) {
    double* E = job.E + first * job.n;
    Vec mean[kSumVecs] = {};
    const double* x = job.work;
    if (!job.P)
      x = E;
    else
      job.wide ? lag_product<i64>(job, E, job.work, mean)
               : lag_product<i32>(job, E, job.work, mean);
    for (int v = 0; v < kSumVecs; ++v) mean[v] /= double(job.n);
    lag_block(job, x, mean, job.before + first, job.before + job.stride + first, E,
              job.columns + first, most);
    if (!pace.on(size * 16)) return;
  }
  double lane[kSumColumns];
  for (int v = 0; v < kSumVecs; ++v) SumSimd::store(lane + v * SumSimd::kLanes, most[v]);
  for (double top : lane)
    if (top > *job.top) *job.top = top;
}

}  // namespace TL_ISA
}  // namespace tl
