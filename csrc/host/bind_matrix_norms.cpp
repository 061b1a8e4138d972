// bind_matrix_norms.cpp -- the largest norms of many small matrices.
#include "bindings.hpp"
#include "table.hpp"

namespace tl {
namespace {

py::tuple matrix_norms(const In<double>& M, i64 n, double known) {
  if (n < 1) throw py::value_error("_core: matrices have " + std::to_string(n) + " rows; need 1");
  const i64 size = times(n, n), wide = times(3, whole(n, 8), whole(n, 8));
  const i64 count = M.size() / size;
  double row = 0, two = known;
  NormsJob job{};
  job.count = count;
  job.n = n;
  job.M = readable(M, times(count, size), "M");
  job.known = known;
  if (!count) return py::make_tuple(row, two);
  std::vector<NormBound> bounds(static_cast<std::size_t>(count));
  std::vector<double> work(static_cast<std::size_t>(wide));
  job.bounds = bounds.data();
  job.work = work.data();
  job.row = &row;
  job.two = &two;
  const Table& table = current_isa();
  const auto call = [&](Watch& watch) { table.norms(job, watch); };
  times(count, n, size) < kSerial ? with_gil(call) : without_gil(call);
  return py::make_tuple(row, two);
}

}  // namespace

void bind_matrix_norms(py::module_& m) {
  m.def("matrix_norms", &matrix_norms, TL_ARG(M), TL_ARG(n), TL_ARG(known));
}

}  // namespace tl
