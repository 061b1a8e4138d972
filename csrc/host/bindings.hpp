// bindings.hpp -- what each binding file adds to theorylab._core, and how it calls a kernel.
#pragma once
#include <pybind11/stl.h>

#include <functional>

#include "../core/bind.hpp"
#include "watch.hpp"

namespace tl {

// Does the work without the GIL; then raises what a signal's handler raised meanwhile.
void without_gil(const std::function<void(Watch&)>& work);
// The same for work that is over sooner than another thread could take the GIL.
void with_gil(const std::function<void(Watch&)>& work);

void bind_draws(py::module_& m);
void bind_glm_hvp(py::module_& m);
void bind_local_steps(py::module_& m);
void bind_mixed(py::module_& m);
void bind_push_mix(py::module_& m);
void bind_rounds(py::module_& m);
}  // namespace tl
