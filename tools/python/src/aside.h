// SPDX-License-Identifier: Apache-2.0

// Work that does not need the interpreter, in a thread of its own.
//
//   const absl::StatusOr<Model> model =
//       Aside([&](const Cancel& cancel) { return Model::Open(path, {.cancel = &cancel}); });
//
// Meanwhile other threads of Python run, and signals are looked after: Ctrl-C sets `cancel`, and
// KeyboardInterrupt is raised when the work has come to its end.
#ifndef ONNX_HIER_TOOLS_PYTHON_ASIDE_H_
#define ONNX_HIER_TOOLS_PYTHON_ASIDE_H_

#include <atomic>
#include <chrono>
#include <functional>
#include <future>

namespace onnx_hier::python {

using Cancel = std::atomic<bool>;

// When the interpreter ends while (daemon) threads work, it would unwind them wherever they wait
// for its lock, and tear down under them what they work with. So its end cancels their work and
// waits for it, and they sleep for good. To be called when the module is loaded.
void FinishWorkAtExit();

// As long as this lives, the interpreter does not end.
class AtWork {
 public:
  // Does not return in a thread that comes when the interpreter ends; the same in the destructor.
  AtWork();
  ~AtWork();
  AtWork(const AtWork&) = delete;
  AtWork& operator=(const AtWork&) = delete;
};

// Waits for work that says, when asked, whether it is done within so long. `meanwhile` is called
// from time to time, by the thread that called and with the interpreter's lock; what it throws
// cancels the work, too. May be empty.
void WaitFor(const std::function<bool(std::chrono::milliseconds)>& is_done, Cancel& cancel,
             const std::function<void()>& meanwhile);

template <class Work>
auto Aside(const Work& work, const std::function<void()>& meanwhile = {}) {
  const AtWork at_work;
  Cancel cancel = false;
  auto done = std::async(std::launch::async, [&] { return work(cancel); });
  WaitFor(
      [&](std::chrono::milliseconds time) {
        return done.wait_for(time) == std::future_status::ready;
      },
      cancel, meanwhile);
  return done.get();
}

}  // namespace onnx_hier::python

#endif  // ONNX_HIER_TOOLS_PYTHON_ASIDE_H_
