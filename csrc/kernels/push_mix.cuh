// push_mix.cuh -- one push-sum mixing step for R independent runs, and the debiased point.
//
//     x1[r,i,k] = sum_e P_r.data[e] * x[r, P_r.indices[e], k]   e = indptr[i] .. indptr[i+1]-1
//     w1[r,i]   = the same sum over w
//     z1[r,i,k] = x1[r,i,k] / w1[r,i]                           IEEE division, not a reciprocal
//
// The sum runs through row i of the CSR in stored order, in one accumulator that starts from +0,
// every product rounded before it is added (no FMA): bits do not depend on the schedule.
//
// signature  CSR (n,n) shared or one per run, (R,n,d),(R,n)->(R,n,d),(R,n),(R,n,d)
// dtype      T = float, double; P's data of type V is rounded to T first; indices int32 or int64
// alias      x1, w1, z1 overlap neither each other nor P, x, w
// task       one (r,i,k), or one (r,i) for the weight; tasks write disjoint outputs
// cost       2 nnz d flop and n d divisions a run; at least 3 n d sizeof(T) bytes: x read once, x1
//            and z1 written once. Floor: bytes over the machine's copy speed, since 11 entries a
//            row are 2 flop a byte in float. Two calls (P x, then / w1) move 5 n d or more
// schedules  host/push_mix.hpp, host/mix_drawn.hpp, cuda/push_mix.cuh
// used by    every push-sum method (SGP, DFedSGPSM, DFedPGP, ...), once a round
#pragma once
#include "../core/hd.cuh"

namespace tl {
inline namespace TL_ISA {

template <class V, class I>
struct Rows {
  const I* indptr;   // (n+1)
  const I* indices;  // (nnz), in [0, n)
  const V* data;     // (nnz)
};

// Row i of P times the column of x that starts at x and has this stride.
template <class T, class V, class I>
TL_HD T row_times(const Rows<V, I>& P, i64 i, const T* TL_RESTRICT x, i64 stride) {
  T sum = 0;
  for (i64 e = P.indptr[i]; e < P.indptr[i + 1]; ++e)
    sum += static_cast<T>(P.data[e]) * x[P.indices[e] * stride];
  return sum;
}

template <class T, class V, class I>
TL_HD void push_weight_task(i64 t, i64 n, const Rows<V, I>& P, const T* TL_RESTRICT w,
                            T* TL_RESTRICT w1) {
  w1[t] = row_times(P, t % n, w + t / n * n, 1);
}

template <class T, class V, class I>
TL_HD void push_mix_task(i64 t, i64 n, i64 d, const Rows<V, I>& P, const T* TL_RESTRICT x,
                         const T* TL_RESTRICT w1, T* TL_RESTRICT x1, T* TL_RESTRICT z1) {
  const i64 k = t % d, row = t / d;  // row = r n + i
  const T sum = row_times(P, row % n, x + row / n * n * d + k, d);
  x1[t] = sum;
  z1[t] = sum / w1[row];
}

}  // namespace TL_ISA
}  // namespace tl
