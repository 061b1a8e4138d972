// module.cpp -- theorylab._core: the binding of every kernel, and the switches.
//
// The bindings are compiled as parts of this file: the headers of pybind11 and NumPy cost seconds
// in every file that includes them.
#include <cstdlib>
#include <string>

#include "bind_draws.cpp"
#include "bind_glm_hvp.cpp"
#include "bind_intervals.cpp"
#include "bind_lag_sums.cpp"
#include "bind_local_steps.cpp"
#include "bind_matrix_norms.cpp"
#include "bind_mixed.cpp"
#include "bind_push_mix.cpp"
#include "bind_rounds.cpp"
#include "bindings.hpp"
#include "blocks.hpp"
#include "table.hpp"

namespace tl {
namespace {

// For a message of one line: the start of a word that came from outside.
std::string shown(const std::string& word) {
  std::string made = word.substr(0, 40);
  for (char& c : made)
    if (c < ' ' || c > '~') c = '?';
  return made;
}

void use_isa(const std::string& name) {
  const Table* table = find_isa(name.c_str());
  if (!table)
    throw py::value_error("THEORYLAB_ISA: '" + shown(name) + "' came; need one of " +
                          usable_isas() + " on this machine");
  choose_isa(*table);
}

void use_threads(int threads) {
  if (threads < 1 || threads > kMaxThreads)
    throw py::value_error("set_threads: " + std::to_string(threads) + " came; need 1 to " +
                          std::to_string(kMaxThreads));
  if (threads > 1 && was_forked())
    throw py::value_error("set_threads: " + std::to_string(threads) +
                          " came in a forked process; need 1 there (OpenMP does not survive a "
                          "fork), or start the process with spawn");
  set_threads(threads);
}

void bind_switches(py::module_& m) {
  m.def("set_threads", &use_threads, TL_ARG(threads));
  m.def("get_threads", &get_threads);
  m.def("use_isa", &use_isa, TL_ARG(name));
  m.def("isa", [] { return std::string(current_isa().name); });
  m.def("usable_isas", [] { return std::string(usable_isas()); });

  std::string best = usable_isas();
  best = best.substr(best.rfind(' ') + 1);
  const char* isa = std::getenv("THEORYLAB_ISA");
  use_isa(isa && *isa ? isa : best);

  set_threads(default_threads());
  if (const char* text = std::getenv("THEORYLAB_THREADS"); text && *text) {
    char* end = nullptr;
    const long threads = std::strtol(text, &end, 10);
    if (*end || threads < 1 || threads > kMaxThreads)
      throw py::value_error("THEORYLAB_THREADS: '" + shown(text) + "' came; need 1 to " +
                            std::to_string(kMaxThreads));
    set_threads(static_cast<int>(threads));
  }
  const char* reuse = std::getenv("THEORYLAB_REUSE");
  const std::string word = reuse && *reuse ? reuse : "1";
  if (word != "0" && word != "1")
    throw py::value_error("THEORYLAB_REUSE: '" + shown(word) + "' came; need 0 or 1");
  keep_blocks(word == "1");
}

}  // namespace
}  // namespace tl

PYBIND11_MODULE(_core, m) {
  m.doc() = "Host kernels of theorylab; call them through theorylab.kernels, which checks shapes.";
  tl::bind_switches(m);
  tl::bind_draws(m);
  tl::bind_glm_hvp(m);
  tl::bind_intervals(m);
  tl::bind_lag_sums(m);
  tl::bind_local_steps(m);
  tl::bind_matrix_norms(m);
  tl::bind_push_mix(m);
  tl::bind_rounds(m);
}
