// launch.hpp -- what the binding of _cuda sees of CUDA: no CUDA header, no kernel.
#pragma once
#include <string>
#include <vector>

#include "../core/hd.cuh"

namespace tl {

struct DeviceFacts {
  std::string name;
  int capability;                                  // 10 major + minor
  i64 multiprocessors, l2, shared, shared_of_all;  // bytes: of L2, a block's most, a processor's
  i64 free, total;                                 // bytes of the device's memory
};

std::vector<std::string> schedule_names();
std::vector<int>
architectures();     // 80, 90, ...: compiled for; the last one's PTX serves newer chips
int device_count();  // throws std::runtime_error where there is no driver
DeviceFacts device_facts(int device);

// Put a kernel on the caller's stream and return; nothing is waited for. Throws std::runtime_error
// that names the kernel where CUDA refuses the launch.
void launch(const std::string& name, i64 blocks, int threads, i64 shared,
            const std::vector<u64>& words, int device, u64 stream);

}  // namespace tl
