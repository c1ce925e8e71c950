// The hierarchy as a picture for people:
//
//   /                          257  4,385,920  17.5 MB
//   ├─ embeddings               24  3,972,864  15.9 MB
//   └─ encoder                 211    396,544   1.6 MB
//      └─ layer.[0-1] x2       104    198,272  793.1 kB
//
// Neighbouring members of a list that are built alike are drawn once; their figures are those of
// one member. The lines are made as they are written; of names that are too wide for a terminal,
// the end is left out, and of branches too many for one, the outer ones.
#ifndef ONNX_HIER_LIB_REPORT_TREE_TEXT_H_
#define ONNX_HIER_LIB_REPORT_TREE_TEXT_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "lib/base/byte_sink.h"
#include "onnx_hier/annotation.h"

namespace onnx_hier {

struct TreeTextOptions {
  uint32_t depth = 0xFFFFFFFFu;  // levels of modules below the root
  bool classes = false;          // a column with the class of each module
};

absl::Status WriteTreeText(const Annotation& annotation, const TreeTextOptions& options,
                           ByteSink& sink);

// "1,234,567"
std::string WithThousands(uint64_t number);
// "17.5 MB": bytes in powers of 1000.
std::string HumanBytes(uint64_t bytes);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_REPORT_TREE_TEXT_H_
