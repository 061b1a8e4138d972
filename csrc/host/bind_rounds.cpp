// bind_rounds.cpp -- drawn networks as CSR, and whole rounds in one call: draw, local steps, mix.
//
// A round is the very kernels that theorylab calls one by one, in the same order, so its bits are
// theirs; what is saved is everything between the calls.
#include <algorithm>
#include <cmath>
#include <optional>
#include <tuple>

#include "losses.hpp"
#include "matrices.hpp"
#include "networks.hpp"

namespace tl {
namespace {

void random_network(std::int64_t n, std::int64_t degree, bool self, std::uint64_t seed,
                    std::uint32_t purpose, std::uint32_t round, std::uint32_t run,
                    Out<std::int32_t> indptr, Out<std::int32_t> indices, Out<double> data) {
  NetworkJob job = sized(n, degree, self, seed, purpose);
  const std::int64_t entries = n * (degree + self);
  job.round = round;
  job.run = run;
  job.indptr = writable(indptr, n + 1, "indptr");
  job.indices = writable(indices, entries, "indices");
  double* shares = writable(data, entries, "data");
  std::vector<std::int32_t> chosen(std::size_t(n * degree) + 1);  // no null where nothing is drawn
  job.chosen = chosen.data();
  const Table& table = current_isa();
  const int threads = get_threads();
  without_gil([&](Watch& watch) {
    table.networks(&job, 1, threads, watch);
    std::fill(shares, shares + entries, 1.0 / double(degree + self));
  });
}

// What the audits of theorylab/algorithms/_audit.py look at, and its rules.
enum class Fault { kNone, kNoWeight, kWeight, kModel };

template <class T>
class Audit {
 public:
  Audit(std::int64_t runs, std::int64_t n, std::int64_t d) : runs_(runs), n_(n), d_(d) {
    stride_ = d / kAudited > 1 ? d / kAudited : 1;
    const std::size_t columns = std::size_t((d + stride_ - 1) / stride_) + 1;
    for (auto* sums : {&had_, &has_, &size_}) sums->resize(columns);
  }
  Fault fault = Fault::kNone;
  double number = 0;
  std::int64_t round = 0;

  // Whether the run may go on.
  bool least(std::int64_t t, const T* after) {
    for (std::int64_t k = 0; k < runs_ * n_; ++k)
      if (!(after[k] > 0)) return set(Fault::kNoWeight, t, double(after[k]));
    return true;
  }
  bool weights(std::int64_t t, const T* before, const T* after) {
    return sums(Fault::kWeight, t, before, after, 1, 1);
  }
  bool models(std::int64_t t, const T* half, const T* after) {
    return t % kEvery || sums(Fault::kModel, t, half, after, d_, stride_);
  }

 private:
  static constexpr std::int64_t kAudited = 64, kEvery = 8;
  std::int64_t runs_, n_, d_, stride_;
  std::vector<double> had_, has_, size_;  // of the columns that are looked at

  bool set(Fault what, std::int64_t t, double value) {
    fault = what;
    round = t;
    number = value;
    return false;
  }
  // Every column adds its rows in their order; the rows are walked as they lie in memory.
  bool sums(Fault what, std::int64_t t, const T* before, const T* after, std::int64_t d,
            std::int64_t stride) {
    const double eps = sizeof(T) == 8 ? 0x1p-52 : 0x1p-23;
    const double least = sizeof(T) == 8 ? 0x1p-1022 : 0x1p-126;
    const std::int64_t columns = (d + stride - 1) / stride;
    for (std::int64_t r = 0; r < runs_; ++r, before += n_ * d, after += n_ * d) {
      std::fill(had_.begin(), had_.end(), 0);
      std::fill(has_.begin(), has_.end(), 0);
      std::fill(size_.begin(), size_.end(), double(n_) * least);
      if (columns == 1)
        add<true>(before, after, d, stride, columns);
      else if (stride == 1)
        add<false>(before, after, d, 1, columns);
      else
        add<false>(before, after, d, stride, columns);
      for (std::size_t k = 0; k < std::size_t(columns); ++k) {
        const double excess = std::fabs(has_[k] - had_[k]) - 8 * eps * double(n_) * size_[k];
        if (excess > 0) return set(what, t, excess);  // not where a run overflowed: nan
      }
    }
    return true;
  }
  template <bool kOne>
  inline __attribute__((always_inline)) void add(const T* before, const T* after, std::int64_t d,
                                                 std::int64_t stride, std::int64_t columns) {
    double *__restrict__ had = had_.data(), *__restrict__ has = has_.data(),
                         *__restrict__ size = size_.data();
    double one[3] = {had[0], has[0], size[0]};  // in registers
    for (std::int64_t i = 0; i < n_; ++i)
      if (kOne) {
        const double x = double(before[i * d]);
        one[0] += x;
        one[1] += double(after[i * d]);
        one[2] += std::fabs(x);
      } else {
        for (std::int64_t k = 0; k < columns; ++k) {
          const double x = double(before[i * d + k * stride]);
          had[k] += x;
          has[k] += double(after[i * d + k * stride]);
          size[k] += std::fabs(x);
        }
      }
    if (kOne) had[0] = one[0], has[0] = one[1], size[0] = one[2];
  }
};

// P: the matrices of one period, or null; drawn: (n, degree, self, seed, purpose), or None. ends:
// after how many rounds each state is handed out, the last after all.
template <class T>
py::tuple rounds(const Losses<T>& losses, const Matrices* P, const py::object& drawn,
                 const Ints& graphs, const In<T>& x, const In<T>& w, std::uint64_t seed,
                 std::int64_t first, const In<double>& etas, const Ints& ends, const Ints& runs,
                 std::int64_t steps, const Ints& counts, double alpha, double rho, bool push_sum,
                 bool conserves, Out<T> x1, Out<T> w1, Out<T> z1) {
  const std::int64_t n = losses.t.n, d = losses.t.d, total = etas.size(), states = ends.size();
  Out<T> half(x.size());
  StepJob step = losses.job(StepWork::kSteps, x, half, -1);
  const std::int64_t rows = times(step.runs, n), size = times(rows, d);
  const double* eta = readable(etas, total, "etas");
  if (total < 1 || first < 0 || steps < 0 || plus(first, total) > 0xffffffff)
    refuse_rounds("rounds or steps out of range");
  const std::int64_t* end = readable(ends, states, "ends");
  for (std::int64_t s = 0; s < states; ++s)
    if (end[s] <= (s ? end[s - 1] : 0)) refuse_rounds("ends need to increase from 1");
  if (!states || end[states - 1] != total) refuse_rounds("ends need the number of rounds last");
  step.run = readable(runs, step.runs, "runs");
  if (counts.size()) step.count = readable(counts, rows, "counts");
  step.seed = seed;
  step.steps = steps;
  step.alpha = alpha;
  step.rho = rho;
  const std::int64_t* graph = readable(graphs, graphs.size(), "graphs");
  const bool per_run = graphs.size() > 1;
  if (graphs.size() != 1 && graphs.size() != step.runs)
    refuse_rounds("graphs need one id, or one a run");
  const int threads = get_threads();
  std::optional<Networks> networks;
  MixJob mixing{};
  if (P == nullptr) {
    const auto [clients, degree, self, key, purpose] =
        py::cast<std::tuple<std::int64_t, std::int64_t, bool, std::uint64_t, std::uint32_t>>(drawn);
    if (clients != n) refuse_rounds("the network has other clients than the losses");
    networks.emplace(sized(n, degree, self, key, purpose), graph, graphs.size(), total, threads);
    mixing.share = 1.0 / double(degree + self);
  } else if (P->n != n || !P->per_run || P->rows.empty()) {
    refuse_rounds("P needs the losses' clients, and a list of matrices");
  }
  mixing.runs = step.runs;
  mixing.n = n;
  mixing.d = d;
  mixing.single = sizeof(T) == 4;
  mixing.per_run = P == nullptr && per_run;
  if (P) mixing.wide = P->wide, mixing.single_data = P->single_data;
  const Out<T> w_other(rows);
  // Until a state is made, models and weights go to and fro between its place and another: for
  // the models that is the place of its z, which is written last.
  T* const places = writable(x1, times(states, size), "x1");
  T* const points = writable(z1, times(states, size), "z1");
  T* const shares = writable(w1, times(states, rows), "w1");
  mixing.x = half.data();
  step.x = readable(x, size, "x");
  step.w = mixing.w = readable(w, rows, "w");
  if (!rows) return py::make_tuple(int(Fault::kNone), 0, 0.0);
  Audit<T> audit(step.runs, n, d);
  std::vector<T> unread;  // z of the rounds between two states, where a schedule makes it
  const Table& table = current_isa();
  without_gil([&](Watch& watch) {
    std::int64_t made = 0;  // states
    for (std::int64_t k = 0; k < total && !told_to_stop(watch, true); ++k) {
      const std::int64_t t = first + k, left = total - k, away = end[made] - 1 - k;
      T* const z = points + made * size;
      T* const models = away & 1 ? z : places + made * size;
      T* const weights = away & 1 ? const_cast<T*>(w_other.data()) : shares + made * rows;
      step.round = std::uint32_t(t);
      step.eta = eta[k];
      if (size) table.local_steps(step, threads, watch);
      if (networks) {
        mixing.P = networks->at(t, left, threads, watch);
        mixing.entries = networks->entries();
      } else {
        const std::size_t phase = std::size_t(t) % P->rows.size();
        mixing.P = &P->rows[phase];
        mixing.entries = P->stored[phase];
      }
      if (told_to_stop(watch, false)) return;
      mixing.x1 = models;
      mixing.w1 = weights;
      mixing.z1 = away ? nullptr : z;
      if (!networks || !table.mix_drawn(mixing, threads, watch)) {
        if (networks) networks->store(mixing.share);
        if (away) {
          unread.resize(std::size_t(size));
          mixing.z1 = unread.data();
        }
        table.push_mix(mixing, threads, watch);
      }
      if (told_to_stop(watch, false)) return;
      if (push_sum) {
        if (!audit.least(t, weights)) return;
        if (conserves && !(audit.weights(t, static_cast<const T*>(mixing.w), weights) &&
                           audit.models(t, half.data(), models)))
          return;
        step.w = mixing.w = weights;
      }
      step.x = models;
      made += !away;
    }
  });
  return py::make_tuple(int(audit.fault), audit.round, audit.number);
}

}  // namespace

void bind_rounds(py::module_& m) {
  m.def("random_network", &random_network, TL_ARG(n), TL_ARG(degree), TL_ARG(self), TL_ARG(seed),
        TL_ARG(purpose), TL_ARG(round), TL_ARG(run), TL_ARG(indptr), TL_ARG(indices), TL_ARG(data));
  const auto both = [&m](auto function) {
    m.def("rounds", function, TL_ARG(losses), py::arg("P").none(true), TL_ARG(drawn),
          TL_ARG(graphs), TL_ARG(x), TL_ARG(w), TL_ARG(seed), TL_ARG(first), TL_ARG(etas),
          TL_ARG(ends), TL_ARG(runs), TL_ARG(steps), TL_ARG(counts), TL_ARG(alpha), TL_ARG(rho),
          TL_ARG(push_sum), TL_ARG(conserves), TL_ARG(x1), TL_ARG(w1), TL_ARG(z1));
  };
  both(&rounds<double>);
  both(&rounds<float>);
}

}  // namespace tl
