// push_mix_drawn.cuh (cuda) -- push_mix on a network that the kernel draws itself.
//
//     P = the matrix of ../kernels/random_edges.cuh; x1, w1, z1 as in ../kernels/push_mix.cuh
//
// The schedule of push_mix_tiles (push_mix.cuh): a tile of columns of all n clients in shared
// memory, the next one on its way, blocks that stay. When a block comes to another run it draws the
// whole network of that run and turns it into rows, in the buffer that no tile uses at that moment:
//
//     draw        u[j,k], a thread each; then a thread makes a client's receivers of them
//     count       edges of each row, by fetch_add; the offsets are their running sum
//     place       the senders of a row, by fetch_add, in whichever order the threads come
//     order       a sender's place is the number of smaller ones in its row
//
// so the rows do not depend on who came first. All shares are equal: an edge is its sender alone.
//
// shared  n (degree + self) i32 for the senders, n + 1 for the offsets, n T for the weights, two
//         tiles of n tile T, each large enough for the drawing: DrawnLayout
// cost    of a step: x once, x1 and z1 once, 3 n d sizeof(T) bytes a run, and nothing for P. Of a
//         network: n degree Philox blocks of 60 operations and about degree (degree + 40)
//         operations a client; n = 100, degree 10: 10 us of one multiprocessor at most, once for
//         each block and run. Shared memory: (degree + self) n tile T read a tile, beside 2 n tile
//         T of the copy. An H200 reads 30 TB/s there, 7 times what its memory copies, so up to 20
//         edges a row the bound is the memory's; from there it grows with the degree
// bits    those of push_mix with the matrix that theorylab.kernels.random_edges describes
#pragma once
#include "../kernels/random_edges.cuh"
#include "push_mix.cuh"

namespace tl {
inline namespace TL_ISA {

// Where things lie in shared memory, in bytes; `end` is how much there must be.
template <class T>
struct DrawnLayout {
  i64 senders, offsets, weights, tiles, buffer, end;
  TL_HD DrawnLayout(i64 n, i64 tile, i64 degree, i64 self) {
    senders = 0;
    offsets = senders + up_to(n * (degree + self) * 4);
    weights = offsets + up_to((n + 1) * 4);
    tiles = weights + up_to(n * i64(sizeof(T)));
    const i64 of_tile = up_to(n * tile * i64(sizeof(T)));
    // chosen (degree, n), unordered (n, degree + self), a copy of the offsets, keys
    const i64 of_drawing = up_to((n * (2 * degree + self) + n + 1 + 2 * degree) * 4);
    buffer = of_tile > of_drawing ? of_tile : of_drawing;
    end = tiles + 2 * buffer;
  }
};

// The rows of a network: senders of row i at offsets[i] .. offsets[i+1] - 1, ascending. scratch:
// DrawnLayout::buffer bytes. Every thread of the block; they may use the rows when it returns.
template <class M>
TL_HD void draw_rows(const M& m, const Network& net, i32* scratch, i32* senders, i32* offsets) {
  const i32 n = i32(net.n), drawn = i32(net.n * net.degree), all = i32(net.edges());
  i32* chosen = scratch;            // (degree, n)
  i32* unordered = chosen + drawn;  // (all)
  i32* cursor = unordered + all;    // (n + 1)
  Key* keys = reinterpret_cast<Key*>(cursor + n + 1);
  const i32 thread = m.thread(), threads = m.threads();

  for (i32 k = thread; k < net.degree; k += threads) keys[k] = net.key(k);
  for (i32 i = thread; i <= n; i += threads) offsets[i] = i ? i32(net.self) : 0;
  m.barrier();
  for (i32 e = thread; e < drawn; e += threads) chosen[e] = net.drawn(keys[e / n], e % n, e / n);
  m.barrier();
  for (i32 j = thread; j < n; j += threads) {
    net.choose(j, chosen + j, n);
    for (i32 e = j; e < drawn; e += n) m.fetch_add(&offsets[chosen[e] + 1], 1);
  }
  m.barrier();

  i32 *sums = offsets, *further = cursor;  // sums of ever more entries, in turn here and there
  for (i32 reach = 1; reach <= n; reach *= 2) {
    for (i32 i = thread; i <= n; i += threads)
      further[i] = sums[i] + (i >= reach ? sums[i - reach] : 0);
    m.barrier();
    i32* swapped = sums;
    sums = further;
    further = swapped;
  }
  for (i32 i = thread; i <= n; i += threads) further[i] = sums[i];
  m.barrier();

  for (i32 e = thread; e < all; e += threads) {  // the loops follow the drawn edges
    const i32 from = e % n, to = e < drawn ? chosen[e] : from;
    unordered[m.fetch_add(&cursor[to], 1)] = from;
  }
  m.barrier();
  for (i32 e = thread; e < all; e += threads) {
    const i32 from = e % n, to = e < drawn ? chosen[e] : from;
    i32 place = offsets[to];
    for (i32 other = offsets[to]; other < offsets[to + 1]; ++other)
      place += unordered[other] < from;
    senders[place] = from;
  }
  m.barrier();
}

// The sum over a row whose shares are all equal, for kVec columns; stride: between two senders.
template <class T, int kVec, int kStep>
TL_HD void row_times_share(const i32* senders, i32 begin, i32 end, T share, const T* TL_RESTRICT x,
                           i64 stride, T* sum) {
  for (int v = 0; v < kVec; ++v) sum[v] = 0;
  for (i32 e = begin; e < end; ++e) {
    T from[kVec];
    take<T, kVec, kStep>(x + senders[e] * stride, from);
    for (int v = 0; v < kVec; ++v) sum[v] += share * from[v];
  }
}

// Sizes as in push_mix_tiles. seed is u64; runs: ids, or null for first_run and those after it.
// kTile: tile, where it is known when this is compiled.
template <class M, class T, int kVec, int kStep, int kTile = 0>
TL_HD void push_mix_drawn(const M& m, i64 R, i64 n, i64 d, i64 tile, i64 seed, i64 purpose,
                          i64 round, i64 first_run, const i64* runs, i64 degree, i64 self,
                          const T* x, const T* w, T* x1, T* w1, T* z1) {
  if (kTile) tile = kTile;
  const DrawnLayout<T> at(n, tile, degree, self);
  unsigned char* memory = m.shared();
  i32* senders = reinterpret_cast<i32*>(memory + at.senders);
  i32* offsets = reinterpret_cast<i32*>(memory + at.offsets);
  T* weight = reinterpret_cast<T*>(memory + at.weights);
  const Stay<kVec, kStep> stay(m, R, n, d, tile);
  const auto buffer = [&](i64 t) { return memory + at.tiles + stay.side(t) * at.buffer; };
  const auto fetch = [&](i64 t) { stay.fetch(m, t, x, reinterpret_cast<T*>(buffer(t)), tile); };

  Network net{n, degree, self, u64(seed), u32(purpose), u32(round), 0};
  const T share = static_cast<T>(net.share());
  i64 run = -1;
  if (stay.first < stay.last) fetch(stay.first);
  m.commit();
  for (i64 t = stay.first; t < stay.last; ++t) {
    const Slice<kVec> s(t, d, tile);
    if (s.run != run) {
      const bool none = run < 0;
      run = s.run;
      const u32 drawn = u32(runs ? runs[run] : first_run + run);
      if (none || drawn != net.run) {  // all threads alike; runs may share a network
        net.run = drawn;
        draw_rows(m, net, reinterpret_cast<i32*>(buffer(t + 1)), senders, offsets);
      }
      for (i32 i = m.thread(); i < n; i += m.threads()) {
        row_times_share<T, 1, 1>(senders, offsets[i], offsets[i + 1], share, w + run * n, 1,
                                 &weight[i]);
        if (s.column == 0) w1[run * n + i] = weight[i];  // the block of a run's first tile
      }
    }
    if (t + 1 < stay.last) fetch(t + 1);
    m.commit();
    m.template wait_all_but<1>();
    m.barrier();
    const T* near = reinterpret_cast<const T*>(buffer(t)) + stay.column;
    const i64 left = s.width - stay.column, apart = stay.rows_at_once * d;
    i64 to = (run * n + stay.first_row) * d + s.column + stay.column;
    for (i64 i = stay.first_row; i < n && left > 0; i += stay.rows_at_once, to += apart) {
      T sum[kVec];
      row_times_share<T, kVec, kStep>(senders, offsets[i], offsets[i + 1], share, near, tile, sum);
      put_both<M, T, kVec, kStep>(m, x1 + to, z1 + to, sum, Weight<T>(weight[i]), left);
    }
    m.barrier();  // the buffer, the weights and the rows may be written again
  }
}

#ifdef __CUDACC__
template <class T, int kVec, int kStep, int kTile = 0>
__global__ void __launch_bounds__(512, 2)
    push_mix_drawn_gpu(i64 R, i64 n, i64 d, i64 tile, i64 seed, i64 purpose, i64 round,
                       i64 first_run, const i64* runs, i64 degree, i64 self, const T* x, const T* w,
                       T* x1, T* w1, T* z1) {
  push_mix_drawn<Gpu, T, kVec, kStep, kTile>(Gpu(), R, n, d, tile, seed, purpose, round, first_run,
                                             runs, degree, self, x, w, x1, w1, z1);
}
#endif

}  // namespace TL_ISA
}  // namespace tl
