// bind_rounds.cpp -- drawn networks as CSR, and whole rounds in one call: draw, local steps, mix.
//
// A round is the very kernels that theorylab calls one by one, in the same order, so its bits are
// theirs; what is saved is everything between the calls.
#include <cmath>
#include <tuple>

#include "losses.hpp"
#include "matrices.hpp"

namespace tl {
namespace {

[[noreturn]] void refuse(const std::string& text) { throw py::value_error("rounds: " + text); }

// One drawn network's buffers; its shares never change.
class Drawn {
 public:
  Drawn(std::int64_t n, std::int64_t degree, bool self, std::uint64_t seed, std::uint32_t purpose) {
    if (n < 1 || n > (std::int64_t(1) << 31) - 1 || degree < 0 || degree >= n ||
        times(n, degree + 1) > (std::int64_t(1) << 31) - 1)
      refuse("n or degree out of range");
    job_.n = n;
    job_.degree = degree;
    job_.self = self;
    job_.seed = seed;
    job_.purpose = purpose;
    const std::size_t entries = std::size_t(n * (degree + self));
    chosen_.resize(std::size_t(n * degree) + 1);  // no null where nothing is drawn
    indptr_.resize(std::size_t(n + 1));
    indices_.resize(entries);
    data_.assign(entries, 1.0 / double(degree + self));
    job_.chosen = chosen_.data();
    job_.indptr = indptr_.data();
    job_.indices = indices_.data();
  }
  std::int64_t entries() const { return std::int64_t(indices_.size()); }
  MixRows draw(std::uint32_t round, std::uint32_t run, int threads, Watch& watch) {
    job_.round = round;
    job_.run = run;
    current_isa().network(job_, threads, watch);
    return MixRows{job_.indptr, job_.indices, data_.data()};
  }

 private:
  NetworkJob job_{};
  std::vector<std::int32_t> chosen_, indptr_, indices_;
  std::vector<double> data_;
};

void random_network(std::int64_t n, std::int64_t degree, bool self, std::uint64_t seed,
                    std::uint32_t purpose, std::uint32_t round, std::uint32_t run,
                    Out<std::int32_t> indptr, Out<std::int32_t> indices, Out<double> data) {
  if (n < 1 || n > (std::int64_t(1) << 31) - 1 || degree < 0 || degree >= n)
    refuse("n or degree out of range");
  const std::int64_t entries = times(n, degree + self);
  if (entries > (std::int64_t(1) << 31) - 1) refuse("more edges than int32 counts");
  NetworkJob job{};
  job.n = n;
  job.degree = degree;
  job.self = self;
  job.seed = seed;
  job.purpose = purpose;
  job.round = round;
  job.run = run;
  job.indptr = writable(indptr, n + 1, "indptr");
  job.indices = writable(indices, entries, "indices");
  job.data = writable(data, entries, "data");
  std::vector<std::int32_t> chosen(std::size_t(n * degree) + 1);
  job.chosen = chosen.data();
  const Table& table = current_isa();
  const int threads = get_threads();
  without_gil([&](Watch& watch) { table.network(job, threads, watch); });
}

// What the audits of theorylab/algorithms/_audit.py look at, and its rules.
enum class Fault { kNone, kNoWeight, kWeight, kModel };

template <class T>
class Audit {
 public:
  Audit(std::int64_t runs, std::int64_t n, std::int64_t d) : runs_(runs), n_(n), d_(d) {
    stride_ = d / kAudited > 1 ? d / kAudited : 1;
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

  bool set(Fault what, std::int64_t t, double value) {
    fault = what;
    round = t;
    number = value;
    return false;
  }
  bool sums(Fault what, std::int64_t t, const T* before, const T* after, std::int64_t d,
            std::int64_t stride) {
    const double eps = sizeof(T) == 8 ? 0x1p-52 : 0x1p-23;
    const double least = sizeof(T) == 8 ? 0x1p-1022 : 0x1p-126;
    for (std::int64_t r = 0; r < runs_; ++r)
      for (std::int64_t k = 0; k < d; k += stride) {
        double had = 0, has = 0, size = double(n_) * least;
        for (std::int64_t i = 0; i < n_; ++i) {
          const double x = double(before[(r * n_ + i) * d + k]);
          had += x;
          size += std::fabs(x);
          has += double(after[(r * n_ + i) * d + k]);
        }
        const double excess = std::fabs(has - had) - 8 * eps * double(n_) * size;
        if (excess > 0) return set(what, t, excess);  // not where a run overflowed: nan
      }
    return true;
  }
};

// P: the matrices of one period, or null; drawn: (n, degree, self, seed, purpose), or None.
template <class T>
py::tuple rounds(const Losses<T>& losses, const Matrices* P, const py::object& drawn,
                 const Ints& graphs, const In<T>& x, const In<T>& w, std::uint64_t seed,
                 std::int64_t first, const In<double>& etas, const Ints& runs, std::int64_t steps,
                 const Ints& counts, double alpha, double rho, bool push_sum, bool conserves,
                 Out<T> x1, Out<T> w1, Out<T> z1) {
  const std::int64_t n = losses.t.n, d = losses.t.d, total = etas.size();
  StepJob step = losses.job(StepWork::kSteps, x, x1, -1);
  const std::int64_t rows = times(step.runs, n), size = times(rows, d);
  const double* eta = readable(etas, total, "etas");
  if (total < 1 || first < 0 || steps < 0 || plus(first, total) > 0xffffffff)
    refuse("rounds or steps out of range");
  step.run = readable(runs, step.runs, "runs");
  if (counts.size()) step.count = readable(counts, rows, "counts");
  step.seed = seed;
  step.steps = steps;
  step.alpha = alpha;
  step.rho = rho;
  const std::int64_t* graph = readable(graphs, graphs.size(), "graphs");
  const bool per_run = graphs.size() > 1;
  if (graphs.size() != 1 && graphs.size() != step.runs) refuse("graphs need one id, or one a run");
  std::vector<Drawn> networks;
  if (P == nullptr) {
    const auto [clients, degree, self, key, purpose] =
        py::cast<std::tuple<std::int64_t, std::int64_t, bool, std::uint64_t, std::uint32_t>>(drawn);
    if (clients != n) refuse("the network has other clients than the losses");
    for (std::int64_t g = 0; g < graphs.size(); ++g)
      networks.emplace_back(n, degree, self, key, purpose);
  } else if (P->n != n || !P->per_run || P->rows.empty()) {
    refuse("P needs the losses' clients, and a list of matrices");
  }
  MixJob mixing{};
  mixing.runs = step.runs;
  mixing.n = n;
  mixing.d = d;
  mixing.single = sizeof(T) == 4;
  mixing.per_run = P == nullptr && per_run;
  if (P) mixing.wide = P->wide, mixing.single_data = P->single_data;
  const Out<T> half(size), x_other(size), w_other(rows);
  T* const models[2] = {writable(x1, size, "x1"), const_cast<T*>(x_other.data())};
  T* const weights[2] = {writable(w1, rows, "w1"), const_cast<T*>(w_other.data())};
  step.out = const_cast<T*>(half.data());
  mixing.x = half.data();
  mixing.z1 = writable(z1, size, "z1");
  step.x = readable(x, size, "x");
  step.w = mixing.w = readable(w, rows, "w");
  if (!rows) return py::make_tuple(int(Fault::kNone), 0, 0.0);
  Audit<T> audit(step.runs, n, d);
  const Table& table = current_isa();
  const int threads = get_threads();
  without_gil([&](Watch& watch) {
    std::vector<MixRows> matrix(networks.size() > 1 ? networks.size() : 1);
    for (std::int64_t k = 0; k < total && !told_to_stop(watch, true); ++k) {
      const std::int64_t t = first + k;
      const int target = int((total - 1 - k) & 1);
      step.round = std::uint32_t(t);
      step.eta = eta[k];
      if (size) table.local_steps(step, threads, watch);
      if (P) {
        const std::size_t phase = std::size_t(t) % P->rows.size();
        matrix[0] = P->rows[phase];
        mixing.entries = P->stored[phase];
      } else {
        mixing.entries = 0;
        for (std::size_t g = 0; g < networks.size(); ++g) {
          matrix[g] = networks[g].draw(std::uint32_t(t), std::uint32_t(graph[g]), threads, watch);
          mixing.entries += networks[g].entries();
        }
      }
      if (told_to_stop(watch, true)) return;
      mixing.P = matrix.data();
      mixing.x1 = models[target];
      mixing.w1 = weights[target];
      table.push_mix(mixing, threads, watch);
      if (told_to_stop(watch, true)) return;
      if (push_sum) {
        const T *before = static_cast<const T*>(mixing.w), *after = weights[target];
        if (!audit.least(t, after)) return;
        if (conserves &&
            !(audit.weights(t, before, after) && audit.models(t, half.data(), models[target])))
          return;
        step.w = mixing.w = weights[target];
      }
      step.x = models[target];
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
          TL_ARG(runs), TL_ARG(steps), TL_ARG(counts), TL_ARG(alpha), TL_ARG(rho), TL_ARG(push_sum),
          TL_ARG(conserves), TL_ARG(x1), TL_ARG(w1), TL_ARG(z1));
  };
  both(&rounds<double>);
  both(&rounds<float>);
}

}  // namespace tl
