// SPDX-License-Identifier: Apache-2.0

// Names of several operators in one, as TensorFlow Lite gives them to what it fused, where a
// converter has replaced the semicolons between them:
//
//   net/conv1/Relu_net/conv1/BiasAdd_head/Conv2D  ->  net/conv1/Relu;net/conv1/BiasAdd;head/Conv2D
//
// An operator, which begins with a capital, ends where the name of a scope of the file begins.
#ifndef ONNX_HIER_LIB_NAMES_JOINED_NAMES_H_
#define ONNX_HIER_LIB_NAMES_JOINED_NAMES_H_

#include <string>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
#include "onnx_hier/graph.h"
#include "onnx_hier/ids.h"

namespace onnx_hier {

class JoinedNames {
 public:
  // `graph` must outlive this. Linear in its names.
  explicit JoinedNames(const Graph& graph);

  // Whether there are any.
  bool any() const { return any_; }
  // With semicolons; `text` is where that is kept, untouched where nothing is joined.
  absl::string_view OfNode(NodeId id, std::string& text) const {
    return Part(graph_.node(id).name, text);
  }
  absl::string_view OfTensor(TensorId id, std::string& text) const {
    return Part(graph_.tensor(id).name, text);
  }
  absl::string_view OfValue(ValueId id, std::string& text) const {
    return Part(graph_.value(id).name, text);
  }

 private:
  absl::string_view Part(absl::string_view name, std::string& text) const;

  const Graph& graph_;
  absl::flat_hash_set<absl::string_view> tops_;  // what names begin with, up to the first slash
  bool any_ = false;
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_NAMES_JOINED_NAMES_H_
