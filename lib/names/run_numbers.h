// SPDX-License-Identifier: Apache-2.0

// Which runs of a module are which of its calls, and where the nodes of each scope are by that.
#ifndef ONNX_HIER_LIB_NAMES_RUN_NUMBERS_H_
#define ONNX_HIER_LIB_NAMES_RUN_NUMBERS_H_

#include <cstdint>

#include "absl/container/flat_hash_map.h"
#include "lib/names/printed_scopes.h"
#include "lib/names/repeated_calls.h"
#include "lib/names/scope_runs.h"
#include "onnx_hier/ids.h"
#include "onnx_hier/module_paths.h"

namespace onnx_hier {

// Where the nodes of a printed scope are.
struct ScopePlace {
  PathId meant;            // the module that the scope means by itself
  PathId module;           // the same, or what is around it where `is_around`
  uint32_t call = 0;       // 0-based, in the order in which the file runs them
  bool is_around = false;  // only what holds the module, of which the file does not say all names
  float confidence = 1;    // how often such scopes are where they are printed
};

// Of all nodes with a scope.
struct ScopePlaces {
  IdVector<ScopeId, ScopePlace> by_scope;
  absl::flat_hash_map<NodeId, ScopePlace> by_node;  // of those that are not where their scope is

  const ScopePlace& of(NodeId node, ScopeId scope) const {
    if (by_node.empty()) return by_scope[scope];
    const auto own = by_node.find(node);
    return own == by_node.end() ? by_scope[scope] : own->second;
  }
};

// `modules` are those of the runs, `is_known` those that more than printed names speak for.
ScopePlaces NumberRuns(const ScopeRuns& runs, const IdVector<ScopeId, ScopeMeaning>& meanings,
                       const IdVector<RunId, PathId>& modules, const IdSet<PathId>& is_known,
                       const ModulePaths& paths);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_NAMES_RUN_NUMBERS_H_
