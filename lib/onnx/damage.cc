// SPDX-License-Identifier: Apache-2.0
#include "lib/onnx/damage.h"

#include <algorithm>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "onnx_hier_program/safe_text.h"

namespace onnx_hier {
namespace {

constexpr uint64_t kLookedAt = 512;
constexpr size_t kLongestQuotedName = 120;

// Formats that are taken for models, by the bytes at a place.
struct Signature {
  size_t at;
  absl::string_view bytes;
  const char* what;
};
constexpr char kCompressed[] = "is compressed: unpack it first";
constexpr char kPyTorch[] =
    "is a PyTorch file, not an ONNX model: load it in Python and export it with torch.onnx";
constexpr char kOrt[] =
    "is in onnxruntime's own ORT format, not in ONNX's: take the model that it was made from";
constexpr char kLite[] = "is a TensorFlow Lite model: convert it to ONNX first";
constexpr char kHdf5[] =
    "is an HDF5 file, as of Keras, not an ONNX model: convert it to ONNX first";
constexpr char kWeightsAlone[] =
    "holds weights and no graph, so it is not an ONNX model: export the model that they belong to";
constexpr char kEngine[] =
    "is a TensorRT engine, not an ONNX model: name the model that it was built from";
constexpr char kPickle[] =
    "is a Python pickle, not an ONNX model: load it in Python and export the model from there";
constexpr Signature kSignatures[] = {
    {0, {"\x1f\x8b", 2}, kCompressed},
    {0, {"\x28\xb5\x2f\xfd", 4}, kCompressed},  // Zstandard
    {0,
     {"\xfd"
      "7zXZ\0",
      6},
     kCompressed},  // xz
    {0, {"BZh", 3}, kCompressed},
    {0,
     {"PK\x03\x04", 4},
     "is a ZIP archive, as PyTorch's files are, not an ONNX model: unpack it, "
     "or load it in Python and export it with torch.onnx"},
    {0, {"\x80\x02\x8a\x0a\x6c\xfc", 6}, kPyTorch},  // before PyTorch 1.6
    {0, {"\x89HDF", 4}, kHdf5},
    {4, {"TFL3", 4}, kLite},
    {4, {"ORTM", 4}, kOrt},
    {0, {"GGUF", 4}, kWeightsAlone},
    {0, {"\x93NUMPY", 6}, kWeightsAlone},
    {0, {"ftrt", 4}, kEngine},
    {0, {"\x80\x02", 2}, kPickle},
    {0, {"\x80\x03", 2}, kPickle},
    {0, {"\x80\x04\x95", 3}, kPickle},
    {0, {"\x80\x05\x95", 3}, kPickle},
};

// A safetensors file begins with the size of its header, which is JSON.
bool IsSafetensors(absl::string_view start, uint64_t file_size) {
  constexpr size_t kSizeBytes = sizeof(uint64_t);
  if (start.size() <= kSizeBytes || start[kSizeBytes] != '{') return false;
  uint64_t header = 0;
  for (size_t i = kSizeBytes; i-- > 0;) header = header << 8 | static_cast<uint8_t>(start[i]);
  return header <= file_size - kSizeBytes;
}

absl::Status IsText(absl::string_view start) {
  if (absl::StartsWith(start, "{") || absl::StartsWith(start, "[")) {
    return absl::InvalidArgumentError(
        "is text (JSON, as sidecars and profiles are), not an ONNX model in binary protobuf form; "
        "name the model itself");
  }
  // ONNX has a text form of its own, which begins with '<', too.
  for (absl::string_view page : {"<!", "<?xml", "<html"}) {
    if (!absl::StartsWithIgnoreCase(start, page)) continue;
    return absl::InvalidArgumentError(
        "is text (HTML or XML, perhaps of a download that failed), not an ONNX model in binary "
        "protobuf form");
  }
  return absl::InvalidArgumentError(
      "is text, not an ONNX model in binary protobuf form; if it is a model in text form, save it "
      "in binary form first");
}

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
  if (text) return IsText(absl::StripLeadingAsciiWhitespace(start));
  return absl::OkStatus();
}

std::string OtherFormat(FileImage& image) {
  const uint64_t end = std::min(image.size(), kLookedAt);
  if (!image.Require(0, end).ok()) return "";
  const absl::string_view start = image.Text(0, end);
  for (const Signature& signature : kSignatures) {
    if (start.size() >= signature.at &&
        absl::StartsWith(start.substr(signature.at), signature.bytes)) {
      return signature.what;
    }
  }
  return IsSafetensors(start, image.size()) ? kWeightsAlone : "";
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
