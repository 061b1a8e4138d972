// normals.cuh -- normal draws of one row, a (run, client) at one (round, step), by whole warps.
//
// warp_normals: a warp draws pairs of one row, or of several short ones, to wherever it is told.
//
// A draw in the tails (15 %) costs twice what one in the body does. In place, nearly every warp
// would hold one and go through both branches. So every draw takes the body's branch; the words of
// those in the tails go into a queue of their warp in shared memory, and whenever 32 wait, every
// lane takes one and writes its draw over what the body's branch had left there.
//
// cost    of a draw, in operations of the float64 unit (64 lanes, 2 clocks a warp on a quarter of a
//         multiprocessor): 41 in the body (4 for q and r, 28 for two polynomials, 9 for the
//         quotient), 89 in a tail, so .15 89 + 41 = 54: 10^8 draws take .32 ms on an H200. They are
//         118 instructions, .35 ms: besides these 18 of Philox, 6 for constants and keys, 14 for
//         the queue, the rest for conversion, store and loop
// bits    those of normal() of core/rng.cuh
#pragma once
#include "../core/gpu.cuh"
#include "../kernels/draws.cuh"

namespace tl {
inline namespace TL_ISA {

// Where the words of one row come from: pair k is philox((k, round, client, run), key).
struct RowWords {
  Key key;
  u32 round, client, run;
  TL_HD Words operator()(u32 k) const {
    return philox(Words{{k, round, client, run}}, key.lo, key.hi);
  }
};

// A lane's share of what its warp fills: places at, at + 1, .. at + draws - 1 get draws 2 first,
// 2 first + 1, ... of a row, and this lane makes pairs from, from + step, ... of them.
struct LaneDraws {
  u32 first;
  i32 from, step, draws, at;
};

// A warp fills at most so many places at once: a number of a place shares 64 bits with a word,
// whose last 12 no normal draw reads.
constexpr i32 kPlaces = 4096;
constexpr int kPairsTogether = 4;                                  // of a lane: for latency
constexpr int kTailRoom = kWarp - 1 + 2 * kPairsTogether * kWarp;  // words of a warp's queue
constexpr u32 kQueueBytes = 8 * (kTailRoom + 1);                   // of a warp

// turns: how often the lanes draw kPairsTogether pairs each, the same for all of a warp.
// put(at, v): one draw; put.pair(at, v, both): two, or only the first; put.kWhole: own.draws is
// even, so it is two always. queue: kQueueBytes of shared memory begin there, a multiple of 8.
template <class M, class Put>
TL_HD void warp_normals(const M& m, const RowWords& words, const LaneDraws& own, i32 turns,
                        const Put& put, u32 queue) {
  constexpr int kDraws = 2 * kPairsTogether;
  const u32 lane = u32(m.thread() % kWarp), before = (1u << lane) - 1, step = u32(own.step);
  u32 number = own.first + u32(own.from), place = u32(own.at + 2 * own.from);
  i32 left = own.draws - 2 * own.from;
  u32 end = queue;  // of the words that wait
  for (i32 turn = 0; turn < turns; ++turn) {
    u64 word[kDraws];
    bool tail[kDraws];
    u32 at[kPairsTogether];
    for (int p = 0; p < kPairsTogether; ++p) {
      const Words drawn = words(number);
      at[p] = place;
      double value[2];
      for (int e = 0; e < 2; ++e) {
        const u64 bits = word[2 * p + e] = stream_word(drawn, e);
        value[e] = central_quantile(midpoint_offset(bits));
        tail[2 * p + e] = left > (Put::kWhole ? 0 : e) && !is_surely_central(bits);
      }
      if (left > 0) put.pair(place, value, left > 1);
      number += step;
      place += 2 * step;
      left -= 2 * own.step;
    }
    for (int d = 0; d < kDraws; ++d) {
      const u32 mask = m.ballot(tail[d]);
      m.store_if(tail[d], m.shared() + (end + 8 * u32(count_bits(mask & before))),
                 (word[d] & ~u64(kPlaces - 1)) | (at[d / 2] + d % 2));
      end += 8 * u32(count_bits(mask));
    }
    m.warp_barrier();
    const u32 most = turn + 1 == turns ? queue : queue + 8 * (kWarp - 1);  // that may wait on
    while (end > most) {
      const u32 from = end - queue > 8 * kWarp ? end - 8 * kWarp : queue;
      if (from + 8 * lane < end) {
        const u64 queued = *reinterpret_cast<const u64*>(m.shared() + (from + 8 * lane));
        put(u32(queued) & u32(kPlaces - 1), normal(queued));
      }
      end = from;
    }
    m.warp_barrier();
  }
}

}  // namespace TL_ISA
}  // namespace tl
