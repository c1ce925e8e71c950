// SPDX-License-Identifier: Apache-2.0

// Models as protobuf reads and writes them: the independent judge of what our bytes mean.
#ifndef ONNX_HIER_TESTS_FUZZ_CANONICAL_H_
#define ONNX_HIER_TESTS_FUZZ_CANONICAL_H_

#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "onnx/onnx_pb.h"

namespace onnx_hier::fuzz {

// Nothing where protobuf cannot read it.
inline std::optional<onnx::ModelProto> Parse(absl::string_view bytes) {
  onnx::ModelProto model;
  if (!model.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) return std::nullopt;
  return model;
}

// How protobuf would write the same model: equal where two files mean the same.
inline std::optional<std::string> Canonical(absl::string_view bytes) {
  const std::optional<onnx::ModelProto> model = Parse(bytes);
  if (!model.has_value()) return std::nullopt;
  return model->SerializeAsString();
}

}  // namespace onnx_hier::fuzz

#endif  // ONNX_HIER_TESTS_FUZZ_CANONICAL_H_
