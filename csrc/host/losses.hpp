// losses.hpp -- checked tables of client losses; bind_local_steps.cpp binds them.
#pragma once
#include <algorithm>
#include <string>

#include "../kernels/local_steps.cuh"
#include "bindings.hpp"
#include "table.hpp"

namespace tl {

typedef In<std::int64_t> Ints;

[[noreturn]] inline void refuse_losses(const std::string& text) {
  throw py::value_error("local_steps: " + text);
}

inline void run(const StepJob& job) {
  if (!times(job.runs, job.table.n, job.table.d)) return;
  const Table& table = current_isa();
  const int threads = get_threads();
  without_gil([&](Watch& watch) { table.local_steps(job, threads, watch); });
}

// A private copy: another thread may write into a caller's array while a kernel trusts it.
inline Ints own(const Ints& given, const char* name) {
  const std::int64_t* first = readable(given, given.size(), name);
  Ints made(given.size());
  std::copy(first, first + given.size(), made.mutable_data());
  return made;
}

// The tables of one family. What tells where to read is copied and checked, so that the kernel can
// trust it; the numbers that are read there are the caller's, kept alive.
template <class T>
struct Losses {
  StepTable t{};
  py::tuple keep;

  // single: the same rows in single precision, or empty.
  void regression(std::int64_t columns, std::int64_t features, const In<T>& rows,
                  const In<float>& single, const Ints& given_labels, const Ints& given_starts,
                  const Ints& given_sizes, std::int64_t batch) {
    if (columns < 1 || features < 1 || batch < 0 || times(features, columns) > kMostBytes)
      refuse_losses("columns, features or batch out of range");
    const Ints labels = own(given_labels, "labels"), starts = own(given_starts, "starts"),
               sizes = own(given_sizes, "sizes");
    t.columns = columns;
    t.features = features;
    t.stride = SumLanes<T>::padded(features);
    t.samples = labels.size();
    t.n = starts.size();
    t.d = features * columns;
    t.batch = batch;
    if (t.n < 1) refuse_losses("there is no client");
    t.rows = readable(rows, times(t.samples, t.stride), "rows");
    if (single.size()) t.single_rows = readable(single, times(t.samples, t.stride), "single");
    t.labels = labels.data();
    t.starts = starts.data();
    t.sizes = readable(sizes, t.n, "sizes");
    for (std::int64_t i = 0; i < t.n; ++i)
      if (t.sizes[i] < 1 || t.starts[i] < 0 || t.starts[i] > t.samples - t.sizes[i])
        refuse_losses("client " + std::to_string(i) + " has rows " + std::to_string(t.starts[i]) +
                      " and " + std::to_string(t.sizes[i]) + " more; there are " +
                      std::to_string(t.samples));
    const std::int64_t classes = columns > 1 ? columns : 2;
    for (std::int64_t j = 0; j < t.samples; ++j)
      if (t.labels[j] < 0 || t.labels[j] >= classes)
        refuse_losses("label " + std::to_string(t.labels[j]) + " came; need 0 to " +
                      std::to_string(classes - 1));
    keep = py::make_tuple(rows, single, labels, starts, sizes);
  }

  void shifted(Family family, const In<T>& centers, const In<T>& H) {
    if (centers.ndim() != 2) refuse_losses("centers need shape (n, d)");
    t.n = centers.shape(0);
    t.d = centers.shape(1);
    if (t.n < 1 || t.d < 1) refuse_losses("centers need a client and a coordinate");
    t.centers = readable(centers, times(t.n, t.d), "centers");
    if (family == Family::kDense) {
      t.stride = times(t.d, sizeof(T)) <= kFewBytes ? t.d : SumLanes<T>::padded(t.d);
      t.rows = readable(H, times(t.n, t.d, t.stride), "H");
    } else if (family == Family::kDiagonal)
      t.rows = readable(H, times(t.n, t.d), "H");
    keep = py::make_tuple(centers, H);
  }

  StepJob job(StepWork work, const In<T>& x, Out<T>& out, std::int64_t out_size) const {
    StepJob j{};
    j.work = work;
    j.table = t;
    const std::int64_t point = times(t.n, t.d);
    j.runs = x.size() / point;
    j.x = readable(x, times(j.runs, point), "x");
    j.out = writable(out, out_size < 0 ? times(j.runs, point) : out_size, "out");
    return j;
  }

  void steps(const In<T>& x, const In<T>& w, std::uint64_t seed, std::uint32_t round,
             const Ints& runs, std::int64_t steps, const Ints& counts, double eta, double alpha,
             double rho, Out<T> out) const {
    StepJob j = job(StepWork::kSteps, x, out, -1);
    j.w = readable(w, times(j.runs, t.n), "w");
    j.run = readable(runs, j.runs, "runs");
    if (counts.size()) j.count = readable(counts, times(j.runs, t.n), "counts");
    j.seed = seed;
    j.round = round;
    if (steps < 0) refuse_losses("steps out of range");
    j.steps = steps;
    j.eta = eta;
    j.alpha = alpha;
    j.rho = rho;
    run(j);
  }

  void gradients(const In<T>& x, const Ints& given_rows, const In<double>& noise,
                 Out<T> out) const {
    const Ints rows = own(given_rows, "rows");
    StepJob j = job(StepWork::kGradients, x, out, -1);
    if (noise.size()) j.drawn_noise = readable(noise, times(j.runs, t.n, t.d), "noise");
    if (rows.size()) {
      j.drawn = readable(rows, times(j.runs, t.n, t.batch), "rows");
      for (std::int64_t a = 0; a < rows.size(); ++a) {
        const std::int64_t size = t.sizes[a / t.batch % t.n];
        if (j.drawn[a] < 0 || j.drawn[a] >= size)
          refuse_losses("row number " + std::to_string(j.drawn[a]) + " came; need 0 to " +
                        std::to_string(size - 1) + " for client " +
                        std::to_string(a / t.batch % t.n));
      }
    }
    run(j);
  }

  void values(const In<T>& x, Out<T> out) const {
    need_regression();
    run(job(StepWork::kLosses, x, out, x.size() / t.d));
  }

  // x is (R, stride) for one column, (R, d) for more.
  void means(const In<T>& x, const In<double>& weights, Out<double> loss, Out<T> out) const {
    need_regression();
    StepJob j{};
    j.work = StepWork::kMeans;
    j.table = t;
    j.runs = loss.size();
    const bool one = t.family == int(Family::kLogistic);
    const std::int64_t width = one ? t.stride : times(t.features, SumLanes<T>::padded(t.columns));
    const std::int64_t blocks = mean_blocks(t.samples);
    j.x = readable(x, times(j.runs, one ? t.stride : t.d), "x");
    j.weights = readable(weights, t.samples, "weights");
    j.out = writable(out, times(j.runs, t.d), "out");
    j.mean_loss = writable(loss, j.runs, "loss");
    const Out<T> partial(times(blocks, j.runs, width));
    const Out<double> partial_loss(times(blocks, j.runs));
    j.partial = const_cast<T*>(partial.data());
    j.partial_loss = const_cast<double*>(partial_loss.data());
    run(j);
  }

  void need_regression() const {
    if (t.family > int(Family::kSoftmax)) refuse_losses("these losses are no regression");
  }
};

}  // namespace tl
