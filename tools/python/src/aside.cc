#include "tools/python/src/aside.h"

#include <pybind11/pybind11.h>

#include <exception>

namespace onnx_hier::python {
namespace {

namespace py = pybind11;

// Short enough for whoever presses Ctrl-C, long enough to cost nothing.
constexpr std::chrono::milliseconds kBetweenLooks(50);

}  // namespace

void WaitFor(const std::function<bool(std::chrono::milliseconds)>& is_done, Cancel& cancel,
             const std::function<void()>& meanwhile) {
  const auto is_done_soon = [&] {
    PyThreadState* const state = PyEval_SaveThread();
    const bool is_done_now = is_done(kBetweenLooks);
    // Not in a destructor: where the interpreter ends meanwhile, this ends the (daemon) thread, and
    // what unwinds it must not meet one.
    PyEval_RestoreThread(state);
    return is_done_now;
  };
  std::exception_ptr stopped;
  while (!is_done_soon()) {
    if (stopped != nullptr) continue;
    try {
      if (PyErr_CheckSignals() != 0) throw py::error_already_set();
      if (meanwhile) meanwhile();
    } catch (...) {
      stopped = std::current_exception();
      cancel = true;
    }
  }
  if (stopped != nullptr) std::rethrow_exception(stopped);
}

}  // namespace onnx_hier::python
