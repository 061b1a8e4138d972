// local_steps.cuh -- all local steps of a round for every (run, client), in cache.
//
//     repeat steps (or counts[r,i]) times, k = 0, 1, ...; v starts from 0
//       z = x / w;  g = grad F_i(z; xi_k)
//       if rho:  g = grad F_i(z + (rho / |g|) g; same xi_k), z itself where |g| = 0
//       v = alpha v + g;  x = x - eta v            Algorithm 1 of dfedsgpsm, lines 4 to 12
//
// Gradients; every product is rounded before it is added (no FMA), reg z is added last:
//   logistic   sum_j s (sigmoid(<x_j, z>) - t_j) x_j, j in the order drawn, s = 1 / (rows drawn)
//   softmax    sum_j s (softmax(x_j^T Z) - e_j) x_j^T; a logit adds feature by feature
//   dense      sum_j H[:,j] (z - c)_j, j rising, by the symmetry of H; diagonal (z - c) h
//   log-cosh   scale tanh(z - c); clipped scale clip(z - c); noise in double, rounded once
// <a, b> and |g|^2 add in 128 bytes of lanes (16 doubles): lane l takes k = l mod 16, then the
// upper half of the lanes is added to the lower until one is left, whatever the vector width.
// xi_k: rows Stream(seed, "sample").integers(sizes), noise Stream(seed, "noise").normal * noise.
//
// signature  LossTable, (R,n,d),(R,n)->(R,n,d); or gradients at given points and samples
// dtype      T = float, double; exponentials and noise in double
// alias      out overlaps nothing
// task       one (r,i), with a workspace of its own; tasks write disjoint outputs
// cost       a logistic step with SAM and batch b: 8 b d flop and 2 b d sizeof(T) bytes of rows,
//            of which SAM's half comes from L2: 1 flop a byte of memory in double. Floor of a
//            round: the distinct rows drawn over the read speed, or the flop over the peak of
//            separate products and sums. Additive noise at small d: its d normal draws
// schedules  host/local_steps.hpp, cuda/local_steps.cuh
// used by    every method with local steps (SGP, OSGP, DFedAvg, DFedSAM, DFedSGPSM, ...)
#pragma once
#include "../core/math.cuh"
#include "draws.cuh"

namespace tl {
inline namespace TL_ISA {

template <class T>
struct SumLanes {
  static constexpr i64 kLanes = 128 / sizeof(T);  // of a sum of products
  static constexpr i64 kLine = 64 / sizeof(T);    // rows and workspaces are padded to this with 0
  static TL_HD i64 padded(i64 size) { return (size + kLine - 1) / kLine * kLine; }
};

// What the losses of all clients read; a family uses its own part.
template <class T>
struct LossTable {
  i64 n, d;
  i64 columns, features, stride;       // regressions: C, p, the padded length of a row
  const T* rows;                       // (m, stride) data, or H (n, d, padded d), or h (n, d)
  const float* single_rows;            // the data in single precision where that is exact, or null
  const T* centers;                    // (n, d)
  const i64 *labels, *starts, *sizes;  // (m), (n), (n)
  i64 batch;                           // rows drawn; 0: all of the client's
  T reg, scale, clip;
  double noise;  // standard deviation of a coordinate's noise; 0: none
};

struct Source {  // of one client's randomness
  u64 seed;
  u32 round, client, run;
};
constexpr u32 kNoise = 1, kSample = 2;  // purposes of theorylab/kernels/draws.py

// Draws first .. end - 1 of a step; first is even.
TL_HD void draw_rows(const Source& s, u32 step, i64 first, i64 end, u64 size,
                     i64* TL_RESTRICT rows) {
  const Key key = stream_key(s.seed, kSample, step);
  Words w{};
  for (i64 m = first; m < end; ++m) {
    if (!(m & 1)) w = philox(Words{{u32(m >> 1), s.round, s.client, s.run}}, key.lo, key.hi);
    rows[m] = i64(integer(stream_word(w, m), size));
  }
}

TL_HD void draw_noise(const Source& s, u32 step, i64 count, double scale,
                      double* TL_RESTRICT noise) {
  const Key key = stream_key(s.seed, kNoise, step);
  Words w{};
  for (i64 m = 0; m < count; ++m) {
    if (!(m & 1)) w = philox(Words{{u32(m >> 1), s.round, s.client, s.run}}, key.lo, key.hi);
    noise[m] = normal(stream_word(w, m)) * scale;
  }
}

// The rows of client i that one gradient adds, or some of the rows of all
// clients.
template <class T>
struct Chosen {
  const LossTable<T>* t;
  i64 first;        // row number of the client's row 0
  const i64* rows;  // (count) within the client's own; null: 0, 1, ...
  i64 count;
  TL_HD i64 at(i64 j) const { return first + (rows ? rows[j] : j); }
  TL_HD const T* row(i64 j) const { return t->rows + at(j) * t->stride; }
  TL_HD i64 label(i64 j) const { return t->labels[at(j)]; }
};

template <class T>
TL_HD Chosen<T> chosen(const LossTable<T>& t, i64 i, const i64* rows) {
  return Chosen<T>{&t, t.starts[i], rows, rows ? t.batch : t.sizes[i]};
}

template <class T>
TL_HD T logistic_residual(T logit, i64 label) {
  return T(sigmoid(double(logit))) - T(label);
}

template <class T>
TL_HD T softmax_top(i64 columns, const T* z) {
  T top = z[0];
  for (i64 c = 1; c < columns; ++c) top = z[c] > top ? z[c] : top;
  return top;
}
template <class T>
TL_HD T softmax_weight(T logit, T top) {
  return T(exp_nonpositive(double(logit - top)));
}

// z[0..columns) becomes softmax(z) - e_label, in place; z[columns..padded)
// becomes 0.
template <class T>
TL_HD void softmax_residual(i64 columns, i64 padded, i64 label, T* TL_RESTRICT z) {
  const T top = softmax_top(columns, z);
  for (i64 c = 0; c < padded; ++c) z[c] = softmax_weight(z[c], top);
  T sum = z[0];
  for (i64 c = 1; c < columns; ++c) sum += z[c];
  for (i64 c = 0; c < columns; ++c) z[c] = z[c] / sum - T(c == label);
  for (i64 c = columns; c < padded; ++c) z[c] = 0;
}

template <class T>
TL_HD void add_reg(i64 d, T reg, const T* TL_RESTRICT z, T* TL_RESTRICT g) {
  if (reg > 0)
    for (i64 k = 0; k < d; ++k) g[k] += reg * z[k];
}

template <class T>
struct LogCosh {
  static TL_HD T slope(T y, T) { return T(hyperbolic_tangent(double(y))); }
};
template <class T>
struct Clipped {
  static TL_HD T slope(T y, T clip) {
    const T low = y < -clip ? -clip : y;
    return low > clip ? clip : low;
  }
};

template <class T, class Slope>
TL_HD void separable_gradient(const LossTable<T>& t, i64 i, const T* TL_RESTRICT z,
                              T* TL_RESTRICT g) {
  const T* TL_RESTRICT c = t.centers + i * t.d;
  for (i64 k = 0; k < t.d; ++k) g[k] = Slope::slope(z[k] - c[k], t.clip) * t.scale;
}

template <class T>
TL_HD void diagonal_gradient(const LossTable<T>& t, i64 i, const T* TL_RESTRICT z,
                             T* TL_RESTRICT g) {
  const T *TL_RESTRICT c = t.centers + i * t.d, *TL_RESTRICT h = t.rows + i * t.d;
  for (i64 k = 0; k < t.d; ++k) g[k] = (z[k] - c[k]) * h[k];
}

template <class T>
TL_HD void add_noise(i64 d, const double* TL_RESTRICT noise, T* TL_RESTRICT g) {
  for (i64 k = 0; k < d; ++k) g[k] = T(double(g[k]) + noise[k]);
}

// z moves along g; |g|^2 came from the lanes.
template <class T>
TL_HD void ascend(i64 d, T square, T rho, const T* TL_RESTRICT g, T* TL_RESTRICT z) {
  if (!(square > 0)) return;
  const T pull = rho / T(square_root(double(square)));
  for (i64 k = 0; k < d; ++k) z[k] += pull * g[k];
}

template <class T>
struct StepSizes {
  T eta, alpha, rho;
};

// loss.draw(k), which says whether to go on, loss.gradient(z, g), loss.square(g). z, g, v: (padded
// d), z's padding is 0.
template <class T, class Loss>
TL_HD void local_steps_task(Loss& loss, i64 d, i64 steps, T w, const StepSizes<T>& s,
                            const T* TL_RESTRICT x, T* TL_RESTRICT out, T* TL_RESTRICT z,
                            T* TL_RESTRICT g, T* TL_RESTRICT v) {
  for (i64 k = 0; k < d; ++k) out[k] = x[k];
  for (i64 step = 0; step < steps; ++step) {
    if (!loss.draw(u32(step))) return;
    if (w == T(1))  // the quotient is x itself
      for (i64 k = 0; k < d; ++k) z[k] = out[k];
    else
      for (i64 k = 0; k < d; ++k) z[k] = out[k] / w;
    loss.gradient(z, g);
    if (s.rho != 0) {
      ascend(d, loss.square(g), s.rho, g, z);
      loss.gradient(z, g);
    }
    if (step && s.alpha != 0)
      for (i64 k = 0; k < d; ++k) v[k] = s.alpha * v[k] + g[k];
    else
      for (i64 k = 0; k < d; ++k) v[k] = g[k];
    for (i64 k = 0; k < d; ++k) out[k] -= s.eta * v[k];
  }
}

// The definition of the sums, one number at a time: what the host's schedule
// does with vectors.
template <class T>
TL_HD T lane_dot(i64 size, const T* a, const T* b) {
  constexpr i64 kLanes = SumLanes<T>::kLanes;
  T lane[kLanes] = {};
  for (i64 k = 0; k < size; ++k) lane[k % kLanes] += a[k] * b[k];
  for (i64 half = kLanes / 2; half; half /= 2)
    for (i64 l = 0; l < half; ++l) lane[l] += lane[l + half];
  return lane[0];
}

enum class Family { kLogistic, kSoftmax, kDense, kDiagonal, kLogCosh, kClipped };

template <class T, Family kFamily>
struct PlainLoss {
  LossTable<T> t;
  i64 i;
  Source source;
  i64* rows;      // (batch)
  double* noise;  // (d)
  T* logits;      // (columns)

  TL_HD bool draw(u32 step) {
    if (kFamily <= Family::kSoftmax) {
      if (t.batch) draw_rows(source, step, 0, t.batch, u64(t.sizes[i]), rows);
    } else if (t.noise > 0) {
      draw_noise(source, step, t.d, t.noise, noise);
    }
    return true;
  }
  TL_HD T square(const T* g) const { return lane_dot(t.d, g, g); }

  TL_HD void gradient(const T* z, T* g) const {
    if (kFamily <= Family::kSoftmax) return regression(z, g);
    if (kFamily == Family::kDense) {
      const i64 width = SumLanes<T>::padded(t.d);
      for (i64 k = 0; k < t.d; ++k) g[k] = 0;
      for (i64 j = 0; j < t.d; ++j)
        for (i64 k = 0; k < t.d; ++k)
          g[k] += t.rows[(i * t.d + j) * width + k] * (z[j] - t.centers[i * t.d + j]);
    } else if (kFamily == Family::kDiagonal) {
      diagonal_gradient(t, i, z, g);
    } else if (kFamily == Family::kLogCosh) {
      separable_gradient<T, LogCosh<T>>(t, i, z, g);
    } else {
      separable_gradient<T, Clipped<T>>(t, i, z, g);
    }
    if (t.noise > 0) add_noise(t.d, noise, g);
  }

  TL_HD void regression(const T* z, T* g) const {
    const Chosen<T> own = chosen(t, i, t.batch ? rows : nullptr);
    const T share = T(1.0 / double(own.count));
    const i64 C = t.columns;
    for (i64 k = 0; k < t.d; ++k) g[k] = 0;
    for (i64 j = 0; j < own.count; ++j) {
      const T* row = own.row(j);
      if (kFamily == Family::kLogistic) {
        logits[0] = logistic_residual(lane_dot(t.features, row, z), own.label(j));
      } else {
        for (i64 c = 0; c < C; ++c) {
          logits[c] = 0;
          for (i64 k = 0; k < t.features; ++k) logits[c] += row[k] * z[k * C + c];
        }
        softmax_residual(C, C, own.label(j), logits);
      }
      for (i64 c = 0; c < C; ++c) logits[c] *= share;
      for (i64 k = 0; k < t.d; ++k) g[k] += row[k / C] * logits[k % C];
    }
    add_reg(t.d, t.reg, z, g);
  }
};

}  // namespace TL_ISA
}  // namespace tl
