// mix_jvp.cuh -- one step of HGP's vectors through SGP's Jacobian, every client's at once.
//
//     mixed_i = sum_j c_ij u_j
//     (4b)  u'_i = mixed_i - s_i H_i u_i          (4a)  u'_i = mixed_i - s_i H_i mixed_i
//
// for all k vectors (pdbo's u and w) together: mixing is linear, so one product a client is enough
// (pdbo, Eq. 4a, 4b, 8; s_i = alpha_i / omega_i). H_i is a GLM's or softmax's, see glm_hvp.cuh.
//
// The mix runs through j rising, in one accumulator that starts from +0, products rounded first;
// where c_ij is 0 there is no edge and u_j is not read. Then one product with s and one difference.
//
// signature  c (n,n) or (R,n,n), u (R,n,k,d), s (n) or (R,n), H -> (R,n,k,d)
// dtype      T = float, double, of everything
// alias      out overlaps no input
// task       one (r,i,b), with work space of its own; tasks write disjoint outputs
// cost       that of glm_hvp and 2 k d flop an edge; bytes: A once, u from a cache for its n uses
// used by    HGP, VR-HGP: the step from u(m), w(m) to u(m+1), w(m+1)
#pragma once
#include "glm_hvp.cuh"

namespace tl {
inline namespace TL_ISA {

template <class T>
struct Mixed {
  const T *c, *s;
  bool own_c, own_s;  // one for each run
  bool before;        // (4a): the product is of what was mixed
  TL_HD const T* edges(i64 n, i64 r, i64 i) const { return c + ((own_c ? r * n : 0) + i) * n; }
  TL_HD T step(i64 n, i64 r, i64 i) const { return s[(own_s ? r * n : 0) + i]; }
};

template <class T>
TL_HD void mix_jvp_task(i64 task, const Curved<T>& t, const Mixed<T>& mix, const T* u, T* out,
                        T* mixed, T* part, T* z) {
  const i64 row = task / t.k, r = row / t.n, i = row % t.n, size = t.size();
  const T* c = mix.edges(t.n, r, i);
  const i64 first = (r * t.n * t.k + task % t.k) * size;  // of client 0's vector
  for (i64 e = 0; e < size; ++e) mixed[e] = 0;
  for (i64 j = 0; j < t.n; ++j)
    if (c[j] != 0)
      for (i64 e = 0; e < size; ++e) mixed[e] += c[j] * u[first + j * t.k * size + e];
  const T* v = mix.before ? mixed : u + task * size;
  T* made = out + task * size;
  plain_product(t, r, i, v, made, part, z);
  const T s = mix.step(t.n, r, i);
  for (i64 e = 0; e < size; ++e)
    made[e] = mixed[e] - s * finished(made[e], t.divisor(), t.reg, v[e]);
}

}  // namespace TL_ISA
}  // namespace tl
