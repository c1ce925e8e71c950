// SPDX-License-Identifier: Apache-2.0

// What attributes of nodes say in numbers and short texts: what shapes depend on.
#ifndef ONNX_HIER_LIB_SHAPES_OPERATOR_ATTRIBUTES_H_
#define ONNX_HIER_LIB_SHAPES_OPERATOR_ATTRIBUTES_H_

#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "lib/files/file_image.h"
#include "lib/onnx/scanner.h"
#include "onnx_hier/graph.h"

namespace onnx_hier {

class OperatorAttributes {
 public:
  struct Attribute {
    absl::string_view name;
    absl::string_view text;
    // The attribute of the node that calls the function around which says it; "": it has its own.
    absl::string_view reference;
    Range numbers;  // of one number likewise
  };

  // `model` was scanned from `image`. Lists of more than kMostNumbers are left out.
  static absl::StatusOr<OperatorAttributes> Read(const FileImage& image, const ScannedModel& model);

  static constexpr size_t kMostNumbers = 4096;

  absl::Span<const Attribute> of(NodeId node) const { return attributes_.of(node); }
  absl::Span<const double> numbers(const Attribute& attribute) const {
    return absl::MakeConstSpan(numbers_).subspan(attribute.numbers.begin, attribute.numbers.size());
  }

 private:
  std::vector<FileImage> images_;  // texts lie in them
  std::vector<double> numbers_;
  Grouped<NodeId, Attribute> attributes_;
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_SHAPES_OPERATOR_ATTRIBUTES_H_
