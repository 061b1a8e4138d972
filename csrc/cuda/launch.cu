// launch.cu -- every schedule compiled ahead of time, in one table, and the one launcher.
#include <cuda_runtime.h>

#include <map>
#include <stdexcept>

#include "launch.hpp"
#include "schedules.hpp"

namespace tl {
namespace {

struct Entry {
  const void* kernel;
  std::size_t arguments;
};

template <class... A>
Entry entry(void (*kernel)(A...)) {
  static_assert(((sizeof(A) == sizeof(u64)) && ...), "an argument is i64, double or a pointer");
  return Entry{reinterpret_cast<const void*>(kernel), sizeof...(A)};
}

const std::map<std::string, Entry>& table() {
#define TL_SCHEDULE(name, ...) {#name "<" #__VA_ARGS__ ">", entry(&name##_gpu<__VA_ARGS__>)},
  static const std::map<std::string, Entry> made = {TL_SCHEDULES};
#undef TL_SCHEDULE
  return made;
}

void check(cudaError_t error, const std::string& what) {
  if (error == cudaSuccess) return;
  cudaGetLastError();  // so that the next call does not report it again
  throw std::runtime_error(what + ": " + cudaGetErrorString(error));
}

// Makes a device current, and the caller's one again afterwards.
class Current {
 public:
  explicit Current(int device) {
    check(cudaGetDevice(&before_), "cuda");
    if (device != before_) check(cudaSetDevice(device), "cuda: device " + std::to_string(device));
  }
  ~Current() { cudaSetDevice(before_); }
  Current(const Current&) = delete;
  Current& operator=(const Current&) = delete;

 private:
  int before_ = 0;
};

}  // namespace

std::vector<std::string> schedule_names() {
  std::vector<std::string> names;
  for (const auto& item : table()) names.push_back(item.first);
  return names;
}

std::vector<int> architectures() {
  std::vector<int> made{__CUDA_ARCH_LIST__};  // 800, 900, ...
  for (int& each : made) each /= 10;
  return made;
}

int device_count() {
  int count = 0;
  check(cudaGetDeviceCount(&count), "cuda");
  return count;
}

DeviceFacts device_facts(int device) {
  const Current current(device);
  cudaDeviceProp p;
  check(cudaGetDeviceProperties(&p, device), "cuda");
  std::size_t free = 0, total = 0;
  check(cudaMemGetInfo(&free, &total), "cuda");
  return DeviceFacts{p.name,
                     10 * p.major + p.minor,
                     p.multiProcessorCount,
                     p.l2CacheSize,
                     i64(p.sharedMemPerBlockOptin),
                     i64(p.sharedMemPerMultiprocessor),
                     i64(free),
                     i64(total)};
}

void launch(const std::string& name, i64 blocks, int threads, i64 shared,
            const std::vector<u64>& words, int device, u64 stream) {
  const auto found = table().find(name);
  if (found == table().end()) throw std::invalid_argument("_cuda: no schedule is named " + name);
  if (found->second.arguments != words.size())
    throw std::invalid_argument("_cuda: " + name + " got " + std::to_string(words.size()) +
                                " arguments; need " + std::to_string(found->second.arguments));
  const std::string what = name + " on " + std::to_string(blocks) + " blocks of " +
                           std::to_string(threads) + " threads with " + std::to_string(shared) +
                           " bytes of shared memory";
  if (blocks < 1 || blocks > 0x7FFFFFFF)
    throw std::invalid_argument(what + ": need 1 to 2147483647 blocks");
  const Current current(device);
  const void* kernel = found->second.kernel;
  if (shared > 48 << 10)  // more must be asked for, once a kernel and device
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, int(shared)),
          what);
  std::vector<void*> arguments;
  for (const u64& word : words) arguments.push_back(const_cast<u64*>(&word));
  check(cudaLaunchKernel(kernel, dim3(unsigned(blocks)), dim3(unsigned(threads)), arguments.data(),
                         std::size_t(shared), reinterpret_cast<cudaStream_t>(stream)),
        what);
}

}  // namespace tl
