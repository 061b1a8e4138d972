// loops.hpp -- a grid without a GPU: blocks one after another, their threads in turn.
//
// Every thread of a block is a fiber with a stack of its own, which runs until it reaches a
// barrier; so schedules are ordinary code. The emulation is stricter than a GPU:
//
//   - threads take turns in the order asked for (forward, backward, odd ones first), so that a
//     missing barrier shows as bits that depend on the order
//   - an asynchronous copy arrives as late as it may, when its thread waits for it, or (orders 3
//     to 5) at once, so that a buffer that others still read is seen to be overwritten
//   - shared memory starts as NaN and ends with guard bytes
//   - a word that mma would silently cut to tf32 is an error
//   - a barrier that only a part of the block or warp reaches is an error, not undefined
#pragma once
#include <setjmp.h>
#include <ucontext.h>

#include <cmath>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "../core/gpu.cuh"

namespace tl {

struct Grid {
  i64 blocks;
  int threads;
  i64 shared;  // bytes
  int order;   // 0 forward, 1 backward, 2 odd threads first; 3 to 5 likewise, copies at once
};

class Loops {
 public:
  using Body = void (*)(const Loops&, const void* call);

  // Run body(loops, call) in every thread of every block.
  static void run(const Grid& grid, Body body, const void* call);

  int thread() const { return current_; }
  int threads() const { return grid_.threads; }
  int warp() const { return current_ / kWarp; }
  int warps() const { return grid_.threads / kWarp; }
  i64 block() const { return block_; }
  i64 blocks() const { return grid_.blocks; }
  unsigned char* shared() const { return shared_; }
  void barrier() const { pause(kBlockBarrier); }
  void warp_barrier() const { pause(kWarpBarrier); }

  template <class T>
  T from_lane_xor(T v, int mask) const {
    static_assert(sizeof(T) <= sizeof(u64), "one word");
    memcpy(&exchange_[current_], &v, sizeof v);
    warp_barrier();
    memcpy(&v, &exchange_[current_ ^ mask], sizeof v);
    warp_barrier();
    return v;
  }

  u32 ballot(bool b) const {
    exchange_[current_] = b;
    warp_barrier();
    u32 bits = 0;
    const int first = current_ / kWarp * kWarp;
    for (int lane = 0; lane < kWarp; ++lane) bits |= u32(exchange_[first + lane]) << lane;
    warp_barrier();
    return bits;
  }

  void store_if(bool b, unsigned char* p, u64 v) const {
    if (b) memcpy(p, &v, sizeof v);
  }
  i32 fetch_add(i32* p, i32 k) const {
    const i32 before = *p;
    *p = before + k;
    return before;
  }

  // Each sum one after another, rounded to nearest.
  void mma(double (&c)[2], double a, double b) const {
    Fragment& mine = fragments_[std::size_t(current_)];
    mine.real[0] = a;
    mine.real[1] = b;
    warp_barrier();
    const int lane = current_ % kWarp;
    for (int e = 0; e < 2; ++e)
      for (int k = 0; k < 4; ++k)
        c[e] = std::fma(of_lane(lane / 4 * 4 + k).real[0],
                        of_lane((2 * (lane % 4) + e) * 4 + k).real[1], c[e]);
    warp_barrier();
  }
  void mma(double (&c)[2], double (&e)[2], double a, double below, double b) const {
    mma(c, a, b);
    mma(e, below, b);
  }
  void mma(float (&c)[4], const u32 (&a)[4], const u32 (&b)[2]) const {
    Fragment& mine = fragments_[std::size_t(current_)];
    for (int e = 0; e < 4; ++e) mine.left[e] = tf32(a[e]);
    for (int e = 0; e < 2; ++e) mine.right[e] = tf32(b[e]);
    warp_barrier();
    const int lane = current_ % kWarp;
    for (int e = 0; e < 4; ++e)
      for (int k = 0; k < 8; ++k) {
        const Fragment& row = of_lane(lane / 4 * 4 + k % 4);
        const Fragment& column = of_lane((2 * (lane % 4) + e % 2) * 4 + k % 4);
        c[e] += row.left[e / 2 + k / 4 * 2] * column.right[k / 4];
      }
    warp_barrier();
  }

  template <int B>
  void copy_async(void* to, const void* from) const {
    static_assert(B == 4 || B == 8 || B == 16, "what the hardware copies");
    if (reinterpret_cast<std::uintptr_t>(to) % B || reinterpret_cast<std::uintptr_t>(from) % B)
      fail("copy_async: an address is not aligned to the packet");
    if (grid_.order >= kAtOnce) memcpy(to, from, B);
    copies_[current_].push_back(Copy{to, from, B, groups_[current_]});
  }
  void commit() const { ++groups_[current_]; }
  template <int N>
  void wait_all_but() const {
    arrive(groups_[current_] - N);
  }

  // Bytes of a gate travel when a thread waits for them, or (orders 3 to 5) at once; a gate counts
  // its phases and the bytes that are expected and missing.
  static constexpr bool kBulk = true;
  void open_gate(u64* gate) const {
    memset(gate, 0, sizeof *gate);
    gates_.erase(gate);
  }
  void expect(u64* gate, int bytes) const {
    Gate& own = gates_[gate];
    if (own.missing || !own.copies.empty()) fail("expect: the phase before has not ended");
    own.missing = bytes;
    ++own.phases;
  }
  void copy_bulk(void* to, const void* from, int bytes, u64* gate) const {
    if (reinterpret_cast<std::uintptr_t>(to) % 16 || reinterpret_cast<std::uintptr_t>(from) % 16 ||
        bytes % 16)
      fail("copy_bulk: not whole packets of 16 bytes");
    if (grid_.order >= kAtOnce) memcpy(to, from, std::size_t(bytes));
    gates_[gate].copies.push_back(Copy{to, from, bytes, 0});
  }
  void wait_gate(u64* gate, int phase) const {
    Gate& own = gates_[gate];
    for (int turns = 0; own.phases % 2 == phase; ++turns) {  // that is the one before
      if (turns == kPatience) fail("wait_gate: nobody expects bytes");
      pause(kReady);
    }
    for (const Copy& copy : own.copies) {
      own.missing -= copy.bytes;
      if (grid_.order < kAtOnce) memcpy(copy.to, copy.from, std::size_t(copy.bytes));
    }
    own.copies.clear();
    if (own.missing) fail("wait_gate: other bytes than expected");
  }

  template <class T>
  T once(const T* p) const {
    return *p;
  }
  template <int B>
  void stream(Packet<B>* p, Packet<B> v) const {
    store(p, v);
  }
  template <int B>
  void store(Packet<B>* p, Packet<B> v) const {
    if (reinterpret_cast<std::uintptr_t>(p) % B) fail("store: an address is not aligned");
    memcpy(p, &v, B);  // the host's own aligned store would end the process
  }

 private:
  static constexpr int kAtOnce = 3, kPatience = 100;
  enum State { kNew, kReady, kBlockBarrier, kWarpBarrier, kDone };
  struct Fragment {
    double real[2];
    float left[4], right[2];
  };
  struct Copy {
    void* to;
    const void* from;
    int bytes;
    i64 group;
  };

  struct Gate {
    i64 missing = 0, phases = 0;
    std::vector<Copy> copies;
  };

  Loops(const Grid& grid, Body body, const void* call);
  void run_block(i64 block);
  bool release();                 // threads that wait for each other and are all there
  void arrive(i64 groups) const;  // the copies of the groups before this one
  const Fragment& of_lane(int lane) const {
    return fragments_[std::size_t(current_ / kWarp * kWarp + lane)];
  }
  float tf32(u32 word) const {
    float value;
    memcpy(&value, &word, sizeof value);
    if (word & 0x1FFF && std::isfinite(value)) fail("mma: a word is not rounded to tf32");
    return value;
  }
  void pause(State why) const;
  void fail(const char* what) const;
  void enter(std::size_t thread);  // until it pauses or is done
  static void start();

  Grid grid_;
  Body body_;
  const void* call_;
  std::vector<int> turns_;
  std::unique_ptr<char[]> stacks_;  // not zeroed: most pages of a stack are never touched
  std::vector<char> memory_;
  unsigned char* shared_;
  i64 block_ = 0;
  mutable std::vector<ucontext_t> fibers_;
  struct Place {
    jmp_buf at;
  };
  mutable std::vector<Place> places_;  // where each paused
  mutable jmp_buf scheduler_;
  mutable int current_ = 0;
  mutable std::vector<State> states_;
  mutable std::vector<u64> exchange_;
  mutable std::vector<Fragment> fragments_;
  mutable std::vector<std::vector<Copy>> copies_;
  mutable std::vector<i64> groups_;
  mutable std::map<u64*, Gate> gates_;
  mutable std::string failure_;
};

}  // namespace tl
