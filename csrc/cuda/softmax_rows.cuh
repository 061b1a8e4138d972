// softmax_rows.cuh (cuda) -- softmax_hvp (../kernels/glm_hvp.cuh) in one pass over A.
//
//   softmax_rows   a block owns a set of data, `many` of the vectors that meet it, and one chunk of
//                  its rows (split) or all. Tiles of whole rows pass through shared memory, where
//                  the warps of every vector use each of them twice (softmax_lanes.cuh)
//
// tiles   one at a time: while a block waits for its tile, the others of its processor add up. Rows
//         of an odd number of features lie as they do in memory and travel in packets of 16 bytes,
//         whatever the alignment; others are padded, so that lanes that read one feature of 32 rows
//         meet no bank conflict
// shared  a tile, its chances and weights, the vectors, y of the tile; see SoftmaxLayout
// cost    A, prob and weight once for the vectors of a block; 4 C flop an entry of A and vector
//         (no FMA), of which three quarters of the instructions are made: they are the limit
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
    end = counts + many * 8;
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
// weighings: see SoftmaxLayout. s: null, or the steps, where out holds what was mixed. sums: split,
// (chunks, R n k, d C); else as out, and may be out where s is null. Counts of blocks, rows and
// vectors, and the size of one, are below 2^31.
template <class M, class T, int kVec>
TL_HD void softmax_rows(const M& gpu, i64 R, i64 n, i64 m, i64 d, i64 k, i64 C, i64 own_data,
                        i64 own_weight, i64 own_s, i64 many, i64 tile, i64 weighings, i64 split,
                        double reg, const T* A, const T* weight, const T* prob, const T* V,
                        const T* s, T* sums, T* out) {
  constexpr int kTogether = kFeaturesALane<T>;
  const i64 chunk = hvp_chunk(m);
  const u32 chunks = split ? u32(m + chunk - 1) / u32(chunk) : 1;
  const u32 sets = u32(own_data ? R * n : n), vectors = u32(own_data ? k : R * k);
  const u32 per_set = (vectors + u32(many) - 1) / u32(many), tasks = chunks * sets * per_set;
  const SoftmaxLayout<T> at(d, C, many, tile, weighings, kVec);
  unsigned char* memory = gpu.shared();
  T* points = reinterpret_cast<T*>(memory + at.vectors);
  i64* counts = reinterpret_cast<i64*>(memory + at.counts);
  const int stride = int(at.stride), length = int(d), classes = int(C), size = int(tile);
  const bool flat = kVec == 1 && stride == length;
  const int lane = gpu.thread() % kWarp, warp = gpu.thread() / kWarp;
  const int mine = warp % int(many), strip = warp / int(many);
  const int strips = gpu.threads() / kWarp / int(many);
  T* near_y = reinterpret_cast<T*>(memory + at.y) + mine * size * kLine<T>;
  const int left = strip == strips - 1 ? length - strips * kStrip<T> : 0;  // features of the rest
  const bool has_rest = left > 0, own_rest = has_rest && lane < left * classes;
  const int rest = own_rest ? strips * kStrip<T> + lane / classes : 0;
  const int rest_class = own_rest ? lane % classes : 0;
  const int first_feature = strip * kStrip<T> + (kVec == 1 ? lane : lane * kTogether);
  constexpr int kApart = kVec == 1 ? kWarp : 1;
  const HvpEnding<T> ending{n, d * C, own_s, T(1), T(reg), s, out};

  for (u32 task = u32(gpu.block()); task < tasks; task += u32(gpu.blocks())) {
    const u32 rest_of = task / per_set, v0 = (task - rest_of * per_set) * u32(many);
    const u32 c = rest_of / sets, own = rest_of - c * sets;
    const u32 run_of = own / u32(n);
    const i64 client = own - run_of * u32(n);
    const int count = int(least(many, vectors - v0));
    const u32 run0 = v0 / u32(k), last_run = (v0 + u32(count) - 1) / u32(k);
    const int runs = own_weight ? int(last_run - run0) + 1 : 1;
    const u32 own_run = (v0 + u32(mine)) / u32(k);  // of the warp's vector, after run_of
    const int weighing = own_weight && mine < count ? int(own_run - run0) : 0;
    const i64 row = (i64(run_of) + own_run) * n + client;  // of (R, n)
    const i64 to = row * k + (v0 + u32(mine) - own_run * u32(k));
    const auto row_of = [&](int run) {  // of (R, n) or (n): whose weights and chances they are
      return own_weight ? (i64(run_of) + run0 + run) * n + client : client;
    };
    RowTiles here(c * chunk, split ? least((c + 1) * chunk, m) : m, chunk, tile);
    const i64 begin = here.row;

    const auto fetch = [&](const RowTiles& next) {
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
        const i64 first = row_of(run) * m + next.row;
        copy_flat(gpu, prob + first * C, reinterpret_cast<T*>(into), rows * classes);
        copy_flat(gpu, weight + first, reinterpret_cast<T*>(into + at.chances), rows);
      }
      gpu.commit();
    };

    fetch(here);
    if (mine < count) {
      const T* v = V + to * d * C;
      T* lines = points + i64(mine) * d * kLine<T>;
      for (int f = strip * kWarp + lane; f < length; f += strips * kWarp) {
        T line[kClasses];
        TL_UNROLL
        for (int x = 0; x < kClasses; ++x) line[x] = x < classes ? v[f * classes + x] : T(0);
        write_line(lines + f * kLine<T>, line);
      }
    }
    count_rows(gpu, SetVectors(own, n, k), v0, count, begin, m, own_weight, weight, counts);
    gpu.barrier();
    here.last = least(here.last, most_of(count, counts));
    const i64 end = mine < count ? counts[mine] : 0;  // of the rows that the warp's vector counts

    LaneSums<T> own_sums = {};
    do {
      const RowTiles next = here.next();
      gpu.template wait_all_but<0>();
      gpu.barrier();
      const int rows = here.any() ? here.rows() : 0;
      const T* from = A + (own * m + here.row) * d;
      const T* near = reinterpret_cast<const T*>(memory) + (flat ? packet_shift(from) : 0);
      if (mine < count) {
        const i64 first = row_of(weighing) * m + here.row;
        const unsigned char* by = memory + at.tile + weighing * (at.chances + at.weights);
        const T* chances = reinterpret_cast<const T*>(by) + packet_shift(prob + first * C);
        const T* weights =
            reinterpret_cast<const T*>(by + at.chances) + packet_shift(weight + first);
        for (int j = strip * kRowsAWarp<T>; j < rows; j += strips * kRowsAWarp<T>)
          lane_curves<kVec>(j + lane, rows, length, classes, stride, near,
                            points + i64(mine) * d * kLine<T>, chances, weights, near_y);
      }
      if (strips > 1)
        gpu.barrier();
      else
        gpu.warp_barrier();
      const int counted = end < here.row ? 0 : int(least(end - here.row, rows));
      if (has_rest)
        add_rows<kVec, true>(counted, stride, near + first_feature, near_y, near + rest,
                             near_y + rest_class, own_sums);
      else
        add_rows<kVec, false>(counted, stride, near + first_feature, near_y, near, near_y,
                              own_sums);
      if (here.ends_chunk() && mine < count) {
        const bool first = here.chunk_end == begin + chunk, last = !next.any();
        const auto put = [&](int f, int x, T total) {
          const i64 e = f * classes + x, place = to * d * C + e;
          if (split) {
            sums[c * R * n * k * d * C + place] = total;
            return;
          }
          if (!first) total = sums[place] + total;
          if (last)
            ending.put(row, to, e, total, V[place]);
          else
            sums[place] = total;
        };
        TL_UNROLL
        for (int i = 0; i < kTogether; ++i) {
          TL_UNROLL
          for (int x = 0; x < kClasses; ++x)
            if (first_feature + i * kApart < length && x < classes)
              put(first_feature + i * kApart, x, own_sums.sum[i][x]);
        }
        if (own_rest) put(rest, rest_class, own_sums.rest);
        own_sums = {};
      }
      gpu.barrier();  // the tile and y, and at last everything, may be written again
      if (next.any()) fetch(next);
      here = next;
    } while (here.any());
  }
}

#ifdef __CUDACC__
template <class T, int kVec>
__global__ void __launch_bounds__(kBlock, 2)
    softmax_rows_gpu(i64 R, i64 n, i64 m, i64 d, i64 k, i64 C, i64 own_data, i64 own_weight,
                     i64 own_s, i64 many, i64 tile, i64 weighings, i64 split, double reg,
                     const T* A, const T* weight, const T* prob, const T* V, const T* s, T* sums,
                     T* out) {
  softmax_rows<Gpu, T, kVec>(Gpu(), R, n, m, d, k, C, own_data, own_weight, own_s, many, tile,
                             weighings, split, reg, A, weight, prob, V, s, sums, out);
}
#endif

}  // namespace TL_ISA
}  // namespace tl
