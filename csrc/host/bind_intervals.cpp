// bind_intervals.cpp -- loops on intervals of doubles.
#include "bindings.hpp"
#include "intervals.hpp"  // the kinds of steps
#include "table.hpp"

namespace tl {
namespace {

// steps: (count, 3) of kind, left and right; a step reads slots before its own. next: of each
// number of the state the slot that has it after a turn. slots: (state + constants + count, 2).
bool repeat_intervals(const In<std::int32_t>& steps, const In<std::int32_t>& next, i64 turns,
                      Out<double>& slots) {
  const i64 count = steps.size() / 3, state = next.size(), all = slots.size() / 2;
  const std::int32_t* of = readable(steps, times(count, 3), "steps");
  const std::int32_t* after = readable(next, state, "next");
  double* ends = writable(slots, times(all, 2), "slots");
  if (plus(count, state) > all) throw py::value_error("_core: slots has too few entries");
  std::vector<TapeStep> tape(static_cast<std::size_t>(count));
  for (i64 i = 0; i < count; ++i) {
    const TapeStep s{of[3 * i], of[3 * i + 1], of[3 * i + 2]};
    const i64 here = all - count + i;
    if (s.kind < 0 || s.kind >= std::int32_t(Step::kCount) || s.left < 0 || s.left >= here ||
        s.right < 0 || s.right >= here)
      throw py::value_error("_core: steps has one that reads no slot before it");
    tape[std::size_t(i)] = s;
  }
  for (i64 j = 0; j < state; ++j)
    if (after[j] < 0 || after[j] >= all) throw py::value_error("_core: next is beyond the slots");
  std::vector<Interval> held(static_cast<std::size_t>(all)), work(static_cast<std::size_t>(state));
  for (i64 k = 0; k < all; ++k) held[std::size_t(k)] = {ends[2 * k], ends[2 * k + 1]};
  const TapeJob job{tape.data(), after, count, state, all - count, turns, held.data(), work.data()};
  const Table& table = current_isa();
  bool closed = false;
  without_gil([&](Watch& watch) { closed = table.repeated(job, watch); });
  for (i64 k = 0; k < all; ++k) {
    ends[2 * k] = held[std::size_t(k)].low;
    ends[2 * k + 1] = held[std::size_t(k)].high;
  }
  return closed;
}

}  // namespace

void bind_intervals(py::module_& m) {
  m.def("repeat_intervals", &repeat_intervals, TL_ARG(steps), TL_ARG(next), TL_ARG(turns),
        TL_ARG(slots));
}

}  // namespace tl
