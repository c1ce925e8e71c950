// Which node of a model an entry of a tag file means: the one with its id, if the name agrees;
// else the one that makes its output; else the only one with its name.
#ifndef ONNX_HIER_LIB_TAGS_TAG_MATCH_H_
#define ONNX_HIER_LIB_TAGS_TAG_MATCH_H_

#include <cstdint>
#include <string>
#include <vector>

#include "lib/tags/tag_file.h"
#include "lib/tags/tags.h"
#include "onnx_hier/graph.h"
#include "onnx_hier/ids.h"

namespace onnx_hier {

struct TagMatches {
  std::vector<NodeId> nodes;  // for each entry; none: it means no node, or one that is taken
  size_t by_id = 0;           // how entries were matched
  size_t by_output = 0;
  size_t by_name = 0;
  // What did not match, for people: entries without a node, nodes without an entry, ...
  std::vector<std::string> problems;
};

TagMatches MatchTags(const Graph& graph, const TagFile& file);

// The tags of the entries that match.
Tags TagsOf(const Graph& graph, const TagFile& file, const TagMatches& matches);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_TAGS_TAG_MATCH_H_
