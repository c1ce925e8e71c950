// SPDX-License-Identifier: Apache-2.0

// Nodes by what people call them.
#ifndef ONNX_HIER_PROGRAM_NODES_BY_NAME_H_
#define ONNX_HIER_PROGRAM_NODES_BY_NAME_H_

#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "onnx_hier/graph.h"
#include "onnx_hier/ids.h"

namespace onnx_hier {

class NodesByName {
 public:
  // Goes through the graph once, however many words there are. They must outlive this.
  NodesByName(const Graph& graph, absl::Span<const std::string> words);

  // What one of the words means first of all: the node of that id ("12", "1045/then_branch/0"),
  // those of that name, those that make a value of that name; or none. A number is an id and
  // nothing else.
  const std::vector<NodeId>& Find(absl::string_view word) const;

 private:
  struct Found {
    std::vector<NodeId> by_id;
    std::vector<NodeId> by_name;
    std::vector<NodeId> by_value;
  };

  Found* FoundOf(absl::string_view name);

  absl::flat_hash_map<absl::string_view, Found> found_;
  std::vector<bool> sizes_;  // of the words
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_PROGRAM_NODES_BY_NAME_H_
