// local_steps_loss.hpp -- one client's loss and gradient at one point, with
// vectors.
#pragma once
#include "../core/sizes.hpp"
#include "local_steps_dense.hpp"
#include "local_steps_rows.hpp"
#include "normals.hpp"
#include "table.hpp"
#include "watch.hpp"

namespace tl {
inline namespace TL_ISA {

// The losses: -log sigmoid(+-z) and logsumexp(z - z_label), never negative.
TL_HD double logistic_loss(double logit, i64 label) { return softplus(label ? -logit : logit); }

template <class T>
TL_HD double softmax_loss(i64 columns, i64 label, const T* z) {
  const double own = double(z[label]);
  double top = double(z[0]) - own, sum = 0;
  for (i64 c = 1; c < columns; ++c) top = double(z[c]) - own > top ? double(z[c]) - own : top;
  for (i64 c = 0; c < columns; ++c) sum += exp_nonpositive((double(z[c]) - own) - top);
  return (natural_log(sum) + (sum - sum)) + top;  // sum - sum: a NaN stays one
}

template <class T>
LossTable<T> loss_table(const StepTable& t) {
  return LossTable<T>{t.n,           t.d,
                      t.columns,     t.features,
                      t.stride,      static_cast<const T*>(t.rows),
                      t.single_rows, static_cast<const T*>(t.centers),
                      t.labels,      t.starts,
                      t.sizes,       t.batch,
                      T(t.reg),      T(t.scale),
                      T(t.clip),     t.noise};
}

constexpr i64 kTriangle = 64;        // coordinates: of fewer a matrix is read as it lies
constexpr i64 kRowsAhead = 1 << 16;  // rows drawn between two questions; even
constexpr i64 kNoiseAhead = 4096;    // normal draws of a client made at once: they stay in L1

// Where the tasks of one thread work: what of it there is, and how many bytes.
template <class T>
struct WorkPlan {
  static constexpr int kParts = 9;
  i64 ahead;  // steps whose noise is drawn at once
  bool kept;  // the keys of all steps are, not only of those
  i64 point, bytes[kParts], total = 0;

  WorkPlan(const StepTable& t, i64 steps) {
    const i64 most = t.d > 0 ? kNoiseAhead / t.d : 1;
    ahead = most < 1 || steps < 1 ? 1 : most < steps ? most : steps;
    kept = steps <= kNoiseAhead;
    const i64 line = SumLanes<T>::kLine, wide = whole(t.columns, line);
    point = whole(t.d > t.stride ? t.d : t.stride, line);
    const i64 matrix = t.family == int(Family::kSoftmax) ? times(t.features, wide) : 0;
    const i64 block = times(RowSums<T>::kRows, wide), keys = kept ? steps : ahead;
    const i64 numbers[kParts] = {
        point,   point, point, matrix, matrix, block > point ? block : point, times(ahead, t.d),
        t.batch, keys};
    for (int p = 0; p < kParts; ++p) {
      bytes[p] = whole(times(numbers[p], p < 6 ? i64(sizeof(T)) : 8), kLineBytes);
      total = plus(total, bytes[p]);
    }
  }
};

// Every part starts on a line, and z is padded with 0.
template <class T>
struct Workspace {
  T *z, *g, *v, *wide_z, *wide_g,
      *few;       // few: logits of a block of rows, or one point
  double* noise;  // (ahead, d): of as many steps as are drawn at once
  i64 *rows, ahead;
  Key* keys;  // of every step, or of those drawn at once where there are too many to keep
  bool kept;

  Workspace(const WorkPlan<T>& plan, char* memory) : ahead(plan.ahead), kept(plan.kept) {
    static_assert(sizeof(Key) == 8);
    char* part[WorkPlan<T>::kParts];
    for (int p = 0; p < WorkPlan<T>::kParts; ++p) {
      part[p] = memory;
      memory += plan.bytes[p];
    }
    T** points[] = {&z, &g, &v, &wide_z, &wide_g, &few};
    for (int p = 0; p < 6; ++p) *points[p] = reinterpret_cast<T*>(part[p]);
    noise = reinterpret_cast<double*>(part[6]);
    rows = reinterpret_cast<i64*>(part[7]);
    keys = reinterpret_cast<Key*>(part[8]);
    for (i64 k = 0; k < plan.point; ++k) z[k] = 0;
  }
};

struct Evenly {
  double share;
  TL_HD double operator()(i64) const { return share; }
};
struct Weighted {
  const double* weight;
  TL_HD double operator()(i64 j) const { return weight[j]; }
};

// The data of a regression as V: T, or float where that is exact and half the memory to read.
template <class V, class T>
TL_HD const V* rows_as(const LossTable<T>& t) {
  if constexpr (sizeof(V) == sizeof(T))
    return t.rows;
  else
    return t.single_rows;
}

// Adds to g (or to work.wide_g) and to *loss what `own` rows contribute; either
// may be null.
template <class T, class Share>
struct LogisticRows {
  typedef RowSums<T> Sums;
  const Chosen<T>& own;
  Share share;
  Pace& pace;

  void add(const T* z, T* g, double* loss) const {
    own.t->single_rows ? add_rows<float>(z, g, loss) : add_rows<T>(z, g, loss);
  }
  template <class V>
  void add_rows(const T* z, T* g, double* loss) const {
    const i64 products = 2 * own.t->stride;  // of a row
    i64 j = 0;
    for (; j + Sums::kRows <= own.count && pace.on(Sums::kRows * products); j += Sums::kRows)
      block<Sums::kRows, V>(j, z, g, loss);
    for (; j < own.count && pace.on(products); ++j) block<1, V>(j, z, g, loss);
  }
  template <int kCount, class V>
  TL_HD void block(i64 j, const T* z, T* g, double* loss) const {
    constexpr int kDot = kCount < Sums::kDotRows ? kCount : Sums::kDotRows;
    const i64 width = own.t->stride;
    const V *rows = rows_as<V>(*own.t), *row[kCount], *next[kCount];
    T r[kCount];
#pragma GCC unroll 8
    for (int a = 0; a < kCount; ++a) {
      row[a] = rows + own.at(j + a) * width;
      next[a] = j + a + kCount < own.count ? rows + own.at(j + a + kCount) * width : row[a];
    }
#pragma GCC unroll 8
    for (int a = 0; a < kCount; a += kDot)
      Sums::template dots<kDot, 1, V>(row + a, &z, width, next + a, r + a);
    if (loss)
      for (int a = 0; a < kCount; ++a)
        *loss += share(j + a) * logistic_loss(double(r[a]), own.label(j + a));
    if (!g) return;
    T label[kCount], weight[kCount];
    for (int a = 0; a < kCount; ++a) {
      label[a] = T(own.label(j + a));
      weight[a] = T(share(j + a));
    }
    for (int a = 0; a < kCount; ++a)  // one vector of exponentials
      r[a] = (T(sigmoid(double(r[a]))) - label[a]) * weight[a];
    Sums::template pull_back<kCount, V>(row, r, width, g);
  }
};

template <class T, class Share>
struct SoftmaxRows {
  typedef RowSums<T> Sums;
  const Chosen<T>& own;
  Share share;
  const Workspace<T>& work;
  Pace& pace;

  // work.wide_z is set by widen(); the sums are left in work.wide_g.
  void add(bool gradient, double* loss) const {
    const i64 products = 2 * own.t->features * SumLanes<T>::padded(own.t->columns);  // of a row
    i64 j = 0;
    for (; j + Sums::kRows <= own.count && pace.on(Sums::kRows * products); j += Sums::kRows)
      block<Sums::kRows>(j, gradient, loss);
    for (; j < own.count && pace.on(products); ++j) block<1>(j, gradient, loss);
  }
  void widen(const T* z) const {
    const i64 C = own.t->columns, wide = SumLanes<T>::padded(C);
    for (i64 k = 0; k < own.t->features; ++k)
      for (i64 c = 0; c < wide; ++c) {
        work.wide_z[k * wide + c] = c < C ? z[k * C + c] : 0;
        work.wide_g[k * wide + c] = 0;
      }
  }
  void narrow(T* g) const {
    const i64 C = own.t->columns, wide = SumLanes<T>::padded(C);
    for (i64 k = 0; k < own.t->features; ++k)
      for (i64 c = 0; c < C; ++c) g[k * C + c] = work.wide_g[k * wide + c];
  }
  template <int kCount>
  TL_HD void block(i64 j, bool gradient, double* loss) const {
    const i64 C = own.t->columns, wide = SumLanes<T>::padded(C), p = own.t->features;
    const T* row[kCount];
    for (int a = 0; a < kCount; ++a) row[a] = own.row(j + a);
    Sums::template logits<kCount>(row, work.wide_z, p, wide, work.few);
    for (int a = 0; a < kCount; ++a) {
      T* z = work.few + a * wide;
      if (loss) *loss += share(j + a) * softmax_loss(C, own.label(j + a), z);
      if (!gradient) continue;
      softmax_residual(C, wide, own.label(j + a), z);
      const T s = T(share(j + a));
      for (i64 c = 0; c < wide; ++c) z[c] *= s;
    }
    if (gradient) Sums::template outer<kCount>(row, work.few, p, wide, work.wide_g);
  }
};

template <class T, Family kFamily>
struct FastLoss {
  typedef RowSums<T> Sums;
  static constexpr bool kRegression = kFamily <= Family::kSoftmax;
  const LossTable<T>& t;
  const Workspace<T>& work;
  i64 i;
  Source source;
  const i64* rows;      // drawn; null: all own rows
  const double* noise;  // drawn; null: none
  i64 steps;            // of this task
  Pace& pace;

  bool draw(u32 step) {
    if (kRegression && t.batch) {
      for (i64 m = 0, end; m < t.batch; m = end) {
        end = t.batch - m < kRowsAhead ? t.batch : m + kRowsAhead;
        if (!pace.on(end - m)) return false;
        draw_rows(source, step, m, end, u64(t.sizes[i]), work.rows);
      }
      rows = work.rows;
    } else if (!kRegression && t.noise > 0) {
      const i64 place = step % work.ahead, left = steps - step;
      if (!place) {
        const i64 many = left < work.ahead ? left : work.ahead;
        if (!work.kept)
          for (i64 k = 0; k < many; ++k)
            work.keys[k] = stream_key(source.seed, kNoise, step + u32(k));
        normals(work.keys + (work.kept ? step : 0), many, source.round, source.client, source.run,
                t.d, t.noise, work.noise, pace);
      }
      noise = work.noise + place * t.d;
    }
    return pace.on((kFamily == Family::kDense ? t.d + 8 : 8) * t.d);
  }

  T square(const T* g) const { return Sums::square(t.d, g); }

  void gradient(const T* z, T* g) const {
    if constexpr (kRegression) {
      const Chosen<T> own = chosen(t, i, rows);
      const Evenly share{1.0 / double(own.count)};
      if constexpr (kFamily == Family::kLogistic) {
        for (i64 k = 0; k < t.stride; ++k) g[k] = 0;
        LogisticRows<T, Evenly>{own, share, pace}.add(z, g, nullptr);
      } else {
        const SoftmaxRows<T, Evenly> sums{own, share, work, pace};
        sums.widen(z);
        sums.add(true, nullptr);
        sums.narrow(g);
      }
      return add_reg(t.d, t.reg, z, g);
    }
    if constexpr (kFamily == Family::kDense) {
      const T* H = t.rows + i * t.d * t.stride;
      for (i64 k = 0; k < t.d; ++k) work.few[k] = z[k] - t.centers[i * t.d + k];
      for (i64 k = t.d; k < t.stride; ++k) work.few[k] = 0;
      if (t.d >= kTriangle)
        Triangle<T>::product(H, work.few, t.d, t.stride, g);
      else
        Sums::symmetric_product(H, work.few, t.d, t.stride, g);
    }
    if constexpr (kFamily == Family::kDiagonal) diagonal_gradient(t, i, z, g);
    if constexpr (kFamily == Family::kLogCosh) separable_gradient<T, LogCosh<T>>(t, i, z, g);
    if constexpr (kFamily == Family::kClipped) separable_gradient<T, Clipped<T>>(t, i, z, g);
    if (noise) add_noise(t.d, noise, g);
  }

  // f_i(z), regressions only.
  T loss(const T* z) const {
    const Chosen<T> own = chosen(t, i, static_cast<const i64*>(nullptr));
    const Evenly one{1.0};
    double sum = 0;
    if constexpr (kFamily == Family::kLogistic)
      LogisticRows<T, Evenly>{own, one, pace}.add(z, static_cast<T*>(nullptr), &sum);
    if constexpr (kFamily == Family::kSoftmax) {
      const SoftmaxRows<T, Evenly> sums{own, one, work, pace};
      sums.widen(z);
      sums.add(false, &sum);
    }
    sum /= double(own.count);
    return T(t.reg > 0 ? sum + 0.5 * double(t.reg) * double(square(z)) : sum);
  }
};

}  // namespace TL_ISA
}  // namespace tl
