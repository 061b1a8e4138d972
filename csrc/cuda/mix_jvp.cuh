// mix_jvp.cuh (cuda) -- the mix of mix_jvp (../kernels/mix_jvp.cuh); the rest is glm_hvp's.
//
//   mix_rows   out = mixed: a block owns (r, i) and threads kVec columns of the k vectors. It lists
//              the edges of row i, in order, then each thread adds them, kAhead reads at a time.
//              glm_hvp_rows, hvp_outer or hvp_finish subtract s times the product afterwards; where
//              that is of what was mixed (4a), they read it from out
//
// shared  threads edges: (T, sender) each, and two numbers a warp
// cost    u from L2 once an edge, k d T written; the row of c once a block. Dense c, n = 100,
//         k d = 1568: 63 MB from L2 beside the 188 MB of A from memory; 11 edges a row: 7 MB
// bits    those of the host: j rises, a weight of 0 is no edge
#pragma once
#include "../kernels/mix_jvp.cuh"
#include "hvp.cuh"

namespace tl {
inline namespace TL_ISA {

constexpr int kAhead = 8;

// length: k times the size of a vector, a multiple of kVec; u and out aligned to kVec T.
template <class M, class T, int kVec>
TL_HD void mix_rows(const M& gpu, i64 R, i64 n, i64 length, i64 own_c, const T* c, const T* u,
                    T* out) {
  const int threads = gpu.threads(), lane = gpu.thread() % kWarp, warp = gpu.thread() / kWarp;
  T* share = reinterpret_cast<T*>(gpu.shared());
  i32* from = reinterpret_cast<i32*>(share + threads);
  i32* in_warp = from + threads;
  const i64 slices = parts_of(length, i64(threads) * kVec);
  for (i64 task = gpu.block(); task < R * n * slices; task += gpu.blocks()) {
    const i64 row = task / slices, r = row / n;
    const i64 e = (task % slices * threads + gpu.thread()) * kVec;
    const T* edges = c + (own_c ? row : row % n) * n;
    T sum[kVec] = {};
    for (i64 j0 = 0; j0 < n; j0 += threads) {
      const i64 j = j0 + gpu.thread();
      const T weight = j < n ? edges[j] : T(0);
      const i32 is = weight == 0 ? 0 : 1;
      i32 before = 0, all = is;  // edges of lower lanes; of all lanes that met so far
      for (int mask = 1; mask < kWarp; mask *= 2) {
        const i32 other = gpu.from_lane_xor(all, mask);
        if (lane & mask) before += other;
        all += other;
      }
      if (lane == 0) in_warp[warp] = all;
      gpu.barrier();  // the list may be written again, too
      i32 count = 0;
      for (int w = 0; w < threads / kWarp; ++w) {
        if (w == warp) before += count;
        count += in_warp[w];
      }
      if (is) {
        share[before] = weight;
        from[before] = i32(gpu.thread());
      }
      gpu.barrier();
      for (i32 a = 0; e < length && a < count; a += kAhead) {
        Lanes<T, kVec> x[kAhead];
        TL_UNROLL
        for (int q = 0; q < kAhead; ++q) {  // past the last edge the first again: never added
          const i64 j = j0 + from[a + q < count ? a + q : a];
          x[q].packet =
              *reinterpret_cast<const decltype(x[q].packet)*>(u + (r * n + j) * length + e);
        }
        TL_UNROLL
        for (int q = 0; q < kAhead; ++q) {
          if (a + q >= count) continue;
          TL_UNROLL
          for (int v = 0; v < kVec; ++v) sum[v] += share[a + q] * x[q].value[v];
        }
      }
    }
    if (e >= length) continue;
    Lanes<T, kVec> made;
    TL_UNROLL
    for (int v = 0; v < kVec; ++v) made.value[v] = sum[v];
    *reinterpret_cast<decltype(made.packet)*>(out + row * length + e) = made.packet;
  }
}

#ifdef __CUDACC__
template <class T, int kVec>
__global__ void __launch_bounds__(kBlock, 1)
    mix_rows_gpu(i64 R, i64 n, i64 length, i64 own_c, const T* c, const T* u, T* out) {
  mix_rows<Gpu, T, kVec>(Gpu(), R, n, length, own_c, c, u, out);
}
#endif

}  // namespace TL_ISA
}  // namespace tl
