// local_steps_model.cuh -- one (run, client) of local_steps.cuh on a block: its vectors, and what
// is done to them coordinate by coordinate.
#pragma once
#include "../core/gpu.cuh"
#include "tangent.cuh"

// Loops that run seldom are not unrolled: their copies would take registers from those that count.
#ifdef __CUDACC__
#define TL_COPIES_PRAGMA(text) _Pragma(#text)
#define TL_COPIES(count) TL_COPIES_PRAGMA(unroll count)
#else
#define TL_COPIES(count)
#endif

namespace tl {
inline namespace TL_ISA {

// What all tasks of a call share. V: the type of the data, T or float where that is exact.
template <class T, class V>
struct StepCall {
  LossTable<T> t;
  const V* rows;
  i64 runs_together;  // R
  u64 seed;
  u32 round, steps;
  const i64 *runs, *counts;  // (R), (R, n) or null
  StepSizes<T> sizes;
  bool gradients;  // out is the gradient
  const T *x, *w;
  T* out;
  int group, chunk;  // rows and columns that travel together
};

// Where things lie, in bytes: `shared` in all of a block's shared memory, `work` in its part of
// the work space. near: z and g are in shared memory; kept: x, v and the noise too.
template <class T, class V>
struct StepLayout {
  i64 z, g, x, v, noise, stages, stage, logits, tops, ring, slot, squares, shared, work;
  TL_HD StepLayout(bool softmax, i64 d, i64 columns, i64 group, i64 chunk, i64 many, bool near,
                   bool kept, bool stored, i64 threads) {
    shared = work = 0;
    const i64 vector = up_to(d, 32) * i64(sizeof(T));
    z = place(near, vector);
    g = place(near, vector);
    x = place(kept, vector);
    v = place(kept, vector);
    noise = place(kept, stored ? up_to(d, 16) * 8 : 0);
    stage = up_to(group * (chunk * i64(sizeof(V)) + 16), 128);
    stages = place(true, many * stage);
    logits = place(true, up_to(group * columns * i64(sizeof(T)), 128));
    tops = place(true, softmax ? up_to(group * i64(sizeof(T)), 128) : 0);
    ring = place(true, up_to(4 * group * 8, 128));
    slot = place(true, 128);
    squares = place(true, near ? 0 : 2 * threads * 16);
  }
  TL_HD i64 place(bool here, i64 bytes) {
    i64& end = here ? shared : work;
    end += bytes;
    return end - bytes;
  }
};

template <class M, class T, Family kFamily, int kNear>
struct StepModel {
  static constexpr int kVec = 16 / int(sizeof(T));
  typedef Lanes<T, kVec> Part;  // of a vector: what one thread reads at once
  static constexpr bool kRegression = kFamily <= Family::kSoftmax;

  const M& m;
  const LossTable<T>& t;
  StepSizes<T> sizes;
  bool gradients;    // x becomes the gradient
  T *z, *g, *x, *v;  // padded; z's padding is 0
  double* noise;     // of one step, where SAM uses it twice
  T *slot, *squares;
  bool near;     // z and g are in shared memory; kNear says so to the compiler
  int d, width;  // coordinates as they lie here; of those a class's, or all
  Source source;
  const T *centers, *diagonal;  // this client's
  T w;
  Key key;  // of the noise of this step

  static TL_HD Part load(const T* p) {
    Part part;
    part.packet = *reinterpret_cast<const decltype(part.packet)*>(p);
    return part;
  }
  static TL_HD void save(T* p, const Part& part) {
    *reinterpret_cast<decltype(part.packet)*>(p) = part.packet;
  }
  TL_HD T debiased(T value) const { return w == T(1) ? value : value / w; }

  // How many of the packet's coordinates there are.
  TL_HD int inside(int e) const {
    const int left = kFamily == Family::kSoftmax ? int(t.features) - e % width : d - e;
    return left < kVec ? left : kVec;
  }
  // A softmax lies class by class here, and feature by feature outside. Less than 0: none.
  TL_HD int outer(int k) const {
    if (kFamily != Family::kSoftmax) return k < d ? k : -1;
    return k < d && k % width < t.features ? k % width * int(t.columns) + k / width : -1;
  }
  TL_HD int inner(int k) const {
    if (kFamily != Family::kSoftmax) return k;
    return k % int(t.columns) * width + k / int(t.columns);
  }

  TL_HD void begin(const T* from) const {
    const int end = int(up_to(d, 4));  // of a row's packets too
    TL_COPIES(1) for (int k = m.thread(); k < end; k += m.threads()) {
      const int there = outer(k);
      x[k] = there < 0 ? T(0) : from[there];
      z[k] = there < 0 ? T(0) : debiased(x[k]);
    }
    m.barrier();
  }

  // The next task may write x at once: where a thread writes, it alone has read.
  TL_HD void end(T* to) const {
    m.barrier();
    TL_COPIES(1) for (int k = m.thread(); k < d; k += m.threads()) {
      const int there = outer(k);
      if (there >= 0) to[there] = x[k];
    }
  }

  TL_HD void begin_step(u32 step) {
    if (!kRegression && t.noise > 0) key = stream_key(source.seed, kNoise, step);
  }

  // The gradient of the families whose coordinates are apart.
  TL_HD void slopes(u32 step, bool ascending) const {
    TL_COPIES(1) for (int e = m.thread() * kVec; e < d; e += m.threads() * kVec) {
      const Part point = load(z + e);
      T y[kVec], sum[kVec];
      for (int a = 0; a < kVec; ++a) y[a] = e + a < d ? point.value[a] - centers[e + a] : T(1);
      if (kFamily == Family::kLogCosh) tangents<kVec>(y, sum);
      for (int a = 0; a < kVec; ++a) {
        if (kFamily == Family::kDiagonal)
          sum[a] = e + a < d ? y[a] * diagonal[e + a] : T(0);
        else if (kFamily == Family::kLogCosh)
          sum[a] *= t.scale;
        else
          sum[a] = Clipped<T>::slope(y[a], t.clip) * t.scale;
        if (e + a >= d) sum[a] = 0;
      }
      finish(e, sum, step, ascending);
    }
  }

  // sum: the gradient's kVec coordinates from e on, but for what is added last.
  // ascending: SAM's first gradient, which is kept; any other moves v, x and z.
  TL_HD void finish(int e, T* sum, u32 step, bool ascending) const {
    const int inside = this->inside(e);
    Part point = load(z + e);
    if (kRegression) {
      if (t.reg > 0)
        for (int a = 0; a < kVec; ++a) sum[a] += t.reg * point.value[a];
    } else if (t.noise > 0) {
      for (int a = 0; a < kVec; a += 2)
        if (a < inside) add_noise_pair(e + a, inside - a, ascending, sum + a);
    }
    Part moved;
    if (ascending) {
      for (int a = 0; a < kVec; ++a) moved.value[a] = sum[a];
      return save(g + e, moved);
    }
    if (step && sizes.alpha != 0) {
      const Part pulled = load(v + e);
      for (int a = 0; a < kVec; ++a) sum[a] = sizes.alpha * pulled.value[a] + sum[a];
    }
    Part pulled;
    moved = load(x + e);
    for (int a = 0; a < kVec; ++a) {
      pulled.value[a] = sum[a];
      moved.value[a] = gradients ? sum[a] : moved.value[a] - sizes.eta * sum[a];
    }
    save(v + e, pulled);
    save(x + e, moved);
    if (w != T(1))
      for (int a = 0; a < kVec; ++a) moved.value[a] = moved.value[a] / w;
    for (int a = 0; a < kVec; ++a) point.value[a] = a < inside ? moved.value[a] : T(0);
    save(z + e, point);
  }

  // Draws k and k + 1 share a block of Philox; SAM's second gradient takes those of the first.
  TL_HD void add_noise_pair(int k, int inside, bool ascending, T* sum) const {
    double even, odd;
    if (sizes.rho != 0 && !ascending) {
      even = noise[k];
      odd = noise[k + 1];
    } else {
      const Words drawn =
          philox(Words{{u32(k >> 1), source.round, source.client, source.run}}, key.lo, key.hi);
      even = normal(stream_word(drawn, 0)) * t.noise;
      odd = normal(stream_word(drawn, 1)) * t.noise;
      if (ascending) {
        noise[k] = even;
        noise[k + 1] = odd;
      }
    }
    sum[0] = T(double(sum[0]) + even);
    if (inside > 1) sum[1] = T(double(sum[1]) + odd);
  }

  // z moves along g: the lanes of |g|^2 are the lanes of one warp.
  TL_HD void ascend() const {
    m.barrier();
    constexpr int kLanes = int(SumLanes<T>::kLanes);
    const int lane = m.thread();
    T sum = 0;
    if (kNear || near) {
      if (lane < kLanes) sum = lane_square(lane, kLanes);
    } else {
      sum = distant_square();
    }
    if (lane < kWarp) {
      for (int half = kLanes / 2; half; half /= 2) sum += m.from_lane_xor(sum, half);
      if (!lane) {
        slot[0] = sum;
        slot[1] = sizes.rho / T(square_root(double(sum)));
      }
    }
    m.barrier();
    if (!(slot[0] > 0)) return;
    const T pull = slot[1];
    TL_COPIES(1) for (int e = m.thread() * kVec; e < d; e += m.threads() * kVec) {
      const Part along = load(g + e);
      Part point = load(z + e);
      for (int a = 0; a < kVec; ++a)
        if (a < inside(e)) point.value[a] += pull * along.value[a];
      save(z + e, point);
    }
  }

  TL_HD T lane_square(int lane, int step) const {
    T sum = 0;
    if (kFamily != Family::kSoftmax) {
      for (int k = lane; k < d; k += step) sum += g[k] * g[k];
      return sum;
    }
    const int C = int(t.columns), across = step % C, down = step / C;
    int c = lane % C, feature = lane / C;
    while (feature < t.features) {
      const T own = g[c * width + feature];
      sum += own * own;
      c += across;
      feature += down + (c >= C);
      c -= c >= C ? C : 0;
    }
    return sum;
  }

  // kVec of g's coordinates as they are outside, 0 behind the last.
  TL_HD Part gradient_from(int k) const {
    Part part = Part();
    if (kFamily != Family::kSoftmax && k < d) part = load(g + k);
    for (int a = 0; a < kVec; ++a) {
      if (k + a >= t.d)
        part.value[a] = 0;
      else if (kFamily == Family::kSoftmax)
        part.value[a] = g[inner(k + a)];
    }
    return part;
  }

  // The same sum where g is in global memory: all threads bring it, one warp adds.
  TL_HD T distant_square() const {
    constexpr int kLanes = int(SumLanes<T>::kLanes);
    const int tile = m.threads() * kVec;
    const int own = m.thread() * kVec;
    T sum = 0;
    Part next = gradient_from(own);
    TL_COPIES(1) for (int first = 0; first < t.d; first += tile) {
      T* here = squares + (first / tile & 1) * tile;
      save(here + own, next);
      next = gradient_from(first + tile + own);
      m.barrier();
      if (m.thread() < kLanes)
        for (int k = m.thread(); k < tile; k += kLanes) sum += here[k] * here[k];
    }
    return sum;
  }
};

}  // namespace TL_ISA
}  // namespace tl
