// local_steps_stream.cuh -- the rows that the gradients of local_steps.cuh add, on their way into
// shared memory: drawn two groups ahead, copied one load ahead.
//
// A group is some rows of one gradient; a load is a group's columns, or a chunk of them where rows
// are long. A group of chunks is loaded twice, for the products and for what they pull back. whole:
// a gradient is one load, which SAM's second gradient finds in place; fixed: so does every step.
// lone: there is one buffer, which the last gradient of a step fills again packet by packet.
#pragma once
#include "local_steps_model.cuh"

namespace tl {
inline namespace TL_ISA {

// A group's place in the sequence of all.
struct GroupPlace {
  u32 step;
  int pass, first;  // of SAM's gradients; row of the gradient
};

template <class M, class T, class V, Family kFamily>
struct RowStream {
  static constexpr int kCopy = 16 / int(sizeof(V));
  static constexpr bool kRegression = kFamily <= Family::kSoftmax;

  const M& m;
  const StepCall<T, V>& call;
  Source source{};
  i64 i = 0, base = 0;  // client; number of its first row
  const V* own_rows = nullptr;
  int count = 0;  // rows of a gradient
  int width = 0;  // columns, whole packets
  int pitch = 0;  // of a row in shared memory
  u32 steps = 0;  // of this task
  int passes = 1, phases = 1;
  bool whole = false, fixed = false, lone = false;
  V* stages = nullptr;
  i64 stage = 0;                           // size of a buffer, in V
  i32 *rows = nullptr, *labels = nullptr;  // rings of four groups
  int room = 0;                            // of a group in a ring: whole packets

  GroupPlace drawing{}, loading{};  // next to be drawn, next to be loaded
  int phase = 0, column = 0;        // of the next load
  u32 drawn = 0, begun = 0;         // groups drawn; groups whose loads are all under way
  u32 loaded = 0, arrived = 0;      // loads under way so far; those that were waited for

  TL_HD void next_group(GroupPlace& place) const {
    place.first += call.group;
    if (place.first < count) return;
    place.first = 0;
    if (++place.pass < passes) return;
    place.pass = 0;
    place.step = fixed ? steps : place.step + 1;
  }
  TL_HD int rows_from(int first) const {
    return count - first < call.group ? count - first : call.group;
  }
  TL_HD const i32* group_labels(u32 group) const { return labels + (group & 3) * room; }

  TL_HD void draw() {
    if (drawing.step >= steps) return;
    const int here = rows_from(drawing.first), ring = int(drawn & 3) * room;
    TL_COPIES(1) for (int a = m.threads() - 1 - m.thread(); a < here; a += m.threads()) {
      i64 row = drawing.first + a;
      if (kRegression && call.t.batch) {
        const Key key = stream_key(source.seed, kSample, drawing.step);
        const Words w =
            philox(Words{{u32(row >> 1), source.round, source.client, source.run}}, key.lo, key.hi);
        row = i64(integer(stream_word(w, row), u64(call.t.sizes[i])));
      }
      rows[ring + a] = i32(row);
      if (kRegression) labels[ring + a] = i32(call.t.labels[base + row]);
    }
    ++drawn;
    next_group(drawing);
  }

  // A warp takes a row. Nothing where all is loaded.
  TL_HD void fetch() {
    if (!more()) return;
    const int here = rows_from(loading.first), ring = int(begun & 3) * room;
    const int columns = width - column < call.chunk ? width - column : call.chunk;
    V* to = stages + (loaded & 1) * stage;
    TL_COPIES(1) for (int a = m.thread() / kWarp; a < here; a += m.threads() / kWarp) {
      const V* from = own_rows + i64(rows[ring + a]) * int(call.t.stride) + column;
      TL_COPIES(1)
      for (int k = m.thread() % kWarp * kCopy; k < columns; k += kWarp * kCopy)
        m.template copy_async<16>(to + a * pitch + k, from + k);
    }
    loads();
  }

  // The load at hand is under way.
  TL_HD void loads() {
    m.commit();
    ++loaded;
    column += call.chunk;
    if (column < width) return;
    column = 0;
    if (++phase < phases) return;
    phase = 0;
    ++begun;
    next_group(loading);
  }

  TL_HD bool more() const { return loading.step < steps; }

  TL_HD const i32* next_rows() const { return rows + int(begun & 3) * room; }

  // lone: kVec columns of that row, one of the next step's, in place of this step's row j.
  template <int kVec>
  TL_HD void refill(int j, int column, i32 row) const {
    m.template copy_async<kVec* int(sizeof(V))>(stages + j * pitch + column,
                                                own_rows + column + i64(row) * int(call.t.stride));
  }

  TL_HD void begin() {
    draw();
    m.barrier();
    fetch();
    draw();
  }

  // The next load, once it is there. The other buffer is free then, and is filled meanwhile.
  TL_HD const V* arrive() {
    m.template wait_all_but<0>();
    m.barrier();
    const V* here = stages + (arrived & 1) * stage;
    ++arrived;
    if (!lone) fetch();
    return here;
  }
};

}  // namespace TL_ISA
}  // namespace tl
