// bind_lag_sums.cpp -- one lag of a product of mixing matrices, with sums of its entries.
#include <algorithm>

#include "bindings.hpp"
#include "matrices.hpp"
#include "table.hpp"

namespace tl {
namespace {

// E: (blocks, n, kSumColumns), overwritten. there (n), rows and squares (n, 2), columns (2, blocks
// kSumColumns) are written; squares without entries: none. The largest |E_ij| comes back.
double lag_sums(const Matrices* P, Out<double>& E, const In<double>& here, const In<double>& before,
                double down, Out<double>& there, Out<double>& rows, Out<double>& squares,
                Out<double>& columns) {
  const i64 n = here.size(), stride = whole(n, kSumColumns);
  if (P && (P->n != n || P->rows.size() != 1 || P->single_data))
    throw py::value_error("_core: P is no one matrix of float64 and " + std::to_string(n) +
                          " clients");
  LagJob job{};
  job.n = n;
  job.stride = stride;
  job.P = P ? P->rows.data() : nullptr;
  job.wide = P && P->wide;
  job.E = writable(E, times(stride, n), "E");
  job.here = readable(here, n, "here");
  const double* weights = readable(before, n, "before");
  job.down = down;
  job.there = writable(there, n, "there");
  job.rows = writable(rows, times(2, n), "rows");
  if (squares.size()) job.squares = writable(squares, times(2, n), "squares");
  job.columns = writable(columns, times(2, stride), "columns");
  if (!n) return 0;
  std::vector<double> padded(static_cast<std::size_t>(times(2, stride)));
  for (i64 j = 0; j < n; ++j) {
    padded[std::size_t(j)] = weights[j];
    padded[std::size_t(stride + j)] = weights[j] * weights[j];
  }
  std::vector<double> work(static_cast<std::size_t>(times(n, kSumColumns)));
  std::fill(job.rows, job.rows + 2 * n, 0.0);
  if (job.squares) std::fill(job.squares, job.squares + 2 * n, 0.0);
  double top = 0;
  job.before = padded.data();
  job.work = work.data();
  job.top = &top;
  const Table& table = current_isa();
  without_gil([&](Watch& watch) { table.lag_sums(job, watch); });
  return top;
}

}  // namespace

void bind_lag_sums(py::module_& m) {
  m.def("lag_sums", &lag_sums, py::arg("P").none(true), TL_ARG(E), TL_ARG(here), TL_ARG(before),
        TL_ARG(down), TL_ARG(there), TL_ARG(rows), TL_ARG(squares), TL_ARG(columns));
}

}  // namespace tl
