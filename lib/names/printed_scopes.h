// SPDX-License-Identifier: Apache-2.0

// The scopes that stand in a file's names, each read once.
//
// A scope is kept as it is printed, component by component; what module it means is decided
// later, when all scopes and all parameter names of the file are known (qualified_names.h).
#ifndef ONNX_HIER_LIB_NAMES_PRINTED_SCOPES_H_
#define ONNX_HIER_LIB_NAMES_PRINTED_SCOPES_H_

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "absl/strings/string_view.h"
#include "lib/base/interner.h"
#include "lib/base/prefix_steps.h"
#include "lib/names/scope_grammar.h"
#include "onnx_hier/ids.h"
#include "onnx_hier/module_paths.h"

namespace onnx_hier {

using ScopeId = Id<struct ScopeIdTag>;

// A place in the tree of printed components. "layer.1" is one step, though two atoms.
struct PrintedScope {
  ScopeId parent;               // none for the root
  PathId path;                  // its atoms, in PrintedScopes::paths()
  absl::string_view component;  // the last one, as printed
  uint32_t depth = 0;           // in components
  bool has_inner = false;       // other scopes lie inside it
};

class PrintedScopes {
 public:
  // `grammar` must outlive this.
  explicit PrintedScopes(const ScopeGrammar& grammar);

  const ScopeGrammar& grammar() const { return grammar_; }
  ScopeId root() const { return ScopeId(0); }
  size_t size() const { return scopes_.size(); }
  IdRange<ScopeId> ids() const { return IdRange<ScopeId>(scopes_.size()); }
  const PrintedScope& scope(ScopeId id) const { return scopes_[id]; }
  const ModulePaths& paths() const { return paths_; }

  // The scope of a node by its name. `op_type` tells whether the last component is the node's own
  // operator or what an optimiser left.
  struct NodeScope {
    ScopeId scope;             // none if the name has no scope
    bool is_own_name = false;  // see ScopeGrammar::NodeName
  };
  NodeScope OfNodeName(absl::string_view name, absl::string_view op_type);
  // The scope in the name of a value it makes.
  ScopeId OfValueName(absl::string_view name);
  // "encoder/layer.1", without the node's own part; what computes a gradient ("MatMul_Grad/...") is
  // where the operator is of which it is the gradient.
  ScopeId Intern(absl::string_view components);

  // Adds the scopes of `other`, which were read by the same grammar, in their order; gives the id
  // here of each of them.
  IdVector<ScopeId, ScopeId> Add(const PrintedScopes& other);

  // The names in the scope's path that the one around it has not, the last one first.
  absl::InlinedVector<absl::string_view, 4> OwnNames(ScopeId id) const;
  // The scope of that component in `id`; none if there is none.
  ScopeId Inner(ScopeId id, absl::string_view component) const;
  // The scope printed like `id` but with another last component; none if there is none.
  ScopeId Sibling(ScopeId id, absl::string_view component) const;
  // The same, made if need be. `component` must live as long as this.
  ScopeId AddSibling(ScopeId id, absl::string_view component);
  ScopeId CommonAncestor(ScopeId a, ScopeId b) const;

 private:
  ScopeId Child(ScopeId parent, absl::string_view component);

  const ScopeGrammar& grammar_;
  ModulePaths paths_;
  IdVector<ScopeId, PrintedScope> scopes_;
  absl::flat_hash_map<std::pair<ScopeId, absl::string_view>, ScopeId> children_;
  Interner texts_;  // whole scopes that were seen, so that each is split once
  std::vector<ScopeId> by_text_;
  absl::string_view last_text_;  // the one asked for last, and what it was
  ScopeId last_;
  PrefixSteps<ScopeId> steps_;
};

// Splits "/layer.0_1" style repetition marks: "relu_1" -> "relu", 1. False if there is none.
bool SplitCallSuffix(absl::string_view component, absl::string_view* base, uint32_t* number);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_NAMES_PRINTED_SCOPES_H_
