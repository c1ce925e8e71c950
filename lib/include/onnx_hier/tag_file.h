// SPDX-License-Identifier: Apache-2.0

// Tags in a file beside the model. What is read:
//
//   {"schema": "onnx-hier/sidecar", ..., "nodes": [{"id": "12", "name": ..., "tag": ...}, ...]}
//                                         our sidecar, perhaps edited by hand
//   {"nodes": {NAME: TAG, ...}}           other hierarchy tools; also under "node_tags" or
//   {NAME: TAG, ...}                      "tagged_nodes", or at the top
//
// where TAG is a string, or an object with "hierarchy_path", "hierarchy_tag", "tag" or
// "hierarchy_tags".
//
// Which node of a model an entry of a tag file means: the one with its id, if the name agrees;
// else the one that makes its output; else the only one with its name.
#ifndef ONNX_HIER_TAG_FILE_H_
#define ONNX_HIER_TAG_FILE_H_

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "onnx_hier/graph.h"
#include "onnx_hier/ids.h"
#include "onnx_hier/module_map.h"
#include "onnx_hier/tags.h"

namespace onnx_hier {

struct TagEntry {
  std::string id;  // "" where the file has none, as the next two
  std::string name;
  std::string output;
  std::string op_type;
  std::vector<std::string> tags;  // the primary one first; none: the entry has no tag
  std::string method;
  std::optional<double> confidence;
  std::optional<double> containment;
  uint32_t call = 0;
};

struct TagFile {
  bool is_sidecar = false;            // of our own schema
  std::string graph_name;             // of the model that it was made for
  std::deque<TagEntry> entries;       // no copies while there come more
  ModuleMap classes;                  // of modules, where the file has them
  std::vector<std::string> problems;  // where it breaks its schema; the first few of a kind
};

// kInvalidArgument if the text is no JSON, or has no tags in any of these forms.
absl::StatusOr<TagFile> ParseTagFile(absl::string_view text);

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

#endif  // ONNX_HIER_TAG_FILE_H_
