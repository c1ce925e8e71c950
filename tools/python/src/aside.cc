// SPDX-License-Identifier: Apache-2.0
#include "tools/python/src/aside.h"

#include <pthread.h>
#include <pybind11/pybind11.h>

#include <exception>
#include <thread>

namespace onnx_hier::python {
namespace {

namespace py = pybind11;

// Short enough for whoever presses Ctrl-C, long enough to cost nothing.
constexpr std::chrono::milliseconds kBetweenLooks(50);
constexpr std::chrono::milliseconds kBetweenLooksAtEnd(1);

std::atomic<int> threads_at_work = 0;
std::atomic<bool> is_ending = false;
std::thread::id ender;  // which ends the interpreter; set before that

bool IsLeftBehind() { return is_ending && std::this_thread::get_id() != ender; }

// Only the end of the process ends this.
[[noreturn]] void SleepForGood() {
  PyEval_SaveThread();
  --threads_at_work;
  while (true) std::this_thread::sleep_for(std::chrono::hours(1));
}

void AwaitEndOfWork() {
  ender = std::this_thread::get_id();
  is_ending = true;
  const py::gil_scoped_release unlocked;
  while (threads_at_work > 0) std::this_thread::sleep_for(kBetweenLooksAtEnd);
}

}  // namespace

AtWork::AtWork() {
  ++threads_at_work;
  if (IsLeftBehind()) SleepForGood();
}

AtWork::~AtWork() {
  if (IsLeftBehind()) SleepForGood();
  --threads_at_work;
}

void FinishWorkAtExit() {
  py::module_::import("atexit").attr("register")(py::cpp_function(AwaitEndOfWork));
  // A child of a fork has none of the other threads.
  pthread_atfork(nullptr, nullptr, [] { threads_at_work = 0; });
}

void WaitFor(const std::function<bool(std::chrono::milliseconds)>& is_done, Cancel& cancel,
             const std::function<void()>& meanwhile) {
  const auto is_done_soon = [&] {
    PyThreadState* const state = PyEval_SaveThread();
    const bool is_done_now = is_done(kBetweenLooks);
    if (IsLeftBehind()) cancel = true;
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
