// SPDX-License-Identifier: Apache-2.0

// Features of the nodes of a file in which some names are left: neighbours in file order and in
// the data flow, twins, parameters.
#ifndef ONNX_HIER_LIB_OWNERS_NAMED_FEATURES_H_
#define ONNX_HIER_LIB_OWNERS_NAMED_FEATURES_H_

#include <cstdint>
#include <vector>

#include "lib/owners/context.h"
#include "lib/owners/features.h"
#include "lib/owners/inventory.h"
#include "lib/owners/named_index.h"
#include "lib/owners/twins.h"
#include "onnx_hier/module_paths.h"

namespace onnx_hier {

// A node's known neighbours, gathered once, and what they say about a candidate.
struct Neighbourhood {
  struct Near {
    PathId path;
    uint32_t distance = 0;  // edges
  };
  bool constant = false;
  PathId before, after;  // of the known nodes around it in file order; none: there is none
  uint32_t before_distance = 0;
  uint32_t after_distance = 0;
  std::vector<Near> up, down;
  PathId order_ancestor;  // what contains `before` and `after`; the root when one is missing
  PathId up_ancestor, down_ancestor, flow_ancestor;  // what contains all up, all down, all
  PathId anchor;
};

// Of an open node.
Neighbourhood DescribeNeighbourhood(Rank rank, const Context& context);

// The modules that come into question: those that are added, and all around them.
class CandidateList {
 public:
  // Deep or many-branched hostile paths must not make one node cost more than this.
  static constexpr size_t kMostCandidates = 96;

  explicit CandidateList(const ModulePaths& paths) : paths_(paths) {}

  // Forgets all; the root is always a candidate.
  void Clear();
  void Add(PathId path);
  const std::vector<PathId>& paths() const { return list_; }

 private:
  const ModulePaths& paths_;
  std::vector<PathId> list_;
  std::vector<uint32_t> listed_at_;  // by path: the round in which it was listed last
  uint32_t round_ = 0;
};

class NamedFeatures {
 public:
  // `added_to`: see Twins. All arguments must outlive this.
  NamedFeatures(const Context& context, const NamedIndex& index, ModulePaths* added_to)
      : context_(context),
        index_(index),
        twins_(context, index.twin_groups(), index.siblings(), added_to),
        relations_(context.paths),
        list_(context.paths) {}

  // Of an open node. The result is good until the next call.
  absl::Span<const Candidate> Of(Rank rank);
  // Whether twins suggested a module for the node last asked about that is not there and may not
  // be added: then this was not all there is to say.
  bool deferred() const { return twins_.deferred(); }

 private:
  void AddTwinFeatures(Candidate& candidate) const;
  void AddHabitFeatures(Rank rank, PathId anchor, Candidate& candidate) const;
  void AddRoomFeatures(const Inventory::Item& item, bool constant, Candidate& candidate) const;

  const Context& context_;
  const NamedIndex& index_;
  Twins twins_;
  PathRelations relations_;
  CandidateList list_;
  std::vector<TwinVote> votes_;
  Candidates candidates_;  // the first of them; the others keep their room for later
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_OWNERS_NAMED_FEATURES_H_
