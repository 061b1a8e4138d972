// tape.hpp -- the launches of a round, put together once and played for many rounds.
//
// The same class serves _cuda and _emulated, so that what tests play is what a GPU is given.
#pragma once
#include <cstring>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "hd.cuh"

namespace tl {

// The launches of a round, phase by phase of a network's period. What changes from round to round
// are words of the launches, 8 bytes each. Prepared: copied; launch(words, stream) launches it.
template <class Prepared>
class Tape {
 public:
  typedef std::vector<std::pair<int, int>> Moving;

  // The next launch of rounds of this phase. moving: (word of the launch, column of the moments
  // that takes its place). Throws std::invalid_argument on a word or a phase that is not there.
  void add(int phase, const Prepared& kernel, const std::string& words, const Moving& moving) {
    constexpr int kMostPhases = 1 << 16;
    if (phase < 0 || phase >= kMostPhases) throw std::invalid_argument("tape: no such phase");
    for (const auto& [word, column] : moving) {
      if (word < 0 || std::size_t(word) >= words.size() / kWord || column < 0)
        throw std::invalid_argument("tape: a word that moves is not one of its launch");
      columns_ = column >= columns_ ? column + 1 : columns_;
    }
    if (std::size_t(phase) >= phases_.size()) phases_.resize(std::size_t(phase) + 1);
    phases_[std::size_t(phase)].push_back(Launch{kernel, words, moving});
  }

  // Put every launch of round after round on the stream. moments: a row of `columns` words for each
  // round; the first one has this phase. Throws std::invalid_argument on moments of other columns,
  // and what a launch throws.
  void play(int phase, const std::string& moments, int columns, u64 stream) const {
    const std::size_t row = std::size_t(columns) * kWord;
    if (columns < columns_ || columns < 1 || moments.size() % row)
      throw std::invalid_argument("tape: moments have " + std::to_string(columns) +
                                  " columns; need " + std::to_string(columns_) + " in whole rows");
    if (phases_.empty() || phase < 0) throw std::invalid_argument("tape: it has no launch");
    std::string words;
    for (std::size_t k = 0; k < moments.size() / row; ++k)
      for (const Launch& launch : phases_[(std::size_t(phase) + k) % phases_.size()]) {
        words = launch.words;
        for (const auto& [word, column] : launch.moving)
          memcpy(&words[std::size_t(word) * kWord], &moments[k * row + std::size_t(column) * kWord],
                 kWord);
        launch.kernel.launch(words, stream);
      }
  }

 private:
  static constexpr std::size_t kWord = sizeof(u64);
  struct Launch {
    Prepared kernel;
    std::string words;
    Moving moving;
  };
  std::vector<std::vector<Launch>> phases_;
  int columns_ = 0;  // that the launches ask for
};

}  // namespace tl
