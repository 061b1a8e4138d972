// local_steps_mean.hpp -- the average loss and gradient of all clients of a
// regression, for R runs.
//
// The rows of all clients are cut into at most 64 blocks, however many threads
// and runs there are. Within a block a run adds its rows in order; then the
// blocks are added in order. Eight rows meet all runs while they are in cache,
// so the data are read from memory once for all runs.
#pragma once
#include "local_steps_loss.hpp"

namespace tl {
inline namespace TL_ISA {

template <class T>
struct MeanBlock {
  typedef RowSums<T> Sums;
  static constexpr int kRows = 8, kGroup = 8;
  const StepJob& job;
  const LossTable<T>& t;
  i64 first, end, width;  // rows; entries of a run's partial gradient
  T* partial;             // (R, width) of this block
  double* partial_loss;   // (R)
  Pace& pace;

  // xbar is (R, width) with width = stride, padded with 0.
  void logistic() const {
    for (i64 k = 0; k < job.runs * width; ++k) partial[k] = 0;
    for (i64 r = 0; r < job.runs; ++r) partial_loss[r] = 0;
    t.single_rows ? all_rows<float>() : all_rows<T>();
  }
  template <class V>
  void all_rows() const {
    const i64 products = 2 * job.runs * width;  // of a row
    i64 j = first;
    for (; j + kRows <= end && pace.on(kRows * products); j += kRows) logistic_rows<kRows, V>(j);
    for (; j < end && pace.on(products); ++j) logistic_rows<1, V>(j);
  }

  // Runs in groups of at most kGroup, whose sums stay in cache while the rows
  // come by.
  template <int kCount, class V>
  void logistic_rows(i64 j) const {
    const V* row[kCount];
    double one[kCount], weight[kCount];
    for (int a = 0; a < kCount; ++a) {
      row[a] = rows_as<V>(t) + (j + a) * t.stride;
      one[a] = double(t.labels[j + a]);
      weight[a] = job.weights[j + a];
    }
    constexpr int kPoints = Sums::kPoints;
    constexpr int kDot = kCount < Sums::kDotRows ? kCount : Sums::kDotRows;
    for (i64 r0 = 0; r0 < job.runs; r0 += kGroup) {
      const i64 group = job.runs - r0 < kGroup ? job.runs - r0 : kGroup;
      T logit[kGroup * kCount];
      for (int a = 0; a < kCount; a += kDot) {
        i64 b = 0;
        for (; b + kPoints <= group; b += kPoints)
          dots<kCount, kDot, kPoints, V>(row, r0, a, b, logit);
        for (; b < group; ++b) dots<kCount, kDot, 1, V>(row, r0, a, b, logit);
      }
      for (i64 b = 0; b < group; ++b) {
        // logistic_loss and logistic_residual, bit for bit, with one
        // exponential for both.
        double e[kCount], loss[kCount];
        T* own = logit + b * kCount;
        for (int a = 0; a < kCount; ++a) e[a] = exp_nonpositive(-magnitude(double(own[a])));
        for (int a = 0; a < kCount; ++a) {
          const double z = double(own[a]), s = one[a] > 0 ? -z : z;
          loss[a] = ((s > 0 ? s : 0.0) + log1p_unit(e[a])) * weight[a];
        }
        for (int a = 0; a < kCount; ++a) {
          const double z = double(own[a]);
          own[a] = (T((z < 0 ? e[a] : 1.0) / (1.0 + e[a])) - T(one[a])) * T(weight[a]);
        }
        for (int a = 0; a < kCount; ++a) partial_loss[r0 + b] += loss[a];
      }
      Sums::template pull_back_each<kCount, V>(row, logit, group, width, partial + r0 * width);
    }
  }
  template <int kCount, int kDot, int kPoints, class V>
  void dots(const V* const* row, i64 r0, int a, i64 b, T* logit) const {
    const T* point[kPoints];
    T out[kDot * kPoints];
    for (int p = 0; p < kPoints; ++p)
      point[p] = static_cast<const T*>(job.x) + (r0 + b + p) * width;
    Sums::template dots<kDot, kPoints, V>(row + a, point, width, nullptr, out);
    for (int q = 0; q < kDot; ++q)
      for (int p = 0; p < kPoints; ++p) logit[(b + p) * kCount + a + q] = out[q * kPoints + p];
  }

  // xbar is (R, d), width = features * padded columns.
  void softmax(const Workspace<T>& work) const {
    const Chosen<T> own{&t, first, nullptr, end - first};
    const SoftmaxRows<T, Weighted> sums{own, Weighted{job.weights + first}, work, pace};
    for (i64 r = 0; r < job.runs; ++r) {
      sums.widen(static_cast<const T*>(job.x) + r * t.d);
      partial_loss[r] = 0;
      sums.add(true, partial_loss + r);
      for (i64 k = 0; k < width; ++k) partial[r * width + k] = work.wide_g[k];
    }
  }
};

template <class T>
void means(const StepJob& job, int threads, Watch& watch) {
  const LossTable<T> t = loss_table<T>(job.table);
  const bool logistic = job.table.family == int(Family::kLogistic);
  const i64 m = job.table.samples, blocks = mean_blocks(m), C = t.columns;
  const i64 wide = SumLanes<T>::padded(C), width = logistic ? t.stride : t.features * wide;
  const i64 point = logistic ? t.stride : t.d;
  T* partial = static_cast<T*>(job.partial);
  if (times(job.runs, m, t.d) < kSerial) threads = 1;
  const WorkPlan<T> plan(job.table, 0);
  const Scratch buffers(plan.total, threads);
#pragma omp parallel num_threads(threads) if (threads > 1)
  {
    const Workspace<T> work(plan, buffers.own());
    Pace pace(watch);
#pragma omp for schedule(dynamic, 1) nowait
    for (i64 b = 0; b < blocks; ++b) {
      const MeanBlock<T> block{job,
                               t,
                               m * b / blocks,
                               m * (b + 1) / blocks,
                               width,
                               partial + b * job.runs * width,
                               job.partial_loss + b * job.runs,
                               pace};
      logistic ? block.logistic() : block.softmax(work);
    }
    wait_watched(watch);
#pragma omp barrier
#pragma omp for schedule(static)
    for (i64 r = 0; r < job.runs; ++r) {
      const T* x = static_cast<const T*>(job.x) + r * point;
      T *sum = partial + r * width, *g = static_cast<T*>(job.out) + r * t.d;
      double loss = job.partial_loss[r];
      for (i64 b = 1; b < blocks; ++b) {
        const T* more = partial + (b * job.runs + r) * width;
        for (i64 k = 0; k < width; ++k) sum[k] += more[k];
        loss += job.partial_loss[b * job.runs + r];
      }
      for (i64 k = 0; k < t.d; ++k) g[k] = logistic ? sum[k] : sum[k / C * wide + k % C];
      add_reg(t.d, t.reg, x, g);
      if (t.reg > 0) loss += 0.5 * double(t.reg) * double(RowSums<T>::square(t.d, x));
      job.mean_loss[r] = loss;
    }
  }
}

}  // namespace TL_ISA
}  // namespace tl
