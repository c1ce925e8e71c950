// SPDX-License-Identifier: Apache-2.0

// Names for nodes that have none, so that tools which address nodes by their names can.
//
//   const GivenNames names(model.graph());
//   names[node];      // "MatMul_12"; "" for a node that has a name
//   Write(model, TagEdits(model, annotation, names), Destination::File("named.onnx"));
//
// A name is the node's operator and the node's number in the file, those of all graphs and
// functions counted. It is the only one of its kind in the file, and tells nothing of modules: the
// named model is tagged like the nameless one. Names that nodes have stay as they are, also those
// that several nodes share.
#ifndef ONNX_HIER_GIVEN_NAMES_H_
#define ONNX_HIER_GIVEN_NAMES_H_

#include <cstddef>
#include <string>

#include "absl/strings/string_view.h"
#include "onnx_hier/graph.h"
#include "onnx_hier/ids.h"

namespace onnx_hier {

class GivenNames {
 public:
  GivenNames() = default;  // for no node
  explicit GivenNames(const Graph& graph);

  absl::string_view operator[](NodeId node) const {
    return names_.contains(node) ? absl::string_view(names_[node]) : absl::string_view();
  }
  // How many there are.
  size_t size() const { return size_; }

 private:
  IdVector<NodeId, std::string> names_;  // empty where there are none
  size_t size_ = 0;
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_GIVEN_NAMES_H_
