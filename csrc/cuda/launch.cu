// launch.cu -- every schedule compiled ahead of time, in one table, and the one launcher.
#include <cuda_runtime.h>

#include <cstring>
#include <map>
#include <mutex>
#include <stdexcept>

#include "launch.hpp"
#include "schedules.hpp"

namespace tl {

// What the driver was last asked for a kernel on a device; attributes are the function's, not a
// launch's, and each asking costs about a microsecond.
struct Asked {
  i64 shared = 48 << 10;  // what a block may have unasked
  int carveout = -1;
};

struct Kernel {
  const void* function;
  std::size_t arguments;
  std::mutex mutex;
  std::map<int, Asked> asked;  // by device

  template <class... A>
  explicit Kernel(void (*kernel)(A...))
      : function(reinterpret_cast<const void*>(kernel)), arguments(sizeof...(A)) {
    static_assert(((sizeof(A) == sizeof(u64)) && ...), "an argument is i64, double or a pointer");
  }
};

namespace {

std::map<std::string, Kernel>& table() {
#define TL_SCHEDULE(name, ...) \
  made.try_emplace(#name "<" #__VA_ARGS__ ">", &name##_gpu<__VA_ARGS__>);
  static std::map<std::string, Kernel> kernels = [] {
    std::map<std::string, Kernel> made;
    TL_SCHEDULES
    return made;
  }();
#undef TL_SCHEDULE
  return kernels;
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
    if (device == before_) return;
    check(cudaSetDevice(device), "cuda: device " + std::to_string(device));
    other_ = true;
  }
  ~Current() {
    if (other_) cudaSetDevice(before_);
  }
  Current(const Current&) = delete;
  Current& operator=(const Current&) = delete;

 private:
  int before_ = 0;
  bool other_ = false;
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
                     i64(total),
                     p.maxThreadsPerMultiProcessor};
}

Prepared::Prepared(const std::string& name, i64 blocks, int threads, i64 shared, int carveout,
                   int device)
    : name_(name),
      blocks_(blocks),
      threads_(threads),
      shared_(shared),
      carveout_(carveout),
      device_(device) {
  const auto found = table().find(name);
  if (found == table().end()) throw std::invalid_argument("_cuda: no schedule is named " + name);
  kernel_ = &found->second;
  if (blocks < 1 || blocks > 0x7FFFFFFF)
    throw std::invalid_argument(what() + ": need 1 to 2147483647 blocks");
  if (carveout < 0 || carveout > 100)
    throw std::invalid_argument(what() + ": carveout is " + std::to_string(carveout) +
                                "; need 0 to 100 per cent");
}

std::string Prepared::what() const {
  return name_ + " on " + std::to_string(blocks_) + " blocks of " + std::to_string(threads_) +
         " threads with " + std::to_string(shared_) + " bytes of shared memory";
}

void Prepared::ask() const {
  const std::lock_guard<std::mutex> lock(kernel_->mutex);
  Asked& asked = kernel_->asked[device_];
  if (asked.shared < shared_) {  // never less again: another cut of it may still need more
    check(cudaFuncSetAttribute(kernel_->function, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               int(shared_)),
          what());
    asked.shared = shared_;
  }
  if (asked.carveout != carveout_) {
    check(cudaFuncSetAttribute(kernel_->function, cudaFuncAttributePreferredSharedMemoryCarveout,
                               carveout_),
          what());
    asked.carveout = carveout_;
  }
}

void Prepared::launch(const std::string& words, u64 stream) const {
  constexpr std::size_t kMost = 64;
  const std::size_t count = words.size() / sizeof(u64);
  if (words.size() % sizeof(u64) || count != kernel_->arguments || count > kMost)
    throw std::invalid_argument("_cuda: " + name_ + " got " + std::to_string(words.size()) +
                                " bytes of arguments; need " +
                                std::to_string(kernel_->arguments * sizeof(u64)));
  u64 values[kMost];
  memcpy(values, words.data(), words.size());
  void* arguments[kMost];
  for (std::size_t k = 0; k < count; ++k) arguments[k] = &values[k];
  const Current current(device_);
  ask();
  check(cudaLaunchKernel(kernel_->function, dim3(unsigned(blocks_)), dim3(unsigned(threads_)),
                         arguments, std::size_t(shared_), reinterpret_cast<cudaStream_t>(stream)),
        what());
}

}  // namespace tl
