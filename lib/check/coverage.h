// What is missing or does not fit, apart from wrong tags: nodes without a tag, tags of modules that
// neither the model's names nor `tag` know, doc_strings that cannot be read, a sidecar of another
// model.
#ifndef ONNX_HIER_LIB_CHECK_COVERAGE_H_
#define ONNX_HIER_LIB_CHECK_COVERAGE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "lib/tags/tags.h"
#include "onnx_hier/annotation.h"
#include "onnx_hier/graph.h"
#include "onnx_hier/ids.h"
#include "onnx_hier/module_map.h"

namespace onnx_hier {

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

#endif  // ONNX_HIER_LIB_CHECK_COVERAGE_H_
