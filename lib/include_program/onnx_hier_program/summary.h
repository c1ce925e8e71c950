// SPDX-License-Identifier: Apache-2.0

// What a run did, in numbers.
#ifndef ONNX_HIER_PROGRAM_SUMMARY_H_
#define ONNX_HIER_PROGRAM_SUMMARY_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "onnx_hier/annotation.h"

namespace onnx_hier {

// A tag below is more likely wrong, or too coarse, than exactly right.
constexpr float kUnsure = 0.5f;

struct Summary {
  uint64_t nodes = 0;
  uint64_t tagged = 0;
  uint64_t unsure = 0;  // tagged with a confidence below kUnsure
  // The others that are tagged: by what the file says of them (names, parameters, metadata), by the
  // model that theirs was made from, by tags that the file carried, by what stands around them.
  uint64_t by_name = 0;
  uint64_t by_rule = 0;
  uint64_t from_original = 0;
  uint64_t from_tags = 0;
  uint64_t inferred = 0;
  std::array<uint64_t, kMethodCount> by_method = {};

  double coverage() const {
    return nodes == 0 ? 1.0 : static_cast<double>(tagged) / static_cast<double>(nodes);
  }
};

Summary Summarize(const Annotation& annotation);
// The one that a sidecar ends with: of its last kSummaryBytes, or more of it. None: it has none.
constexpr size_t kSummaryBytes = 4096;
std::optional<Summary> SummaryOfSidecar(absl::string_view end);

// "300 nodes: 282 by name, 18 inferred, 0 guesses"
std::string SummaryText(const Summary& summary);

}  // namespace onnx_hier

#endif  // ONNX_HIER_PROGRAM_SUMMARY_H_
