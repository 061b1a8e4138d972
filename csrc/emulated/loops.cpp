// loops.cpp -- the fibers of an emulated block and who runs next.
//
// A fiber starts as a context of its own and is left and entered again by long jumps: a change of
// context asks the kernel for the signal mask, which was most of the time. glibc's fortified jump
// takes another stack for a fault.
#undef _FORTIFY_SOURCE
#include "loops.hpp"

namespace tl {
namespace {

constexpr std::size_t kStack = 64 << 10;  // bytes a thread
constexpr i64 kGuard = 256;               // bytes behind the shared memory
constexpr unsigned char kPoison = 0xFF;   // NaN as float and as double, -1 as an integer
thread_local Loops* running = nullptr;    // makecontext hands over no pointer

}  // namespace

Loops::Loops(const Grid& grid, Body body, const void* call)
    : grid_(grid),
      body_(body),
      call_(call),
      stacks_(new char[std::size_t(grid.threads) * kStack]),
      memory_(std::size_t(grid.shared + kGuard + 128)),
      fibers_(std::size_t(grid.threads)),
      places_(std::size_t(grid.threads)),
      states_(std::size_t(grid.threads)),
      exchange_(std::size_t(grid.threads)),
      fragments_(std::size_t(grid.threads)),
      copies_(std::size_t(grid.threads)),
      groups_(std::size_t(grid.threads)) {
  const std::uintptr_t start = reinterpret_cast<std::uintptr_t>(memory_.data());
  shared_ = reinterpret_cast<unsigned char*>((start + 127) / 128 * 128);
  const int threads = grid.threads;
  for (int t = 0; t < threads; ++t) {
    const int odd_first = t < threads / 2 ? 2 * t + 1 : 2 * t - threads;
    const int turn = grid.order % kAtOnce;
    turns_.push_back(turn == 0 ? t : turn == 1 ? threads - 1 - t : odd_first);
  }
}

void Loops::run(const Grid& grid, Body body, const void* call) {
  Loops loops(grid, body, call);
  for (i64 block = 0; block < grid.blocks; ++block) loops.run_block(block);
}

void Loops::run_block(i64 block) {
  block_ = block;
  gates_.clear();
  memset(shared_, kPoison, std::size_t(grid_.shared + kGuard));
  for (std::size_t t = 0; t < fibers_.size(); ++t) {
    states_[t] = kNew;
    copies_[t].clear();
    groups_[t] = 0;
    getcontext(&fibers_[t]);
    fibers_[t].uc_stack.ss_sp = stacks_.get() + t * kStack;
    fibers_[t].uc_stack.ss_size = kStack;
    fibers_[t].uc_link = nullptr;  // never reached
    makecontext(&fibers_[t], &Loops::start, 0);
  }
  do {
    for (int t : turns_) {
      if (states_[std::size_t(t)] > kReady) continue;
      current_ = t;
      running = this;
      enter(std::size_t(t));
      if (!failure_.empty()) throw std::logic_error(failure_);
    }
  } while (release());
  for (i64 k = 0; k < kGuard; ++k)
    if (shared_[grid_.shared + k] != kPoison) fail("shared memory was written past its end");
  for (const auto& copies : copies_)
    if (!copies.empty()) fail("a thread left before its copies arrived");
  for (const auto& gate : gates_)
    if (!gate.second.copies.empty()) fail("a block left before the bytes of a gate arrived");
  if (!failure_.empty()) throw std::logic_error(failure_);
}

void Loops::enter(std::size_t thread) {
  if (_setjmp(scheduler_)) return;
  if (states_[thread] == kReady) _longjmp(places_[thread].at, 1);
  setcontext(&fibers_[thread]);
}

void Loops::start() {
  Loops* self = running;
  self->body_(*self, self->call_);
  self->states_[std::size_t(self->current_)] = kDone;
  _longjmp(self->scheduler_, 1);
}

bool Loops::release() {
  i64 done = 0, at_barrier = 0, freed = 0;  // freed: or at a gate that is not expected yet
  const i64 threads = grid_.threads;
  for (i64 first = 0; first < threads; first += kWarp) {
    i64 waiting = 0;
    for (i64 t = first; t < first + kWarp; ++t) {
      done += states_[std::size_t(t)] == kDone;
      at_barrier += states_[std::size_t(t)] == kBlockBarrier;
      waiting += states_[std::size_t(t)] == kWarpBarrier;
      freed += states_[std::size_t(t)] == kReady;
    }
    if (waiting < kWarp) continue;
    for (i64 t = first; t < first + kWarp; ++t) states_[std::size_t(t)] = kReady;
    freed += kWarp;
  }
  if (freed) return true;
  if (done == threads) return false;
  if (at_barrier != threads) {
    fail("a barrier was reached by a part of its threads only");
    throw std::logic_error(failure_);
  }
  for (State& state : states_) state = kReady;
  return true;
}

void Loops::arrive(i64 groups) const {
  std::vector<Copy>& copies = copies_[std::size_t(current_)];
  std::size_t left = 0;
  for (const Copy& copy : copies) {
    if (copy.group >= groups)
      copies[left++] = copy;
    else if (grid_.order < kAtOnce)
      memcpy(copy.to, copy.from, std::size_t(copy.bytes));
  }
  copies.resize(left);
}

void Loops::pause(State why) const {
  const std::size_t here = std::size_t(current_);
  states_[here] = why;
  if (!_setjmp(places_[here].at)) _longjmp(scheduler_, 1);
}

void Loops::fail(const char* what) const {
  if (failure_.empty())
    failure_ = std::string(what) + " (block " + std::to_string(block_) + ", thread " +
               std::to_string(current_) + ")";
}

}  // namespace tl
