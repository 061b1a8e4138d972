// glm_hvp_kept.cuh (cuda) -- glm_hvp (../kernels/glm_hvp.cuh) with all sums in registers.
//
//   glm_hvp_kept   a block owns a set of data, `many` of the vectors that meet it, and one chunk of
//                  its rows, whose sums it writes; hvp_finish ends them. Tiles of whole rows pass
//                  through shared memory, where each is used twice: dots with all vectors
//                  (tile_pulls of glm_hvp.cuh), then the update, in which a thread owns kPackets
//                  times 16 bytes of coordinates with the sums of all vectors, rows in order
//
// tiles   one at a time: while a block waits for its tile, another of its processor adds up. On a
//         GPU of 9.0 and later one thread asks for all of it
// shared  a tile of rows of A and their weights, the vectors, the pulls; see KeptLayout
// cost    A once for the vectors of a block. Shared memory gives 32 words a cycle, and what all
//         lanes read is a word for each: a row of d floats is d words written, d read by the
//         update, and ceil(k / kTogether) d (kQ + kTogether) / kQ read by the dots
// H200    (a predecessor) 100 clients of 600 rows of 784 floats: 61 us for two vectors, 136 for
//         eight, 45 for a read of the data
// bits    those of the host
#pragma once
#include "glm_hvp.cuh"

namespace tl {
inline namespace TL_ISA {

// Where things lie in shared memory, in bytes; `end` is how much there must be. many: vectors, a
// multiple of kTogether; tile: rows.
template <class T>
struct KeptLayout {
  i64 stride, vectors, tiles, weights, pulls, counts, gate, end;
  TL_HD KeptLayout(i64 d, i64 many, i64 tile) {
    const i64 one = i64(sizeof(T));
    stride = row_stride<T>(d);
    vectors = 0;
    tiles = many * stride * one;
    weights = tiles + tile * stride * one;
    pulls = weights + up_to(many * tile * one, 16);
    counts = pulls + up_to(many * tile * one, 16);
    gate = counts + many * 8;
    end = gate + 8;
  }
};

// sum += pull a, row after row. a: the first row from the thread's first packet on, the others
// `apart`. kAll: no vector's rows end within the tile; else left says after how many they do.
template <int kTogether, int kGroups, int kPackets, bool kAll, class T>
TL_HD void add_kept(int stride, int apart, int tile, int rows, const int* left, const T* a,
                    const T* pulls, T (&sum)[kPackets][kGroups * kTogether][kWide<T>]) {
  constexpr int kNumbers = kWide<T>;
  TL_UNROLL_4
  for (int j = 0; j < rows; ++j) {
    Lanes<T, kNumbers> x[kPackets];
    TL_UNROLL
    for (int p = 0; p < kPackets; ++p)
      x[p].packet = *reinterpret_cast<const decltype(x[p].packet)*>(a + j * stride + p * apart);
    TL_UNROLL
    for (int g = 0; g < kGroups; ++g) {
      Lanes<T, kTogether> by;
      by.packet = *reinterpret_cast<const decltype(by.packet)*>(pulls + (g * tile + j) * kTogether);
      TL_UNROLL
      for (int b = 0; b < kTogether; ++b) {
        if (!kAll && j >= left[g * kTogether + b]) continue;
        TL_UNROLL
        for (int p = 0; p < kPackets; ++p) {
          TL_UNROLL
          for (int w = 0; w < kNumbers; ++w)
            sum[p][g * kTogether + b][w] += by.value[b] * x[p].value[w];
        }
      }
    }
  }
}

// many: vectors of a block, at most kGroups kTogether. tile: rows. packet: see copy_rows. d is at
// most kPackets threads kWide. sums: (chunks, R n k, d). Counts of blocks, rows and vectors are
// below 2^31.
template <class M, class T, int kTogether, int kGroups, int kPackets, int kQ>
TL_HD void glm_hvp_kept(const M& gpu, i64 R, i64 n, i64 m, i64 d, i64 k, i64 own_data,
                        i64 own_weight, i64 many, i64 tile, i64 packet, const T* A, const T* h,
                        const T* V, T* sums) {
  constexpr int kNumbers = kWide<T>, kVectors = kGroups * kTogether;
  const i64 chunk = hvp_chunk(m);
  const u32 chunks = u32(m + chunk - 1) / u32(chunk);
  const u32 sets = u32(own_data ? R * n : n), vectors = u32(own_data ? k : R * k);
  const u32 per_set = (vectors + u32(many) - 1) / u32(many), tasks = chunks * sets * per_set;
  const KeptLayout<T> at(d, kVectors, tile);
  unsigned char* memory = gpu.shared();
  T* near_v = reinterpret_cast<T*>(memory + at.vectors);
  T* near = reinterpret_cast<T*>(memory + at.tiles);
  T* weights = reinterpret_cast<T*>(memory + at.weights);
  T* pulls = reinterpret_cast<T*>(memory + at.pulls);
  i64* counts = reinterpret_cast<i64*>(memory + at.counts);
  u64* gate = reinterpret_cast<u64*>(memory + at.gate);
  const bool bulk = M::kBulk && packet == 16;
  int phase = 0;
  if constexpr (M::kBulk)
    if (gpu.thread() == 0) gpu.open_gate(gate);  // others wait behind the barrier of the counts
  const int stride = int(at.stride), size = int(tile), length = int(d);
  const int width = int(parts_of(d, kDotLanes<T>)) * kDotLanes<T>;
  const int warps = gpu.threads() / kWarp, warp = gpu.thread() / kWarp;
  const int lane = gpu.thread() % kWarp;
  const int e = gpu.thread() * kNumbers, step = gpu.threads() * kNumbers;
  const int apart = e + step < length ? step : 0;  // past the last packet the first again

  for (u32 task = u32(gpu.block()); task < tasks; task += u32(gpu.blocks())) {
    const u32 chunk_set = task / per_set, v0 = (task - chunk_set * per_set) * u32(many);
    const u32 c = chunk_set / sets, own = chunk_set - c * sets;
    const SetVectors set(own, n, k);
    const int count = int(least(many, vectors - v0));
    TilesOfRows<int> here(int(c * chunk), int(least((c + 1) * chunk, m)), int(chunk), size);

    const auto fetch = [&](const TilesOfRows<int>& next) {
      const int rows = next.rows();
      const T* from = A + (own * m + next.row) * d;
      if constexpr (M::kBulk) {
        if (bulk && gpu.thread() == 0) {
          const int bytes = length * int(sizeof(T));
          gpu.expect(gate, rows * bytes);
          if (stride == length)
            gpu.copy_bulk(near, from, rows * bytes, gate);
          else
            for (int j = 0; j < rows; ++j)
              gpu.copy_bulk(near + j * stride, from + j * d, bytes, gate);
        }
      }
      if (!bulk) copy_rows(gpu, packet, from, d, near, stride, rows, length);
      for (int v = warp; v < count; v += warps) {
        const T* own_h = h + (own_weight ? set.row(v0 + v) : set.client) * m + next.row;
        for (int x = lane; x < rows; x += kWarp)
          gpu.template copy_async<int(sizeof(T))>(weights + v * size + x, own_h + x);
      }
      gpu.commit();
    };

    for (int v = 0; v < count; ++v)
      copy_rows(gpu, packet, V + set.at(v0 + v) * d, d, near_v + v * stride, stride, 1, length);
    fetch(here);
    clear_columns(gpu, near_v, stride, count, length, stride);
    clear_columns(gpu, near, stride, size, length, stride);
    count_rows(gpu, set, v0, count, here.row, m, own_weight, h, counts);
    for (int v = count + gpu.thread(); v < kVectors; v += gpu.threads()) counts[v] = 0;
    gpu.barrier();
    int fewest = int(m);
    for (int v = 0; v < count; ++v) fewest = int(least(fewest, counts[v]));
    here.last = int(least(here.last, most_of(count, counts)));

    T sum[kPackets][kVectors][kNumbers] = {};
    do {
      const TilesOfRows<int> next = here.next();
      gpu.template wait_all_but<0>();
      if constexpr (M::kBulk)
        if (bulk) gpu.wait_gate(gate, phase);
      phase ^= 1;
      gpu.barrier();
      const int rows = here.any() ? here.rows() : 0;
      tile_pulls<kTogether, kQ>(gpu, width, stride, size, rows, kGroups, near, near_v, weights,
                                pulls);
      gpu.barrier();
      if (e < length && here.row + rows <= fewest) {
        add_kept<kTogether, kGroups, kPackets, true>(stride, apart, size, rows, nullptr, near + e,
                                                     pulls, sum);
      } else if (e < length) {
        int left[kVectors];  // rows of the tile that count
        TL_UNROLL
        for (int v = 0; v < kVectors; ++v)
          left[v] = counts[v] < here.row ? 0 : int(least(counts[v] - here.row, rows));
        add_kept<kTogether, kGroups, kPackets, false>(stride, apart, size, rows, left, near + e,
                                                      pulls, sum);
      }
      gpu.barrier();  // the tile, and at last everything, may be written again
      if (next.any()) fetch(next);
      here = next;
    } while (here.any());
    TL_UNROLL
    for (int v = 0; v < kVectors; ++v) {
      if (v >= count) continue;
      T* to = sums + (c * R * n * k + set.at(v0 + v)) * d;
      TL_UNROLL
      for (int p = 0; p < kPackets; ++p) {
        TL_UNROLL
        for (int w = 0; w < kNumbers; ++w)
          if (e + p * step + w < length) to[e + p * step + w] = sum[p][v][w];
      }
    }
  }
}

#ifdef __CUDACC__
template <class T, int kTogether, int kGroups, int kPackets, int kQ>
__global__ void __launch_bounds__(256, 2)
    glm_hvp_kept_gpu(i64 R, i64 n, i64 m, i64 d, i64 k, i64 own_data, i64 own_weight, i64 many,
                     i64 tile, i64 packet, const T* A, const T* h, const T* V, T* sums) {
  glm_hvp_kept<Gpu, T, kTogether, kGroups, kPackets, kQ>(Gpu(), R, n, m, d, k, own_data, own_weight,
                                                         many, tile, packet, A, h, V, sums);
}
#endif

}  // namespace TL_ISA
}  // namespace tl
