// matrices.hpp -- checked CSR matrices; bind_push_mix.cpp makes and binds them.
#pragma once
#include <memory>
#include <vector>

#include "table.hpp"

namespace tl {

// One CSR matrix, or one for each run: private copies, every index checked, so that the kernel can
// trust them whatever another thread writes into the caller's arrays meanwhile.
struct Matrices {
  std::vector<MixRows> rows;
  std::vector<std::unique_ptr<char[]>> memory;
  std::vector<std::int64_t> stored;  // entries of each
  std::int64_t n = 0, entries = 0;
  bool per_run = false, wide = false, single_data = false;
};

// What _core.tune set.
const MixTuning& mix_tuning();

}  // namespace tl
