// SPDX-License-Identifier: Apache-2.0

// What a user's rules do: nodes that they place say so themselves before anything is decided;
// modules get their names afterwards, so that these decide nothing.
#ifndef ONNX_HIER_LIB_OWNERS_RULE_PLACES_H_
#define ONNX_HIER_LIB_OWNERS_RULE_PLACES_H_

#include <cstddef>
#include <vector>

#include "lib/owners/evidence.h"
#include "lib/owners/least.h"
#include "lib/owners/node_owners.h"
#include "onnx_hier/annotation.h"
#include "onnx_hier/ids.h"
#include "onnx_hier/module_paths.h"

namespace onnx_hier {

class RulePlaces {
 public:
  // Both must outlive this.
  RulePlaces(const AppliedRules& rules, ModulePaths& paths) : rules_(rules), paths_(paths) {}

  // Makes the rules' places what their nodes say.
  void Place(Evidence& evidence) const;
  // `everywhere`: of modules that no rule tells of.
  Least LeastOf(float everywhere) const;
  // Gives nodes their rules' modules whatever was decided, and those that say they are in a major
  // module, but are not, what they say. Returns the nodes that are elsewhere now.
  std::vector<RuledNode> Keep(const Evidence& evidence, NodeOwners& owners) const;

  // What modules are called by the rules.
  struct Renamed {
    IdVector<PathId, PathId> to;    // itself, where no rule says otherwise
    IdVector<PathId, size_t> line;  // of the rule; 0: none
  };
  // Renames modules in all that was found.
  Renamed Rename(Evidence& evidence) const;
  // Likewise in what was decided; adds nodes that are elsewhere now.
  static void Rename(const Renamed& renamed, NodeOwners& owners, std::vector<RuledNode>& ruled);

 private:
  Renamed RenamePaths() const;

  const AppliedRules& rules_;
  ModulePaths& paths_;
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_OWNERS_RULE_PLACES_H_
