// push_mix_columns.cuh (cuda) -- push_mix (../kernels/push_mix.cuh) of many clients.
//
// Of some hundred clients a tile of push_mix_tiles (push_mix.cuh) is so narrow that its rows meet
// in the banks of shared memory, and of a thousand it fits at most once. Here a tile is one pass of
// eight threads over all banks, 128 bytes a client at most; it lies in shared memory alone, and P
// is read from L2: eight threads own a row, and read eight of its entries at once.
//
// P       entries of a row in packets of eight, u16 each, filled up by a sender n, whose x is +0 in
//         shared memory and adds nothing; `places` has the rows of a run by their length, so
//         that threads of a warp end together, with the first packet of each, and a last place of
//         no row. A packet follows the last one, as packets are read one ahead. runs_apart = 0:
//         one P for all runs
// shares  eight a packet; or kEqual, where all entries of a column are the same number: one a
//         client and run, by which x is multiplied once, as in push_mix_groups.cuh
// w1      made by push_weights before
// shared  (n + 1) tile T
// cost    x once, x1 and z1 once, all P for each tile from L2. Shared memory: nnz tile T read
// bits    those of the host: the order of the sum is the order of the row
#pragma once
#include "push_mix_lanes.cuh"

namespace tl {
inline namespace TL_ISA {

constexpr int kRowThreads = 8;  // 16 bytes each: a pass over all banks
constexpr int kEntries = 8;     // of a packet
constexpr int kReads = 4;       // of them, whose x is read together

struct alignas(8) Place {
  i32 row, first;
};

// x, x1, z1 are aligned to kVec T and kVec divides d; tile has at most 8 packets of 16 bytes, and
// there are at least as many threads. kEqual: 0 or 1.
template <class M, class T, int kVec, int kEqual>
TL_HD void push_mix_columns(const M& m, i64 R, i64 n, i64 d, i64 tile, i64 runs_apart,
                            const Place* places, const unsigned short* senders, const T* shares,
                            const T* x, const T* w1, T* x1, T* z1) {
  constexpr int kHeld = 16 / int(sizeof(T)), kMany = 4;  // columns of a thread; reads under way
  T* near = reinterpret_cast<T*>(m.shared());
  const int clients = int(n), rows_at_once = m.threads() / kRowThreads;
  const int first = m.thread() / kRowThreads, column = m.thread() % kRowThreads * kHeld;
  for (int v = 0; v < kHeld && first == 0 && column < tile; ++v) near[n * tile + column + v] = 0;
  for (i64 t = m.block(); t < R * parts_of(d, tile); t += m.blocks()) {
    const Slice<kVec> s(t, d, tile);
    const i64 left = s.width - column, own = s.run * n * d + s.column + column;
    m.barrier();  // the tile may be written again
    TL_ROLLED
    for (int j = first; j < clients && left > 0; j += kMany * rows_at_once) {
      T value[kMany][kHeld];
      for (int k = 0; k < kMany; ++k)
        if (j + k * rows_at_once < clients)
          for (int v = 0; v < kHeld; v += kVec)
            if (v < left) take<T, kVec, 1>(x + own + (j + k * rows_at_once) * d + v, value[k] + v);
      for (int k = 0; k < kMany; ++k) {
        const int row = j + k * rows_at_once;
        if (row >= clients) break;
        const T times = kEqual ? shares[(runs_apart ? s.run * n : 0) + row] : T(1);
        Lanes<T, kHeld> lanes;
        for (int v = 0; v < kHeld; ++v) lanes.value[v] = kEqual ? times * value[k][v] : value[k][v];
        *reinterpret_cast<Packet<16>*>(near + row * int(tile) + column) = lanes.packet;
      }
    }
    m.barrier();
    const Place* rows = places + (runs_apart ? s.run * (n + 1) : 0);
    const unsigned char* mine = reinterpret_cast<const unsigned char*>(near + column);
    const u32 apart = u32(tile * i64(sizeof(T)));
    for (int place = first; place < clients && left > 0; place += rows_at_once) {
      const int i = rows[place].row, last = rows[place + 1].first;
      const T weight = w1[s.run * n + i];
      T sum[kHeld];
      for (int v = 0; v < kHeld; ++v) sum[v] = 0;
      int g = rows[place].first;
      const auto packet = [&](i64 of) {
        return *reinterpret_cast<const Packet<16>*>(senders + of * kEntries);
      };
      Packet<16> next = packet(g);
      TL_ROLLED
      for (; g < last; ++g) {
        const Packet<16> now = next;
        T times[kEntries];
        for (int k = 0; k < kEntries && !kEqual; k += kHeld)
          take<T, kHeld, 1>(shares + i64(g) * kEntries + k, times + k);
        next = packet(g + 1);
        for (int half = 0; half < kEntries; half += kReads) {
          T from[kReads][kHeld];
          for (int k = 0; k < kReads; ++k) {
            const u32 two = now.word[(half + k) / 2], sender = k % 2 ? two >> 16 : two & 0xFFFFu;
            take<T, kHeld, 1>(reinterpret_cast<const T*>(mine + sender * apart), from[k]);
          }
          for (int k = 0; k < kReads; ++k)
            for (int v = 0; v < kHeld; ++v)
              sum[v] += kEqual ? from[k][v] : times[half + k] * from[k][v];
        }
      }
      const Weight<T> divisor(weight);
      const i64 to = own + i * d;
      for (int v = 0; v < kHeld; v += kVec)
        if (v < left) put_both<M, T, kVec, 1>(m, x1 + to + v, z1 + to + v, sum + v, divisor, kVec);
    }
  }
}

#ifdef __CUDACC__
template <class T, int kVec, int kEqual>
__global__ void __launch_bounds__(1024, 1)
    push_mix_columns_gpu(i64 R, i64 n, i64 d, i64 tile, i64 runs_apart, const Place* places,
                         const unsigned short* senders, const T* shares, const T* x, const T* w1,
                         T* x1, T* z1) {
  push_mix_columns<Gpu, T, kVec, kEqual>(Gpu(), R, n, d, tile, runs_apart, places, senders, shares,
                                         x, w1, x1, z1);
}
#endif

}  // namespace TL_ISA
}  // namespace tl
