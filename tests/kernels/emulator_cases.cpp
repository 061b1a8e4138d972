// emulator_cases.cpp -- small bodies, right and wrong, for csrc/emulated/loops.hpp: what is seen?
//
//     emulator_cases NAME BLOCKS THREADS SHARED ORDER    prints a number a thread, or the error
#include <cstdio>
#include <cstdlib>

#include "emulated/loops.hpp"

namespace {

using tl::Loops;

std::vector<double> out;
alignas(16) float source[4096];

i64 at(const Loops& m) { return m.block() * m.threads() + m.thread(); }

template <bool kBarrier>
void neighbour(const Loops& m) {
  float* near = reinterpret_cast<float*>(m.shared());
  near[m.thread()] = float(at(m) + 1);
  if (kBarrier) m.barrier();
  out[at(m)] = near[(m.thread() + 1) % m.threads()];
}

void warp_neighbour(const Loops& m) {
  float* near = reinterpret_cast<float*>(m.shared());
  near[m.thread()] = float(m.thread());
  m.warp_barrier();
  out[at(m)] = near[m.thread() ^ 31];
}

void part_of_block(const Loops& m) {
  if (m.thread() < 5) m.barrier();
}
void part_of_warp(const Loops& m) {
  if (m.thread() % 32 < 31) m.warp_barrier();
}
void whole_warps(const Loops& m) {  // a warp that leaves, a warp that waits for itself: both may
  if (m.thread() >= 32) out[at(m)] = m.from_lane_xor(1.0 * m.thread(), 3);
}
void leaves_early(const Loops& m) {
  if (m.thread() >= 32) m.barrier();
}
void sum_of_warp(const Loops& m) {
  double sum = 1.0 / (1 + m.thread());
  for (int mask = 16; mask; mask /= 2) sum += m.from_lane_xor(sum, mask);
  out[at(m)] = sum;
}
void ballots(const Loops& m) {
  const int own = m.thread();
  out[at(m)] = m.ballot(own % 3 == 0) + 4294967296.0 * m.warp();
}
void past_the_end(const Loops& m) { m.shared()[64 + m.thread()] = 1; }
void unwritten(const Loops& m) { out[at(m)] = reinterpret_cast<double*>(m.shared())[m.thread()]; }
void left_behind(const Loops& m) {  // of the block before
  if (m.block() == 0) reinterpret_cast<double*>(m.shared())[m.thread()] = 1;
  m.barrier();
  out[at(m)] = reinterpret_cast<double*>(m.shared())[m.thread()];
}

template <int kGroupsLeft>
void two_copies(const Loops& m) {
  float* near = reinterpret_cast<float*>(m.shared());
  const int t = m.thread(), n = m.threads();
  m.copy_async<4>(near + t, source + t);
  m.commit();
  m.copy_async<4>(near + n + t, source + n + t);
  m.commit();
  m.wait_all_but<kGroupsLeft>();
  const float first = near[t], second = near[n + t];
  m.wait_all_but<0>();
  out[at(m)] = (first == first ? 1 : 0) + (second == second ? 2 : 0);  // poison is NaN
}
void uncommitted(const Loops& m) {
  m.copy_async<4>(m.shared() + 4 * m.thread(), source);
  m.wait_all_but<0>();
}
void others_copy(const Loops& m) {  // arrived, but no barrier: seen by whoever runs later
  float* near = reinterpret_cast<float*>(m.shared());
  m.copy_async<4>(near + m.thread(), source + m.thread());
  m.commit();
  m.wait_all_but<0>();
  out[at(m)] = near[m.threads() - 1 - m.thread()];
}
void read_after(const Loops& m) {  // the next copy goes where others still read: a barrier lacks
  float* near = reinterpret_cast<float*>(m.shared());
  near[m.thread()] = float(m.thread());
  m.barrier();
  out[at(m)] = near[m.threads() - 1 - m.thread()];
  m.copy_async<4>(near + m.thread(), source + 1000);
  m.commit();
  m.barrier();
  m.wait_all_but<0>();
}
void odd_target(const Loops& m) {
  m.copy_async<16>(m.shared() + 8, source);
  m.commit();
  m.wait_all_but<0>();
}
void odd_source(const Loops& m) {
  m.copy_async<8>(m.shared(), source + 1);
  m.commit();
  m.wait_all_but<0>();
}
void odd_store(const Loops& m) {
  m.stream(reinterpret_cast<tl::Packet<16>*>(source + 2), tl::Packet<16>{});
}

// Two phases of a gate; kBytes: that are expected, of 64 that come. kWait: the phases waited for.
template <int kBytes, bool kWait>
void gate(const Loops& m) {
  float* near = reinterpret_cast<float*>(m.shared());
  u64* gate = reinterpret_cast<u64*>(m.shared() + 512);
  if (m.thread() == 0) m.open_gate(gate);
  m.barrier();
  double sum = 0;
  for (int phase = 0; phase < 2; ++phase) {
    if (m.thread() == 0) {
      m.expect(gate, kBytes);
      m.copy_bulk(near, source + 16 * phase, 64, gate);
    }
    if (kWait) m.wait_gate(gate, phase);
    sum += near[m.thread() % 16];
    m.barrier();
  }
  out[at(m)] = sum;
}
void nobody_expects(const Loops& m) {
  m.wait_gate(reinterpret_cast<u64*>(m.shared()), 0);
}

struct Case {
  const char* name;
  void (*body)(const Loops&);
};
const Case kCases[] = {
    {"neighbour", neighbour<true>},
    {"no barrier", neighbour<false>},
    {"warp neighbour", warp_neighbour},
    {"part of block", part_of_block},
    {"part of warp", part_of_warp},
    {"whole warps", whole_warps},
    {"leaves early", leaves_early},
    {"sum of warp", sum_of_warp},
    {"ballots", ballots},
    {"past the end", past_the_end},
    {"unwritten", unwritten},
    {"left behind", left_behind},
    {"two copies, all but 0", two_copies<0>},
    {"two copies, all but 1", two_copies<1>},
    {"two copies, all but 2", two_copies<2>},
    {"uncommitted", uncommitted},
    {"others' copy", others_copy},
    {"read after", read_after},
    {"odd target", odd_target},
    {"odd source", odd_source},
    {"odd store", odd_store},
    {"gate", gate<64, true>},
    {"gate, other bytes", gate<48, true>},
    {"gate, no wait", gate<64, false>},
    {"nobody expects", nobody_expects},
};

void call(const Loops& m, const void* which) { static_cast<const Case*>(which)->body(m); }

}  // namespace

int main(int, char** given) {
  const tl::Grid grid{atoll(given[2]), atoi(given[3]), atoll(given[4]), atoi(given[5])};
  out.assign(std::size_t(grid.blocks * grid.threads), -1);
  for (int k = 0; k < 4096; ++k) source[k] = float(k);
  for (const Case& one : kCases) {
    if (std::string(one.name) != given[1]) continue;
    try {
      Loops::run(grid, &call, &one);
      for (double value : out) std::printf("%.17g\n", value);
    } catch (const std::exception& error) {
      std::printf("error: %s\n", error.what());
    }
    return 0;
  }
  return 2;
}
