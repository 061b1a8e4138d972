// push_mix.cuh (cuda) -- schedules of push_mix (../kernels/push_mix.cuh) for a GPU.
//
//   push_mix_tiles   a tile of columns of all n clients lies in shared memory, so that x is read
//                    once whatever the degree. The blocks stay: each takes a range of tiles, reads
//                    P and the weights once for it, and while it mixes one tile the next one
//                    travels (cp.async, two buffers). A thread owns (client, kVec columns), which
//                    are apart where rows do not begin at packets of 16 bytes (push_mix_lanes.cuh).
//   push_mix_gather  where a tile does not fit: tasks run through a slice of columns of all
//                    clients before the next slice, so that a slice is read from L2 for its degree
//   push_weights     w1 = P w, for push_mix_gather, and where there are no columns
//
// P       edges of all runs in one array of (sender, share), where row i of run r is
//         indptr[r (n+1) + i] .. indptr[r (n+1) + i + 1] - 1; runs_apart = 0: one P for all runs.
//         Shares are rounded to T beforehand, as the host rounds them
// shared  push_mix_tiles: 2 n T for the weights, 2 n tile T for the tiles, and with edges_staged
//         the n + 1 offsets and the edges. Offsets of the parts: TilesLayout
// cost    that of the formula: x once, x1 and z1 once. Shared memory: nnz tile T read, and one
//         broadcast of an edge for each kVec columns of 32 threads
// bits    those of the host, in float64 and float32 without flushing: the order of the sum is the
//         order of the row
#pragma once
#include "../kernels/push_mix.cuh"
#include "push_mix_lanes.cuh"

namespace tl {
inline namespace TL_ISA {

template <class T>
struct alignas(2 * sizeof(T)) Edge {
  i32 from;
  T share;
};

// Where things lie in shared memory, in bytes; `end` is how much there must be.
template <class T>
struct TilesLayout {
  i64 edges, indptr, weights, tiles, end;
  TL_HD TilesLayout(i64 n, i64 tile, i64 staged) {
    edges = 0;
    indptr = edges + up_to(staged * i64(sizeof(Edge<T>)));
    weights = indptr + (staged ? up_to((n + 1) * 4) : 0);
    tiles = weights + up_to(2 * n * i64(sizeof(T)));
    end = tiles + 2 * up_to(n * tile * i64(sizeof(T)));
  }
};

// kMany entries of a row, whose reads are under way together. x is `step` bytes a sender apart.
template <class T, int kVec, int kStep, int kMany>
TL_HD void add_entries(const Edge<T>* edges, const T* TL_RESTRICT x, i64 step, T* sum) {
  union {
    Packet<2 * sizeof(T)> packet;
    Edge<T> edge;
  } entry[kMany];
  T from[kMany][kVec];
  for (int e = 0; e < kMany; ++e)
    entry[e].packet = *reinterpret_cast<const Packet<2 * sizeof(T)>*>(edges + e);
  for (int e = 0; e < kMany; ++e)
    take<T, kVec, kStep>(reinterpret_cast<const T*>(reinterpret_cast<const unsigned char*>(x) +
                                                    entry[e].edge.from * step),
                         from[e]);
  for (int e = 0; e < kMany; ++e)
    for (int v = 0; v < kVec; ++v) sum[v] += entry[e].edge.share * from[e][v];
}

// Entries begin .. end - 1 times a column, for kVec columns.
template <class T, int kVec, int kStep = 1, class I>
TL_HD void row_times_lanes(const Edge<T>* edges, I begin, I end, const T* TL_RESTRICT x, i64 step,
                           T* sum) {
  for (int v = 0; v < kVec; ++v) sum[v] = 0;
  TL_ROLLED  // longer than this, it would take registers that other threads need
      for (; begin + 4 <= end; begin += 4)
          add_entries<T, kVec, kStep, 4>(edges + begin, x, step, sum);
  if (begin + 2 <= end) {
    add_entries<T, kVec, kStep, 2>(edges + begin, x, step, sum);
    begin += 2;
  }
  if (begin < end) add_entries<T, kVec, kStep, 1>(edges + begin, x, step, sum);
}

// d and tile are multiples of kVec, x, x1, z1 aligned to kVec T where kStep is 1; tile / kVec
// divides the threads and is kStep where that is not 1. edges_staged: room for the edges of one
// run, or 0. kTile: tile, where it is known; kDegree: the entries of a row, where all rows have as
// many (0: not known when this is compiled).
template <class M, class T, int kVec, int kStep, int kTile = 0, int kDegree = 0>
TL_HD void push_mix_tiles(const M& m, i64 R, i64 n, i64 d, i64 tile, i64 runs_apart,
                          i64 edges_staged, const i64* indptr, const Edge<T>* edges, const T* x,
                          const T* w, T* x1, T* w1, T* z1) {
  if (kTile) tile = kTile;
  const TilesLayout<T> at(n, tile, edges_staged);
  unsigned char* memory = m.shared();
  Edge<T>* near_edges = reinterpret_cast<Edge<T>*>(memory + at.edges);
  i32* near_indptr = reinterpret_cast<i32*>(memory + at.indptr);
  Weight<T>* weights = reinterpret_cast<Weight<T>*>(memory + at.weights);
  T* buffers = reinterpret_cast<T*>(memory + at.tiles);
  const i64 buffer = (at.end - at.tiles) / 2 / i64(sizeof(T));
  const Stay<kVec, kStep> stay(m, R, n, d, tile);
  const auto fetch = [&](i64 t) { stay.fetch(m, t, x, buffers + stay.side(t) * buffer, tile); };

  i64 run = -1;
  const i64* rows = indptr;
  if (stay.first < stay.last) fetch(stay.first);
  m.commit();
  for (i64 t = stay.first; t < stay.last; ++t) {
    const Slice<kVec> s(t, d, tile);
    if (s.run != run) {
      const bool unread = run < 0 || runs_apart;
      run = s.run;
      rows = indptr + (runs_apart ? run * (n + 1) : 0);
      if (edges_staged && unread) {
        for (i64 e = m.thread(); e < rows[n] - rows[0]; e += m.threads()) {
          const Edge<T> edge = edges[rows[0] + e];
          near_edges[e] = Edge<T>{i32(edge.from * tile * i64(sizeof(T))), edge.share};
        }
        for (i64 i = m.thread(); i <= n; i += m.threads()) near_indptr[i] = i32(rows[i] - rows[0]);
      }
      for (i64 i = m.thread(); i < n; i += m.threads()) {
        T weight;
        row_times_lanes<T, 1>(edges, rows[i], rows[i + 1], w + run * n, sizeof(T), &weight);
        weights[i] = Weight<T>(weight);
        if (s.column == 0) w1[run * n + i] = weight;  // the block of a run's first tile
      }
    }
    if (t + 1 < stay.last) fetch(t + 1);
    m.commit();
    m.template wait_all_but<1>();
    m.barrier();
    const T* near = buffers + stay.side(t) * buffer + stay.column;
    const i64 left = s.width - stay.column, apart = stay.rows_at_once * d;
    i64 to = (run * n + stay.first_row) * d + s.column + stay.column;
    for (int i = stay.first_row; i < int(n) && left > 0; i += stay.rows_at_once, to += apart) {
      T sum[kVec];
      if (edges_staged) {
        const i32 begin = near_indptr[i], end = kDegree ? begin + kDegree : near_indptr[i + 1];
        row_times_lanes<T, kVec, kStep>(near_edges, begin, end, near, 1, sum);
      } else {
        row_times_lanes<T, kVec, kStep>(edges, rows[i], rows[i + 1], near, tile * i64(sizeof(T)),
                                        sum);
      }
      put_both<M, T, kVec, kStep>(m, x1 + to, z1 + to, sum, weights[i], left);
    }
    m.barrier();  // the buffer, the weights and the edges may be written again
  }
}

template <class M, class T>
TL_HD void push_weights(const M& m, i64 R, i64 n, i64 runs_apart, const i64* indptr,
                        const Edge<T>* edges, const T* w, T* w1) {
  for (i64 t = m.block() * m.threads() + m.thread(); t < R * n; t += m.blocks() * m.threads()) {
    const i64* row = indptr + (runs_apart ? t / n * (n + 1) : 0) + t % n;
    row_times_lanes<T, 1>(edges, row[0], row[1], w + t / n * n, sizeof(T), &w1[t]);
  }
}

// w1 is what push_weights made. tile: columns of a slice, a multiple of kVec; tile / kVec divides
// the threads. A block's next task: further clients, then the next slice.
template <class M, class T, int kVec>
TL_HD void push_mix_gather(const M& m, i64 R, i64 n, i64 d, i64 tile, i64 runs_apart,
                           const i64* indptr, const Edge<T>* edges, const T* x, const T* w1, T* x1,
                           T* z1) {
  const int packets = int(tile / kVec), rows_at_once = m.threads() / packets;
  const int lane = m.thread() % packets, row_here = m.thread() / packets;
  const i64 chunks = parts_of(n, rows_at_once), all = R * parts_of(d, tile) * chunks;
  for (i64 task = m.block(); task < all; task += m.blocks()) {
    const Slice<kVec> s(task / chunks, d, tile);
    const i64 i = task % chunks * rows_at_once + row_here;
    if (i >= n || lane >= s.inside) continue;
    const i64* row = indptr + (runs_apart ? s.run * (n + 1) : 0) + i;
    const i64 k = s.column + lane * kVec;
    T sum[kVec] = {}, ratio[kVec];
    // One by one: four together take 56 registers and not 40, and a third more time on an H200.
    for (i64 e = row[0]; e < row[1]; ++e)
      add_entries<T, kVec, 1, 1>(edges + e, x + s.run * n * d + k, d * i64(sizeof(T)), sum);
    for (int v = 0; v < kVec; ++v) ratio[v] = sum[v] / w1[s.run * n + i];
    const i64 to = (s.run * n + i) * d + k;
    put<M, T, kVec>(m, x1 + to, sum);
    put<M, T, kVec>(m, z1 + to, ratio);
  }
}

#ifdef __CUDACC__
template <class T, int kVec, int kStep, int kTile = 0, int kDegree = 0>
__global__ void __launch_bounds__(512, 2)
    push_mix_tiles_gpu(i64 R, i64 n, i64 d, i64 tile, i64 runs_apart, i64 edges_staged,
                       const i64* indptr, const Edge<T>* edges, const T* x, const T* w, T* x1,
                       T* w1, T* z1) {
  push_mix_tiles<Gpu, T, kVec, kStep, kTile, kDegree>(
      Gpu(), R, n, d, tile, runs_apart, edges_staged, indptr, edges, x, w, x1, w1, z1);
}

template <class T>
__global__ void __launch_bounds__(kBlock)
    push_weights_gpu(i64 R, i64 n, i64 runs_apart, const i64* indptr, const Edge<T>* edges,
                     const T* w, T* w1) {
  push_weights(Gpu(), R, n, runs_apart, indptr, edges, w, w1);
}

template <class T, int kVec>
__global__ void __launch_bounds__(kBlock, 6)
    push_mix_gather_gpu(i64 R, i64 n, i64 d, i64 tile, i64 runs_apart, const i64* indptr,
                        const Edge<T>* edges, const T* x, const T* w1, T* x1, T* z1) {
  push_mix_gather<Gpu, T, kVec>(Gpu(), R, n, d, tile, runs_apart, indptr, edges, x, w1, x1, z1);
}
#endif

}  // namespace TL_ISA
}  // namespace tl
