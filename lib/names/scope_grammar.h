// SPDX-License-Identifier: Apache-2.0

// How the names of nodes and values hold the modules around them: "/encoder/layer.1" of
// "/encoder/layer.1/Add". One grammar is that of a file's dialect (dialect.h).
#ifndef ONNX_HIER_LIB_NAMES_SCOPE_GRAMMAR_H_
#define ONNX_HIER_LIB_NAMES_SCOPE_GRAMMAR_H_

#include <optional>

#include "absl/strings/string_view.h"
#include "onnx_hier/ids.h"
#include "onnx_hier/module_paths.h"

namespace onnx_hier {

class ScopeGrammar {
 public:
  // A node's name, read as the exporter wrote it. All scopes are views into the names.
  struct NodeName {
    bool is_own = false;      // it ends with the node's own operator, or need not
    absl::string_view scope;  // where it is
  };
  virtual NodeName ReadNode(absl::string_view name, absl::string_view op_type) const = 0;
  // The scope in one of the names that a tool made a node's name from (OriginalNames()).
  virtual std::optional<absl::string_view> ReadOriginal(absl::string_view name,
                                                        absl::string_view op_type) const = 0;
  // The scope in the name of a value.
  virtual std::optional<absl::string_view> ReadValue(absl::string_view name) const = 0;

  // What a component of a scope stands for; of kEnd: it and all below belong to what is around.
  enum class Component { kModule, kNothing, kEnd };
  virtual Component KindOf(absl::string_view component) const = 0;
  virtual PathId Append(absl::string_view component, PathId parent, ModulePaths& paths) const = 0;
  // Whether a component may be the further call of a module, "relu_1"; else a name is given once.
  virtual bool counts_calls() const = 0;

 protected:
  ~ScopeGrammar() = default;  // they are constants
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_NAMES_SCOPE_GRAMMAR_H_
