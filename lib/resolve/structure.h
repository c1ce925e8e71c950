// What the wiring alone says: where branches part and join, how many values are alive between two
// nodes, which nodes always stand around an operator that reads parameters.
#ifndef ONNX_HIER_LIB_RESOLVE_STRUCTURE_H_
#define ONNX_HIER_LIB_RESOLVE_STRUCTURE_H_

#include <cstdint>
#include <vector>

#include "lib/resolve/flow.h"
#include "lib/resolve/known.h"
#include "lib/resolve/module_children.h"
#include "onnx_hier/module_paths.h"

namespace onnx_hier {

// Dominators by data flow: b dominates a node when everything the node computes from goes
// through b. Time O(edges x log nodes), memory linear.
class Branches {
 public:
  explicit Branches(const Flow& flow);

  // The nearest node that dominates it; kNowhere: none does.
  Place dominator(Place place) const { return dominator_[place]; }
  // How many different nodes that are no constants it reads.
  uint32_t operands(Place place) const { return operands_[place]; }
  bool is_join(Place place) const { return operands_[place] >= 2; }
  // A join of which one operand comes past the branch that makes the others:
  //   b -> ... -> join,  b -> join
  bool is_skip_join(Place place) const { return skip_join_[place]; }

 private:
  Place Common(Place a, Place b) const;
  void Attach(Place place, Place dominator);

  std::vector<Place> dominator_;
  std::vector<Place> jump_;  // some dominator further up
  std::vector<uint32_t> depth_;
  std::vector<uint32_t> operands_;
  std::vector<bool> skip_join_;
};

// Which module a join belongs to by the branch that a skip connection jumps over:
// what contains all known nodes of the branch, or when the branch is one finished call of a module,
// the module around that.
class ResidualOwners {
 public:
  ResidualOwners(const Flow& flow, const Branches& branches, const KnownModules& known,
                 const Surroundings& surroundings, const ModuleChildren& children,
                 const ModulePaths& paths);

  // None: nothing is known of the branch, or it is too large to look at.
  PathId OwnerOf(Place join);

 private:
  PathId BranchModule(Place join);

  const Flow& flow_;
  const Branches& branches_;
  const KnownModules& known_;
  const Surroundings& surroundings_;
  const ModuleChildren& children_;
  const ModulePaths& paths_;
  std::vector<Place> visited_by_;  // the join whose branch last met the node
  uint64_t budget_;                // nodes that may yet be visited, of all branches together
};

// The deeper of the branch's owner and of what contains the nodes before and behind, when one
// contains the other; else what contains both. Either may be none.
PathId ResidualRule(PathId branch_owner, PathId order, const ModulePaths& paths);

// How many values are alive after each node, in order: small where one module ends and the next
// begins.
class LiveValues {
 public:
  explicit LiveValues(const Flow& flow);
  uint32_t after(Place place) const { return after_[place]; }
  Place last_reader(Place place) const { return last_reader_[place]; }

 private:
  std::vector<uint32_t> after_;
  std::vector<Place> last_reader_;  // kNowhere: nobody
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_RESOLVE_STRUCTURE_H_
