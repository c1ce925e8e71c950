#include "lib/onnx/damage.h"

#include <algorithm>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "onnx_hier/safe_text.h"

namespace onnx_hier {
namespace {

constexpr uint64_t kLookedAt = 512;
constexpr size_t kLongestQuotedName = 120;

}  // namespace

absl::Status LookAtStart(FileImage& image) {
  if (image.size() == 0) return absl::InvalidArgumentError("is empty: not an ONNX model");
  const uint64_t end = std::min(image.size(), kLookedAt);
  OH_RETURN_IF_ERROR(image.Require(0, end));
  const absl::string_view start = image.Text(0, end);
  if (absl::StartsWith(start, "version https://git-lfs")) {
    return absl::InvalidArgumentError(
        "is a Git LFS pointer, not the model itself: fetch the model with 'git lfs pull'");
  }
  // A model in binary form has bytes below 0x20 from its first field on.
  const bool text = std::all_of(start.begin(), start.end(), [](char c) {
    return static_cast<uint8_t>(c) >= 0x20 || c == '\n' || c == '\r' || c == '\t';
  });
  if (text) {
    return absl::InvalidArgumentError(
        "is text, not an ONNX model in binary protobuf form; if it is a model in text form, save "
        "it in binary form first");
  }
  return absl::OkStatus();
}

absl::Status ExplainDamage(const absl::Status& status, const ReadingState& state) {
  if (status.code() != absl::StatusCode::kDataLoss) return status;
  // The outermost message is the file. Its first field says that it is a model.
  if (state.in_outermost && state.missing_bytes > 0 && state.has_version) {
    return absl::DataLossError(absl::StrCat("the file is cut short (bytes missing: at least ",
                                            state.missing_bytes, "): copy or export it again"));
  }
  std::string place;
  if (state.node_index.has_value()) {
    place = absl::StrCat(" (in node ", *state.node_index);
    if (!state.node_name.empty()) {
      absl::StrAppend(&place, " '", SafeForTerminal(state.node_name.substr(0, kLongestQuotedName)),
                      "'");
    }
    place += ")";
  }
  if (!state.has_graph) {
    return absl::DataLossError(
        absl::StrCat(status.message(), place, "; not an ONNX model, or a damaged one"));
  }
  return absl::DataLossError(
      absl::StrCat(status.message(), place, "; the file is damaged: copy or export it again"));
}

}  // namespace onnx_hier
