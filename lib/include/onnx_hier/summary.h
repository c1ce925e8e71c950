// What a run did, in numbers.
#ifndef ONNX_HIER_SUMMARY_H_
#define ONNX_HIER_SUMMARY_H_

#include <array>
#include <cstdint>
#include <string>

#include "onnx_hier/annotation.h"

namespace onnx_hier {

struct Summary {
  uint64_t nodes = 0;
  uint64_t tagged = 0;
  std::array<uint64_t, kMethodCount> by_method = {};

  double coverage() const {
    return nodes == 0 ? 1.0 : static_cast<double>(tagged) / static_cast<double>(nodes);
  }
};

Summary Summarize(const Annotation& annotation);

// "240 node_name, 17 locality"
std::string MethodsText(const Summary& summary);

}  // namespace onnx_hier

#endif  // ONNX_HIER_SUMMARY_H_
