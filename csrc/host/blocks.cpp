// blocks.cpp -- see blocks.hpp.
#include "blocks.hpp"

#ifdef __linux__
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include <mutex>
#include <new>

#include "../core/sizes.hpp"

namespace tl {
namespace {

constexpr int kPlaces = 16;
constexpr std::uint64_t kForgotten = 16;  // blocks taken since this one came back

struct Idle {
  Block block;          // data null: the place is empty
  std::uint64_t since;  // how many had been taken
};

// Nothing here has a destructor: results may outlive the module's statics.
std::mutex guard;
Idle idle[kPlaces];
std::uint64_t taken = 0;
i64 held = 0, most = 0;

void drop(Idle& place) {
  if (!place.block.data) return;
  munmap(place.block.data, std::size_t(place.block.bytes));
  held -= place.block.bytes;
  place = Idle{};
}
void drop_all() {
  for (Idle& place : idle) drop(place);
}

// A child would copy every page that it writes into: it begins with no block.
void lock() { guard.lock(); }
void unlock() { guard.unlock(); }
void begin_child() {
  drop_all();
  guard.unlock();
}
const bool survives_fork = pthread_atfork(lock, unlock, begin_child) == 0;

void* mapped(i64 size) {
  return mmap(nullptr, std::size_t(size), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
              0);
}

Block map(i64 bytes) {
  const i64 size = bytes + kHugePage;
  void* base = mapped(size);
  if (base == MAP_FAILED) {  // a limit on addresses counts the blocks that are kept
    const std::lock_guard<std::mutex> own(guard);
    drop_all();
    base = mapped(size);
  }
  if (base == MAP_FAILED) throw std::bad_alloc();
  char* first = static_cast<char*>(base);
  const i64 before = i64(-reinterpret_cast<std::uintptr_t>(base) % kHugePage);
  if (before) munmap(first, std::size_t(before));
  munmap(first + before + bytes, std::size_t(kHugePage - before));
  madvise(first + before, std::size_t(bytes), MADV_HUGEPAGE);
  return Block{first + before, bytes, false};
}

Idle& oldest() {
  Idle* least = nullptr;
  for (Idle& place : idle)
    if (place.block.data && (!least || place.since < least->since)) least = &place;
  return *least;
}

}  // namespace

Block take_block(std::int64_t bytes) {
  bytes = whole(bytes ? bytes : 1, kHugePage);
  {
    const std::lock_guard<std::mutex> own(guard);
    ++taken;
    Idle* best = nullptr;
    for (Idle& place : idle) {
      const i64 more = place.block.bytes - bytes;
      if (!place.block.data) continue;
      if (more >= 0 && more <= bytes / 8 && (!best || place.block.bytes < best->block.bytes))
        best = &place;
      else if (taken - place.since > kForgotten)
        drop(place);
    }
    if (best) {
      const Block block = best->block;
      held -= block.bytes;
      *best = Idle{};
      return block;
    }
  }
  return map(bytes);
}

void give_block(Block block) {
  block.used = true;
  {
    const std::lock_guard<std::mutex> own(guard);
    if (block.bytes <= most && !madvise(block.data, std::size_t(block.bytes), MADV_FREE)) {
      while (held + block.bytes > most) drop(oldest());
      Idle* place = nullptr;
      for (Idle& one : idle)
        if (!one.block.data) place = &one;
      if (!place) drop(*(place = &oldest()));
      *place = Idle{block, taken};
      held += block.bytes;
      return;
    }
  }
  munmap(block.data, std::size_t(block.bytes));
}

std::int64_t idle_bytes() {
  const std::lock_guard<std::mutex> own(guard);
  return held;
}

void keep_blocks(bool on) {
  const std::lock_guard<std::mutex> own(guard);
  drop_all();
  const i64 pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
  most = on && survives_fork && pages > 0 && page > 0 ? times(pages, page) / 16 : 0;
}

}  // namespace tl

#else
#include <new>

#include "../core/sizes.hpp"

namespace tl {

Block take_block(std::int64_t bytes) {
  return Block{static_cast<char*>(::operator new(std::size_t(bytes ? bytes : 1))), bytes, true};
}
void give_block(Block block) { ::operator delete(block.data); }
std::int64_t idle_bytes() { return 0; }
void keep_blocks(bool) {}

}  // namespace tl
#endif
