// module.cpp -- theorylab._cuda: GPU kernels compiled ahead of time, prepared by name.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "../core/tape.hpp"
#include "launch.hpp"

PYBIND11_MODULE(_cuda, m) {
  namespace py = pybind11;
  m.doc() = "GPU kernels of theorylab; call them through theorylab.kernels, which checks arrays.";
  m.def("schedules", &tl::schedule_names);
  m.def("architectures", &tl::architectures);
  m.def("device_count", &tl::device_count);
  m.def("facts", [](int device) {
    const tl::DeviceFacts f = tl::device_facts(device);
    py::dict made;
    made["name"] = f.name;
    made["capability"] = f.capability;
    made["multiprocessors"] = f.multiprocessors;
    made["l2"] = f.l2;
    made["shared"] = f.shared;
    made["shared_of_all"] = f.shared_of_all;
    made["free"] = f.free;
    made["total"] = f.total;
    made["threads_of_all"] = f.threads_of_all;
    return made;
  });
  py::class_<tl::Prepared>(m, "Prepared")
      .def(py::init<const std::string&, i64, int, i64, int, int>())
      .def("launch", &tl::Prepared::launch, py::call_guard<py::gil_scoped_release>());
  typedef tl::Tape<tl::Prepared> Tape;
  py::class_<Tape>(m, "Tape")
      .def(py::init<>())
      .def("add", &Tape::add)
      .def("play", &Tape::play, py::call_guard<py::gil_scoped_release>());
}
