// hvp.cuh (cuda) -- what the schedules of glm_hvp, softmax_hvp and mix_jvp have in common.
//
// data     A has one (m, d) for each client, or for each run and client: a `set`. All vectors that
//          meet a set are counted through, v = (run, vector), so that a block reads the set once
//          for several of them, of one run or of several
// endings  total / m + reg V, and where there is a mix, mixed - s times that. mixed lies in out
//
//   hvp_finish   adds the sums of chunks, (chunks, R n k, size), and ends them
#pragma once
#include "../core/gpu.cuh"
#include "../kernels/glm_hvp.cuh"

#ifdef __CUDACC__
#define TL_UNROLL _Pragma("unroll")  // arrays that are indexed inside stay in registers
#define TL_UNROLL_4 _Pragma("unroll 4")
#define TL_UNROLL_8 _Pragma("unroll 8")
#else
#define TL_UNROLL
#define TL_UNROLL_4
#define TL_UNROLL_8
#endif

namespace tl {
inline namespace TL_ISA {

template <class T>
constexpr int kDotLanes = 64 / int(sizeof(T));  // sums that a dot has, as line_dot
template <class T>
constexpr int kWide = 16 / int(sizeof(T));  // numbers that a thread reads at once

TL_HD i64 least(i64 a, i64 b) { return a < b ? a : b; }

// Numbers from one row to the next in shared memory: whole lines of 64 bytes, an odd number of
// them, so that two neighbouring rows are read at once without a bank conflict.
template <class T>
TL_HD i64 row_stride(i64 d) {
  return (parts_of(d, kDotLanes<T>) | 1) * kDotLanes<T>;
}

// Whose vectors meet set `set`.
struct SetVectors {
  i64 n, k, run, client;
  TL_HD SetVectors(i64 set, i64 n, i64 k) : n(n), k(k), run(set / n), client(set % n) {}
  TL_HD i64 row(i64 v) const { return (run + u32(v) / u32(k)) * n + client; }  // of (R, n)
  TL_HD i64 at(i64 v) const { return row(v) * k + u32(v) % u32(k); }           // of (R, n, k)
};

template <class T>
struct HvpEnding {
  i64 n, size, own_s;
  T divisor, reg;
  const T* s;  // null: no mix
  T* out;
  TL_HD void put(i64 row, i64 at, i64 e, T total, T v) const {
    T* to = out + at * size + e;
    const T made = finished(total, divisor, reg, v);
    *to = s ? *to - s[own_s ? row : row % n] * made : made;
  }
};

// sum[q][b] += what this lane has of the dot of a[q] and v + b stride, whose zeros fill up the last
// kDotLanes of `width` numbers.
template <int kQ, int kTogether, class T>
TL_HD void add_dots(int width, int stride, const T* const (&a)[kQ], const T* v,
                    T (&sum)[kQ][kTogether]) {
  TL_UNROLL_4
  for (int e = 0; e < width; e += kDotLanes<T>) {
    T point[kTogether];
    TL_UNROLL
    for (int b = 0; b < kTogether; ++b) point[b] = v[b * stride + e];
    TL_UNROLL
    for (int q = 0; q < kQ; ++q) {
      const T x = a[q][e];
      TL_UNROLL
      for (int b = 0; b < kTogether; ++b) sum[q][b] += x * point[b];
    }
  }
}

// Every lane's sums become those of its kDotLanes lanes, as line_dot adds them.
template <int kQ, int kTogether, class M, class T>
TL_HD void add_lanes(const M& gpu, T (&sum)[kQ][kTogether]) {
  TL_UNROLL
  for (int half = kDotLanes<T> / 2; half; half /= 2) {
    TL_UNROLL
    for (int q = 0; q < kQ; ++q) {
      TL_UNROLL
      for (int b = 0; b < kTogether; ++b) sum[q][b] += gpu.from_lane_xor(sum[q][b], half);
    }
  }
}

// Rows of `length` numbers, `apart` from each other, into rows `stride` apart in shared memory, by
// all threads: whole warps share a row where there are more of them than rows.
template <int kBytes, class M, class T>
TL_HD void copy_packets(const M& gpu, const T* from, i64 apart, T* to, int stride, int rows,
                        int length) {
  if constexpr (kBytes >= int(sizeof(T))) {
    constexpr int kNumbers = kBytes / int(sizeof(T));
    const int warps = gpu.threads() / kWarp, warp = gpu.thread() / kWarp;
    const int share = rows < warps ? warps / (rows ? rows : 1) : 1, at_once = warps / share;
    const int first = warp % share * kWarp + gpu.thread() % kWarp;
    if (warp / share >= at_once) return;
    for (int j = warp / share; j < rows; j += at_once)
      for (int c = first * kNumbers; c < length; c += share * kWarp * kNumbers)
        gpu.template copy_async<kBytes>(to + j * stride + c, from + j * apart + c);
  }
}

// packet: bytes that every row's start and length allow, 16, 8 or 4.
template <class M, class T>
TL_HD void copy_rows(const M& gpu, i64 packet, const T* from, i64 apart, T* to, int stride,
                     int rows, int length) {
  if (packet == 16)
    copy_packets<16>(gpu, from, apart, to, stride, rows, length);
  else if (packet == 8)
    copy_packets<8>(gpu, from, apart, to, stride, rows, length);
  else
    copy_packets<4>(gpu, from, apart, to, stride, rows, length);
}

// Zeros from column `begin` to column `end` of the rows.
template <class M, class T>
TL_HD void clear_columns(const M& gpu, T* to, int stride, int rows, int begin, int end) {
  const int tail = end - begin;
  for (int x = gpu.thread(); x < tail * rows; x += gpu.threads())
    to[x / tail * stride + begin + x % tail] = 0;
}

// counts[v] = rows that count for v, or 0 where none from `first` on does. A warp takes a vector.
template <class M, class T>
TL_HD void count_rows(const M& gpu, const SetVectors& set, i64 v0, i64 vectors, i64 first, i64 m,
                      i64 own_weight, const T* h, i64* counts) {
  const int lane = gpu.thread() % kWarp;
  for (i64 v = gpu.thread() / kWarp; v < vectors; v += gpu.threads() / kWarp) {
    const T* own = h + (own_weight ? set.row(v0 + v) : set.client) * m;
    i64 rows = 0;
    for (i64 end = m; end > first && !rows; end -= kWarp) {
      const i64 j = end - 1 - lane;
      rows = j >= first && !(own[j] == 0) ? j + 1 : 0;
      for (int mask = kWarp / 2; mask; mask /= 2) {
        const i64 other = gpu.from_lane_xor(rows, mask);
        if (other > rows) rows = other;
      }
    }
    if (lane == 0) counts[v] = rows;
  }
}

TL_HD i64 most_of(i64 vectors, const i64* counts) {
  i64 most = 0;
  for (i64 v = 0; v < vectors; ++v)
    if (counts[v] > most) most = counts[v];
  return most;
}

// The tiles of rows begin .. last - 1, chunk by chunk, one after the other. A count of tiles would
// cost divisions of 64 bits in each of them.
template <class I>
struct TilesOfRows {
  I last, chunk, tile, row, chunk_end;
  TL_HD TilesOfRows(I begin, I last, I chunk, I tile)
      : last(last), chunk(chunk), tile(tile), row(begin), chunk_end(begin + chunk) {}
  TL_HD bool any() const { return row < last; }
  TL_HD I end() const { return chunk_end < last ? chunk_end : last; }
  TL_HD int rows() const { return int(tile < end() - row ? tile : end() - row); }
  TL_HD bool ends_chunk() const { return row + tile >= end(); }
  TL_HD TilesOfRows next() const {
    TilesOfRows after = *this;
    after.row += tile;
    if (after.row >= chunk_end) {
      after.row = chunk_end;
      after.chunk_end += chunk;
    }
    return after;
  }
};
using RowTiles = TilesOfRows<i64>;

template <class M, class T>
TL_HD void hvp_finish(const M& gpu, i64 R, i64 n, i64 k, i64 size, i64 chunks, i64 divisor,
                      double reg, const T* V, const T* s, i64 own_s, const T* sums, T* out) {
  const HvpEnding<T> ending{n, size, own_s, T(divisor), T(reg), s, out};
  const i64 all = R * n * k * size;
  const bool small = all < i64(1) << 32;  // a division of 64 bits is a hundred instructions
  for (i64 x = gpu.block() * gpu.threads() + gpu.thread(); x < all;
       x += gpu.blocks() * gpu.threads()) {
    T total = 0;
    TL_UNROLL_8  // so many reads are under way together
        for (i64 c = 0; c < chunks; ++c) total += sums[c * all + x];
    const i64 at = small ? u32(x) / u32(size) : x / size;
    ending.put(small ? u32(at) / u32(k) : at / k, at, x - at * size, total, V[x]);
  }
}

#ifdef __CUDACC__
template <class T>
__global__ void __launch_bounds__(kBlock, 1)
    hvp_finish_gpu(i64 R, i64 n, i64 k, i64 size, i64 chunks, i64 divisor, double reg, const T* V,
                   const T* s, i64 own_s, const T* sums, T* out) {
  hvp_finish(Gpu(), R, n, k, size, chunks, divisor, reg, V, s, own_s, sums, out);
}
#endif

}  // namespace TL_ISA
}  // namespace tl
