// bind_draws.cpp -- draws, and the bare Philox that its published test vectors check.
#include <array>

#include "../core/rng.cuh"
#include "bindings.hpp"
#include "table.hpp"

namespace tl {
namespace {

template <class T>
void draws(Draw kind, std::uint64_t seed, std::uint32_t purpose, std::uint32_t round,
           std::uint32_t step, const In<std::int64_t>& runs, const In<std::int64_t>& clients,
           const In<std::int64_t>& bound, Out<T>& out) {
  DrawJob job{};
  job.kind = kind;
  job.runs = runs.size();
  job.clients = clients.size();
  const std::int64_t tasks = times(job.runs, job.clients);
  job.count = tasks ? out.size() / tasks : 0;
  job.run = readable(runs, job.runs, "runs");
  job.client = readable(clients, job.clients, "clients");
  job.bound = readable(bound, job.clients, "bound");
  job.seed = seed;
  job.purpose = purpose;
  job.round = round;
  job.step = step;
  job.out = writable(out, times(tasks, job.count), "out");
  if (!job.count) return;
  const Table& table = current_isa();
  const int threads = get_threads();
  without_gil([&](Watch& watch) { table.draws(job, threads, watch); });
}

}  // namespace

void bind_draws(py::module_& m) {
  const auto real = [](bool is_normal, std::uint64_t seed, std::uint32_t purpose,
                       std::uint32_t round, std::uint32_t step, const In<std::int64_t>& runs,
                       const In<std::int64_t>& clients, Out<double> out) {
    draws(is_normal ? Draw::kNormal : Draw::kUniform, seed, purpose, round, step, runs, clients,
          clients, out);
  };
  const auto whole = [](std::uint64_t seed, std::uint32_t purpose, std::uint32_t round,
                        std::uint32_t step, const In<std::int64_t>& runs,
                        const In<std::int64_t>& clients, const In<std::int64_t>& bound,
                        Out<std::int64_t> out) {
    draws(Draw::kInteger, seed, purpose, round, step, runs, clients, bound, out);
  };
  m.def("draws_real", real, TL_ARG(is_normal), TL_ARG(seed), TL_ARG(purpose), TL_ARG(round),
        TL_ARG(step), TL_ARG(runs), TL_ARG(clients), TL_ARG(out));
  m.def("draws_integer", whole, TL_ARG(seed), TL_ARG(purpose), TL_ARG(round), TL_ARG(step),
        TL_ARG(runs), TL_ARG(clients), TL_ARG(bound), TL_ARG(out));
  // The normal of given bits: its far tail is too rare to be drawn.
  m.def("normal", [](u64 bits) { return normal(bits); }, TL_ARG(bits));
  m.def(
      "philox",
      [](std::array<u32, 4> c, std::array<u32, 2> key) {
        const Words w = philox(Words{{c[0], c[1], c[2], c[3]}}, key[0], key[1]);
        return py::make_tuple(w.v[0], w.v[1], w.v[2], w.v[3]);
      },
      TL_ARG(counter), TL_ARG(key));
}

}  // namespace tl
