// bind_local_steps.cpp -- checked tables of client losses, and what runs on
// them.
#include <algorithm>
#include <string>

#include "../kernels/local_steps.cuh"
#include "bindings.hpp"
#include "table.hpp"

namespace tl {
namespace {

typedef In<std::int64_t> Ints;

[[noreturn]] void refuse(const std::string& text) { throw py::value_error("local_steps: " + text); }

void run(const StepJob& job) {
  if (!times(job.runs, job.table.n, job.table.d)) return;
  const Table& table = current_isa();
  const int threads = get_threads();
  without_gil([&](Watch& watch) { table.local_steps(job, threads, watch); });
}

// A private copy: another thread may write into a caller's array while a kernel trusts it.
Ints own(const Ints& given, const char* name) {
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
      refuse("columns, features or batch out of range");
    const Ints labels = own(given_labels, "labels"), starts = own(given_starts, "starts"),
               sizes = own(given_sizes, "sizes");
    t.columns = columns;
    t.features = features;
    t.stride = SumLanes<T>::padded(features);
    t.samples = labels.size();
    t.n = starts.size();
    t.d = features * columns;
    t.batch = batch;
    if (t.n < 1) refuse("there is no client");
    t.rows = readable(rows, times(t.samples, t.stride), "rows");
    if (single.size()) t.single_rows = readable(single, times(t.samples, t.stride), "single");
    t.labels = labels.data();
    t.starts = starts.data();
    t.sizes = readable(sizes, t.n, "sizes");
    for (std::int64_t i = 0; i < t.n; ++i)
      if (t.sizes[i] < 1 || t.starts[i] < 0 || t.starts[i] > t.samples - t.sizes[i])
        refuse("client " + std::to_string(i) + " has rows " + std::to_string(t.starts[i]) +
               " and " + std::to_string(t.sizes[i]) + " more; there are " +
               std::to_string(t.samples));
    const std::int64_t classes = columns > 1 ? columns : 2;
    for (std::int64_t j = 0; j < t.samples; ++j)
      if (t.labels[j] < 0 || t.labels[j] >= classes)
        refuse("label " + std::to_string(t.labels[j]) + " came; need 0 to " +
               std::to_string(classes - 1));
    keep = py::make_tuple(rows, single, labels, starts, sizes);
  }

  void shifted(Family family, const In<T>& centers, const In<T>& H) {
    if (centers.ndim() != 2) refuse("centers need shape (n, d)");
    t.n = centers.shape(0);
    t.d = centers.shape(1);
    if (t.n < 1 || t.d < 1) refuse("centers need a client and a coordinate");
    t.centers = readable(centers, times(t.n, t.d), "centers");
    if (family == Family::kDense)
      t.rows = readable(H, times(t.n, t.d, SumLanes<T>::padded(t.d)), "H");
    else if (family == Family::kDiagonal)
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
    if (steps < 0) refuse("steps out of range");
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
          refuse("row number " + std::to_string(j.drawn[a]) + " came; need 0 to " +
                 std::to_string(size - 1) + " for client " + std::to_string(a / t.batch % t.n));
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
    if (t.family > int(Family::kSoftmax)) refuse("these losses are no regression");
  }
};

template <class T>
void ascent(const In<T>& x, const In<T>& direction, double rho, std::int64_t d, Out<T> out) {
  StepJob j{};
  j.work = StepWork::kAscent;
  j.table.single = sizeof(T) == 4;
  j.table.n = 1;
  j.table.d = d;
  j.runs = d ? x.size() / d : 0;
  j.x = readable(x, times(j.runs, d), "x");
  j.direction = readable(direction, times(j.runs, d), "direction");
  j.out = writable(out, times(j.runs, d), "out");
  j.rho = rho;
  run(j);
}

template <class T>
void bind_losses(py::module_& m, const char* name) {
  const auto start = [](Family family, double noise) {
    Losses<T> made;
    made.t.single = sizeof(T) == 4;
    made.t.family = int(family);
    made.t.noise = noise;
    return made;
  };
  py::class_<Losses<T>>(m, name)
      .def_static(
          "regression",
          [start](bool softmax, std::int64_t columns, std::int64_t features, const In<T>& rows,
                  const In<float>& single, const Ints& labels, const Ints& starts,
                  const Ints& sizes, std::int64_t batch, double reg) {
            Losses<T> made = start(softmax ? Family::kSoftmax : Family::kLogistic, 0);
            made.regression(columns, features, rows, single, labels, starts, sizes, batch);
            if (softmax || made.t.single) made.t.single_rows = nullptr;  // no schedule reads them
            if (!softmax && columns != 1) refuse("a logistic loss has one column");
            made.t.reg = reg;
            return made;
          },
          TL_ARG(softmax), TL_ARG(columns), TL_ARG(features), TL_ARG(rows), TL_ARG(single),
          TL_ARG(labels), TL_ARG(starts), TL_ARG(sizes), TL_ARG(batch), TL_ARG(reg))
      .def_static(
          "quadratic",
          [start](const In<T>& H, const In<T>& centers, bool diagonal, double noise) {
            const Family family = diagonal ? Family::kDiagonal : Family::kDense;
            Losses<T> made = start(family, noise);
            made.shifted(family, centers, H);
            return made;
          },
          TL_ARG(H), TL_ARG(centers), TL_ARG(diagonal), TL_ARG(noise))
      .def_static(
          "separable",
          [start](const In<T>& centers, double scale, double clip, double noise) {
            const Family family = clip > 0 ? Family::kClipped : Family::kLogCosh;
            Losses<T> made = start(family, noise);
            made.shifted(family, centers, centers);
            made.t.scale = scale;
            made.t.clip = clip;
            return made;
          },
          TL_ARG(centers), TL_ARG(scale), TL_ARG(clip), TL_ARG(noise))
      .def("steps", &Losses<T>::steps, TL_ARG(x), TL_ARG(w), TL_ARG(seed), TL_ARG(round),
           TL_ARG(runs), TL_ARG(steps), TL_ARG(counts), TL_ARG(eta), TL_ARG(alpha), TL_ARG(rho),
           TL_ARG(out))
      .def("gradients", &Losses<T>::gradients, TL_ARG(x), TL_ARG(rows), TL_ARG(noise), TL_ARG(out))
      .def("values", &Losses<T>::values, TL_ARG(x), TL_ARG(out))
      .def("means", &Losses<T>::means, TL_ARG(x), TL_ARG(weights), TL_ARG(loss), TL_ARG(out));
  m.def("ascent", &ascent<T>, TL_ARG(x), TL_ARG(direction), TL_ARG(rho), TL_ARG(d), TL_ARG(out));
}

}  // namespace

void bind_local_steps(py::module_& m) {
  bind_losses<double>(m, "Losses64");
  bind_losses<float>(m, "Losses32");
  m.def(
      "elementary",
      [](const std::string& name, double x) {
        return name == "exp"       ? exp_nonpositive(x)
               : name == "sigmoid" ? sigmoid(x)
               : name == "log1p"   ? log1p_unit(x)
               : name == "tanh"    ? hyperbolic_tangent(x)
                                   : softplus(x);
      },
      TL_ARG(name), TL_ARG(x));
}

}  // namespace tl
