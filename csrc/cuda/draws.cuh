// draws.cuh (cuda) -- schedules of draws (../kernels/draws.cuh) for a GPU.
//
//   draws_words    uniform and integer draws: a thread makes two neighbours of y and stores them as
//                  16 bytes
//   draws_normal   a block makes a chunk of y in shared memory and stores it in order. Draws in the
//                  tails (15 %) go into a queue first and are then worked off by whole warps: in
//                  place, nearly every warp would hold one and go through both branches
//
// y is one row of R n count numbers. kPaired = 1: count is even, so that two neighbours are the two
// words of one Philox block; kPaired = 0: any count, a block for each draw.
//
// cost    8 bytes written a draw. An H200 (132 multiprocessors, 1.9 GHz, 64 lanes in float64 and in
//         wide multiplies: 16 operations a ps) writes 3 to 4 TB/s, 400 to 500 draws a ns. A block
//         of Philox is 20 wide multiplies and 40 logical operations, a quotient (Divisor) 12, so
//         uniform and integer draws should reach 300 a ns or more. A normal in the body is 33 sums
//         and products and a division, about 48 operations in float64, in the tail about 130:
//         16000 / (.85 48 + .15 130) = 265 a ns is its floor of arithmetic, half the stores'.
//         Shared memory: 24 KiB a block of 256, 8 blocks on a multiprocessor
// bits    those of the host: the functions of core/rng.cuh, without FMA
#pragma once
#include "../core/gpu.cuh"
#include "../kernels/draws.cuh"

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

// Where the words behind y come from: a call's arguments, as draws_words has them.
struct Words64 {
  Key key;
  u32 round;
  Ids run, client;
  Divisor n, count;

  TL_HD Words64(i64 n, i64 count, i64 seed, i64 purpose, i64 round, i64 step, i64 first_run,
                const i64* runs, i64 first_client, const i64* clients)
      : key(stream_key(u64(seed), u32(purpose), u32(step))),
        round(u32(round)),
        run{runs, first_run},
        client{clients, first_client},
        n(n),
        count(count) {}

  // Words of draws g and g + 1 (g even, both inside y or, `both` false, only
  // g), and the positions of their clients.
  template <int kPaired>
  TL_HD void pair(u64 g, bool both, u64* word, u64* at) const {
    u64 k, i;
    const u64 r = n.divide(count.divide(g, &k), &i);
    Words w = philox(Words{{u32(k >> 1), round, client(i), run(r)}}, key.lo, key.hi);
    word[0] = stream_word(w, kPaired ? 0 : i64(k));
    word[1] = stream_word(w, 1);
    at[0] = at[1] = i;
    if (!kPaired && both) {
      const u64 r1 = n.divide(count.divide(g + 1, &k), &i);
      w = philox(Words{{u32(k >> 1), round, client(i), run(r1)}}, key.lo, key.hi);
      word[1] = stream_word(w, i64(k));
      at[1] = i;
    }
  }
};

template <class M, class V>
TL_HD void put_pair(const M& m, V* to, const V* value, bool both) {
  if (both) {
    Lanes<V, 2> lanes;
    for (int e = 0; e < 2; ++e) lanes.value[e] = value[e];
    m.stream(reinterpret_cast<Packet<16>*>(to), lanes.packet);
  } else {
    *to = value[0];
  }
}

// seed is u64; runs, clients: ids, or null for first_run, first_client and
// those after it; bounds: (n), or null for `bound` everywhere. y is aligned to
// 16 bytes.
template <class M, class To, int kPaired>
TL_HD void draws_words(const M& m, i64 R, i64 n, i64 count, i64 seed, i64 purpose, i64 round,
                       i64 step, i64 first_run, const i64* runs, i64 first_client,
                       const i64* clients, i64 bound, const i64* bounds, typename To::value* y) {
  const Words64 words(n, count, seed, purpose, round, step, first_run, runs, first_client, clients);
  const i64 all = R * n * count, stride = 2 * m.blocks() * m.threads();
  for (i64 g = 2 * (m.block() * m.threads() + m.thread()); g < all; g += stride) {
    const bool both = g + 1 < all;
    u64 word[2], at[2];
    words.template pair<kPaired>(u64(g), both, word, at);
    typename To::value value[2];
    for (int e = 0; e < 2; ++e) value[e] = To()(word[e], u64(bounds ? bounds[at[e]] : bound));
    put_pair(m, y + g, value, both);
  }
}

constexpr int kPairsOfThread = 4;  // of a chunk of draws_normal

// Where things lie in shared memory, in bytes; `end` is how much there must be.
struct NormalsLayout {
  i64 chunk, queue, waiting, end;
  TL_HD explicit NormalsLayout(i64 threads) {
    chunk = 2 * kPairsOfThread * threads;
    queue = chunk * 8;
    waiting = queue + chunk * 4;
    end = waiting + 128;
  }
};

template <class M, int kPaired>
TL_HD void draws_normal(const M& m, i64 R, i64 n, i64 count, i64 seed, i64 purpose, i64 round,
                        i64 step, i64 first_run, const i64* runs, i64 first_client,
                        const i64* clients, double* y) {
  const Words64 words(n, count, seed, purpose, round, step, first_run, runs, first_client, clients);
  const NormalsLayout at(m.threads());
  double* stage = reinterpret_cast<double*>(m.shared());
  i32* queue = reinterpret_cast<i32*>(m.shared() + at.queue);
  i32* waiting = reinterpret_cast<i32*>(m.shared() + at.waiting);
  const i64 all = R * n * count;
  for (i64 base = m.block() * at.chunk; base < all; base += m.blocks() * at.chunk) {
    if (m.thread() == 0) *waiting = 0;
    m.barrier();
    for (int s = 0; s < kPairsOfThread; ++s) {
      const i32 here = 2 * (m.thread() + s * m.threads());
      if (base + here >= all) break;
      const bool both = base + here + 1 < all;
      u64 word[2], client[2];
      words.template pair<kPaired>(u64(base + here), both, word, client);
      for (int e = 0; e < 2; ++e) {
        if (e && !both) break;
        const double p = cell_midpoint(word[e]);
        if (is_central(p)) {
          stage[here + e] = normal_quantile(p);
        } else {
          stage[here + e] = p;
          queue[m.fetch_add(waiting, 1)] = here + e;
        }
      }
    }
    m.barrier();
    for (i32 q = m.thread(); q < *waiting; q += m.threads())
      stage[queue[q]] = normal_quantile(stage[queue[q]]);
    m.barrier();
    for (int s = 0; s < kPairsOfThread; ++s) {
      const i32 here = 2 * (m.thread() + s * m.threads());
      if (base + here < all) put_pair(m, y + base + here, stage + here, base + here + 1 < all);
    }
  }
}

#ifdef __CUDACC__
template <class To, int kPaired>
__global__ void __launch_bounds__(kBlock)
    draws_words_gpu(i64 R, i64 n, i64 count, i64 seed, i64 purpose, i64 round, i64 step,
                    i64 first_run, const i64* runs, i64 first_client, const i64* clients, i64 bound,
                    const i64* bounds, typename To::value* y) {
  draws_words<Gpu, To, kPaired>(Gpu(), R, n, count, seed, purpose, round, step, first_run, runs,
                                first_client, clients, bound, bounds, y);
}

template <int kPaired>
__global__ void __launch_bounds__(kBlock)
    draws_normal_gpu(i64 R, i64 n, i64 count, i64 seed, i64 purpose, i64 round, i64 step,
                     i64 first_run, const i64* runs, i64 first_client, const i64* clients,
                     double* y) {
  draws_normal<Gpu, kPaired>(Gpu(), R, n, count, seed, purpose, round, step, first_run, runs,
                             first_client, clients, y);
}
#endif

}  // namespace TL_ISA
}  // namespace tl
