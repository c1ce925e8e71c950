// SPDX-License-Identifier: Apache-2.0
#include "tools/c/calls.h"

#include <chrono>

#include "absl/strings/str_cat.h"
#include "onnx_hier/c.h"
#include "onnx_hier/version.h"

namespace onnx_hier::c {
namespace {

// The library has no use for this code.
constexpr absl::StatusCode kNoModule = absl::StatusCode::kOutOfRange;

int CodeOf(absl::StatusCode code) {
  switch (code) {
    case absl::StatusCode::kOk:
      return ONNX_HIER_OK;
    case absl::StatusCode::kNotFound:
      return ONNX_HIER_NO_FILE;
    case absl::StatusCode::kAlreadyExists:
      return ONNX_HIER_EXISTS;
    case absl::StatusCode::kPermissionDenied:
      return ONNX_HIER_DENIED;
    case absl::StatusCode::kInvalidArgument:
    case absl::StatusCode::kDataLoss:
    case absl::StatusCode::kFailedPrecondition:
      return ONNX_HIER_INVALID;
    case kNoModule:
      return ONNX_HIER_NO_MODULE;
    case absl::StatusCode::kCancelled:
      return ONNX_HIER_CANCELLED;
    case absl::StatusCode::kResourceExhausted:
    case absl::StatusCode::kUnavailable:
      return ONNX_HIER_UNAVAILABLE;
    default:
      return ONNX_HIER_CHANGED;
  }
}

}  // namespace

absl::Status About(absl::string_view name, const absl::Status& status) {
  if (status.ok() || name.empty()) return status;
  return {status.code(), absl::StrCat(name, ": ", status.message())};
}

absl::Status NoModuleError(absl::string_view text) { return {kNoModule, text}; }
bool IsNoModule(const absl::Status& status) { return status.code() == kNoModule; }

int Finish(onnx_hier_call& call, const absl::Status& status) {
  // Whoever cancels a call that has come to its end meant that one.
  call.cancel = false;
  if (!status.ok()) call.text.assign(status.message().data(), status.message().size());
  return CodeOf(status.code());
}

}  // namespace onnx_hier::c

int onnx_hier_c_version(void) { return ONNX_HIER_C_VERSION; }
const char* onnx_hier_version(void) { return onnx_hier::kVersion; }

onnx_hier_call* onnx_hier_call_new(void) { return new (std::nothrow) onnx_hier_call; }
void onnx_hier_call_free(onnx_hier_call* call) { delete call; }
void onnx_hier_call_in_background(onnx_hier_call* call) { call->in_background = true; }

int onnx_hier_call_wait(onnx_hier_call* call, int milliseconds) {
  if (!call->running.valid()) return ONNX_HIER_OK;
  const auto time = std::chrono::milliseconds(milliseconds);
  if (call->running.wait_for(time) != std::future_status::ready) return ONNX_HIER_RUNNING;
  return call->running.get();
}

void onnx_hier_call_cancel(onnx_hier_call* call) { call->cancel = true; }
uint64_t onnx_hier_call_progress(const onnx_hier_call* call) { return call->progress; }

const char* onnx_hier_call_text(const onnx_hier_call* call, size_t* size) {
  if (size != nullptr) *size = call->text.size();
  return call->text.c_str();
}
