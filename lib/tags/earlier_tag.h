// SPDX-License-Identifier: Apache-2.0

// The tag that one doc_string carries already.
#ifndef ONNX_HIER_LIB_TAGS_EARLIER_TAG_H_
#define ONNX_HIER_LIB_TAGS_EARLIER_TAG_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "onnx_hier/annotation.h"
#include "onnx_hier/graph.h"

namespace onnx_hier {

struct EarlierTag {
  std::string primary;
  std::vector<std::string> auxiliary;
  std::optional<double> confidence;  // none: it does not say
  // How a transfer from another model found it; kNone where it was found otherwise, or somebody
  // else wrote it.
  Method transferred = Method::kNone;
};

// What another tool keeps as a tag under a key of its own; "" if there is none.
absl::string_view TagInMetadata(absl::Span<const StringPair> metadata);

// The tag in one doc_string; none if there is none that can be read.
std::optional<EarlierTag> ReadEarlierTag(absl::string_view doc_string);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_TAGS_EARLIER_TAG_H_
