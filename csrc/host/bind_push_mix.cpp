// bind_push_mix.cpp -- push_mix and what it needs: a checked matrix, fresh memory, memory speed.
#include <cstring>
#include <string>
#include <vector>

#include "bindings.hpp"
#include "blocks.hpp"
#include "matrices.hpp"

namespace tl {
namespace {

[[noreturn]] void refuse(const std::string& text) { throw py::value_error("push_mix: " + text); }

template <class I>
void check_rows(const I* indptr, const I* indices, std::int64_t n, std::int64_t entries) {
  if (indptr[0] != 0) refuse("P.indptr starts with " + std::to_string(indptr[0]) + "; need 0");
  for (std::int64_t i = 0; i < n; ++i)
    if (indptr[i + 1] < indptr[i])
      refuse("P.indptr falls after row " + std::to_string(i) + "; need it nondecreasing");
  if (indptr[n] > entries)
    refuse("P.indptr ends with " + std::to_string(indptr[n]) + ", but P stores " +
           std::to_string(entries) + " entries");
  for (std::int64_t e = 0; e < indptr[n]; ++e)
    if (indices[e] < 0 || indices[e] >= n)
      refuse("P has column index " + std::to_string(indices[e]) + "; need 0 to " +
             std::to_string(n - 1));
}

template <class V>
void check_data(const V* data, std::int64_t entries) {
  for (std::int64_t e = 0; e < entries; ++e)
    if (!(data[e] >= 0 && data[e] <= std::numeric_limits<V>::max()))
      refuse("P has the entry " + std::to_string(data[e]) + "; need finite and nonnegative");
}

std::int64_t length(const py::object& array) {
  return py::reinterpret_borrow<py::array>(array).size();
}

// One matrix copied into memory of its own, each array on a multiple of 8 bytes, then checked.
MixRows own(Matrices& all, const py::object (&given)[3]) {
  const auto array = [&](int k) { return py::reinterpret_borrow<py::array>(given[k]); };
  std::int64_t first[4] = {0};
  for (int k = 0; k < 3; ++k) first[k + 1] = plus(first[k], whole(array(k).nbytes(), 8));
  all.memory.emplace_back(new char[std::size_t(first[3])]);
  char* memory = all.memory.back().get();
  for (int k = 0; k < 3; ++k)
    if (array(k).nbytes()) std::memcpy(memory + first[k], array(k).data(), array(k).nbytes());
  return MixRows{memory, memory + first[1], memory + first[2]};
}

template <class I>
std::int64_t checked_rows(const MixRows& rows, std::int64_t n, std::int64_t entries) {
  const I* indptr = static_cast<const I*>(rows.indptr);
  check_rows(indptr, static_cast<const I*>(rows.indices), n, entries);
  return indptr[n];
}

Matrices matrices(std::int64_t n, const py::list& parts, bool per_run) {
  Matrices all;
  all.n = n;
  all.per_run = per_run;
  if (n < 1 || n > kMostBytes) refuse("P has n=" + std::to_string(n) + "; need 1 to 2**47");
  if (!per_run && parts.size() != 1)
    refuse("P holds " + std::to_string(parts.size()) + " matrices; need 1 for all runs");
  for (std::size_t m = 0; m < parts.size(); ++m) {
    const py::tuple part = py::cast<py::tuple>(parts[m]);
    const py::object indptr = part[0], indices = part[1], data = part[2];
    const bool wide = py::isinstance<In<std::int64_t>>(indptr);
    const bool single = py::isinstance<In<float>>(data);
    if (wide ? !py::isinstance<In<std::int64_t>>(indices)
             : !(py::isinstance<In<std::int32_t>>(indptr) &&
                 py::isinstance<In<std::int32_t>>(indices)))
      throw py::type_error("push_mix: P.indptr and P.indices need one dtype, int32 or int64");
    if (!single && !py::isinstance<In<double>>(data))
      throw py::type_error("push_mix: P.data needs dtype float32 or float64, contiguous");
    if (m && (wide != all.wide || single != all.single_data))
      throw py::type_error("push_mix: the matrices of P differ in dtype; need one for all runs");
    all.wide = wide;
    all.single_data = single;
    const std::int64_t entries = length(indices);
    if (length(indptr) != n + 1 || length(data) != entries)
      refuse("P.indptr, P.indices, P.data have lengths " + std::to_string(length(indptr)) + ", " +
             std::to_string(entries) + ", " + std::to_string(length(data)) +
             "; need n+1, nnz, nnz with n=" + std::to_string(n));
    const MixRows rows = own(all, {indptr, indices, data});
    const std::int64_t used = wide ? checked_rows<std::int64_t>(rows, n, entries)
                                   : checked_rows<std::int32_t>(rows, n, entries);
    single ? check_data(static_cast<const float*>(rows.data), used)
           : check_data(static_cast<const double*>(rows.data), used);
    all.rows.push_back(rows);
    all.stored.push_back(entries);
    all.entries = plus(all.entries, used);
  }
  return all;
}

// (indptr, indices, data) of each matrix: views of what the kernel reads.
py::list parts(const py::object& self) {
  const Matrices& all = self.cast<const Matrices&>();
  py::list made;
  const auto view = [&](const char* dtype, std::int64_t size, const void* first) {
    return py::array(py::dtype(dtype), {size}, {}, first, self);
  };
  for (std::size_t m = 0; m < all.rows.size(); ++m) {
    const MixRows& rows = all.rows[m];
    const char *index = all.wide ? "int64" : "int32", *data = all.single_data ? "f4" : "f8";
    made.append(py::make_tuple(view(index, all.n + 1, rows.indptr),
                               view(index, all.stored[m], rows.indices),
                               view(data, all.stored[m], rows.data)));
  }
  return made;
}

struct Span {
  const char* name;
  const char* first;
  std::int64_t bytes;
};

void check_apart(const Span (&out)[3], const Span (&in)[2], const py::list& given) {
  const auto meet = [](const Span& a, const Span& b) {
    return a.bytes && b.bytes && a.first < b.first + b.bytes && b.first < a.first + a.bytes;
  };
  for (int a = 0; a < 3; ++a) {
    for (int b = a + 1; b < 3; ++b)
      if (meet(out[a], out[b])) refuse(std::string(out[a].name) + " overlaps " + out[b].name);
    for (const Span& b : in)
      if (meet(out[a], b)) refuse(std::string(out[a].name) + " overlaps " + b.name);
    for (const py::handle& part : given)
      for (const py::handle& array : py::cast<py::tuple>(part)) {
        const auto v = py::cast<py::array>(array);
        if (meet(out[a], Span{"P", static_cast<const char*>(v.data()), std::int64_t(v.nbytes())}))
          refuse(std::string(out[a].name) + " overlaps P");
      }
  }
}

MixTuning tuning;

// given: the caller's own arrays of P, which no output may overlap.
template <class T>
void push_mix(const Matrices& P, std::int64_t runs, const In<T>& x, const In<T>& w, Out<T> x1,
              Out<T> w1, Out<T> z1, const py::list& given) {
  MixJob job{};
  job.runs = runs;
  job.n = P.n;
  const std::int64_t rows = times(runs, P.n);
  job.d = rows ? x.size() / rows : 0;
  if (P.per_run && std::int64_t(P.rows.size()) != runs)
    refuse("P holds " + std::to_string(P.rows.size()) +
           " matrices, but x has R=" + std::to_string(runs));
  job.entries = P.entries;
  job.P = P.rows.data();
  job.per_run = P.per_run;
  job.wide = P.wide;
  job.single_data = P.single_data;
  job.single = sizeof(T) == 4;
  const std::int64_t size = times(rows, job.d);
  job.x = readable(x, size, "x");
  job.w = readable(w, rows, "w");
  job.x1 = writable(x1, size, "out[0]");
  job.w1 = writable(w1, rows, "out[1]");
  job.z1 = writable(z1, size, "out[2]");
  job.tuning = tuning;
  const auto span = [](const char* name, const py::array& a) {
    return Span{name, static_cast<const char*>(a.data()), std::int64_t(a.nbytes())};
  };
  check_apart({span("out[0]", x1), span("out[1]", w1), span("out[2]", z1)},
              {span("x", x), span("w", w)}, given);
  if (!size && !rows) return;
  const Table& table = current_isa();
  const int threads = get_threads();
  without_gil([&](Watch& watch) { table.push_mix(job, threads, watch); });
}

// Memory for an output, which may hold what an earlier one held. The kernel would fault new pages
// in one by one from all threads at once: each thread touches its own share of them here.
template <class T>
Out<T> fresh(const std::vector<py::ssize_t>& shape) {
  std::int64_t bytes = sizeof(T);
  std::int64_t stride = sizeof(T);  // the longest: lengths of an empty array may still wrap
  for (const py::ssize_t length : shape) {
    bytes = times(bytes, i64(length));
    stride = times(stride, length ? i64(length) : 1);
  }
  if (bytes > kMostBytes || stride > kMostBytes) throw std::bad_alloc();
  const Block block = take_block(bytes);
  const int threads = get_threads();
  const std::int64_t pages = block.used ? 0 : block.bytes / kHugePage;
#pragma omp parallel for schedule(static) num_threads(threads) if (threads > 1 && pages > 1)
  for (std::int64_t b = 0; b < pages; ++b)
    for (std::int64_t at = b * kHugePage; at < (b + 1) * kHugePage && at < bytes; at += 4096)
      *reinterpret_cast<volatile char*>(block.data + at) = 0;
  py::capsule owner(new Block(block), [](void* p) {
    const Block* kept = static_cast<Block*>(p);
    give_block(*kept);
    delete kept;
  });
  return Out<T>(shape, reinterpret_cast<T*>(block.data), owner);
}

void traffic(const std::string& kind, const In<double>& from, Out<double> to) {
  if (from.size() != to.size() || from.size() % 512)
    throw py::value_error("traffic: sizes " + std::to_string(from.size()) + " and " +
                          std::to_string(to.size()) + "; need equal, a multiple of 512");
  if (reinterpret_cast<std::uintptr_t>(to.data()) % 64)
    throw py::value_error("traffic: the target is not aligned to 64 bytes; use fresh()");
  const Traffic which = kind == "read"    ? Traffic::kRead
                        : kind == "write" ? Traffic::kWrite
                                          : Traffic::kCopy;
  const double* source = readable(from, from.size(), "source");
  double* target = writable(to, to.size(), "target");
  const Table& table = current_isa();
  const int threads = get_threads();
  py::gil_scoped_release release;
  table.traffic(which, source, target, from.nbytes(), threads);
}

void tune(const py::kwargs& values) {
  for (const auto& item : values) {
    const std::string name = py::cast<std::string>(item.first);
    const std::int64_t value = py::cast<std::int64_t>(item.second);
    if (value < 0 || value > kMostBytes)
      throw py::value_error("tune: " + name + " is " + std::to_string(value) + "; need bytes");
    if (name == "stream_bytes")
      tuning.stream_bytes = value;
    else if (name == "packed_from")
      tuning.packed_from = value;
    else if (name == "strip_limit")
      tuning.strip_limit = value;
    else if (name == "chunk_bytes")
      tuning.chunk_bytes = value;
    else if (name == "chunk_limit")
      tuning.chunk_limit = value;
    else
      throw py::value_error("tune: '" + name + "' came; see MixTuning in csrc/host/table.hpp");
  }
}

}  // namespace

const MixTuning& mix_tuning() { return tuning; }

void bind_push_mix(py::module_& m) {
  bind_mixed(m);
  py::class_<Matrices>(m, "Matrices")
      .def(py::init(&matrices), TL_ARG(n), TL_ARG(parts), TL_ARG(per_run))
      .def_property_readonly("parts", &parts);
  const auto both = [&m](auto function) {
    m.def("push_mix", function, TL_ARG(P), TL_ARG(runs), TL_ARG(x), TL_ARG(w), TL_ARG(x1),
          TL_ARG(w1), TL_ARG(z1), TL_ARG(given) = py::list());
  };
  both(&push_mix<double>);
  both(&push_mix<float>);
  m.def("fresh32", &fresh<float>, TL_ARG(shape));
  m.def("fresh64", &fresh<double>, TL_ARG(shape));
  m.def("idle_bytes", &idle_bytes);
  m.def("keep_blocks", &keep_blocks, TL_ARG(on));
  m.def("traffic", &traffic, TL_ARG(kind), TL_ARG(source), TL_ARG(target));
  m.def("tune", [](const py::kwargs& values) {
    tuning = MixTuning{};  // whatever is not named goes back to its default
    tune(values);
  });
}

}  // namespace tl
