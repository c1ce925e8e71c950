// SPDX-License-Identifier: Apache-2.0

// Which tags of a model name a wrong layer or module, what they should be, and what is missing.
//
//   ReadTagsResult read = ReadTags(model.graph());
//   const std::vector<Finding> found = FindContamination(model.graph(), {}, read.tags);
//   const Repairs repairs = Repair(model.graph(), {}, found, read.tags);   // read.tags are right
//   now
//
// No tag is trusted, least of all because this library wrote it. Order of trust: the node's name,
// its outputs' names, metadata; then the parameters it reads; a node for which one of these speaks
// is settled by it. All others are judged by their counterparts in other layers, by the order of
// the file and by where the inference of `tag` puts them, of which two must agree, or one be sure.
// Not contamination: less specific tags, no tag, auxiliary tags, tags that skip modules that were
// never called.
#ifndef ONNX_HIER_CHECK_H_
#define ONNX_HIER_CHECK_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "onnx_hier/annotation.h"
#include "onnx_hier/findings.h"
#include "onnx_hier/graph.h"
#include "onnx_hier/ids.h"
#include "onnx_hier/module_map.h"
#include "onnx_hier/tags.h"

namespace onnx_hier {

// In graph order. Paths are added to tags.paths(); the tags stay as they are. `module_map`, which
// may be empty, tells the classes of modules: class tags are then compared with these.
std::vector<Finding> FindContamination(const Graph& graph, const ModuleMap& module_map, Tags& tags);
// Of a model whose original is known: `carried` is what AnnotateFrom() makes of it. A node that
// stands for one of the original's is settled by that. Not for tags that are class names.
std::vector<Finding> FindContamination(const Graph& graph, const ModuleMap& module_map,
                                       const Annotation& carried, Tags& tags);

struct Repairs {
  std::vector<Finding> done;  // one a node, in graph order
  size_t layer_only = 0;      // of these, tags whose layer is right now, and their module unproven
  std::vector<Finding> left;  // what a check still finds afterwards: none, as a rule
};

// Gives every found node its expected tag and keeps the old one as its first auxiliary tag, then
// checks again, until nothing is found or a check only wants back what nodes had before.
// `found` are the findings of a first check of `tags`.
Repairs Repair(const Graph& graph, const ModuleMap& module_map, std::vector<Finding> found,
               Tags& tags);

// What is missing or does not fit, apart from wrong tags.
enum class GapKind : uint8_t {
  kUntagged,
  kUnplaced,       // its tool knew no module for it and said so
  kUnknownModule,  // neither names nor what `tag` makes of them know the tag's module
  kMalformed,      // the doc_string's JSON cannot be read
  kSidecar,        // the sidecar breaks its schema, or is out of step with the model
};
constexpr size_t kGapKindCount = static_cast<size_t>(GapKind::kSidecar) + 1;
absl::string_view GapKindName(GapKind kind);  // "untagged", ...

struct Gap {
  GapKind kind = GapKind::kUntagged;
  NodeId node;       // none: it is about the sidecar
  std::string text;  // what is wrong, for people
};

struct Coverage {
  std::vector<Gap> gaps;  // by kind, then in graph order
  // Whether tags were compared with names at all: not if these tell of no modules, or if tags are
  // class names.
  bool modules_known = false;
};

// `written` is what `tag` would write into the model: its modules are known, whatever led to them.
// `malformed` are nodes whose doc_strings cannot be read; `sidecar` is what is wrong with the
// sidecar that the tags came from.
Coverage FindGaps(const Graph& graph, const ModuleMap& module_map, const Annotation& written,
                  Tags& tags, const std::vector<NodeId>& malformed,
                  const std::vector<std::string>& sidecar);

}  // namespace onnx_hier

#endif  // ONNX_HIER_CHECK_H_
