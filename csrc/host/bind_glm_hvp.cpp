// bind_glm_hvp.cpp -- products with Hessians of generalized linear models, mixed or not.
#include <cmath>
#include <initializer_list>
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

// The name of the first input that out overlaps, or null.
const char* overlapped(const Part& out, std::initializer_list<Part> in) {
  for (const Part& a : in)
    if (a.bytes && out.bytes && a.first < out.first + out.bytes && out.first < a.first + a.bytes)
      return a.name;
  return nullptr;
}

void run(const HvpJob& job) {
  const Table& table = current_isa();
  const int threads = get_threads();
  without_gil([&](Watch& watch) { table.hvp(job, threads, watch); });
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
  const char* met = overlapped(
      part("", out), {part("A", A), part(job.columns && !mixing ? "weight" : "h", weight),
                      part("prob", prob), part(mixing ? "u" : "V", V), part("c", c), part("s", s)});
  if (met) throw py::value_error(where + ": out overlaps " + met);
  if (size) run(job);
}

// An argument of a plain call: exactly a numpy.ndarray of T, contiguous and aligned.
struct Given {
  const py::detail::PyArray_Proxy* array;
  const py::ssize_t* shape() const { return array->dimensions; }
  const char* first() const { return array->data; }
  // Shape (.., lengths), with one number in front at most: that of the runs, if it is not -1.
  bool has(std::initializer_list<i64> lengths, i64 runs) const {
    const int front = array->nd - int(lengths.size());
    if (front < 0 || front > 1 || (front && shape()[0] != runs)) return false;
    const py::ssize_t* own = shape() + front;
    for (const i64 length : lengths)
      if (*own++ != length) return false;
    return true;
  }
  bool each(int dims) const { return array->nd > dims; }
  Part part(i64 item) const {
    i64 bytes = item;
    for (int axis = 0; axis < array->nd; ++axis) bytes *= shape()[axis];
    return Part{"", first(), bytes};
  }
};

// dtype: of the first argument, which fixes it.
bool take(const py::handle& given, const PyObject* dtype, Given& plain) {
  typedef py::detail::npy_api Api;
  if (Py_TYPE(given.ptr()) != Api::get().PyArray_Type_) return false;
  plain.array = py::detail::array_proxy(given.ptr());
  const int need = Api::NPY_ARRAY_C_CONTIGUOUS_ | Api::NPY_ARRAY_ALIGNED_;
  return plain.array->descr == dtype && (plain.array->flags & need) == need;
}

// The product, or None: something is not plain or does not fit, and glm_hvp.py says what, or takes
// what is not plain. prob, c and s, out: None where there is none.
py::object plain_hvp(const py::handle& A, const py::handle& weight, const py::handle& prob,
                     const py::handle& V, const py::handle& reg, const py::handle& c,
                     const py::handle& s, bool before, const py::handle& out) {
  typedef py::detail::npy_api Api;
  static const PyObject* const wide = py::dtype::of<double>().release().ptr();
  static const PyObject* const narrow = py::dtype::of<float>().release().ptr();
  const py::object refused = py::none();
  Given a{}, h{}, p{}, v{}, edges{}, steps{}, made{};
  const PyObject* dtype = wide;
  if (!take(A, dtype, a) && !take(A, dtype = narrow, a)) return refused;
  const bool classes = !prob.is_none(), mixing = !c.is_none();
  if (!take(weight, dtype, h) || !take(V, dtype, v) || (classes && !take(prob, dtype, p)) ||
      (mixing && !(take(c, dtype, edges) && take(s, dtype, steps))))
    return refused;
  HvpJob job{};
  if (PyFloat_Check(reg.ptr()))
    job.reg = PyFloat_AS_DOUBLE(reg.ptr());
  else if (PyLong_CheckExact(reg.ptr()) && Py_SIZE(reg.ptr()) == 0)
    job.reg = 0;
  else
    return refused;
  const int tail = classes ? 2 : 1;
  if (!std::isfinite(job.reg) || a.array->nd < 3 || v.array->nd < tail + 2 ||
      (classes && p.array->nd < 1))
    return refused;
  const py::ssize_t *sizes = a.shape() + a.array->nd - 3, *vectors = v.shape() + v.array->nd - 1;
  const i64 n = sizes[0], m = sizes[1], d = sizes[2], C = classes ? vectors[0] : 0;
  const i64 k = vectors[-tail], runs = v.each(tail + 2) ? v.shape()[0] : -1;
  if (m < 1 || !a.has({n, m, d}, runs) || !h.has({n, m}, runs) ||
      !(classes
            ? C > 0 && v.has({n, k, d, C}, runs) && p.has({n, m, C}, runs) && p.each(3) == h.each(2)
            : v.has({n, k, d}, runs)) ||
      (mixing && !(edges.has({n, n}, runs) && steps.has({n}, runs))))
    return refused;
  py::object result;
  if (out.is_none()) {
    auto* type = const_cast<PyObject*>(dtype);
    Py_INCREF(type);  // which the new array takes
    result = py::reinterpret_steal<py::object>(Api::get().PyArray_NewFromDescr_(
        Api::get().PyArray_Type_, type, v.array->nd, v.shape(), nullptr, nullptr, 0, nullptr));
    if (!result) throw py::error_already_set();
    made.array = py::detail::array_proxy(result.ptr());
  } else {
    if (!take(out, dtype, made) || !(made.array->flags & Api::NPY_ARRAY_WRITEABLE_) ||
        made.array->nd != v.array->nd)
      return refused;
    for (int axis = 0; axis < v.array->nd; ++axis)
      if (made.shape()[axis] != v.shape()[axis]) return refused;
    const i64 item = dtype == narrow ? sizeof(float) : sizeof(double);
    const auto part = [&](const Given& x) { return x.array ? x.part(item) : Part{"", nullptr, 0}; };
    if (overlapped(part(made), {part(a), part(h), part(p), part(v), part(edges), part(steps)}))
      return refused;
    result = py::reinterpret_borrow<py::object>(out);
  }
  job.single = dtype == narrow;
  job.runs = runs < 0 ? 1 : runs;
  job.n = n;
  job.m = m;
  job.d = d;
  job.columns = C;
  job.k = k;
  job.own_data = a.each(3);
  job.own_weight = h.each(2);
  job.own_c = mixing && edges.each(2);
  job.own_s = mixing && steps.each(1);
  job.A = a.first();
  job.weight = h.first();
  job.prob = classes ? p.first() : nullptr;
  job.V = v.first();
  job.c = mixing ? edges.first() : nullptr;
  job.s = mixing ? steps.first() : nullptr;
  job.before = before;
  job.out = made.array->data;
  if (job.runs && n && k && d) run(job);
  return result;
}

// See traffic.hpp.
bool arithmetic(bool single, bool one_rounding, i64 products) {
  if (products < 0 || products > kMostBytes)
    throw py::value_error("arithmetic: " + std::to_string(products) + " came; need 0 to 2**47");
  const Table& table = current_isa();
  const int threads = get_threads();
  py::gil_scoped_release release;
  return table.arithmetic(single, one_rounding, products, threads);
}

}  // namespace

void bind_glm_hvp(py::module_& m) {
  const auto both = [&m](auto function) {
    m.def("glm_hvp", function, TL_ARG(where), TL_ARG(shape), TL_ARG(own), TL_ARG(A), TL_ARG(weight),
          TL_ARG(prob), TL_ARG(V), TL_ARG(reg), TL_ARG(c), TL_ARG(s), TL_ARG(before), TL_ARG(out));
  };
  both(&glm_hvp<double>);
  both(&glm_hvp<float>);
  m.def("arithmetic", &arithmetic, TL_ARG(single), TL_ARG(one_rounding), TL_ARG(products));
  m.def("plain_hvp", &plain_hvp);  // by position: names would cost as much as the checks
}

}  // namespace tl
