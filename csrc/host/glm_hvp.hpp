// glm_hvp.hpp -- host schedules of kernels/glm_hvp.cuh and kernels/mix_jvp.cuh.
//
// A client's rows come in blocks of eight: their products with all points, then one pass over the
// sums that adds all eight, while the next eight are fetched. Where there are more than two points
// both go tile by tile of the coordinates, so that the tile of the rows stays in L1 for all points.
// Many points that L1 does not hold meet the rows in panels (glm_hvp_panel.hpp).
// So A is read from memory once for all k vectors of a group of runs, as many as keep their points
// and sums in half of L2.
//
// clients  a task is one client and a group of runs, whose chunks it adds one after the other
// split    few clients: a task is one chunk of a client, its sums go to memory and are added later
//
// Both add the same numbers in the same order, so they agree to the bit.
#pragma once
#include "../core/sizes.hpp"
#include "../kernels/mix_jvp.cuh"
#include "glm_hvp_block.hpp"
#include "table.hpp"

namespace tl {
inline namespace TL_ISA {

template <class T>
struct HvpPlan {
  typedef Simd<T> S;
  const HvpJob& job;
  Curved<T> t;
  Mixed<T> mix;
  const T* V;
  T* out;
  i64 size, cells, chunk, chunks;  // cells: of one run's points, padded
  i64 group, groups;               // runs that share a pass over A

  explicit HvpPlan(const HvpJob& j) : job(j) {
    t = Curved<T>{j.runs,
                  j.n,
                  j.m,
                  j.d,
                  j.columns,
                  j.k,
                  j.own_data,
                  j.own_weight,
                  static_cast<const T*>(j.A),
                  static_cast<const T*>(j.weight),
                  static_cast<const T*>(j.prob),
                  T(j.reg)};
    mix = Mixed<T>{static_cast<const T*>(j.c), static_cast<const T*>(j.s), j.own_c, j.own_s,
                   j.before};
    V = static_cast<const T*>(j.V);
    out = static_cast<T*>(j.out);
    size = t.size();
    cells = CurvedBlock<T>::cells(t);
    chunk = hvp_chunk(t.m);
    chunks = (t.m + chunk - 1) / chunk;
    group = (kHvpGroupBytes / i64(sizeof(T))) / (2 * cells);
    if (group < 1) group = 1;
    if (group > t.runs) group = t.runs;
    if (t.own_data) group = 1;
    groups = (t.runs + group - 1) / group;
  }

  TL_HD i64 at(i64 r, i64 i) const { return (r * t.n + i) * t.k * size; }

  // What H_i multiplies, in the layout of a block's points; before that, what is mixed, into out.
  void prepare(i64 r, i64 i, T* points, i64* list, Pace& pace) const {
    const T* v = V + at(r, i);
    if (mix.c) {
      mixed(r, i, list, pace);
      if (mix.before) v = out + at(r, i);
    }
    CurvedBlock<T>::pack(t, v, points);
  }

  void mixed(i64 r, i64 i, i64* list, Pace& pace) const {
    const T *c = mix.edges(t.n, r, i), *u = V + at(r, 0);
    const i64 length = t.k * size;
    T* made = out + at(r, i);
    i64 edges = 0;
    for (i64 j = 0; j < t.n; ++j) {
      list[edges] = j;
      edges += c[j] != 0;
    }
    constexpr int kSums = 8;
    i64 e = 0;
    for (; e + kSums * S::kLanes <= length && pace.on(edges * kSums * S::kLanes);
         e += kSums * S::kLanes) {
      typename S::Vec sum[kSums] = {};
      for (i64 a = 0; a < edges; ++a) {
        const T* from = u + list[a] * length + e;
        const T share = c[list[a]];
#pragma GCC unroll 8
        for (int v = 0; v < kSums; ++v) sum[v] += share * S::load(from + v * S::kLanes);
      }
#pragma GCC unroll 8
      for (int v = 0; v < kSums; ++v) S::store(made + e + v * S::kLanes, sum[v]);
    }
    if (!pace.on(0)) return;
    for (i64 w = e; w < length; ++w) made[w] = 0;
    for (i64 a = 0; a < edges; ++a) {
      const T* from = u + list[a] * length;
      for (i64 w = e; w < length; ++w) made[w] += c[list[a]] * from[w];
    }
  }

  void finish(i64 r, i64 i, const T* sum) const {
    const T *v = V + at(r, i), m = t.divisor(), reg = t.reg;
    T* made = out + at(r, i);
    const T s = mix.c ? mix.step(t.n, r, i) : T(0);
    for (i64 b = 0; b < t.k; ++b)
      CurvedBlock<T>::runs_of(t, b, [&](i64 from, i64 to, i64 count) {
        const T* own = sum + from;
        if (!mix.c)
          for (i64 e = 0; e < count; ++e) made[to + e] = finished(own[e], m, reg, v[to + e]);
        else if (mix.before)
          for (i64 e = 0; e < count; ++e)
            made[to + e] = made[to + e] - s * finished(own[e], m, reg, made[to + e]);
        else
          for (i64 e = 0; e < count; ++e)
            made[to + e] = made[to + e] - s * finished(own[e], m, reg, v[to + e]);
      });
  }

  static void clear(i64 count, T* p) {
    for (i64 e = 0; e < count; ++e) p[e] = 0;
  }

  // Bytes of a thread's scratch: edges, counts of rows, a block's few numbers, points, sums, total.
  i64 bytes(bool whole) const {
    const i64 numbers = CurvedBlock<T>::numbers(t, group) + (whole ? 3 * group * cells : 0);
    return plus(plus((t.n + 7) / 8 * 64, (group + 7) / 8 * 64), times(numbers, sizeof(T)));
  }

  void clients(int threads, Watch& watch) const {
    const Scratch buffers(bytes(true), threads);
    const i64 tasks = t.n * groups;
    i64 next = 0;
#pragma omp parallel num_threads(threads) if (threads > 1)
    {
      char* memory = buffers.own();
      i64* list = reinterpret_cast<i64*>(memory);
      i64* rows = reinterpret_cast<i64*>(memory + (t.n + 7) / 8 * 64);
      T* points = reinterpret_cast<T*>(memory + (t.n + 7) / 8 * 64 + (group + 7) / 8 * 64);
      T *total = points + group * cells, *part = total + group * cells;
      T* few = part + group * cells;
      Pace pace(watch);
      for (;;) {
        i64 task;
#pragma omp atomic capture
        task = next++;
        if (task >= tasks || !pace.on(group * cells)) break;
        client(task / groups, task % groups * group, list, rows, points, total, part, few, pace);
      }
      wait_watched(watch);
    }
  }

  void client(i64 i, i64 r0, i64* list, i64* rows, T* points, T* total, T* part, T* few,
              Pace& pace) const {
    const i64 runs = r0 + group < t.runs ? group : t.runs - r0;
    i64 most = 0;
    for (i64 r = 0; r < runs; ++r) {
      prepare(r0 + r, i, points + r * cells, list, pace);
      rows[r] = counted_rows(t.m, t.weights(r0 + r, i));
      if (rows[r] > most) most = rows[r];
    }
    const CurvedBlock<T> block{t, r0, runs, i, points, rows, few, pace};
    clear(runs * cells, total);
    block.add(0, chunk < most ? chunk : most, total);
    for (i64 first = chunk; first < most; first += chunk) {
      clear(runs * cells, part);
      block.add(first, first + chunk < most ? first + chunk : most, part);
      for (i64 e = 0; e < runs * cells; ++e) total[e] += part[e];
    }
    for (i64 r = 0; r < runs; ++r) finish(r0 + r, i, total + r * cells);
  }

  // False: not worth it, or no memory for it; nothing was written.
  bool split(int threads, Watch& watch) const {
    const i64 all = times(t.runs, t.n, cells);
    if (threads < 2 || t.n * groups >= 4 * threads || chunks < 2) return false;
    if (times(chunks + 1, all, i64(sizeof(T))) > kHvpSplitBytes) return false;
    const Scratch buffers(bytes(false), threads);
    T* points = static_cast<T*>(std::malloc((chunks + 1) * all * sizeof(T)));
    if (!points) return false;
    T* parts = points + all;  // (clients, runs, chunks, cells)
    const i64 tasks = t.n * groups * chunks;
#pragma omp parallel num_threads(threads)
    {
      char* memory = buffers.own();
      i64* list = reinterpret_cast<i64*>(memory);
      i64* rows = reinterpret_cast<i64*>(memory + (t.n + 7) / 8 * 64);
      T* few = reinterpret_cast<T*>(memory + (t.n + 7) / 8 * 64 + (group + 7) / 8 * 64);
      Pace pace(watch);
#pragma omp for schedule(static)
      for (i64 task = 0; task < t.n * t.runs; ++task)
        prepare(task % t.runs, task / t.runs, points + task * cells, list, pace);
#pragma omp for schedule(dynamic, 1) nowait
      for (i64 task = 0; task < tasks; ++task) {
        const i64 s = task % chunks, r0 = task / chunks % groups * group;
        const i64 i = task / (chunks * groups), own = i * t.runs + r0;
        const i64 runs = r0 + group < t.runs ? group : t.runs - r0;
        i64 most = 0;
        for (i64 r = 0; r < runs; ++r) {
          rows[r] = counted_rows(t.m, t.weights(r0 + r, i));
          if (rows[r] > most) most = rows[r];
        }
        const i64 first = s * chunk, last = first + chunk < most ? first + chunk : most;
        T* part = parts + (own * chunks + s * runs) * cells;
        clear(runs * cells, part);
        CurvedBlock<T>{t, r0, runs, i, points + own * cells, rows, few, pace}.add(first, last,
                                                                                  part);
      }
      wait_watched(watch);
#pragma omp barrier
#pragma omp for schedule(static)
      for (i64 task = 0; task < t.n * t.runs; ++task) {
        const i64 i = task / t.runs, r = task % t.runs, r0 = r / group * group;
        const i64 runs = r0 + group < t.runs ? group : t.runs - r0;
        T* sum = parts + ((i * t.runs + r0) * chunks + (r - r0)) * cells;
        for (i64 s = 1; s < chunks; ++s)
          for (i64 e = 0; e < cells; ++e) sum[e] += sum[s * runs * cells + e];
        finish(r, i, sum);
      }
    }
    std::free(points);
    return true;
  }
};

template <class T>
void hvp_typed(const HvpJob& job, int threads, Watch& watch) {
  const HvpPlan<T> plan(job);
  if (times(job.runs, job.n, job.m, job.k, plan.size) < kSerial) threads = 1;
  if (!plan.split(threads, watch)) plan.clients(threads, watch);
}

inline void hvp(const HvpJob& job, int threads, Watch& watch) {
  job.single ? hvp_typed<float>(job, threads, watch) : hvp_typed<double>(job, threads, watch);
}

}  // namespace TL_ISA
}  // namespace tl
