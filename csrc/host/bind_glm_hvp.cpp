// bind_glm_hvp.cpp -- products with Hessians of generalized linear models, mixed or not.
#include <string>

#include "bindings.hpp"
#include "table.hpp"

namespace tl {
namespace {

struct Part {
  const char* name;
  const char* first;
  std::int64_t bytes;
};

void check_apart(const std::string& where, const Part& out, const std::vector<Part>& in) {
  for (const Part& a : in)
    if (a.bytes && out.bytes && a.first < out.first + out.bytes && out.first < a.first + a.bytes)
      throw py::value_error(where + ": out overlaps " + a.name);
}

// shape: R, n, m, d, classes (0: a GLM), k. own: A, weight, c, s one for each run. Without mixing c
// and s are empty, without classes prob is.
template <class T>
void glm_hvp(const std::string& where, const std::vector<std::int64_t>& shape,
             const std::vector<bool>& own, const In<T>& A, const In<T>& weight, const In<T>& prob,
             const In<T>& V, double reg, const In<T>& c, const In<T>& s, bool before, Out<T> out) {
  if (shape.size() != 6 || own.size() != 4)
    throw py::value_error("_core: glm_hvp needs 6 sizes and 4 flags");
  for (const std::int64_t length : shape)
    if (length < 0) throw py::value_error("_core: glm_hvp has a negative size");
  HvpJob job{};
  job.single = sizeof(T) == 4;
  job.runs = shape[0];
  job.n = shape[1];
  job.m = shape[2];
  job.d = shape[3];
  job.columns = shape[4];
  job.k = shape[5];
  job.own_data = own[0];
  job.own_weight = own[1];
  job.own_c = own[2];
  job.own_s = own[3];
  job.reg = reg;
  job.before = before;
  const std::int64_t R = job.runs, n = job.n;
  const std::int64_t size = times(R, n, job.k, job.d, job.columns ? job.columns : 1);
  const std::int64_t weights = times(own[1] ? R : 1, n, job.m);
  job.A = readable(A, times(own[0] ? R : 1, n, job.m, job.d), "A");
  job.weight = readable(weight, weights, "weight");
  job.prob = readable(prob, times(weights, job.columns), "prob");
  job.V = readable(V, size, "V");
  const bool mixing = c.size() > 0;
  job.c = mixing ? readable(c, times(own[2] ? R : 1, n, n), "c") : nullptr;
  job.s = readable(s, mixing ? times(own[3] ? R : 1, n) : 0, "s");
  job.out = writable(out, size, "out");
  const auto part = [](const char* name, const py::array& a) {
    return Part{name, static_cast<const char*>(a.data()), std::int64_t(a.nbytes())};
  };
  check_apart(where, part("", out),
              {part("A", A), part(job.columns && !mixing ? "weight" : "h", weight),
               part("prob", prob), part(mixing ? "u" : "V", V), part("c", c), part("s", s)});
  if (!size) return;
  const Table& table = current_isa();
  const int threads = get_threads();
  without_gil([&](Watch& watch) { table.hvp(job, threads, watch); });
}

}  // namespace

void bind_glm_hvp(py::module_& m) {
  const auto both = [&m](auto function) {
    m.def("glm_hvp", function, TL_ARG(where), TL_ARG(shape), TL_ARG(own), TL_ARG(A), TL_ARG(weight),
          TL_ARG(prob), TL_ARG(V), TL_ARG(reg), TL_ARG(c), TL_ARG(s), TL_ARG(before), TL_ARG(out));
  };
  both(&glm_hvp<double>);
  both(&glm_hvp<float>);
}

}  // namespace tl
