#include "tools/python/src/aside.h"

#include <pybind11/pybind11.h>

#include <chrono>
#include <exception>
#include <future>

namespace onnx_hier::python {
namespace {

namespace py = pybind11;

// Short enough for whoever presses Ctrl-C, long enough to cost nothing.
constexpr std::chrono::milliseconds kBetweenLooks(50);

bool IsDoneSoon(const std::future<void>& done) {
  const py::gil_scoped_release unlocked;
  return done.wait_for(kBetweenLooks) == std::future_status::ready;
}

}  // namespace

void RunAside(const std::function<void(const Cancel&)>& work,
              const std::function<void()>& meanwhile) {
  Cancel cancel = false;
  std::exception_ptr stopped;
  std::future<void> done = std::async(std::launch::async, [&] { work(cancel); });
  while (!IsDoneSoon(done)) {
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
  done.get();
}

}  // namespace onnx_hier::python
