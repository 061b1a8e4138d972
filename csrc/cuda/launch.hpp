// launch.hpp -- what the binding of _cuda sees of CUDA: no CUDA header, no kernel.
#pragma once
#include <string>
#include <utility>
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

// The launches of a round, phase by phase of a network's period, to be played for many rounds
// without the caller in between. What changes from round to round are words of the launches.
class Tape {
 public:
  // The next launch of rounds of this phase. moving: (word of the launch, column of the moments
  // that takes its place). Throws std::invalid_argument on a word that is not there.
  void add(int phase, const Prepared& kernel, const std::string& words,
           const std::vector<std::pair<int, int>>& moving);

  // Put every launch of round after round on the stream. moments: a row of `columns` words for each
  // round; the first one has this phase. Throws as Prepared::launch does.
  void play(int phase, const std::string& moments, int columns, u64 stream) const;

 private:
  struct Launch {
    Prepared kernel;
    std::string words;
    std::vector<std::pair<int, int>> moving;
  };
  std::vector<std::vector<Launch>> phases_;
  int columns_ = 0;  // that the launches ask for
};

}  // namespace tl
