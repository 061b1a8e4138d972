// glm_hvp.cuh -- Hessian-vector products of generalized linear models, every client's at once.
//
//     GLM      out_b = (1/m) sum_j h_j a_j <a_j, V_b> + reg V_b
//     softmax  out_b = sum_j a_j y_jb^T + reg V_b,  z = V_b^T a_j, q = sum_c p_jc z_c,
//              y_jbc = (z_c - q) (p_jc w_j):  w_j (diag p_j - p_j p_j^T) V_b^T a_j
//
// for the data A_i = (a_1 .. a_m)^T of client i and its vectors V_b, b < k.
//
// Rows add in order within a chunk, the chunks in order after it: a chunk is 256 rows, or a 64th of
// them where there are more than 64 of 256. Every sum starts from +0 and every product is rounded
// before it is added (no FMA). <a, V> adds in 64 bytes of lanes (16 floats, 8 doubles): lane l
// takes the coordinates l mod 16, then the upper half of the lanes is added to the lower until one
// is left. z_c adds feature by feature, q class by class. Then / m (GLM), + reg V where reg is not
// 0. Rows behind the last nonzero h_j (w_j) of a run are padding: never read, whatever they hold.
//
// signature  A (n,m,d) or one per run, h (n,m) or (R,n,m), V (R,n,k,d) -> (R,n,k,d);
//            softmax: prob (.., n,m,C), weight (.., n,m), V (R,n,k,d,C)
// dtype      T = float, double, of everything, sums too. Rounding of a GLM, relative to the sizes
//            of what is added: gamma(d / lanes + log2 lanes + rows of a chunk + chunks + 5)
// alias      out overlaps no input
// task       one (r,i,b), with work space of its own; tasks write disjoint outputs
// cost       GLM 4 k flop for each entry of A and run, softmax 4 k C. Bytes: A once for all k
//            vectors (and as many runs as fit a cache), n m d sizeof(T): k flop a byte in float, so
//            the floor is the read speed for a few vectors; softmax is bound by its flop
// used by    mix_jvp; products with H_i in hypergradients (PDBO's softmax regressions)
#pragma once
#include "../core/hd.cuh"

namespace tl {
inline namespace TL_ISA {

TL_HD i64 hvp_chunk(i64 m) { return m <= 64 * 256 ? 256 : (m + 63) / 64; }

// Rows up to the last whose weight is not 0; a NaN is not 0.
template <class T>
TL_HD i64 counted_rows(i64 m, const T* h) {
  while (m && h[m - 1] == 0) --m;
  return m;
}

template <class T>
TL_HD T line_dot(i64 size, const T* a, const T* b) {
  constexpr i64 kLanes = 64 / sizeof(T);
  T lane[kLanes] = {};
  for (i64 k = 0; k < size; ++k) lane[k % kLanes] += a[k] * b[k];
  for (i64 half = kLanes / 2; half; half /= 2)
    for (i64 l = 0; l < half; ++l) lane[l] += lane[l + half];
  return lane[0];
}

template <class T>
TL_HD T softmax_curve(T z, T q, T p, T w) {
  return (z - q) * (p * w);
}

// z becomes what softmax_curve makes of it, in place.
template <class T>
TL_HD void softmax_curved(i64 columns, T w, const T* TL_RESTRICT p, T* TL_RESTRICT z) {
  T q = 0;
  for (i64 c = 0; c < columns; ++c) q += p[c] * z[c];
  for (i64 c = 0; c < columns; ++c) z[c] = softmax_curve(z[c], q, p[c], w);
}

// sum / m + reg v
template <class T>
TL_HD T finished(T sum, T m, T reg, T v) {
  const T own = sum / m;
  return reg != 0 ? own + reg * v : own;
}

// What a product reads, of all clients. columns 0: a GLM, else a softmax with as many classes.
template <class T>
struct Curved {
  i64 runs, n, m, d, columns, k;
  bool own_data, own_weight;   // one A, or one h (and prob), for each run
  const T *A, *weight, *prob;  // weight: h or w
  T reg;
  TL_HD i64 size() const { return columns ? d * columns : d; }  // of a vector
  TL_HD T divisor() const { return columns ? T(1) : T(m); }
  TL_HD const T* data(i64 r, i64 i) const { return A + ((own_data ? r * n : 0) + i) * m * d; }
  TL_HD const T* weights(i64 r, i64 i) const { return weight + ((own_weight ? r * n : 0) + i) * m; }
  TL_HD const T* chances(i64 r, i64 i) const {
    return prob + ((own_weight ? r * n : 0) + i) * m * columns;
  }
};

// out = A_i^T (curvature) A_i v, without / m and reg. part: (size), z: (columns).
template <class T>
TL_HD void plain_product(const Curved<T>& t, i64 r, i64 i, const T* v, T* out, T* part, T* z) {
  const i64 size = t.size(), C = t.columns, chunk = hvp_chunk(t.m);
  const T *A = t.data(r, i), *h = t.weights(r, i);
  const i64 rows = counted_rows(t.m, h);
  for (i64 e = 0; e < size; ++e) out[e] = 0;
  for (i64 first = 0; first < rows; first += chunk) {
    for (i64 e = 0; e < size; ++e) part[e] = 0;
    for (i64 j = first; j < first + chunk && j < rows; ++j) {
      const T* a = A + j * t.d;
      if (!C) {
        const T pull = line_dot(t.d, a, v) * h[j];
        for (i64 e = 0; e < size; ++e) part[e] += pull * a[e];
        continue;
      }
      for (i64 c = 0; c < C; ++c) {
        z[c] = 0;
        for (i64 f = 0; f < t.d; ++f) z[c] += a[f] * v[f * C + c];
      }
      softmax_curved(C, h[j], t.chances(r, i) + j * C, z);
      for (i64 e = 0; e < size; ++e) part[e] += a[e / C] * z[e % C];
    }
    for (i64 e = 0; e < size; ++e) out[e] += part[e];
  }
}

template <class T>
TL_HD void glm_hvp_task(i64 task, const Curved<T>& t, const T* V, T* out, T* part, T* z) {
  const i64 row = task / t.k, size = t.size();
  const T* v = V + task * size;
  plain_product(t, row / t.n, row % t.n, v, out + task * size, part, z);
  for (i64 e = 0; e < size; ++e)
    out[task * size + e] = finished(out[task * size + e], t.divisor(), t.reg, v[e]);
}

}  // namespace TL_ISA
}  // namespace tl
