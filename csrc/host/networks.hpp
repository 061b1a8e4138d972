// networks.hpp -- the drawn networks of a call of many rounds, and their memory.
#pragma once
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "bindings.hpp"
#include "table.hpp"

namespace tl {

constexpr std::int64_t kMostEntries = (std::int64_t(1) << 31) - 1;

[[noreturn]] inline void refuse_rounds(const std::string& text) {
  throw py::value_error("rounds: " + text);
}

// A network of sizes that fit its indices, to be drawn at some round of some run.
inline NetworkJob sized(std::int64_t n, std::int64_t degree, bool self, std::uint64_t seed,
                        std::uint32_t purpose) {
  if (n < 1 || n > kMostEntries || degree < 0 || degree >= n ||
      times(n, degree + self) > kMostEntries)
    refuse_rounds("n or degree out of range, or more edges than int32 counts");
  NetworkJob job{};
  job.n = n;
  job.degree = degree;
  job.self = self;
  job.seed = seed;
  job.purpose = purpose;
  return job;
}

// The networks of one round, of one run or of several; those of the next rounds are drawn with
// them, so that every thread has one to draw.
class Networks {
 public:
  Networks(const NetworkJob& job, const std::int64_t* runs, std::int64_t count, std::int64_t rounds,
           int threads)
      : entries_(job.n * (job.degree + job.self)), count_(count) {
    const std::int64_t draws = times(job.n, job.degree, count) + 1;
    const std::int64_t words = plus(draws, times(count, job.n + entries_));
    const std::int64_t some = std::max<std::int64_t>(count, 1);  // no run, no network
    rounds_ = std::max<std::int64_t>(kDrawsAhead / draws, (threads + some - 1) / some);
    rounds_ =
        std::min({rounds_, kRoundsAhead, rounds, std::max<std::int64_t>(1, kWordsAhead / words)});
    jobs_.assign(std::size_t(rounds_ * count), job);
    for (std::size_t g = 0; g < jobs_.size(); ++g) {
      jobs_[g].run = std::uint32_t(runs[g % std::size_t(count)]);
      jobs_[g].chosen = kept(job.n * job.degree);
      jobs_[g].indptr = kept(job.n + 1);
      jobs_[g].indices = kept(entries_);
      rows_.push_back(MixRows{jobs_[g].indptr, jobs_[g].indices, nullptr});
    }
  }
  std::int64_t entries() const { return entries_ * count_; }

  // Those of round t; `left` rounds, this one included, are still to come.
  const MixRows* at(std::int64_t t, std::int64_t left, int threads, Watch& watch) {
    if (t < first_ || t >= first_ + drawn_) {
      first_ = t;
      drawn_ = std::min(rounds_, left);
      for (std::int64_t g = 0; g < drawn_ * count_; ++g)
        jobs_[std::size_t(g)].round = std::uint32_t(t + g / count_);
      current_isa().networks(jobs_.data(), drawn_ * count_, threads, watch);
    }
    return &rows_[std::size_t((t - first_) * count_)];
  }
  void store(double share) {  // for a schedule that reads the entries
    if (!data_.empty()) return;
    data_.assign(std::size_t(entries_) + 1, share);
    for (MixRows& rows : rows_) rows.data = data_.data();
  }

 private:
  static constexpr std::int64_t kDrawsAhead = 1 << 16, kRoundsAhead = 64, kWordsAhead = 64 << 20;
  std::int64_t entries_, count_, rounds_, first_ = 0, drawn_ = 0;
  std::vector<NetworkJob> jobs_;
  std::vector<std::unique_ptr<std::int32_t[]>> memory_;
  std::vector<MixRows> rows_;
  std::vector<double> data_;

  std::int32_t* kept(std::int64_t words) {
    memory_.emplace_back(new std::int32_t[std::size_t(words) + 1]);  // no null where nothing is
    return memory_.back().get();
  }
};

}  // namespace tl
