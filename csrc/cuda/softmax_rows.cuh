// softmax_rows.cuh (cuda) -- softmax_hvp (../kernels/glm_hvp.cuh) in one pass over A.
//
//   softmax_rows   a block owns a set of data, `many` of the vectors that meet it, and one chunk of
//                  its rows, whose sums it writes; hvp_finish ends them. Tiles of whole rows pass
//                  through shared memory, where the warps of every vector use each of them twice
//                  (softmax_lanes.cuh)
//
// tiles   one at a time: while a block waits for its tile, the others of its processor add up. Rows
//         of an odd number of features lie as they do in memory and travel in packets of 16 bytes,
//         whatever the alignment; others are padded, so that lanes that read one feature of several
//         rows meet no bank conflict
// shared  a tile, its chances and weights, the vectors, y of the tile; see SoftmaxLayout
// cost    A, prob and weight once for the vectors of a block; 4 C flop an entry of A and vector (no
//         FMA): with 20 of (vector, class), twice the time of the read
// H200    (a predecessor, with 12 words of shared memory for 40 flop) 178 us on the digits, 100
//         clients of 6,000 rows, and 5 us of hvp_finish, where a read of the data takes 44
// bits    those of the host
#pragma once
#include "softmax_lanes.cuh"

namespace tl {
inline namespace TL_ISA {

// Where things lie in shared memory, in bytes; `end` is how much there must be. rows: of a tile.
// weighings: runs whose chances and weights a block needs at most.
template <class T>
struct SoftmaxLayout {
  i64 stride, tile, chances, weights, vectors, y, counts, end;
  TL_HD SoftmaxLayout(i64 d, i64 C, i64 many, i64 rows, i64 weighings, i64 vec) {
    const i64 one = i64(sizeof(T));
    stride = vec == 1 ? d | 1 : (parts_of(d, vec) | 1) * vec;
    tile = up_to((rows * stride + kStrip<T>)*one + 16, 16);  // lanes read past the last row
    chances = up_to(rows * C * one + 16, 16);
    weights = up_to(rows * one + 16, 16);
    vectors = tile + weighings * (chances + weights);
    y = vectors + d * many * kLine<T> * one;
    counts = y + many * rows * kLine<T> * one;
    end = counts + up_to(many * 8, 16);  // the compiler reads them two by two
  }
};

// What lies in memory in one piece, into shared memory, shifted so that packets of 16 bytes stay
// what they are: the number of T by which it is.
template <class T>
TL_HD int packet_shift(const T* from) {
  return int(u64(from) / sizeof(T) % kWide<T>);
}
template <class M, class T>
TL_HD void copy_flat(const M& gpu, const T* from, T* to, int count) {
  constexpr int kNumbers = kWide<T>;
  const int shift = packet_shift(from), head = int(least((kNumbers - shift) % kNumbers, count));
  const int packets = (count - head) / kNumbers, done = head + packets * kNumbers;
  for (int x = gpu.thread(); x < packets; x += gpu.threads())
    gpu.template copy_async<16>(to + shift + head + x * kNumbers, from + head + x * kNumbers);
  const int x = gpu.thread();
  if (x < head) gpu.template copy_async<int(sizeof(T))>(to + shift + x, from + x);
  if (x < count - done)
    gpu.template copy_async<int(sizeof(T))>(to + shift + done + x, from + done + x);
}

// many: vectors of a block. tile: rows. The threads are many times the strips warps. kVec: features
// that are read together, 1 or all of 16 bytes, which then divide d and the alignment of A.
// weighings: see SoftmaxLayout. sums: (chunks, R n k, d C). Counts of blocks, rows and vectors, and
// the size of one, are below 2^31.
template <class M, class T, int kVec>
TL_HD void softmax_rows(const M& gpu, i64 R, i64 n, i64 m, i64 d, i64 k, i64 C, i64 own_data,
                        i64 own_weight, i64 many, i64 tile, i64 weighings, const T* A,
                        const T* weight, const T* prob, const T* V, T* sums) {
  constexpr int kTogether = kTile<T>, kApart = kVec == 1 ? kHalfWarp : 1;
  const i64 chunk = hvp_chunk(m);
  const u32 chunks = u32(m + chunk - 1) / u32(chunk);
  const u32 sets = u32(own_data ? R * n : n), vectors = u32(own_data ? k : R * k);
  const u32 per_set = (vectors + u32(many) - 1) / u32(many), tasks = chunks * sets * per_set;
  const SoftmaxLayout<T> at(d, C, many, tile, weighings, kVec);
  unsigned char* memory = gpu.shared();
  i64* counts = reinterpret_cast<i64*>(memory + at.counts);
  const int stride = int(at.stride), length = int(d), classes = int(C);
  const bool flat = kVec == 1 && stride == length;
  const int lane = gpu.thread() % kWarp, warp = gpu.thread() / kWarp;
  const int half = lane / kHalfWarp, own_lane = lane % kHalfWarp;
  const int mine = warp % int(many), strip = warp / int(many);
  const int strips = gpu.threads() / kWarp / int(many);
  T* points = reinterpret_cast<T*>(memory + at.vectors) + mine * length * kLine<T>;
  T* near_y = reinterpret_cast<T*>(memory + at.y) + mine * int(tile) * kLine<T>;
  const int left = strip == strips - 1 ? length - strips * kStrip<T> : 0;  // features of the rest
  const bool own_rest = left > 0 && lane < left * classes;
  const int rest = own_rest ? strips * kStrip<T> + lane / classes : 0;
  const int rest_class = own_rest ? lane % classes : 0;
  const int first_feature = strip * kStrip<T> + (kVec == 1 ? own_lane : own_lane * kTogether);

  for (u32 task = u32(gpu.block()); task < tasks; task += u32(gpu.blocks())) {
    const u32 chunk_set = task / per_set, v0 = (task - chunk_set * per_set) * u32(many);
    const u32 c = chunk_set / sets, own = chunk_set - c * sets;
    const SetVectors set(own, n, k);
    const int count = int(least(many, vectors - v0));
    const bool busy = mine < count;
    const u32 run0 = v0 / u32(k), own_run = (v0 + u32(mine)) / u32(k);  // behind set.run
    const int runs = own_weight ? int((v0 + u32(count) - 1) / u32(k) - run0) + 1 : 1;
    const int weighing = own_weight && busy ? int(own_run - run0) : 0;
    const i64 row0 = own_weight ? (set.run + run0) * n + set.client : set.client;  // of weights
    const i64 at_v = ((set.run + own_run) * n + set.client) * k + (v0 + u32(mine)) % u32(k);
    TilesOfRows<int> here(int(c * chunk), int(least((c + 1) * chunk, m)), int(chunk), int(tile));

    const auto fetch = [&](const TilesOfRows<int>& next) {
      unsigned char* into = memory;
      const T* from = A + (own * m + next.row) * d;
      const int rows = next.rows();
      if (flat)
        copy_flat(gpu, from, reinterpret_cast<T*>(into), rows * length);
      else
        copy_packets<kVec* int(sizeof(T))>(gpu, from, d, reinterpret_cast<T*>(into), stride, rows,
                                           length);
      into += at.tile;
      for (int run = 0; run < runs; ++run, into += at.chances + at.weights) {
        const i64 first = (row0 + run * n) * m + next.row;
        copy_flat(gpu, prob + first * C, reinterpret_cast<T*>(into), rows * classes);
        copy_flat(gpu, weight + first, reinterpret_cast<T*>(into + at.chances), rows);
      }
      gpu.commit();
    };

    fetch(here);
    if (busy) {
      const T* v = V + at_v * d * C;
      for (int f = strip * kWarp + lane; f < length; f += strips * kWarp) {
        TL_UNROLL
        for (int x = 0; x < kClasses; ++x)
          points[f * kLine<T> + x] = x < classes ? v[f * classes + x] : T(0);
      }
    }
    count_rows(gpu, set, v0, count, here.row, m, own_weight, weight, counts);
    gpu.barrier();
    here.last = int(least(here.last, most_of(count, counts)));
    const int end = busy ? int(counts[mine]) : 0;  // of the rows that the warp's vector counts

    LaneSums<T> own_sums = {};
    do {
      const TilesOfRows<int> next = here.next();
      gpu.template wait_all_but<0>();
      gpu.barrier();
      const int rows = here.any() ? here.rows() : 0;
      const T* near = reinterpret_cast<const T*>(memory) +
                      (flat ? packet_shift(A + (own * m + here.row) * d) : 0);
      if (busy) {
        const i64 first = (row0 + weighing * n) * m + here.row;
        const unsigned char* by = memory + at.tile + weighing * (at.chances + at.weights);
        const T* chances = reinterpret_cast<const T*>(by) + packet_shift(prob + first * C);
        const T* weights =
            reinterpret_cast<const T*>(by + at.chances) + packet_shift(weight + first);
        for (int j = strip * kStrip<T>; j < rows; j += strips * kStrip<T>)
          lane_curves<kVec>(gpu, j + own_lane, half, rows, length, classes, stride, near, points,
                            chances, weights, near_y);
      }
      if (strips > 1)
        gpu.barrier();
      else
        gpu.warp_barrier();
      const int counted = end < here.row ? 0 : int(least(end - here.row, rows));
      if (left > 0)
        add_rows<kVec, true>(counted, half, stride, near + first_feature, near_y, near + rest,
                             near_y + rest_class, own_sums);
      else
        add_rows<kVec, false>(counted, half, stride, near + first_feature, near_y, near, near_y,
                              own_sums);
      gpu.barrier();  // the tile and y, and at last everything, may be written again
      if (next.any()) fetch(next);
      here = next;
    } while (here.any());
    if (!busy) continue;
    T* own_place = sums + (c * R * n * k + at_v) * d * C;
    TL_UNROLL
    for (int i = 0; i < kTogether; ++i) {
      TL_UNROLL
      for (int x = 0; x < kHalf; ++x)
        if (first_feature + i * kApart < length && class_of(half, x) < classes)
          own_place[(first_feature + i * kApart) * classes + class_of(half, x)] =
              own_sums.sum[i][x];
    }
    if (own_rest) own_place[rest * classes + rest_class] = own_sums.rest;
  }
}

#ifdef __CUDACC__
template <class T, int kVec>
__global__ void __launch_bounds__(kBlock, sizeof(T) == 4 ? 2 : 1)
    softmax_rows_gpu(i64 R, i64 n, i64 m, i64 d, i64 k, i64 C, i64 own_data, i64 own_weight,
                     i64 many, i64 tile, i64 weighings, const T* A, const T* weight, const T* prob,
                     const T* V, T* sums) {
  softmax_rows<Gpu, T, kVec>(Gpu(), R, n, m, d, k, C, own_data, own_weight, many, tile, weighings,
                             A, weight, prob, V, sums);
}
#endif

}  // namespace TL_ISA
}  // namespace tl
