// bind_local_steps.cpp -- checked tables of client losses, and what runs on
// them.
#include "losses.hpp"

namespace tl {
namespace {

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
            if (!softmax && columns != 1) refuse_losses("a logistic loss has one column");
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
