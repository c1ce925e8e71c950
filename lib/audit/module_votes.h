// SPDX-License-Identifier: Apache-2.0

// Which tag goes with which scope, by what most nodes of a file say. Scopes and tags are paths of
// any kind: as they are, or with numbers left out.
//
// Class paths have two properties that are used here: nodes of one scope have one tag, and what is
// inside a module has the module's tag or one that goes on from there.
#ifndef ONNX_HIER_LIB_AUDIT_MODULE_VOTES_H_
#define ONNX_HIER_LIB_AUDIT_MODULE_VOTES_H_

#include <cstddef>
#include <map>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "onnx_hier/ids.h"
#include "onnx_hier/module_paths.h"

namespace onnx_hier {

class ModuleVotes {
 public:
  struct Answer {
    PathId tag;  // none: no clear answer
    double share = 0;
  };

  ModuleVotes(const ModulePaths& scopes, const ModulePaths& tags) : scopes_(scopes), tags_(tags) {}

  void Add(PathId scope, PathId tag, size_t nodes) { counts_[{scope, tag}] += nodes; }
  // After the last Add.
  void Count();

  // The tag of most nodes with this scope.
  Answer OfScope(PathId scope) const;
  // The tag that most scopes around this one share (the modules beside it or inside it, and the
  // one that holds them), if `tag` contradicts it and is at home somewhere else.
  Answer OfGroup(PathId scope, PathId tag) const;

 private:
  struct Majority {
    PathId tag;
    size_t votes = 0;
    size_t total = 0;
    bool tie = false;
    void Add(PathId candidate, size_t count);
  };

  bool Compatible(PathId a, PathId b) const { return tags_.Contains(a, b) || tags_.Contains(b, a); }
  Answer OfGroupIn(PathId module, PathId tag) const;

  const ModulePaths& scopes_;
  const ModulePaths& tags_;
  std::map<std::pair<PathId, PathId>, size_t> counts_;  // (scope, tag)
  absl::flat_hash_map<PathId, Majority> by_scope_;
  absl::flat_hash_map<PathId, Majority> by_group_;          // scopes vote, one vote each
  absl::flat_hash_map<PathId, std::vector<PathId>> homes_;  // scopes of which it is the tag
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_AUDIT_MODULE_VOTES_H_
