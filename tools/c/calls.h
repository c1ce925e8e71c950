// SPDX-License-Identifier: Apache-2.0

// How each function of the C API runs: what it returns, and that nothing is thrown out of it.
#ifndef ONNX_HIER_TOOLS_C_CALLS_H_
#define ONNX_HIER_TOOLS_C_CALLS_H_

#include <exception>
#include <future>
#include <new>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "onnx_hier/c.h"
#include "tools/c/handles.h"

namespace onnx_hier::c {

// The same error, of something that has a name: "bert.onnx: is a folder".
absl::Status About(absl::string_view name, const absl::Status& status);

// No module is meant: the one error that has no code of its own among those of the library.
absl::Status NoModuleError(absl::string_view text);
bool IsNoModule(const absl::Status& status);

// The code of a status, whose text becomes that of the call.
int Finish(onnx_hier_call& call, const absl::Status& status);

// `work` answers in call->text. It may go on when this has returned.
template <class Work>
int Run(onnx_hier_call* call, Work work) noexcept {
  const auto run = [call, work = std::move(work)]() noexcept {
    try {
      return Finish(*call, work());
    } catch (const std::bad_alloc&) {
      return Finish(*call, absl::ResourceExhaustedError("there is not enough memory"));
    } catch (const std::exception& error) {
      return Finish(*call, absl::InternalError(error.what()));
    }
  };
  call->text.clear();
  call->progress = 0;
  if (!call->in_background) return run();
  try {
    call->running = std::async(std::launch::async, run);
    return ONNX_HIER_RUNNING;
  } catch (const std::exception&) {
    return run();  // there are no threads
  }
}

}  // namespace onnx_hier::c

#endif  // ONNX_HIER_TOOLS_C_CALLS_H_
