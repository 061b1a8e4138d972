// local_steps.cuh (cuda) -- the schedules of local_steps (../kernels/local_steps.cuh) for a GPU.
//
//   local_steps_blocks  a block takes a (run, client) through all its steps, the runs of a client
//                       one after another, so that its rows are in L2. z and g lie in shared memory
//                       where they fit, x and v too, the rest in work space of the block. Rows come
//                       by cp.async, drawn from the counters two groups ahead. A batch that fits
//                       stays: for SAM's second gradient, or for all steps where nothing is drawn
//                       (a client's H, full gradients); a logistic one lies there alone, and each
//                       packet of the next takes the place of one that was read for the last time.
//                       Others have two loads in shared memory, one used, one under way; long rows
//                       come in pieces, twice. Eight threads share the products with two logistic
//                       rows, 16 bytes of lanes each; a thread has a row's logits of two classes of
//                       a softmax, whose coordinates lie class by class here, and kVec neighbouring
//                       coordinates of g
//   local_steps_pairs   coordinates that are apart, without SAM: a thread takes four of them, two
//                       pairs that share a block of Philox each, through all steps in registers
//   local_steps_pass    coordinates that are apart, with SAM, where a client does not fit in shared
//                       memory: a step at a time, see local_steps_passes.cuh
//
// draws   rows and noise, from the counters, where they are used: none is in memory, but for the
//         noise of one step, which SAM uses twice
// bits    the host's, in float64 and float32 without flushing: the order of every sum is the host's
// floor   x and out once, 2 R n d T; the rows of all gradients, R n K b stride V, twice where they
//         come in pieces: 1 flop a byte in float, far below the card's balance. Noise: 60 flop in
//         double and 20 wide products for two numbers, which take the time of the bytes of x and
//         out at K = 2 in double and K = 1 in float
// limits  shared memory carries a logistic row three times, and z once for two of them: 56 bytes
//         for 16 of global memory, half of its rate when HBM is at its own (19 of 128 bytes a
//         clock); with SAM 96 for 16. A thread has 98 to 128 registers, of which a softmax spills
//         six at most: 16 warps a multiprocessor. A softmax needs a packet of shared memory for
//         kVec products. Two blocks with 32 rows of 784 floats and SAM kept shared memory busy for
//         57 % of the time on an H200, and the issue of instructions for 54. Few tasks: a block
//         stays on one multiprocessor, so 132 are needed to fill an H200, and one alone has one
//         load under way. |g|^2 is one chain of d / 32 sums (d / 16 in double) of a warp, whose
//         latency only other blocks hide
#pragma once
#include "local_steps_pairs.cuh"
#include "local_steps_rows.cuh"

namespace tl {
inline namespace TL_ISA {

// What a block does with its tasks, client by client: the runs of a client follow each other.
template <class M, class T, class V, Family kFamily, int kNear>
TL_HD void steps_of_tasks(const M& m, const StepCall<T, V>& call, i64 many, bool near, bool kept,
                          char* work) {
  constexpr bool kRows = kFamily <= Family::kDense;
  const LossTable<T>& t = call.t;
  const bool sam = call.sizes.rho != 0, stored = sam && t.noise > 0;
  constexpr bool kSoftmax = kFamily == Family::kSoftmax;
  const i64 width = kSoftmax ? up_to(t.features, 16 / i64(sizeof(T))) : t.d, d = t.columns * width;
  const StepLayout<T, V> at(kSoftmax, d, t.columns, call.group, call.chunk, many, near, kept,
                            stored, m.threads());
  char* memory = reinterpret_cast<char*>(m.shared());
  char* far = work + m.block() * at.work;
  char *hot = kNear || near ? memory : far, *cold = kept ? memory : far;
  StepModel<M, T, kFamily, kNear> model{m,
                                        t,
                                        call.sizes,
                                        call.gradients,
                                        reinterpret_cast<T*>(hot + at.z),
                                        reinterpret_cast<T*>(hot + at.g),
                                        reinterpret_cast<T*>(cold + at.x),
                                        reinterpret_cast<T*>(cold + at.v),
                                        reinterpret_cast<double*>(cold + at.noise),
                                        reinterpret_cast<T*>(memory + at.slot),
                                        reinterpret_cast<T*>(memory + at.squares),
                                        near,
                                        int(d),
                                        int(width),
                                        Source{call.seed, call.round, 0, 0},
                                        nullptr,
                                        nullptr,
                                        T(0),
                                        Key{0, 0}};
  for (i64 task = m.block(); task < call.runs_together * t.n; task += m.blocks()) {
    const i64 i = task / call.runs_together, r = task % call.runs_together, own = r * t.n + i;
    u32 steps = call.steps;
    if (call.counts) {
      const i64 count = call.counts[own];
      steps = count < 0 ? 0 : count < i64(steps) ? u32(count) : steps;
    }
    model.centers = t.centers + i * t.d;
    model.diagonal = t.rows + i * t.d;
    model.w = call.w ? call.w[own] : T(1);
    model.source.client = u32(i);
    model.source.run = call.runs ? u32(call.runs[r]) : 0;
    const T* from = call.x + own * t.d;
    if constexpr (kRows) {
      constexpr bool kDense = kFamily == Family::kDense;
      RowStream<M, T, V, kFamily> stream{m, call};
      stream.source = model.source;
      stream.i = i;
      stream.base = kDense ? i * t.d : t.starts[i];
      stream.own_rows = call.rows + stream.base * t.stride;
      stream.count = int(kDense ? t.d : t.batch ? t.batch : t.sizes[i]);
      stream.width = int(up_to(kDense ? t.d : t.features, 16 / i64(sizeof(V))));
      constexpr int kPacket = 16 / int(sizeof(V));
      stream.pitch = (call.chunk / kPacket | 1) * kPacket;  // odd: rows apart in the banks
      stream.steps = steps;
      stream.whole = kNear && stream.count <= call.group && stream.width <= call.chunk;
      stream.fixed = stream.whole && (kDense || !t.batch);
      stream.passes = sam && !stream.whole ? 2 : 1;
      stream.phases = kDense || stream.width <= call.chunk ? 1 : 2;
      stream.stages = reinterpret_cast<V*>(memory + at.stages);
      stream.lone = many == 1;
      stream.stage = stream.lone ? 0 : at.stage / i64(sizeof(V));
      stream.rows = reinterpret_cast<i32*>(memory + at.ring);
      stream.room = int(up_to(call.group, 4));
      stream.labels = stream.rows + 4 * stream.room;
      RowGradients<M, T, V, kFamily, kNear> gradients{m, call, model, stream};
      gradients.logits = reinterpret_cast<T*>(memory + at.logits);
      gradients.tops = reinterpret_cast<T*>(memory + at.tops);
      gradients.share = T(1.0 / double(stream.count));
      const V* kept_rows = nullptr;
      if (steps) stream.begin();  // under way while x comes
      model.begin(from);
      TL_COPIES(1) for (u32 step = 0; step < steps; ++step) {
        model.begin_step(step);
        if (kNear && stream.whole)  // the only way that rows may stay
          gradients.whole_step(step, kept_rows);
        else
          gradients.step(step);
      }
    } else {
      model.begin(from);
      TL_COPIES(1) for (u32 step = 0; step < steps; ++step) {
        model.begin_step(step);
        if (sam) {
          model.slopes(step, true);
          model.ascend();
        }
        model.slopes(step, false);
      }
    }
    model.end(call.out + own * t.d);
  }
}

// group: rows of a load, for a logistic loss at most an eighth of the threads;
// chunk: columns of a load, at least the row's or a multiple of the lanes.
// many: buffers, 1 only where all clients' rows are fixed. work: what
// StepLayout says for each block.
template <class M, class T, class V, Family kFamily, int kNear>
TL_HD void local_steps_blocks(const M& m, i64 R, i64 n, i64 d, i64 columns, i64 features,
                              i64 stride, i64 batch, double reg, double scale, double clip,
                              double noise, const V* rows, const T* diagonals, const T* centers,
                              const i64* labels, const i64* starts, const i64* sizes, i64 seed,
                              i64 round, const i64* runs, i64 steps, const i64* counts, double eta,
                              double alpha, double rho, const T* x, const T* w, T* out,
                              i64 gradients, i64 group, i64 chunk, i64 many, i64 near, i64 kept,
                              char* work) {
  const StepCall<T, V> call{
      LossTable<T>{n, d, columns, features, stride, diagonals, nullptr, centers, labels, starts,
                   sizes, batch, T(reg), T(scale), T(clip), noise},
      rows,
      R,
      u64(seed),
      u32(round),
      u32(steps),
      runs,
      counts,
      StepSizes<T>{T(eta), T(alpha), T(rho)},
      gradients != 0,
      x,
      w,
      out,
      int(group),
      int(chunk)};
  steps_of_tasks<M, T, V, kFamily, kNear>(m, call, many, kNear || near, kept != 0, work);
}

#ifdef __CUDACC__
template <class T, class V, Family kFamily, int kNear>
__global__ void __launch_bounds__(512, 1)
    local_steps_blocks_gpu(i64 R, i64 n, i64 d, i64 columns, i64 features, i64 stride, i64 batch,
                           double reg, double scale, double clip, double noise, const V* rows,
                           const T* diagonals, const T* centers, const i64* labels,
                           const i64* starts, const i64* sizes, i64 seed, i64 round,
                           const i64* runs, i64 steps, const i64* counts, double eta, double alpha,
                           double rho, const T* x, const T* w, T* out, i64 gradients, i64 group,
                           i64 chunk, i64 many, i64 near, i64 kept, char* work) {
  local_steps_blocks<Gpu, T, V, kFamily, kNear>(
      Gpu(), R, n, d, columns, features, stride, batch, reg, scale, clip, noise, rows, diagonals,
      centers, labels, starts, sizes, seed, round, runs, steps, counts, eta, alpha, rho, x, w, out,
      gradients, group, chunk, many, near, kept, work);
}

#endif

}  // namespace TL_ISA
}  // namespace tl
