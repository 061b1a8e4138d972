// draws.cuh (cuda) -- schedules of draws (../kernels/draws.cuh) for a GPU.
//
//   draws_words    uniform and integer draws
//   draws_normal   normal draws, those in the tails by whole warps of their own (normals.cuh)
//
// A warp takes `piece` pairs of draws, which are the words of one Philox block each, and a lane
// every 32nd of them. LongWalk: a piece is of one row of y, whose ids are found once. ShortWalk:
// rows follow each other, and a lane goes on from pair to pair by additions. kEven = 1: count is
// even, and a pair is stored as 16 bytes; kEven = 0: any count, so where it is aligned to them.
//
// cost    8 bytes written a draw: 10^8 take .18 ms on an H200 (132 multiprocessors, 1.98 GHz). A
//         block of Philox is 18 wide products (4 clocks a warp on a quarter of a multiprocessor)
//         and 18 exclusive ors of three, as two products of its first rounds are the row's; with
//         conversion and store a pair of uniform draws is 60 instructions, .1 ms. Measured: .2 ms
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

// Where the words of one row come from: pair k is philox((k, round, client, run), key).
struct RowWords {
  Key key;
  u32 round, client, run;
  TL_HD Words operator()(u32 k) const {
    return philox(Words{{k, round, client, run}}, key.lo, key.hi);
  }
};

// A call's arguments, as draws_words has them, and what a step of kWarp pairs is in pairs, clients,
// runs and rows.
struct DrawCall {
  i64 rows, count, pairs, piece;  // draws and pairs of a row, pairs of a piece
  Key key;
  u32 round;
  Ids run, client;
  Divisor n, row;  // by pairs of a row
  u64 step_pairs, step_clients, step_runs, step_rows;

  TL_HD DrawCall(i64 R, i64 n, i64 count, i64 seed, i64 purpose, i64 round, i64 step, i64 first_run,
                 const i64* runs, i64 first_client, const i64* clients, i64 piece)
      : rows(R * n),
        count(count),
        pairs((count + 1) / 2),
        piece(piece),
        key(stream_key(u64(seed), u32(purpose), u32(step))),
        round(u32(round)),
        run{runs, first_run},
        client{clients, first_client},
        n(n),
        row(pairs) {
    step_rows = row.divide(kWarp, &step_pairs);
    step_runs = this->n.divide(step_rows, &step_clients);
  }
  TL_HD RowWords words(u64 r, u64 i) const { return RowWords{key, round, client(i), run(r)}; }
};

// The pairs of one lane, every kWarp-th of a piece, in a long row.
template <int kEven>
struct LongWalk {
  RowWords words;
  u64 client;  // its index
  u32 number, at;
  i32 left;  // draws of the piece from this pair on

  TL_HD Words draw() const { return words(number); }
  TL_HD i32 draws() const { return left; }
  TL_HD void next() {
    number += kWarp;
    at += 2 * kWarp;
    left -= 2 * kWarp;
  }

  // body(walk, pairs, first) for each piece of this warp, `pairs` in all from draw `first` of y on.
  template <class M, class Body>
  static TL_HD void each(const M& m, const DrawCall& call, const Body& body) {
    const u32 lane = u32(m.thread() % kWarp);
    const Divisor pieces(parts_of(call.pairs, call.piece));
    const i64 all = call.rows * i64(pieces.by), stride = m.blocks() * m.warps();
    for (i64 at = m.block() * m.warps() + m.warp(); at < all; at += stride) {
      u64 part, i;
      const u64 row = pieces.divide(u64(at), &part), r = call.n.divide(row, &i);
      const i64 first = i64(part) * call.piece, left = call.pairs - first;
      const i64 pairs = left < call.piece ? left : call.piece;
      const i64 draws = left <= call.piece ? call.count - 2 * first : 2 * pairs;
      body(LongWalk{call.words(r, i), i, u32(first) + lane, 2 * lane, i32(draws - 2 * i64(lane))},
           i32(pairs), i64(row) * call.count + 2 * first);
    }
  }
};

// The same in rows that follow each other, as if they were one.
template <int kEven>
struct ShortWalk {
  const DrawCall& call;
  u64 run, client, number;  // the indices, and the pair's number in its row
  u32 at;
  i32 left;  // pairs of the piece from this one on

  TL_HD Words draw() const {
    return call.words(left > 0 ? run : 0, left > 0 ? client : 0)(u32(number));
  }
  TL_HD i32 draws() const {
    if (left <= 0) return 0;
    return kEven || number + 1 < u64(call.pairs) ? 2 : 1;
  }
  TL_HD void next() {
    left -= kWarp;
    number += call.step_pairs;
    client += call.step_clients;
    run += call.step_runs;
    u32 rows = u32(call.step_rows);
    if (number >= call.row.by) {
      number -= call.row.by;
      ++client;
      ++rows;
    }
    if (client >= call.n.by) {
      client -= call.n.by;
      ++run;
    }
    at += 2 * kWarp - (kEven ? 0 : rows);
  }

  template <class M, class Body>
  static TL_HD void each(const M& m, const DrawCall& call, const Body& body) {
    const i64 lane = m.thread() % kWarp, stride = m.blocks() * m.warps() * call.piece;
    const i64 all = call.rows * call.pairs;
    for (i64 begin = (m.block() * m.warps() + m.warp()) * call.piece; begin < all;
         begin += stride) {
      const i64 left = all - begin, pairs = left < call.piece ? left : call.piece;
      u64 number, i;
      const u64 first_row = call.row.divide(u64(begin), &number);
      const i64 first = i64(first_row) * call.count + 2 * i64(number);
      const u64 row = call.row.divide(u64(begin + lane), &number), r = call.n.divide(row, &i);
      const u32 at = u32(i64(row) * call.count + 2 * i64(number) - first);
      body(ShortWalk{call, r, i, number, at, i32(pairs - lane)}, i32(pairs), first);
    }
  }
};

// Draws of y, from `y` on: a pair as one packet of 16 bytes where it is aligned to them.
template <class M, class V, int kEven>
struct ToGlobal {
  const M& m;
  V* y;
  bool odd;  // y is not
  TL_HD ToGlobal(const M& m, V* y) : m(m), y(held(y)), odd(reinterpret_cast<u64>(y) >> 3 & 1) {}
  TL_HD void operator()(u32 at, V value) const { put(y + at, value); }
  TL_HD void pair(u32 at, const V* value, i32 draws) const {
    if (kEven || (draws > 1 && !(odd ^ (at & 1)))) {
      Lanes<V, 2> lanes;
      for (int e = 0; e < 2; ++e) lanes.value[e] = value[e];
      m.store(reinterpret_cast<Packet<16>*>(y + at), lanes.packet);
    } else {
      put(y + at, value[0]);
      if (draws > 1) put(y + at + 1, value[1]);
    }
  }
  TL_HD void put(V* to, V value) const {
    Lanes<V, 1> lane;
    lane.value[0] = value;
    m.store(reinterpret_cast<Packet<8>*>(to), lane.packet);
  }
};

// seed is u64; runs, clients: ids, or null for first_run, first_client and
// those after it; bounds: (n), or null for `bound` everywhere. piece: pairs, at
// most kPlaces / 2. kEven = 1: count is even and y is aligned to 16 bytes.
template <class M, class To, template <int> class Walk, int kEven>
TL_HD void draws_words(const M& m, i64 R, i64 n, i64 count, i64 seed, i64 purpose, i64 round,
                       i64 step, i64 first_run, const i64* runs, i64 first_client,
                       const i64* clients, i64 piece, i64 bound, const i64* bounds,
                       typename To::value* y) {
  typedef typename To::value V;
  const DrawCall call(R, n, count, seed, purpose, round, step, first_run, runs, first_client,
                      clients, piece);
  Walk<kEven>::each(m, call, [&](Walk<kEven> walk, i32, i64 first) {
    const ToGlobal<M, V, kEven> put(m, y + first);
    for (; walk.draws() > 0; walk.next()) {
      const Words drawn = walk.draw();
      const u64 limit = u64(bounds ? bounds[walk.client] : bound);
      const V value[2] = {To()(stream_word(drawn, 0), limit), To()(stream_word(drawn, 1), limit)};
      put.pair(walk.at, value, walk.draws());
    }
  });
}

template <class M, template <int> class Walk, int kEven>
TL_HD void draws_normal(const M& m, i64 R, i64 n, i64 count, i64 seed, i64 purpose, i64 round,
                        i64 step, i64 first_run, const i64* runs, i64 first_client,
                        const i64* clients, i64 piece, double* y) {
  const DrawCall call(R, n, count, seed, purpose, round, step, first_run, runs, first_client,
                      clients, piece);
  const u32 queue = u32(m.warp()) * kQueueBytes;
  Walk<kEven>::each(m, call, [&](Walk<kEven> walk, i32 pairs, i64 first) {
    warp_normals(m, walk, pairs, ToGlobal<M, double, kEven>(m, y + first), queue);
  });
}

#ifdef __CUDACC__
template <class To, template <int> class Walk, int kEven>
__global__ void __launch_bounds__(kBlock)
    draws_words_gpu(i64 R, i64 n, i64 count, i64 seed, i64 purpose, i64 round, i64 step,
                    i64 first_run, const i64* runs, i64 first_client, const i64* clients, i64 piece,
                    i64 bound, const i64* bounds, typename To::value* y) {
  draws_words<Gpu, To, Walk, kEven>(Gpu(), R, n, count, seed, purpose, round, step, first_run, runs,
                                    first_client, clients, piece, bound, bounds, y);
}

template <template <int> class Walk, int kEven>
__global__ void __launch_bounds__(kBlock, 3)
    draws_normal_gpu(i64 R, i64 n, i64 count, i64 seed, i64 purpose, i64 round, i64 step,
                     i64 first_run, const i64* runs, i64 first_client, const i64* clients,
                     i64 piece, double* y) {
  draws_normal<Gpu, Walk, kEven>(Gpu(), R, n, count, seed, purpose, round, step, first_run, runs,
                                 first_client, clients, piece, y);
}
#endif

}  // namespace TL_ISA
}  // namespace tl
