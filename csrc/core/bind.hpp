// bind.hpp -- arrays across the border, never converted.
//
// In<T>   read-only C-contiguous array of exactly T
// Out<T>  the same type; writable() throws when it is read-only
//
// py::array_t converts by default: a wrong dtype or a strided view would become a silent temporary
// that the kernel fills in vain. Every argument is therefore .noconvert() (TL_ARG), which makes it
// a TypeError. Shapes are checked once, in theorylab/kernels, where the message can name the
// argument.
#pragma once
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include "sizes.hpp"

namespace tl {
namespace py = pybind11;

template <class T>
using In = py::array_t<T, py::array::c_style>;
template <class T>
using Out = py::array_t<T, py::array::c_style>;

// The shapes were checked in Python; these guard the memory when _core is called directly. A size
// comes from times() and plus(), so that one too large to count matches no array.
template <class T>
const T* readable(const In<T>& a, i64 size, const char* name) {
  if (a.size() != size)
    throw py::value_error(std::string("_core: ") + name + " has " + std::to_string(a.size()) +
                          " entries; need " +
                          (size == kTooMany ? "more than can be" : std::to_string(size)));
  if (reinterpret_cast<std::uintptr_t>(a.data()) % alignof(T))
    throw py::value_error(std::string("_core: ") + name + " is not aligned; copy it first");
  return a.data();
}
template <class T>
T* writable(Out<T>& a, i64 size, const char* name) {
  readable(a, size, name);
  return a.mutable_data();
}

}  // namespace tl

#define TL_ARG(name) pybind11::arg(#name).noconvert()
