// draws.cuh (cuda) -- schedules of draws (../kernels/draws.cuh) for a GPU.
//
//   draws_words    uniform and integer draws
//   draws_normal   normal draws, those in the tails by whole warps of their own (normals.cuh)
//
// A warp takes `piece` pairs of draws of one row of y, which are the words of one Philox block
// each, or a few whole rows that are shorter than its lanes: `lanes` of them share a row. So a
// row's ids are found once for a piece, and only the pair's number changes from block to block.
// kPaired = 1: count is even, and the two draws of a pair are stored as 16 bytes; kPaired = 0: any
// count.
//
// cost    8 bytes written a draw: 10^8 take .22 ms on an H200 (132 multiprocessors, 1.98 GHz). A
//         block of Philox is 18 wide products and 18 exclusive ors of three (two products of its
//         first two rounds are the row's); with conversion and store a pair of uniform draws is 60
//         instructions, .09 ms. Normal draws: normals.cuh, .32 ms
// bits    those of the host: the functions of core/rng.cuh, without FMA
#pragma once
#include "normals.cuh"

namespace tl {
inline namespace TL_ISA {

// Division of many numbers below 2^63 by one: the quotient from the high
// product is at most 1 short.
struct Divisor {
  u64 by, inverse;
  TL_HD explicit Divisor(i64 d) : by(u64(d)), inverse(~u64(0) / u64(d)) {}
  TL_HD u64 divide(u64 a, u64* rest) const {
    const u64 q = high_product(a, inverse), r = a - q * by;
    const bool short_of_it = r >= by;
    *rest = short_of_it ? r - by : r;
    return short_of_it ? q + 1 : q;
  }
};

// Ids of runs or of clients: from a list, or first, first + 1, ...
struct Ids {
  const i64* list;
  i64 first;
  TL_HD u32 operator()(u64 k) const { return u32(list ? list[k] : first + i64(k)); }
};

// How y falls into what warps draw at once, and where the words behind it come from.
struct Pieces {
  i64 rows, count, pairs, piece;
  int lanes;
  Key key;
  u32 round;
  Ids run, client;
  Divisor n, pieces;

  TL_HD Pieces(i64 R, i64 n, i64 count, i64 seed, i64 purpose, i64 round, i64 step, i64 first_run,
               const i64* runs, i64 first_client, const i64* clients, i64 piece, i64 lanes)
      : rows(R * n),
        count(count),
        pairs((count + 1) / 2),
        piece(piece),
        lanes(int(lanes)),
        key(stream_key(u64(seed), u32(purpose), u32(step))),
        round(u32(round)),
        run{runs, first_run},
        client{clients, first_client},
        n(n),
        pieces(parts_of(pairs, piece)) {}

  // body(words, own, turns, first, i) for each piece of this warp: the words of this lane's row,
  // its pairs, how often the warp draws `together` of them a lane, where in y it begins, the
  // client.
  template <class M, class Body>
  TL_HD void each(const M& m, int together, const Body& body) const {
    const int lane = m.thread() % kWarp, row_of_lane = lane / lanes, rows_of_warp = kWarp / lanes;
    const i64 stride = m.blocks() * m.warps();
    const i64 all = parts_of(rows, rows_of_warp) * i64(pieces.by);
    for (i64 at = m.block() * m.warps() + m.warp(); at < all; at += stride) {
      u64 part, i = 0;
      const i64 first_row = i64(pieces.divide(u64(at), &part)) * rows_of_warp;
      const bool inside = first_row + row_of_lane < rows;
      const u64 r = inside ? n.divide(u64(first_row + row_of_lane), &i) : 0;
      const i64 first = i64(part) * piece, end = first + piece < pairs ? first + piece : pairs;
      const RowWords words{key, round, client(i), run(r)};
      const i32 draws = i32(2 * end < count ? 2 * piece : count - 2 * first);
      const LaneDraws own{u32(first), lane % lanes, lanes, inside ? draws : 0,
                          row_of_lane * i32(count)};
      body(words, own, i32(parts_of(end - first, i64(together) * lanes)),
           first_row * count + 2 * first, i);
    }
  }
};

// Draws of y, from `y` on: a pair as one packet of 16 bytes where every pair is aligned to them.
template <class M, class V, int kPaired>
struct ToGlobal {
  static constexpr bool kWhole = kPaired == 1;
  const M& m;
  V* y;
  TL_HD void operator()(u32 at, V value) const { put(y + at, value); }
  TL_HD void pair(u32 at, const V* value, bool both) const {
    if constexpr (kPaired) {
      Lanes<V, 2> lanes;
      for (int e = 0; e < 2; ++e) lanes.value[e] = value[e];
      m.stream(reinterpret_cast<Packet<16>*>(y + at), lanes.packet);
    } else {
      put(y + at, value[0]);
      if (both) put(y + at + 1, value[1]);
    }
  }
  TL_HD void put(V* to, V value) const {
    Lanes<V, 1> lane;
    lane.value[0] = value;
    m.stream(reinterpret_cast<Packet<8>*>(to), lane.packet);
  }
};

// seed is u64; runs, clients: ids, or null for first_run, first_client and
// those after it; bounds: (n), or null for `bound` everywhere. y is aligned to
// 16 bytes. piece: pairs, at most kPlaces / 2; lanes: a power of two up to kWarp, at least the
// row's pairs where it is below kWarp, and then piece is at least the row's pairs too.
template <class M, class To, int kPaired>
TL_HD void draws_words(const M& m, i64 R, i64 n, i64 count, i64 seed, i64 purpose, i64 round,
                       i64 step, i64 first_run, const i64* runs, i64 first_client,
                       const i64* clients, i64 piece, i64 lanes, i64 bound, const i64* bounds,
                       typename To::value* y) {
  typedef typename To::value V;
  const Pieces pieces(R, n, count, seed, purpose, round, step, first_run, runs, first_client,
                      clients, piece, lanes);
  pieces.each(m, kPairsTogether,
              [&](const RowWords& words, const LaneDraws& own, i32, i64 first, u64 i) {
                const u64 limit = u64(bounds ? bounds[i] : bound);
                const ToGlobal<M, V, kPaired> put{m, held(y + first)};
                for (i32 pair = own.from; 2 * pair < own.draws; pair += own.step) {
                  const Words drawn = words(own.first + u32(pair));
                  const V value[2] = {To()(stream_word(drawn, 0), limit),
                                      To()(stream_word(drawn, 1), limit)};
                  put.pair(u32(own.at + 2 * pair), value, 2 * pair + 1 < own.draws);
                }
              });
}

template <class M, int kPaired>
TL_HD void draws_normal(const M& m, i64 R, i64 n, i64 count, i64 seed, i64 purpose, i64 round,
                        i64 step, i64 first_run, const i64* runs, i64 first_client,
                        const i64* clients, i64 piece, i64 lanes, double* y) {
  const Pieces pieces(R, n, count, seed, purpose, round, step, first_run, runs, first_client,
                      clients, piece, lanes);
  const u32 queue = u32(m.warp()) * kQueueBytes;
  pieces.each(m, kPairsTogether,
              [&](const RowWords& words, const LaneDraws& own, i32 turns, i64 first, u64) {
                warp_normals(m, words, own, turns, ToGlobal<M, double, kPaired>{m, held(y + first)},
                             queue);
              });
}

#ifdef __CUDACC__
template <class To, int kPaired>
__global__ void __launch_bounds__(kBlock)
    draws_words_gpu(i64 R, i64 n, i64 count, i64 seed, i64 purpose, i64 round, i64 step,
                    i64 first_run, const i64* runs, i64 first_client, const i64* clients, i64 piece,
                    i64 lanes, i64 bound, const i64* bounds, typename To::value* y) {
  draws_words<Gpu, To, kPaired>(Gpu(), R, n, count, seed, purpose, round, step, first_run, runs,
                                first_client, clients, piece, lanes, bound, bounds, y);
}

template <int kPaired>
__global__ void __launch_bounds__(kBlock)
    draws_normal_gpu(i64 R, i64 n, i64 count, i64 seed, i64 purpose, i64 round, i64 step,
                     i64 first_run, const i64* runs, i64 first_client, const i64* clients,
                     i64 piece, i64 lanes, double* y) {
  draws_normal<Gpu, kPaired>(Gpu(), R, n, count, seed, purpose, round, step, first_run, runs,
                             first_client, clients, piece, lanes, y);
}
#endif

}  // namespace TL_ISA
}  // namespace tl
