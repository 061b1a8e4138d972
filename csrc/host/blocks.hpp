// blocks.hpp -- memory of large results, which is used again: new pages cost a kernel several times
// what it writes into them.
//
// A block that comes back is kept for a result of about its size. Meanwhile the system may take its
// pages whenever memory is short, whose contents are lost then (MADV_FREE). All that are kept are
// together at most a sixteenth of the machine's memory, and one that nobody asked for in a while is
// unmapped. A block holds what was last written there: who takes it writes every byte that is read.
#pragma once
#include <cstdint>

namespace tl {

struct Block {
  char* data;
  std::int64_t bytes;  // whole huge pages, and data begins with one
  bool used;           // its pages are there; if not, they are zeros that nobody touched
};

constexpr std::int64_t kHugePage = 2 << 20;

Block take_block(std::int64_t bytes);  // std::bad_alloc: no memory
void give_block(Block block);          // from any thread
std::int64_t idle_bytes();             // of the blocks that are kept
void keep_blocks(bool on);             // off: no block is kept

}  // namespace tl
