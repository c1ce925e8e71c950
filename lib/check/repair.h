// Puts wrong tags right.
#ifndef ONNX_HIER_LIB_CHECK_REPAIR_H_
#define ONNX_HIER_LIB_CHECK_REPAIR_H_

#include <vector>

#include "lib/compare/findings.h"
#include "lib/tags/tags.h"
#include "onnx_hier/graph.h"
#include "onnx_hier/module_map.h"

namespace onnx_hier {

struct Repairs {
  std::vector<Finding> done;  // one a node, in graph order
  std::vector<Finding> left;  // what a check still finds afterwards: none, as a rule
};

// Gives every found node its expected tag and keeps the old one as its first auxiliary tag, then
// checks again, until nothing is found or a check only wants back what nodes had before.
// `found` are the findings of a first check of `tags`.
Repairs Repair(const Graph& graph, const ModuleMap& module_map, std::vector<Finding> found,
               Tags& tags);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_CHECK_REPAIR_H_
