// SPDX-License-Identifier: Apache-2.0

// What other programs did to the names of a graph as a whole: prefixes that they put in front,
// slashes and operators that they took off or put there.
//
// A file tells by itself: nodes and the parameters that only they read name the same module. Where
// that is no more often so with another wording, names mean what they say.
#ifndef ONNX_HIER_LIB_NAMES_WORDING_H_
#define ONNX_HIER_LIB_NAMES_WORDING_H_

#include <vector>

#include "absl/strings/string_view.h"
#include "onnx_hier/graph.h"

namespace onnx_hier {

struct Wording {
  std::vector<absl::string_view> prefixes;  // longer ones first; each is a module on top
  bool lacks_slash = false;                 // in front of scopes
  bool has_operators = false;               // in front of some scopes: "MatMul_/encoder/MatMul"

  bool is_as_exported() const { return prefixes.empty() && !lacks_slash && !has_operators; }
  // The one that the name begins with; "": none.
  absl::string_view PrefixOf(absl::string_view name) const;
};

// Linear in the names of the graph, which must outlive the result.
Wording FindWording(const Graph& graph);

// What all names of the main graph begin with, up to the first place where another name can go on;
// "" where that is nothing, or there are few names.
absl::string_view SharedPrefix(const Graph& graph);

// The module that a prefix stands for: "m1" of "m1_".
absl::string_view ModuleOfPrefix(absl::string_view prefix);

// What stands behind "MatMul_" or "MatMul:" in the node's name "MatMul_/encoder/MatMul", else all
// of it.
absl::string_view WithoutOperatorInFront(const Graph& graph, NodeId id);

// Whether the value is one that may be called like the parameter of a module.
bool MayBeParameter(const Graph& graph, const Value& value);

// The name of what the node makes; "" where that has none.
absl::string_view NameOfOutput(const Graph& graph, NodeId id);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_NAMES_WORDING_H_
