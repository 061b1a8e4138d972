// bind_mixed.cpp -- the short way into push_mix: NumPy arrays that are all as they should be.
//
// A tiny call costs less than checking its arguments in Python, or than pybind11's search for an
// overload. mixed() looks at the arrays themselves; where anything is not plain it returns None,
// having done nothing, and the caller goes the long way, which names the fault.
#include "bindings.hpp"
#include "matrices.hpp"

namespace tl {
namespace {

// A NumPy array, no subclass, of float or double in native order, C-contiguous and aligned.
struct Plain {
  PyObject* array = nullptr;
  char* data = nullptr;
  const Py_intptr_t* shape = nullptr;
  int axes = 0;
  bool single = false, writable = false;
  std::int64_t bytes = 0;
};

struct Kinds {
  const PyTypeObject* array;
  PyObject *single, *twice;
};

const Kinds& kinds() {  // references that are never given back: types outlive any call
  static const Kinds all{py::detail::npy_api::get().PyArray_Type_,
                         py::dtype::of<float>().release().ptr(),
                         py::dtype::of<double>().release().ptr()};
  return all;
}

bool plain(PyObject* object, Plain& found) {
  const Kinds& known = kinds();
  if (Py_TYPE(object) != known.array) return false;
  const auto* proxy = py::detail::array_proxy(object);
  if (proxy->descr != known.single && proxy->descr != known.twice) return false;
  constexpr int need =
      py::detail::npy_api::NPY_ARRAY_C_CONTIGUOUS_ | py::detail::npy_api::NPY_ARRAY_ALIGNED_;
  if ((proxy->flags & need) != need) return false;
  found.array = object;
  found.data = proxy->data;
  found.shape = proxy->dimensions;
  found.axes = proxy->nd;
  found.single = proxy->descr == known.single;
  found.writable = proxy->flags & py::detail::npy_api::NPY_ARRAY_WRITEABLE_;
  found.bytes = found.single ? 4 : 8;
  for (int axis = 0; axis < found.axes; ++axis) found.bytes *= found.shape[axis];
  return found.bytes > 0;
}

// Whether b is of a's dtype, and of the shape of a's first axes.
bool like(const Plain& a, const Plain& b, int axes) {
  if (a.single != b.single || b.axes != axes) return false;
  for (int axis = 0; axis < axes; ++axis)
    if (a.shape[axis] != b.shape[axis]) return false;
  return true;
}

bool meet(const Plain& a, const Plain& b) {
  return a.data < b.data + b.bytes && b.data < a.data + a.bytes;
}

constexpr std::int64_t kOwnMemory = 2 << 20;  // bytes; larger results get huge pages, elsewhere

py::object fresh_like(const Plain& a, int axes) {
  const std::vector<py::ssize_t> shape(a.shape, a.shape + axes);
  return a.single ? py::object(py::array_t<float>(shape)) : py::object(py::array_t<double>(shape));
}

// The results; or None, and nothing was done.
py::object mixed(const Matrices& P, PyObject* given_x, PyObject* given_w, PyObject* given_out) {
  Plain x, w, to[3];
  if (!plain(given_x, x) || !plain(given_w, w) || x.axes < 2 || x.axes > 3 ||
      !like(x, w, x.axes - 1))
    return py::none();
  MixJob job{};
  job.runs = x.axes == 3 ? x.shape[0] : 1;
  job.n = x.shape[x.axes - 2];
  job.d = x.shape[x.axes - 1];
  if (job.n != P.n || (P.per_run && (x.axes == 2 || job.runs != std::int64_t(P.rows.size()))))
    return py::none();
  py::object out;
  if (given_out == Py_None) {
    if (x.bytes >= kOwnMemory) return py::none();
    out = py::make_tuple(fresh_like(x, x.axes), fresh_like(x, w.axes), fresh_like(x, x.axes));
  } else if (PyTuple_CheckExact(given_out) && PyTuple_GET_SIZE(given_out) == 3) {
    out = py::reinterpret_borrow<py::object>(given_out);
  } else {
    return py::none();
  }
  const Plain* in[2] = {&x, &w};
  for (int k = 0; k < 3; ++k) {
    if (!plain(PyTuple_GET_ITEM(out.ptr(), k), to[k]) || !to[k].writable ||
        !like(x, to[k], k == 1 ? w.axes : x.axes))
      return py::none();
    for (int other = 0; other < k; ++other)
      if (meet(to[k], to[other])) return py::none();
    for (const Plain* one : in)
      if (meet(to[k], *one)) return py::none();
  }
  job.entries = P.entries;
  job.P = P.rows.data();
  job.per_run = P.per_run;
  job.wide = P.wide;
  job.single_data = P.single_data;
  job.single = x.single;
  job.x = x.data;
  job.w = w.data;
  job.x1 = to[0].data;
  job.w1 = to[1].data;
  job.z1 = to[2].data;
  job.tuning = mix_tuning();
  const Table& table = current_isa();
  const int threads = get_threads();
  const auto work = [&](Watch& watch) { table.push_mix(job, threads, watch); };
  const std::int64_t products = times(P.entries + job.n, P.per_run ? 1 : job.runs, job.d);
  products < kSerial ? with_gil(work) : without_gil(work);
  return out;
}

// No pybind11 function: finding one among overloads costs more than a tiny product.
PyObject* mixed_raw(PyObject*, PyObject* const* given, Py_ssize_t count) {
  try {
    py::detail::make_caster<Matrices> P;
    if (count != 4 || !P.load(given[0], false))
      throw py::type_error("_core: mixed needs P, x, w, out; P of type Matrices");
    return mixed(py::detail::cast_op<const Matrices&>(P), given[1], given[2], given[3])
        .release()
        .ptr();
  } catch (py::error_already_set& error) {
    error.restore();
  } catch (const py::builtin_exception& error) {
    error.set_error();
  } catch (const std::bad_alloc& error) {
    PyErr_SetString(PyExc_MemoryError, error.what());
  } catch (const std::exception& error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
  }
  return nullptr;
}

PyMethodDef definition = {
    "mixed",
    reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(&mixed_raw)),
    METH_FASTCALL,
    "mixed(P, x, w, out): push_mix, where every argument is plain; else None.",
};

}  // namespace

void bind_mixed(py::module_& m) {
  kinds();
  m.attr("mixed") =
      py::reinterpret_steal<py::object>(PyCFunction_NewEx(&definition, nullptr, nullptr));
}

}  // namespace tl
