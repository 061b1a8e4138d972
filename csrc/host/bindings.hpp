// bindings.hpp -- what each binding file adds to theorylab._core.
#pragma once
#include <pybind11/stl.h>

#include "../core/bind.hpp"

namespace tl {
void bind_draws(py::module_& m);
void bind_glm_hvp(py::module_& m);
void bind_local_steps(py::module_& m);
void bind_push_mix(py::module_& m);
}  // namespace tl
