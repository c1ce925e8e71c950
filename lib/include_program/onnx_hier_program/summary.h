// What a run did, in numbers.
#ifndef ONNX_HIER_PROGRAM_SUMMARY_H_
#define ONNX_HIER_PROGRAM_SUMMARY_H_

#include <array>
#include <cstdint>
#include <string>

#include "onnx_hier/annotation.h"

namespace onnx_hier {

// A tag below is more likely wrong, or too coarse, than exactly right.
constexpr float kUnsure = 0.5f;

struct Summary {
  uint64_t nodes = 0;
  uint64_t tagged = 0;
  uint64_t unsure = 0;  // tagged with a confidence below kUnsure
  std::array<uint64_t, kMethodCount> by_method = {};

  double coverage() const {
    return nodes == 0 ? 1.0 : static_cast<double>(tagged) / static_cast<double>(nodes);
  }
};

Summary Summarize(const Annotation& annotation);

// "240 node_name, 17 locality"
std::string MethodsText(const Summary& summary);

}  // namespace onnx_hier

#endif  // ONNX_HIER_PROGRAM_SUMMARY_H_
