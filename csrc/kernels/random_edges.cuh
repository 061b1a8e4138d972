// random_edges.cuh -- a stochastic network: at round t every client draws its receivers.
//
//     u[j,k] = integer(first 64 bits of philox((0, t, j, run), key_k), top_k + 1)  (core/rng.cuh)
//     c[j,k] = u[j,k] if it is none of c[j,0] .. c[j,k-1], or else top_k           k < degree
//     client j sends to c[j,k] + (c[j,k] >= j): itself is skipped
//     share  = 1 / (degree + self), of every edge and, with self = 1, of the loop j -> j
//     top_k  = n - 1 - degree + k,  key_k = stream_key(seed, topology, step k)     (draws.cuh)
//
// Floyd's sampling (Bentley, Floyd, "A sample of brilliance", CACM 30, 1987): after step k the
// chosen are a uniform set of k + 1 out of 0 .. top_k. P[i,j] = share for every edge j -> i; row i
// of its CSR stores its senders in ascending order.
//
// signature  (seed, t, run, degree) -> receivers (n, degree), in the order in which they were drawn
// dtype      receivers below 2^31; share double, rounded to the dtype of the state
// task       u: one (j,k); c: one client, since c[j,k] looks at those before it
// cost       n degree Philox blocks and n degree^2 / 2 comparisons a run and round, no memory
// schedules  cuda/push_mix_drawn.cuh; host/network.hpp; theorylab/kernels/random_edges.py in NumPy
// used by    push_mix_drawn
#pragma once
#include "draws.cuh"

namespace tl {
inline namespace TL_ISA {

struct Network {
  i64 n, degree, self;  // self: 1 with self-loops, or 0
  u64 seed;
  u32 purpose, round, run;

  TL_HD i64 edges() const { return n * (degree + self); }
  TL_HD double share() const { return 1.0 / double(degree + self); }
  TL_HD Key key(i64 k) const { return stream_key(seed, purpose, u32(k)); }
  TL_HD i32 top(i64 k) const { return i32(n - 1 - degree + k); }
  // u[j,k]
  TL_HD i32 drawn(Key key_k, i64 j, i64 k) const {
    const Words w = philox(Words{{0u, round, u32(j), run}}, key_k.lo, key_k.hi);
    return i32(integer(stream_word(w, 0), u64(top(k)) + 1));
  }
  // From u[j,k] at chosen[k stride] to the receivers, in place.
  TL_HD void choose(i64 j, i32* chosen, i64 stride) const {
    for (i64 k = 0; k < degree; ++k) {
      const i32 candidate = chosen[k * stride];
      bool seen = false;
      for (i64 before = 0; before < k; ++before) seen |= chosen[before * stride] == candidate;
      if (seen) chosen[k * stride] = top(k);
    }
    for (i64 k = 0; k < degree; ++k) chosen[k * stride] += chosen[k * stride] >= j;
  }
};

}  // namespace TL_ISA
}  // namespace tl
