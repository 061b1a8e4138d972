// draws.cuh -- draws number 0 .. count-1 of every (run, client) at one (round, step).
//
//     word(r,i,m) = 64-bit half m mod 2 of philox((m div 2, round, clients[i], runs[r]), key)
//     y[r,i,m]    = uniform(word), normal(word), or integer(word, bound[i])      (core/rng.cuh)
//     key         = first two words of philox((purpose, step, 0, 0), seed low, seed high)
//
// signature  (R),(n)->(R,n,count)        runs, clients, bound int64; y float64, or int64 for
//            integers
// dtype      float64 / int64 only: a float32 run rounds float64 draws, so both see one sample path
// alias      y must not overlap runs, clients, bound
// task       one (r,i): count draws, two for each Philox block. A value depends on nothing but its
//            own run, client and m, so any order and any subset gives the same bits
// cost       per draw: 8 bytes written; 10 wide multiplies (half a block), and for a normal about
//            30 flop in the body (85 % of draws), 60 and one square root in the tails
// schedules  host/draws.hpp, host/normals.hpp, cuda/draws.cuh
// used by    topologies (random edges), problems (noise, samples), runs (initial points), data
#pragma once
#include "../core/rng.cuh"

namespace tl {
inline namespace TL_ISA {

struct Key {
  u32 lo, hi;
};

TL_HD Key stream_key(u64 seed, u32 purpose, u32 step) {
  const Words k = philox(Words{{purpose, step, 0u, 0u}}, u32(seed), u32(seed >> 32));
  return Key{k.v[0], k.v[1]};
}

// Word m of a stream, from the block that holds it.
TL_HD u64 stream_word(const Words& w, i64 m) {
  return m & 1 ? u64(w.v[2]) | u64(w.v[3]) << 32 : u64(w.v[0]) | u64(w.v[1]) << 32;
}

struct ToUniform {
  typedef double value;
  TL_HD double operator()(u64 bits, u64) const { return uniform(bits); }
};
struct ToNormal {
  typedef double value;
  TL_HD double operator()(u64 bits, u64) const { return normal(bits); }
};
struct ToInteger {
  typedef i64 value;
  TL_HD i64 operator()(u64 bits, u64 bound) const { return i64(integer(bits, bound)); }
};

// Draws from .. end - 1 of one (r,i); from is even.
template <class To>
TL_HD void draws_task(i64 t, i64 n, i64 count, i64 from, i64 end, const i64* TL_RESTRICT runs,
                      const i64* TL_RESTRICT clients, const i64* TL_RESTRICT bound, Key key,
                      u32 round, To to, typename To::value* TL_RESTRICT y) {
  const i64 i = t % n, r = t / n;
  const u32 client = u32(clients[i]), run = u32(runs[r]);
  const u64 m = u64(bound[i]);
  typename To::value* out = y + t * count;
  for (i64 k = from; k < end; k += 2) {
    const Words w = philox(Words{{u32(k >> 1), round, client, run}}, key.lo, key.hi);
    out[k] = to(stream_word(w, 0), m);
    if (k + 1 < end) out[k + 1] = to(stream_word(w, 1), m);
  }
}

}  // namespace TL_ISA
}  // namespace tl
