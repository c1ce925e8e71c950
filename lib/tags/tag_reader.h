// Reads the tags that nodes carry, whoever wrote them:
//
//   {"hierarchy_tags": ["/encoder/layer.0", ...], "hierarchy_path": "/encoder/layer.0", ...}
//                               in the doc_string: ours, and earlier tools' with the same keys
//   {"hierarchy_tag": "/BertModel/BertEncoder/BertLayer.0"}   in the doc_string: one tag
//   hierarchy_path, hierarchy_tag, winml.hierarchy.tag        a tag as a metadata property
//   namespace, pkg.torch.onnx.name_scopes, ...                module names that exporters keep
//
// Doc_strings win over metadata: they were written later, on purpose.
#ifndef ONNX_HIER_LIB_TAGS_TAG_READER_H_
#define ONNX_HIER_LIB_TAGS_TAG_READER_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "lib/tags/tags.h"
#include "onnx_hier/graph.h"

namespace onnx_hier {

struct ReadTagsResult {
  Tags tags;  // source kNone: the file has none
  // Nodes whose doc_string begins like one of the above but cannot be read.
  std::vector<NodeId> malformed;
};

ReadTagsResult ReadTags(const Graph& graph);

struct EarlierTag {
  std::string primary;
  std::optional<double> confidence;  // none: it does not say
};

// The tag in one doc_string; none if there is none that can be read.
std::optional<EarlierTag> ReadEarlierTag(absl::string_view doc_string);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_TAGS_TAG_READER_H_
