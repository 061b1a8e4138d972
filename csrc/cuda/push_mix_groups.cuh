// push_mix_groups.cuh (cuda) -- push_mix (../kernels/push_mix.cuh) where the rows of P are long.
//
// The schedule of push_mix_tiles (push_mix.cuh) is bound by shared memory once a row has some 16
// entries: each is a read of x there. Neighbouring rows share senders, so here a thread owns four
// rows of a packet of columns, runs through the senders of any of them, and reads x once for all.
// With 41 of 100 senders a row a group has 88, so 22 reads a row instead of 41.
//
// P       steps of all runs in one array, ascending senders of a group: sender << 4 | rows, with a
//         bit for each of the four rows that have it; groups are filled up to whole packets of
//         steps by such without rows. Group g of run r is indptr[r (groups + 1) + g] .. [.. + g +
//         1]. runs_apart = 0: one P for all runs. The rows must be ascending without repeats
// shares  four a step; or kEqual, where all entries of a column are the same number: one a client
//         and run. Then x is multiplied by it once, on its way into shared memory: the same
//         products, rounded before they are added, so the same bits with half the operations
// shared  steps (and shares, if not kEqual) of one run, groups + 1 offsets, 2 T a row for the
//         weights, one tile of n tile T: GroupsLayout. Two blocks share a multiprocessor, and while
//         one reads its tile the other one adds
// cost    x once, x1 and z1 once. A step and packet: a read of shared memory, four rows of sums
//         whether they have it or not (predicated), twice as many operations if not kEqual
// bits    those of the host: a row adds its own entries in the order of the row, and nothing for a
//         sender of other rows alone
#pragma once
#include "push_mix_lanes.cuh"

namespace tl {
inline namespace TL_ISA {

constexpr int kGroup = 4;  // rows of a group, and steps that are read together

// Where things lie in shared memory, in bytes; `end` is how much there must be.
template <class T>
struct GroupsLayout {
  i64 steps, shares, indptr, weights, tile, end;
  TL_HD GroupsLayout(i64 n, i64 columns, i64 most, bool equal) {
    const i64 groups = parts_of(n, kGroup);
    steps = 0;
    shares = steps + up_to(most * 4);
    indptr = shares + (equal ? 0 : up_to(most * kGroup * i64(sizeof(T))));
    weights = indptr + up_to((groups + 1) * 4);
    tile = weights + up_to(2 * kGroup * groups * i64(sizeof(T)));
    end = tile + up_to(n * columns * i64(sizeof(T)));
  }
};

// Tile t of x, each client's row times its share, into rows `tile` apart: it is there after the
// next barrier.
template <int kVec, class T>
TL_HD void fetch_times(const Stay<kVec>& stay, i64 t, const T* x, const T* share, T* near) {
  constexpr int kMany = 4;  // reads that are under way together
  const Slice<kVec> s(t, stay.d, stay.tile);
  if (stay.column >= s.width) return;
  const T* from = x + s.run * stay.n * stay.d + s.column + stay.column;
  T* to = near + stay.column;
  TL_ROLLED
  for (int j = stay.first_row; j < int(stay.n); j += kMany * stay.rows_at_once) {
    T value[kMany][kVec];
    for (int k = 0; k < kMany; ++k) {
      const int row = j + k * stay.rows_at_once;
      if (row < int(stay.n)) take<T, kVec, 1>(from + row * stay.d, value[k]);
    }
    for (int k = 0; k < kMany; ++k) {
      const int row = j + k * stay.rows_at_once;
      if (row >= int(stay.n)) break;
      const T times = share[row];
      Lanes<T, kVec> lanes;
      for (int v = 0; v < kVec; ++v) lanes.value[v] = times * value[k][v];
      *reinterpret_cast<decltype(lanes.packet)*>(to + row * stay.tile) = lanes.packet;
    }
  }
}

// d and tile are multiples of kVec, x, x1, z1 aligned to kVec T; tile / kVec divides the threads.
// most: the steps of the run that has most. kEqual: 0 or 1.
template <class M, class T, int kVec, int kEqual>
TL_HD void push_mix_groups(const M& m, i64 R, i64 n, i64 d, i64 tile, i64 runs_apart, i64 most,
                           const i64* indptr, const u32* steps, const T* shares, const T* x,
                           const T* w, T* x1, T* w1, T* z1) {
  const GroupsLayout<T> at(n, tile, most, kEqual);
  unsigned char* memory = m.shared();
  u32* near_steps = reinterpret_cast<u32*>(memory + at.steps);
  T* near_shares = reinterpret_cast<T*>(memory + at.shares);
  i32* near_indptr = reinterpret_cast<i32*>(memory + at.indptr);
  Weight<T>* weights = reinterpret_cast<Weight<T>*>(memory + at.weights);
  T* near = reinterpret_cast<T*>(memory + at.tile);
  const int groups = int(parts_of(n, kGroup));
  const Stay<kVec> stay(m, R, n, d, tile);

  i64 run = -1;
  for (i64 t = stay.first; t < stay.last; ++t) {
    const Slice<kVec> s(t, d, tile);
    const T* own_shares = shares + (kEqual && runs_apart ? s.run * n : 0);
    if (s.run != run) {
      const bool unread = run < 0 || runs_apart;
      run = s.run;
      const i64* rows = indptr + (runs_apart ? run * (groups + 1) : 0);
      const i64 begin = rows[0], count = rows[groups] - begin;
      if (unread) {
        for (i64 e = m.thread(); e < count; e += m.threads()) {
          const u32 step = steps[begin + e], apart = u32(tile * i64(sizeof(T)));
          near_steps[e] = (step >> kGroup) * apart | (step & 15);
        }
        for (i64 e = m.thread(); e < count * kGroup && !kEqual; e += m.threads())
          near_shares[e] = shares[begin * kGroup + e];
        for (int g = m.thread(); g <= groups; g += m.threads())
          near_indptr[g] = i32(rows[g] - begin);
      }
      for (int i = m.thread(); i < int(n); i += m.threads()) {
        const int r = i % kGroup;
        T weight = 0;
        for (i64 e = rows[i / kGroup]; e < rows[i / kGroup + 1]; ++e) {
          const u32 step = steps[e], j = step >> kGroup;
          if (step >> r & 1)
            weight += (kEqual ? own_shares[j] : shares[e * kGroup + r]) * w[run * n + j];
        }
        weights[i] = Weight<T>(weight);
        if (s.column == 0) w1[run * n + i] = weight;  // the block of a run's first tile
      }
    }
    if (kEqual) {
      fetch_times(stay, t, x, own_shares, near);
    } else {
      stay.fetch(m, t, x, near, tile);
      m.commit();
      m.template wait_all_but<0>();
    }
    m.barrier();
    const unsigned char* mine = reinterpret_cast<const unsigned char*>(near + stay.column);
    for (int g = stay.first_row; g < groups && stay.column < s.width; g += stay.rows_at_once) {
      T sum[kGroup][kVec];
      for (int r = 0; r < kGroup; ++r)
        for (int v = 0; v < kVec; ++v) sum[r][v] = 0;
      const i32 end = near_indptr[g + 1];
      TL_ROLLED
      for (i32 e = near_indptr[g]; e < end; e += kGroup) {
        Lanes<u32, kGroup> step;
        step.packet = *reinterpret_cast<const Packet<16>*>(near_steps + e);
        T from[kGroup][kVec];
        for (int k = 0; k < kGroup; ++k)
          take<T, kVec, 1>(reinterpret_cast<const T*>(mine + (step.value[k] & ~15u)), from[k]);
        for (int k = 0; k < kGroup; ++k) {
          T share[kGroup];
          for (int r = 0; r < kGroup && !kEqual; r += kVec)
            take<T, kVec, 1>(near_shares + (e + k) * kGroup + r, share + r);
          for (int r = 0; r < kGroup; ++r)
            if (step.value[k] >> r & 1)
              for (int v = 0; v < kVec; ++v)
                sum[r][v] += kEqual ? from[k][v] : share[r] * from[k][v];
        }
      }
      i64 to = (run * n + g * kGroup) * d + s.column + stay.column;
      for (int r = 0; r < kGroup && kGroup * g + r < int(n); ++r, to += d)
        put_both<M, T, kVec, 1>(m, x1 + to, z1 + to, sum[r], weights[kGroup * g + r], kVec);
    }
    m.barrier();  // the tile, the weights and the steps may be written again
  }
}

#ifdef __CUDACC__
template <class T, int kVec, int kEqual>
__global__ void __launch_bounds__(512, 2)
    push_mix_groups_gpu(i64 R, i64 n, i64 d, i64 tile, i64 runs_apart, i64 most, const i64* indptr,
                        const u32* steps, const T* shares, const T* x, const T* w, T* x1, T* w1,
                        T* z1) {
  push_mix_groups<Gpu, T, kVec, kEqual>(Gpu(), R, n, d, tile, runs_apart, most, indptr, steps,
                                        shares, x, w, x1, w1, z1);
}
#endif

}  // namespace TL_ISA
}  // namespace tl
