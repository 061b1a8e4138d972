// glm_hvp.cuh (cuda) -- a schedule of glm_hvp (../kernels/glm_hvp.cuh) that reads A once.
//
//   glm_hvp_rows   a block owns a set of data, some of the vectors that meet it, and one chunk of
//                  its rows (split) or all. Tiles of whole rows pass through shared memory
//                  (cp.async, two buffers), where each is used twice: dots with all vectors, then
//                  the update of all sums; vectors and sums lie there too. While one tile is used
//                  the next one travels
//
// dots    a thread is one lane of kQ rows with kTogether vectors: its sums run through the
//         coordinates in steps of 16 (8), and from_lane_xor adds the lanes as the tree does
// update  a thread owns 16 bytes of coordinates (few coordinates: one) of kTogether sums, which are
//         in registers for a tile; rows in order
// chunks  split: the sums of a chunk go to memory and hvp_finish adds them in order; full chunks
//         come first, so that short ones fill the end. Else the block adds its chunks itself
// shared  2 tile rows of A, `many` vectors and as many sums of one row each; see HvpLayout
// cost    A once from memory, if all vectors of a set fit a block (else from L2 for the others);
//         R n chunks k d T of sums, 1/128 of A for chunks of 256. Shared memory for a byte of A:
//         1 written, 1 + kTogether / kQ read by the dots, 1 + 2 kTogether / tile and the pulls by
//         the update, for each kTogether vectors; 4 flop a vector
// H200    100 clients of 600 rows of 784 numbers, two vectors: 75 us where a read of the data takes
//         45 (float), 167 and 85 (double). Words of shared memory bound it: what all lanes of a
//         warp read is one for each of them
// bits    those of the host
#pragma once
#include "hvp.cuh"

namespace tl {
inline namespace TL_ISA {

// Where things lie in shared memory, in bytes; `end` is how much there must be. many: vectors,
// rounded up to kTogether; tile: rows.
template <class T>
struct HvpLayout {
  i64 stride, vectors, sums, tiles, weights, pulls, counts, end;
  TL_HD HvpLayout(i64 d, i64 many, i64 tile) {
    const i64 one = i64(sizeof(T));
    stride = row_stride<T>(d);
    vectors = 0;
    sums = vectors + many * stride * one;
    tiles = sums + many * stride * one;
    weights = tiles + 2 * tile * stride * one;
    pulls = weights + up_to(2 * many * tile * one, 16);
    counts = pulls + up_to(many * tile * one, 16);
    end = counts + up_to(many * 8, 16);  // the compiler reads them two by two
  }
};

// pulls (group, tile, kTogether) = h <a, v> for `rows` rows of the tile. Teams of kDotLanes threads
// take `sets` sets of kQ rows, for one group of vectors after the other.
template <int kTogether, int kQ, class M, class T>
TL_HD void tile_pulls(const M& gpu, int width, int stride, int tile, int rows, int groups,
                      const T* near, const T* vectors, const T* weights, T* pulls) {
  constexpr int kLanes = kDotLanes<T>, kTeams = kWarp / kLanes;
  const int lane = gpu.thread() % kLanes, team = gpu.thread() / kLanes;
  const int sets = (rows + kQ - 1) / kQ, all = sets * groups;
  for (int x0 = team / kTeams * kTeams; x0 < all; x0 += gpu.threads() / kLanes) {  // whole warps
    const int mine = x0 + team % kTeams, x = mine < all ? mine : all - 1;
    const int group = x / sets, set = x % sets;
    const T* v = vectors + group * kTogether * stride + lane;
    const T* a[kQ];
    TL_UNROLL
    for (int q = 0; q < kQ; ++q)
      a[q] = near + (set + q * sets < rows ? set + q * sets : set) * stride + lane;
    T sum[kQ][kTogether] = {};
    add_dots(width, stride, a, v, sum);
    add_lanes(gpu, sum);
    TL_UNROLL
    for (int q = 0; q < kQ; ++q) {
      const int j = set + q * sets;
      TL_UNROLL
      for (int b = 0; b < kTogether; ++b)
        if (lane == q * kTogether + b && mine < all && j < rows)
          pulls[(group * tile + j) * kTogether + b] =
              sum[q][b] * weights[(group * kTogether + b) * tile + j];
    }
  }
}

// Where a thread's sums are: (group of vectors, packet of kNumbers coordinates), one after another.
template <int kNumbers, class M, class F>
TL_HD void for_own_sums(const M& gpu, int d, int groups, const F& f) {
  const int packets = (d + kNumbers - 1) / kNumbers;
  int group = 0;
  for (int x = gpu.thread();; x += gpu.threads()) {
    for (; x >= packets && group < groups; x -= packets) ++group;
    if (group >= groups) return;
    f(group, x * kNumbers);
  }
}

// sums += pull a, row after row. kAll: no vector's rows end within the tile; else `counts` says
// where they do, `first` being the tile's first row.
template <int kTogether, int kNumbers, bool kAll, class M, class T>
TL_HD void add_tile(const M& gpu, int d, int stride, int tile, int rows, int groups, i64 first,
                    const i64* counts, const T* near, const T* pulls, T* sums) {
  for_own_sums<kNumbers>(gpu, d, groups, [&](int group, int e) {
    T sum[kTogether][kNumbers];
    T* at = sums + group * kTogether * stride + e;
    TL_UNROLL
    for (int b = 0; b < kTogether; ++b) {
      Lanes<T, kNumbers> kept;
      kept.packet = *reinterpret_cast<const decltype(kept.packet)*>(at + b * stride);
      TL_UNROLL
      for (int w = 0; w < kNumbers; ++w) sum[b][w] = kept.value[w];
    }
    const T* pull = pulls + group * tile * kTogether;
    int left[kTogether];  // rows of the tile that count
    TL_UNROLL
    for (int b = 0; b < kTogether; ++b) {
      const i64 rest = counts[group * kTogether + b] - first;
      left[b] = rest < 0 ? 0 : int(least(rest, rows));
    }
    TL_UNROLL_4
    for (int j = 0; j < rows; ++j) {
      Lanes<T, kNumbers> a;
      Lanes<T, kTogether> by;
      a.packet = *reinterpret_cast<const decltype(a.packet)*>(near + j * stride + e);
      by.packet = *reinterpret_cast<const decltype(by.packet)*>(pull + j * kTogether);
      TL_UNROLL
      for (int b = 0; b < kTogether; ++b) {
        if (!kAll && j >= left[b]) continue;
        TL_UNROLL
        for (int w = 0; w < kNumbers; ++w) sum[b][w] += by.value[b] * a.value[w];
      }
    }
    TL_UNROLL
    for (int b = 0; b < kTogether; ++b) {
      Lanes<T, kNumbers> kept;
      TL_UNROLL
      for (int w = 0; w < kNumbers; ++w) kept.value[w] = sum[b][w];
      *reinterpret_cast<decltype(kept.packet)*>(at + b * stride) = kept.packet;
    }
  });
}

// put(v, e, sum) for the thread's own sums, which then start from 0 again.
template <int kTogether, int kNumbers, class M, class T, class F>
TL_HD void take_sums(const M& gpu, int d, int stride, int groups, int count, T* sums,
                     const F& put) {
  for_own_sums<kNumbers>(gpu, d, groups, [&](int group, int e) {
    for (int v = group * kTogether; v < (group + 1) * kTogether && v < count; ++v)
      for (int w = e; w < e + kNumbers && w < d; ++w) {
        put(v, w, sums[v * stride + w]);
        sums[v * stride + w] = 0;
      }
  });
}

// many: vectors of a block. tile: rows. at_once: kQ, 1, 2 or 4. packet: see copy_rows. s: null, or
// the steps, where out holds what was mixed. sums: split, (chunks, R n k, d); else as out, and may
// be out where s is null. V may be out.
template <class M, class T, int kTogether>
TL_HD void glm_hvp_rows(const M& gpu, i64 R, i64 n, i64 m, i64 d, i64 k, i64 own_data,
                        i64 own_weight, i64 own_s, i64 many, i64 tile, i64 at_once, i64 packet,
                        i64 split, double reg, const T* A, const T* h, const T* V, const T* s,
                        T* sums, T* out) {
  constexpr int kNumbers = kWide<T>;
  const i64 chunk = hvp_chunk(m), chunks = split ? parts_of(m, chunk) : 1;
  const i64 sets = own_data ? R * n : n, vectors = own_data ? k : R * k;
  const i64 per_set = parts_of(vectors, many), padded = parts_of(many, kTogether) * kTogether;
  const HvpLayout<T> at(d, padded, tile);
  unsigned char* memory = gpu.shared();
  T* near_v = reinterpret_cast<T*>(memory + at.vectors);
  T* near_sums = reinterpret_cast<T*>(memory + at.sums);
  T* tiles = reinterpret_cast<T*>(memory + at.tiles);
  T* weights = reinterpret_cast<T*>(memory + at.weights);
  T* pulls = reinterpret_cast<T*>(memory + at.pulls);
  i64* counts = reinterpret_cast<i64*>(memory + at.counts);
  const int stride = int(at.stride), size = int(tile), groups = int(padded / kTogether);
  const int few = int(padded) * size;  // weights of a tile
  const int width = int(parts_of(d, kDotLanes<T>)) * kDotLanes<T>, length = int(d);
  const bool wide = d > gpu.threads();
  const HvpEnding<T> ending{n, d, own_s, T(m), T(reg), s, out};

  for (i64 task = gpu.block(); task < chunks * sets * per_set; task += gpu.blocks()) {
    const i64 c = task / (sets * per_set), own = task / per_set % sets, v0 = task % per_set * many;
    const SetVectors set(own, n, k);
    const int count = int(least(many, vectors - v0));
    RowTiles here(c * chunk, split ? least((c + 1) * chunk, m) : m, chunk, tile);
    const i64 begin = here.row;

    const auto fetch = [&](const RowTiles& next, int buffer) {
      const int rows = next.rows();
      copy_rows(gpu, packet, A + (own * m + next.row) * d, d, tiles + buffer * size * stride,
                stride, rows, length);
      for (int x = gpu.thread(); x < count * size; x += gpu.threads())
        if (x % size < rows)
          gpu.template copy_async<int(sizeof(T))>(
              weights + buffer * few + x,
              h + (own_weight ? set.row(v0 + x / size) : set.client) * m + next.row + x % size);
    };
    const auto end_chunk = [&](bool first, bool last) {
      const auto put = [&](int v, int e, T total) {
        const i64 row = set.row(v0 + v), to = set.at(v0 + v);
        if (split) {
          sums[(c * R * n * k + to) * d + e] = total;
          return;
        }
        if (!first) total = sums[to * d + e] + total;
        if (last)
          ending.put(row, to, e, total, near_v[v * stride + e]);
        else
          sums[to * d + e] = total;
      };
      if (wide)
        take_sums<kTogether, kNumbers>(gpu, length, stride, groups, count, near_sums, put);
      else
        take_sums<kTogether, 1>(gpu, length, stride, groups, count, near_sums, put);
    };

    // The vectors and the first tile are under way while the rows that count are counted.
    for (int v = 0; v < count; ++v)
      copy_rows(gpu, packet, V + set.at(v0 + v) * d, d, near_v + v * stride, stride, 1, length);
    fetch(here, 0);
    gpu.commit();
    for (int x = gpu.thread(); x < int(padded) * stride; x += gpu.threads()) near_sums[x] = 0;
    clear_columns(gpu, near_v, stride, count, length, stride);
    clear_columns(gpu, tiles, stride, 2 * size, length, stride);
    count_rows(gpu, set, v0, count, begin, m, own_weight, h, counts);
    for (i64 v = count + gpu.thread(); v < padded; v += gpu.threads()) counts[v] = 0;
    gpu.barrier();
    i64 fewest = m;
    for (int v = 0; v < count; ++v) fewest = least(fewest, counts[v]);
    here.last = least(here.last, most_of(count, counts));
    const bool none = !here.any();

    for (int buffer = 0; here.any(); buffer ^= 1) {
      const RowTiles next = here.next();
      if (next.any()) fetch(next, buffer ^ 1);
      gpu.commit();
      gpu.template wait_all_but<1>();
      gpu.barrier();
      const int rows = here.rows();
      const T* near = tiles + buffer * size * stride;
      const T* near_h = weights + buffer * few;
      if (at_once == 4)
        tile_pulls<kTogether, 4>(gpu, width, stride, size, rows, groups, near, near_v, near_h,
                                 pulls);
      else if (at_once == 2)
        tile_pulls<kTogether, 2>(gpu, width, stride, size, rows, groups, near, near_v, near_h,
                                 pulls);
      else
        tile_pulls<kTogether, 1>(gpu, width, stride, size, rows, groups, near, near_v, near_h,
                                 pulls);
      gpu.barrier();
      if (wide && here.row + rows <= fewest)
        add_tile<kTogether, kNumbers, true>(gpu, length, stride, size, rows, groups, here.row,
                                            counts, near, pulls, near_sums);
      else if (wide)
        add_tile<kTogether, kNumbers, false>(gpu, length, stride, size, rows, groups, here.row,
                                             counts, near, pulls, near_sums);
      else
        add_tile<kTogether, 1, false>(gpu, length, stride, size, rows, groups, here.row, counts,
                                      near, pulls, near_sums);
      if (here.ends_chunk()) end_chunk(here.chunk_end == begin + chunk, !next.any());
      gpu.barrier();  // the buffer, and at last everything, may be written again
      here = next;
    }
    if (!none) continue;
    gpu.template wait_all_but<0>();
    gpu.barrier();
    end_chunk(true, true);
    gpu.barrier();
  }
}

#ifdef __CUDACC__
template <class T, int kTogether>
__global__ void __launch_bounds__(512, 1)
    glm_hvp_rows_gpu(i64 R, i64 n, i64 m, i64 d, i64 k, i64 own_data, i64 own_weight, i64 own_s,
                     i64 many, i64 tile, i64 at_once, i64 packet, i64 split, double reg, const T* A,
                     const T* h, const T* V, const T* s, T* sums, T* out) {
  glm_hvp_rows<Gpu, T, kTogether>(Gpu(), R, n, m, d, k, own_data, own_weight, own_s, many, tile,
                                  at_once, packet, split, reg, A, h, V, s, sums, out);
}
#endif

}  // namespace TL_ISA
}  // namespace tl
