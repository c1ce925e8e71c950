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
#include <functional>
#include <optional>
#include <type_traits>
#include <utility>

namespace onnx_hier::python {

using Cancel = std::atomic<bool>;

// `meanwhile` is called from time to time, by the thread that called and with the interpreter's
// lock; what it throws cancels the work, too. May be empty.
void RunAside(const std::function<void(const Cancel&)>& work,
              const std::function<void()>& meanwhile);

template <class Work>
auto Aside(const Work& work, const std::function<void()>& meanwhile = {}) {
  std::optional<std::invoke_result_t<Work, const Cancel&>> result;
  RunAside([&](const Cancel& cancel) { result.emplace(work(cancel)); }, meanwhile);
  return std::move(result).value();
}

}  // namespace onnx_hier::python

#endif  // ONNX_HIER_TOOLS_PYTHON_ASIDE_H_
