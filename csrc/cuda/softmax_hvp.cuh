// softmax_hvp.cuh (cuda) -- pass 1 of softmax_hvp (../kernels/glm_hvp.cuh) where softmax_rows.cuh
// has no room for the classes or the features; pass 2: hvp_passes.cuh.
//
//   softmax_logits   z into y (sets, m, vectors C): tiles of rows and features pass through shared
//                    memory (cp.async, two buffers); a warp's lanes are rows, four each, with kWide
//                    columns of all (vector, class), whose sums are in registers; features in order
//   softmax_curve    y in place: a thread is one (set, row, vector), class by class
//
// cost    A once for threads / 32 kWide columns, 2 k C flop an entry of A; for 128 flop of a thread
//         (float) it reads 128 bytes of shared memory, half of them the same for its warp
// bits    those of the host
#pragma once
#include "hvp.cuh"

namespace tl {
inline namespace TL_ISA {

// Rows of a block: kLogitRows a lane. Its columns: kWide a warp. Shared: two buffers of
// kLogitRows kWarp rows of kFeatures + kWide, and kFeatures rows of warps kWide.
constexpr int kLogitRows = 4;
template <class T>
constexpr int kFeatures = 128 / int(sizeof(T));

template <class M, class T>
TL_HD void softmax_logits(const M& gpu, i64 R, i64 n, i64 m, i64 d, i64 k, i64 C, i64 own_data,
                          i64 packet, const T* A, const T* V, T* y) {
  constexpr int kQ = kLogitRows, kTogether = kWide<T>, kRows = kQ * kWarp;
  constexpr int kStride = kFeatures<T> + kWide<T>;  // 16 bytes apart: no bank conflict
  const i64 sets = own_data ? R * n : n, width = (own_data ? k : R * k) * C;
  const int lane = gpu.thread() % kWarp, warp = gpu.thread() / kWarp;
  const int columns = gpu.threads() / kWarp * kTogether;
  const i64 per_set = parts_of(m, kRows), groups = parts_of(width, columns);
  const int buffer = kRows * kStride + kFeatures<T> * columns;
  T* buffers = reinterpret_cast<T*>(gpu.shared());

  for (i64 task = gpu.block(); task < sets * per_set * groups; task += gpu.blocks()) {
    const i64 own = task / (per_set * groups), w0 = task % groups * columns;
    const i64 j0 = task / groups % per_set * kRows;
    const SetVectors set(own, n, k);
    const int rows = int(least(kRows, m - j0)), used = int(least(columns, width - w0));

    const auto fetch = [&](i64 t) {
      const i64 f0 = t * kFeatures<T>;
      const int features = int(least(kFeatures<T>, d - f0));
      T* to = buffers + (t & 1) * buffer;
      copy_rows(gpu, packet, A + (own * m + j0) * d + f0, d, to, kStride, rows, features);
      T* points = to + kRows * kStride;
      for (int x = gpu.thread(); x < features * used; x += gpu.threads()) {
        const i64 w = w0 + x % used, f = f0 + x / used;
        gpu.template copy_async<int(sizeof(T))>(points + x / used * columns + x % used,
                                                V + (set.at(w / C) * d + f) * C + w % C);
      }
      const int tail = int(parts_of(features, kTogether)) * kTogether;  // are multiplied too
      clear_columns(gpu, to, kStride, rows, features, tail);
      clear_columns(gpu, points + features * columns, columns, tail - features, 0, columns);
    };

    T sum[kQ][kTogether] = {};
    const i64 all = parts_of(d, kFeatures<T>);
    fetch(0);
    gpu.commit();
    for (i64 t = 0; t < all; ++t) {
      if (t + 1 < all) fetch(t + 1);
      gpu.commit();
      gpu.template wait_all_but<1>();
      gpu.barrier();
      const T* near = buffers + (t & 1) * buffer;
      const T* points = near + kRows * kStride + warp * kTogether;
      const int features = int(least(kFeatures<T>, d - t * kFeatures<T>));
      for (int f = 0; f < features; f += kTogether) {
        Lanes<T, kTogether> a[kQ], v;
        TL_UNROLL
        for (int q = 0; q < kQ; ++q)
          a[q].packet =
              *reinterpret_cast<const decltype(v.packet)*>(near + (lane + q * kWarp) * kStride + f);
        TL_UNROLL
        for (int u = 0; u < kTogether; ++u) {
          v.packet = *reinterpret_cast<const decltype(v.packet)*>(points + (f + u) * columns);
          TL_UNROLL
          for (int q = 0; q < kQ; ++q) {
            TL_UNROLL
            for (int b = 0; b < kTogether; ++b) sum[q][b] += a[q].value[u] * v.value[b];
          }
        }
      }
      gpu.barrier();  // the buffer may be written again
    }
    TL_UNROLL
    for (int q = 0; q < kQ; ++q) {
      TL_UNROLL
      for (int b = 0; b < kTogether; ++b)
        if (lane + q * kWarp < rows && warp * kTogether + b < used)
          y[(own * m + j0 + lane + q * kWarp) * width + w0 + warp * kTogether + b] = sum[q][b];
    }
    gpu.template wait_all_but<0>();
  }
}

template <class M, class T>
TL_HD void softmax_curve(const M& gpu, i64 R, i64 n, i64 m, i64 k, i64 C, i64 own_data,
                         i64 own_weight, const T* weight, const T* prob, T* y) {
  const i64 sets = own_data ? R * n : n, vectors = own_data ? k : R * k;
  for (i64 x = gpu.block() * gpu.threads() + gpu.thread(); x < sets * m * vectors;
       x += gpu.blocks() * gpu.threads()) {
    const SetVectors set(x / (m * vectors), n, k);
    const i64 row = own_weight ? set.row(x % vectors) : set.client;
    const i64 j = row * m + x / vectors % m;
    softmax_curved(C, weight[j], prob + j * C, y + x * C);
  }
}

#ifdef __CUDACC__
template <class T>
__global__ void __launch_bounds__(512, 1)
    softmax_logits_gpu(i64 R, i64 n, i64 m, i64 d, i64 k, i64 C, i64 own_data, i64 packet,
                       const T* A, const T* V, T* y) {
  softmax_logits(Gpu(), R, n, m, d, k, C, own_data, packet, A, V, y);
}

template <class T>
__global__ void __launch_bounds__(kBlock, 1)
    softmax_curve_gpu(i64 R, i64 n, i64 m, i64 k, i64 C, i64 own_data, i64 own_weight,
                      const T* weight, const T* prob, T* y) {
  softmax_curve(Gpu(), R, n, m, k, C, own_data, own_weight, weight, prob, y);
}
#endif

}  // namespace TL_ISA
}  // namespace tl
