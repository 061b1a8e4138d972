// hvp_passes.cuh (cuda) -- glm_hvp and softmax_hvp where no block has room for whole rows.
//
// Pass 1 makes y (sets, m, vectors C), what each row adds to the sums but for its own factor: a
// GLM's h <a, v> (C = 1), or softmax's (z - q) (p w) (softmax_hvp.cuh). Pass 2 is one for both,
//
//     sum_vfc = sum_j a_jf y_jvc
//
//   glm_hvp_pulls   pass 1 of a GLM: columns of some rows and vectors pass through shared memory
//                   in order, a thread is one lane of kPullRows rows with kWide vectors
//   hvp_outer       pass 2: a block owns columns of a set, some (vector, class), and one chunk
//                   (split) or all; a thread owns kWide columns of kWide (vector, class), whose
//                   sums are in registers; rows in order
//
// cost    A twice, y once and once for each block across a set; 4 C flop for an entry of A and
//         vector. In pass 2 a thread reads 32 bytes of shared memory for 32 flop (float)
// H200    (an estimate) a GLM is bound by memory, at half of what glm_hvp_rows reaches: A is read
//         twice. Softmax products of digits in these passes took 12 times one read of A
// bits    those of the host
#pragma once
#include "hvp.cuh"

namespace tl {
inline namespace TL_ISA {

// tile: columns, a multiple of kDotLanes. Rows of a block: kPullRows a team of kDotLanes threads.
// Shared: 2 (rows + kWide) row_stride(tile) T and kWide counts.
constexpr int kPullRows = 2;

template <class M, class T>
TL_HD void glm_hvp_pulls(const M& gpu, i64 R, i64 n, i64 m, i64 d, i64 k, i64 own_data,
                         i64 own_weight, i64 tile, i64 packet, const T* A, const T* h, const T* V,
                         T* y) {
  constexpr int kLanes = kDotLanes<T>, kTogether = kWide<T>, kQ = kPullRows;
  const i64 sets = own_data ? R * n : n, vectors = own_data ? k : R * k;
  const int lane = gpu.thread() % kLanes, team = gpu.thread() / kLanes;
  const int teams = gpu.threads() / kLanes, block_rows = teams * kQ;
  const i64 per_set = parts_of(m, block_rows), groups = parts_of(vectors, kTogether);
  const int stride = int(row_stride<T>(tile));
  T* buffers = reinterpret_cast<T*>(gpu.shared());  // rows of A, then of V, twice
  const i64 buffer = i64(block_rows + kTogether) * stride;
  i64* counts = reinterpret_cast<i64*>(buffers + 2 * buffer);

  for (i64 task = gpu.block(); task < sets * per_set * groups; task += gpu.blocks()) {
    const i64 own = task / (per_set * groups), v0 = task % groups * kTogether;
    const i64 j0 = task / groups % per_set * block_rows;
    const SetVectors set(own, n, k);
    const int count = int(least(kTogether, vectors - v0));
    count_rows(gpu, set, v0, count, j0, m, own_weight, h, counts);
    gpu.barrier();
    const int rows = int(least(block_rows, most_of(count, counts) - j0));
    const i64 all = rows > 0 ? parts_of(d, tile) : 0;

    const auto fetch = [&](i64 t) {
      const int columns = int(least(tile, d - t * tile));
      T* to = buffers + (t & 1) * buffer;
      const T* from = A + (own * m + j0) * d + t * tile;
      copy_rows(gpu, packet, from, d, to, stride, rows, columns);
      for (int v = 0; v < count; ++v)
        copy_rows(gpu, packet, V + set.at(v0 + v) * d + t * tile, d, to + (block_rows + v) * stride,
                  stride, 1, columns);
      const int width = int(parts_of(columns, kLanes)) * kLanes;
      clear_columns(gpu, to, stride, rows, columns, width);
      clear_columns(gpu, to + block_rows * stride, stride, count, columns, width);
    };

    T sum[kQ][kTogether] = {};
    if (all) fetch(0);
    gpu.commit();
    for (i64 t = 0; t < all; ++t) {
      if (t + 1 < all) fetch(t + 1);
      gpu.commit();
      gpu.template wait_all_but<1>();
      gpu.barrier();
      const T* near = buffers + (t & 1) * buffer;
      const T* v = near + block_rows * stride + lane;
      const T* a[kQ];
      TL_UNROLL
      for (int q = 0; q < kQ; ++q)
        a[q] = near + (team + q * teams < rows ? team + q * teams : 0) * stride + lane;
      add_dots(int(least(tile, d - t * tile)), stride, a, v, sum);
      gpu.barrier();  // the buffer may be written again
    }
    add_lanes(gpu, sum);
    TL_UNROLL
    for (int q = 0; q < kQ; ++q) {
      const i64 j = j0 + team + q * teams;
      TL_UNROLL
      for (int b = 0; b < kTogether; ++b)
        if (lane == q * kTogether + b && team + q * teams < rows && b < count)
          y[(own * m + j) * vectors + v0 + b] =
              sum[q][b] * h[(own_weight ? set.row(v0 + b) : set.client) * m + j];
    }
    gpu.template wait_all_but<0>();
    gpu.barrier();  // the counts may be written again
  }
}

// sum_bw += by_b a_w where row j counts for b.
template <class T, int kNumbers>
TL_HD void add_outer(const T* a, const T* by, int j, const int* left,
                     T (&sum)[kNumbers][kNumbers]) {
  Lanes<T, kNumbers> own, pull;
  own.packet = *reinterpret_cast<const decltype(own.packet)*>(a);
  pull.packet = *reinterpret_cast<const decltype(own.packet)*>(by);
  TL_UNROLL
  for (int b = 0; b < kNumbers; ++b) {
    if (left && j >= left[b]) continue;
    TL_UNROLL
    for (int w = 0; w < kNumbers; ++w) sum[b][w] += pull.value[b] * own.value[w];
  }
}

// tile: rows. groups: of kWide columns of y that a block takes; packets: of kWide columns of A;
// groups packets <= threads. Shared: 2 tile (packets + groups) kWide T, then the counts of the
// vectors, groups kWide at most. sums: split, (chunks, R n k, d C), else unused.
template <class M, class T>
TL_HD void hvp_outer(const M& gpu, i64 R, i64 n, i64 m, i64 d, i64 k, i64 C, i64 own_data,
                     i64 own_weight, i64 own_s, i64 tile, i64 packets, i64 groups, i64 packet,
                     i64 split, i64 divisor, double reg, const T* A, const T* h, const T* y,
                     const T* V, const T* s, T* sums, T* out) {
  constexpr int kNumbers = kWide<T>;
  const i64 chunk = hvp_chunk(m), chunks = split ? parts_of(m, chunk) : 1;
  const i64 sets = own_data ? R * n : n, width = (own_data ? k : R * k) * C;
  const int wide_a = int(packets) * kNumbers, wide_y = int(groups) * kNumbers;
  const i64 across = parts_of(d, wide_a), down = parts_of(width, wide_y);
  const int buffer = int(tile) * (wide_a + wide_y);
  T* buffers = reinterpret_cast<T*>(gpu.shared());
  i64* counts = reinterpret_cast<i64*>(buffers + 2 * buffer);
  const int column = gpu.thread() % int(packets) * kNumbers, group = gpu.thread() / int(packets);
  const HvpEnding<T> ending{n, d * C, own_s, T(divisor), T(reg), s, out};

  for (i64 task = gpu.block(); task < chunks * sets * across * down; task += gpu.blocks()) {
    const i64 c = task / (sets * across * down), own = task / (across * down) % sets;
    const i64 e0 = task / down % across * wide_a, w0 = task % down * wide_y;
    const SetVectors set(own, n, k);
    const int columns = int(least(wide_a, d - e0)), used = int(least(wide_y, width - w0));
    const i64 v0 = w0 / C, vectors = (w0 + used - 1) / C - v0 + 1;
    RowTiles here(c * chunk, split ? least((c + 1) * chunk, m) : m, chunk, tile);
    count_rows(gpu, set, v0, vectors, here.row, m, own_weight, h, counts);
    gpu.barrier();
    here.last = least(here.last, most_of(vectors, counts));
    const bool busy = group < groups && group * kNumbers < used && column < columns;
    i64 end[kNumbers];  // where the rows of the thread's vectors end
    TL_UNROLL
    for (int b = 0; b < kNumbers; ++b) {
      const int w = group * kNumbers + b;
      end[b] = !busy ? 0 : w < used ? counts[(w0 + w) / C - v0] : m;
    }

    const auto fetch = [&](const RowTiles& next, int which) {
      const i64 j = own * m + next.row;
      const int rows = next.rows();
      T* to = buffers + which * buffer;
      copy_rows(gpu, packet, A + j * d + e0, d, to, wide_a, rows, columns);
      copy_rows(gpu, i64(sizeof(T)), y + j * width + w0, width, to + int(tile) * wide_a, wide_y,
                rows, used);
    };

    T total[kNumbers][kNumbers] = {}, sum[kNumbers][kNumbers] = {};
    if (here.any()) fetch(here, 0);
    gpu.commit();
    for (int which = 0; here.any(); which ^= 1) {
      const RowTiles next = here.next();
      if (next.any()) fetch(next, which ^ 1);
      gpu.commit();
      gpu.template wait_all_but<1>();
      gpu.barrier();
      const int rows = here.rows();
      const T* near = buffers + which * buffer;
      const T* by = near + int(tile) * wide_a + group * kNumbers;
      int left[kNumbers], fewest = rows;
      TL_UNROLL
      for (int b = 0; b < kNumbers; ++b) {
        left[b] = end[b] < here.row ? 0 : int(least(end[b] - here.row, rows));
        fewest = left[b] < fewest ? left[b] : fewest;
      }
      for (int j = 0; j < fewest; ++j)
        add_outer<T, kNumbers>(near + j * wide_a + column, by + j * wide_y, j, nullptr, sum);
      for (int j = fewest; busy && j < rows; ++j)
        add_outer<T, kNumbers>(near + j * wide_a + column, by + j * wide_y, j, left, sum);
      if (here.ends_chunk()) {
        TL_UNROLL
        for (int b = 0; b < kNumbers; ++b) {
          TL_UNROLL
          for (int w = 0; w < kNumbers; ++w) {
            total[b][w] += sum[b][w];
            sum[b][w] = 0;
          }
        }
      }
      gpu.barrier();  // the buffer may be written again
      here = next;
    }
    for (int b = 0; busy && b < kNumbers && group * kNumbers + b < used; ++b)
      for (int w = 0; w < kNumbers && column + w < columns; ++w) {
        const i64 col = w0 + group * kNumbers + b, e = (e0 + column + w) * C + col % C;
        const i64 to = set.at(col / C), at = to * d * C + e;
        if (split)
          sums[c * R * n * k * d * C + at] = total[b][w];
        else
          ending.put(set.row(col / C), to, e, total[b][w], V[at]);
      }
    gpu.template wait_all_but<0>();
    gpu.barrier();  // the counts may be written again
  }
}

#ifdef __CUDACC__
template <class T>
__global__ void __launch_bounds__(kBlock, 1)
    glm_hvp_pulls_gpu(i64 R, i64 n, i64 m, i64 d, i64 k, i64 own_data, i64 own_weight, i64 tile,
                      i64 packet, const T* A, const T* h, const T* V, T* y) {
  glm_hvp_pulls(Gpu(), R, n, m, d, k, own_data, own_weight, tile, packet, A, h, V, y);
}

template <class T>
__global__ void __launch_bounds__(kBlock, 1)
    hvp_outer_gpu(i64 R, i64 n, i64 m, i64 d, i64 k, i64 C, i64 own_data, i64 own_weight, i64 own_s,
                  i64 tile, i64 packets, i64 groups, i64 packet, i64 split, i64 divisor, double reg,
                  const T* A, const T* h, const T* y, const T* V, const T* s, T* sums, T* out) {
  hvp_outer(Gpu(), R, n, m, d, k, C, own_data, own_weight, own_s, tile, packets, groups, packet,
            split, divisor, reg, A, h, y, V, s, sums, out);
}
#endif

}  // namespace TL_ISA
}  // namespace tl
