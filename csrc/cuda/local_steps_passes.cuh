// local_steps_passes.cuh -- SAM's schedule of local_steps.cuh for long models whose coordinates are
// apart: many blocks a client, a step at a time, with what a step leaves in global memory.
//
//   local_steps_pass      ends a step: z + rho / |g| g, the slope there, the same noise, v and x.
//                         Then, while x is at hand, begins the next: the slope at z and its noise
//                         are the g of the squares that follow
//   local_steps_squares   |g|^2 and rho / |g| of every (run, client), a warp each, since the host's
//                         order is one chain of d / 32 sums (d / 16 in double) a lane
//
// Pass 0, squares, pass 1, ..., squares, pass K are the K steps of a group of (run, client); x is
// in out from pass 1 on.
//
// cost    of a coordinate and step in float: 44 bytes of a pass (x, v, g in and out 24, centers 4,
//         noise 16) and 4 of the squares; 94 operations in float64 (38 for two tangents, 54 for a
//         normal) and 190 others. n d = 10^8, K = 5: 24 GB, 5.6 ms on an H200, 2.8 ms of float64.
//         With tangents of 45 operations a pass of 10^8 coordinates took 1.85 ms there: 2,640
//         clocks a warp of quads, 1,250 of them the float64 unit's, for 1,494 instructions
#pragma once
#include "local_steps_quads.cuh"

namespace tl {
inline namespace TL_ISA {

// Work space of a group of (run, client): g and v (tasks, pitch) of T, the noise (tasks, pitch) in
// double, and |g|^2 and rho / |g| (tasks, 2) of T.
template <class T>
struct PassSpace {
  i64 pitch;
  T *g, *v;
  double* noise;
  T* pulls;
  TL_HD PassSpace(char* work, i64 tasks, i64 d, bool stored) : pitch(up_to(d, 32)) {
    noise = reinterpret_cast<double*>(work);
    g = reinterpret_cast<T*>(work + (stored ? tasks * pitch * 8 : 0));
    v = g + tasks * pitch;
    pulls = v + tasks * pitch;
  }
  static TL_HD i64 bytes(i64 d, bool stored) {  // of one
    return up_to(d, 32) * (2 * i64(sizeof(T)) + (stored ? 8 : 0)) + 2 * i64(sizeof(T));
  }
};

// task, tasks: the group. seed, round, runs, steps, counts, w: as for local_steps_blocks.
template <class M, class T, Family kFamily>
TL_HD void local_steps_pass(const M& m, i64 task, i64 tasks, i64 n, i64 d, double scale,
                            double clip, double noise, const T* diagonals, const T* centers,
                            i64 seed, i64 round, const i64* runs, i64 steps, const i64* counts,
                            double eta, double alpha, const T* x, const T* w, T* out, i64 pass,
                            char* work) {
  const T rate = T(eta), momentum = T(alpha);
  const bool noisy = noise > 0;
  const PassSpace<T> space(work, tasks, d, noisy);
  const u32 step = u32(pass);  // that begins; step - 1 ends
  QuadNormals<M> normals(m, u64(seed), step ? step - 1 : 0, 2);
  const int tile = kQuad * m.threads(), pieces = int(parts_of(d, tile));
  const i64 all = tasks * pieces;
  i64 at = m.block() * all / m.blocks();
  const i64 end = (m.block() + 1) * all / m.blocks();
  i64 local = at / pieces;
  int piece = int(at % pieces);
  while (at < end) {
    const i64 own = task + local, i = own % n, r = own / n;
    const u32 last = steps_of(steps, counts, own);
    const bool ends = step && step <= last, begins = step < last, idle = !step && !last;
    const bool pulled = step > 1 && momentum != 0, kept = begins && momentum != 0;
    const Source source{u64(seed), u32(round), u32(i), runs ? u32(runs[r]) : 0};
    const Debiased<T> debiased(w ? w[own] : T(1));
    const T square = ends ? space.pulls[2 * local] : T(0);
    const T length = ends ? space.pulls[2 * local + 1] : T(0);
    const T *c = centers + i * d, *h = kFamily == Family::kDiagonal ? diagonals + i * d : nullptr;
    const T* from = (step < 2 ? x : out) + own * d;
    T* to = out + own * d;
    const i64 begin = local * space.pitch;
    T *g = space.g + begin, *v = space.v + begin;
    double* drawn = space.noise + begin;
    const bool whole = in_packets(d, from, to, c, h);
    for (; piece < pieces && at < end; ++piece, ++at) {
      if (!ends && !begins && !idle) continue;
      const int k = piece * tile + kQuad * m.thread();
      const int inside = d - k >= kQuad ? kQuad : k < d ? int(d) - k : 0;
      Quad<T> point = {}, along = {}, pull = {};
      Quad<double> noises = {};
      QuadSlopes<T, kFamily> slopes{T(scale), T(clip), {}, {}};
      if (inside) {
        point = quad_at(from + k, whole, inside);
        slopes.load(c + k, h + k, whole, inside);
        if (ends) {
          along = quad_at(g + k, true, inside);
          if (pulled) pull = quad_at(v + k, true, inside);
          if (noisy) noises = quad_at(drawn + k, true, inside);
        }
      }
      if (noisy && begins) normals.draw(source, step ? 1 : 0, k);
      Quad<T> z = debiased(point);
      if (ends) {
        if (square > 0)
          for (int a = 0; a < kQuad; ++a) z.value[a] += length * along.value[a];
        const Quad<T> slope = slopes(z);
        for (int a = 0; a < kQuad; ++a) {
          const T s = noisy ? T(double(slope.value[a]) + noises.value[a]) : slope.value[a];
          pull.value[a] = pulled ? momentum * pull.value[a] + s : s;
          point.value[a] -= rate * pull.value[a];
        }
        if (kept && inside) put_quad(v + k, true, inside, pull);
        z = debiased(point);
      }
      if (inside && (ends || idle)) put_quad(to + k, whole, inside, point);
      if (!begins) continue;
      Quad<T> slope = slopes(z);
      if (noisy) {
        normals.settle();
        for (int a = 0; a < kQuad; ++a) {
          noises.value[a] = normals.value[a] * noise;
          slope.value[a] = T(double(slope.value[a]) + noises.value[a]);
        }
        if (inside) put_quad(drawn + k, true, inside, noises);
      }
      if (inside) put_quad(g + k, true, inside, slope);
    }
    piece = 0;
    ++local;
  }
}

// A warp for each (run, client), which is a block. g comes into a ring of shared memory, all of
// whose stages are under way at once. A lane reads its numbers of a stage while it adds the squares
// of the stage before: what the chain waits for is its sums alone.
constexpr int kSquareStages = 12, kSquareStage = 4096;  // bytes

template <class M, class T>
TL_HD void local_steps_squares(const M& m, i64 task, i64 tasks, i64 d, i64 steps, const i64* counts,
                               double noise, double rho, i64 pass, char* work) {
  constexpr int kLanes = int(SumLanes<T>::kLanes), kVec = 16 / int(sizeof(T));
  constexpr int kHeld = kSquareStage / int(sizeof(T)), kRows = kHeld / kLanes;
  const PassSpace<T> space(work, tasks, d, noise > 0);
  T* ring = reinterpret_cast<T*>(m.shared());
  const int packet = m.thread() * kVec, lane = m.thread() % kLanes, whole = int(d) / kHeld;
  TL_COPIES(1) for (i64 own = m.block(); own < tasks; own += m.blocks()) {
    if (u32(pass) >= steps_of(steps, counts, task + own)) continue;
    const T *g = space.g + own * space.pitch, *from = g + packet;
    T sum = 0, square[kRows] = {};
    int slot = 0, free = 0;  // of the ring: that is read, and that is filled
    TL_COPIES(1) for (int now = 1 - kSquareStages; now < whole; ++now) {
      if (now + kSquareStages - 1 < whole) {
        T* to = ring + free * kHeld + packet;
        for (int k = 0; k < kHeld; k += kWarp * kVec) m.template copy_async<16>(to + k, from + k);
        from += kHeld;
      }
      free = free + 1 < kSquareStages ? free + 1 : 0;
      m.commit();
      if (now < 0) continue;
      m.template wait_all_but<kSquareStages - 1>();
      m.warp_barrier();
      const T* here = ring + slot * kHeld + lane;
      slot = slot + 1 < kSquareStages ? slot + 1 : 0;
      for (int j = 0; j < kRows; ++j) {
        sum += square[j];  // before the first stage, zeros
        const T value = here[j * kLanes];
        square[j] = value * value;
      }
      m.warp_barrier();
    }
    for (int j = 0; j < kRows; ++j) sum += square[j];
    for (int k = whole * kHeld + lane; k < d; k += kLanes) sum += g[k] * g[k];
    for (int half = kLanes / 2; half; half /= 2) sum += m.from_lane_xor(sum, half);
    if (!m.thread()) {
      space.pulls[2 * own] = sum;
      space.pulls[2 * own + 1] = T(rho) / T(square_root(double(sum)));
    }
  }
}

#ifdef __CUDACC__
template <class T, Family kFamily>
__global__ void __launch_bounds__(128, 4)
    local_steps_pass_gpu(i64 task, i64 tasks, i64 n, i64 d, double scale, double clip, double noise,
                         const T* diagonals, const T* centers, i64 seed, i64 round, const i64* runs,
                         i64 steps, const i64* counts, double eta, double alpha, const T* x,
                         const T* w, T* out, i64 pass, char* work) {
  local_steps_pass<Gpu, T, kFamily>(Gpu(), task, tasks, n, d, scale, clip, noise, diagonals,
                                    centers, seed, round, runs, steps, counts, eta, alpha, x, w,
                                    out, pass, work);
}

template <class T>
__global__ void __launch_bounds__(kWarp)
    local_steps_squares_gpu(i64 task, i64 tasks, i64 d, i64 steps, const i64* counts, double noise,
                            double rho, i64 pass, char* work) {
  local_steps_squares<Gpu, T>(Gpu(), task, tasks, d, steps, counts, noise, rho, pass, work);
}
#endif

}  // namespace TL_ISA
}  // namespace tl
