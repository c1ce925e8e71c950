// Which tags of a model name a wrong layer or module, and what they should be.
//
//   Tags tags = ReadTags(graph).tags;
//   for (const Finding& finding : FindContamination(graph, {}, tags)) ...
//
// No tag is trusted, least of all because this library wrote it. Order of trust: the node's name,
// its outputs' names, metadata; then the parameters it reads; a node for which one of these speaks
// is settled by it. All others are judged by their counterparts in other layers, by the order of
// the file and by their neighbours, of which two must agree, or one be sure. Not contamination:
// less specific tags, no tag, auxiliary tags, tags that skip modules that were never called.
#ifndef ONNX_HIER_LIB_CHECK_AUDITOR_H_
#define ONNX_HIER_LIB_CHECK_AUDITOR_H_

#include <vector>

#include "lib/compare/findings.h"
#include "lib/tags/tags.h"
#include "onnx_hier/graph.h"
#include "onnx_hier/module_map.h"

namespace onnx_hier {

// In graph order. Paths are added to tags.paths(); the tags stay as they are. `module_map`, which
// may be empty, tells the classes of modules: class tags are then compared with these.
std::vector<Finding> FindContamination(const Graph& graph, const ModuleMap& module_map, Tags& tags);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_CHECK_AUDITOR_H_
