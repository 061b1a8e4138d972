// normals.cuh -- normal draws by whole warps.
//
// A draw in the tails (15 %) costs twice what one in the body does. In place, nearly every warp
// would hold one and go through both branches. So every draw takes the body's branch; the words of
// those in the tails go into a queue of their warp in shared memory, and whenever 64 wait, every
// lane takes two and writes their draws over what the body's branch had left there.
//
// cost    of a draw, in operations of the float64 unit (64 lanes, 2 clocks a warp on a quarter of a
//         multiprocessor): 41 in the body (4 for q and r, 28 for two polynomials, 9 for the
//         quotient), 89 in a tail, so .15 89 + 41 = 54: 10^8 draws take .32 ms on an H200. Its 9
//         wide products of Philox wait for the same unit: 3.5 clocks each beside it, .44 ms in
//         all. Measured: .55 ms. A lane makes 8 draws in step, as their chains are long
// bits    those of normal() of core/rng.cuh
#pragma once
#include "../core/gpu.cuh"
#include "../kernels/draws.cuh"

namespace tl {
inline namespace TL_ISA {

// A warp fills at most so many places at once: a number of a place shares 64 bits with a word,
// whose last 12 no normal draw reads.
constexpr i32 kPlaces = 4096;
constexpr int kPairsTogether = 4, kTailsTogether = 2;  // of a lane: for latency
constexpr u32 kAtOnce = 8 * kTailsTogether * kWarp;    // bytes of the words of so many tails
constexpr u32 kQueueBytes = kAtOnce + 8 * 2 * kPairsTogether * kWarp;  // of a warp

// Draws of the pairs that the lanes' walks come by, `pairs` of all lanes. walk.draw(): the words of
// a pair; walk.at: its place; walk.draws(): how many draws it has, from 2 or more to none or less;
// walk.next(). put(at, v): one draw; put.pair(at, v, draws): one or two. queue: kQueueBytes of
// shared memory begin there, a multiple of 8.
template <class M, class Walk, class Put>
TL_HD void warp_normals(const M& m, Walk walk, i32 pairs, const Put& put, u32 queue) {
  constexpr int kDraws = 2 * kPairsTogether;
  const u32 lane = u32(m.thread() % kWarp), before = (1u << lane) - 1;
  u32 end = queue;  // of the words in it
  for (; pairs > 0; pairs -= kPairsTogether * kWarp) {
    u64 word[kDraws];
    bool tail[kDraws];
    u32 at[kPairsTogether];
    i32 draws[kPairsTogether];
    for (int p = 0; p < kPairsTogether; ++p) {
      const Words drawn = walk.draw();
      at[p] = walk.at;
      draws[p] = walk.draws();
      for (int e = 0; e < 2; ++e) {
        word[2 * p + e] = stream_word(drawn, e);
        tail[2 * p + e] = draws[p] > e && !is_surely_central(word[2 * p + e]);
      }
      walk.next();
    }
    Several<kDraws> value;
    for (int d = 0; d < kDraws; ++d) value.value[d] = midpoint_offset(word[d]);
    value = central_quantile(value);
    for (int p = 0; p < kPairsTogether; ++p)
      if (draws[p] > 0) put.pair(at[p], value.value + 2 * p, draws[p]);
    for (int d = 0; d < kDraws; ++d) {
      const u32 mask = m.ballot(tail[d]);
      m.store_if(tail[d], m.shared() + (end + 8 * u32(count_bits(mask & before))),
                 (word[d] & ~u64(kPlaces - 1)) | (at[d / 2] + d % 2));
      end += 8 * u32(count_bits(mask));
    }
    m.warp_barrier();
    const bool last = pairs <= kPairsTogether * kWarp;
    while (end > (last ? queue : queue + kAtOnce - 8)) {  // fewer may wait on
      const u32 from = end - queue > kAtOnce ? end - kAtOnce : queue;
      u64 queued[kTailsTogether];
      Several<kTailsTogether> value;
      for (int d = 0; d < kTailsTogether; ++d) {
        const u32 own = from + 8 * (lane + u32(d) * kWarp);
        queued[d] = *reinterpret_cast<const u64*>(m.shared() + (own < end ? own : from));
        value.value[d] = midpoint_offset(queued[d]);
      }
      value = tail_quantiles(value);
      for (int d = 0; d < kTailsTogether; ++d)
        if (from + 8 * (lane + u32(d) * kWarp) < end)
          put(u32(queued[d]) & u32(kPlaces - 1), value.value[d]);
      end = from;
    }
    m.warp_barrier();
  }
}

}  // namespace TL_ISA
}  // namespace tl
