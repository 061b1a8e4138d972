// bindings.hpp -- what each binding file adds to theorylab._core, and how it calls a kernel.
#pragma once
#include <pybind11/stl.h>

#include "../core/bind.hpp"
#include "watch.hpp"

namespace tl {

// Does work that is over sooner than another thread could take the GIL; then raises what a signal's
// handler raised meanwhile.
inline void with_gil(const std::function<void(Watch&)>& work) {
  if (!worked(work)) throw py::error_already_set();
}
// The same without the GIL.
inline void without_gil(const std::function<void(Watch&)>& work) {
  bool done;
  {
    py::gil_scoped_release release;
    done = worked(work);
  }
  if (!done) throw py::error_already_set();
}

void bind_draws(py::module_& m);
void bind_glm_hvp(py::module_& m);
void bind_intervals(py::module_& m);
void bind_lag_sums(py::module_& m);
void bind_local_steps(py::module_& m);
void bind_matrix_norms(py::module_& m);
void bind_mixed(py::module_& m);
void bind_push_mix(py::module_& m);
void bind_rounds(py::module_& m);
}  // namespace tl
