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
  int threads_of_all;                              // the most of a multiprocessor
};

std::vector<std::string> schedule_names();
std::vector<int>
architectures();     // 80, 90, ...: compiled for; the last one's PTX serves newer chips
int device_count();  // throws std::runtime_error where there is no driver
DeviceFacts device_facts(int device);

struct Kernel;  // one of the table, with what was asked of the driver for it on each device

// A kernel on one device with one cut into blocks: looked up and given its shared memory once.
class Prepared {
 public:
  // carveout: of a multiprocessor's memory, the per cent that should be shared memory. Throws
  // std::invalid_argument on an unknown name or a cut that no grid has, std::runtime_error where
  // CUDA refuses it.
  Prepared(const std::string& name, i64 blocks, int threads, i64 shared, int carveout, int device);

  // Put it on the caller's stream and return; nothing is waited for. words: an argument each, 8
  // bytes. Throws std::runtime_error that names the kernel where CUDA refuses the launch.
  void launch(const std::string& words, u64 stream) const;

 private:
  std::string what() const;
  void ask() const;  // for the shared memory, where another cut asked for other since

  const std::string name_;
  Kernel* kernel_;
  i64 blocks_;
  int threads_;
  i64 shared_;
  int carveout_, device_;
};

}  // namespace tl
