// SPDX-License-Identifier: Apache-2.0

// Features of the nodes of a file in which some names are left: neighbours in file order and in
// the data flow, twins, parameters.
#ifndef ONNX_HIER_LIB_OWNERS_NAMED_FEATURES_H_
#define ONNX_HIER_LIB_OWNERS_NAMED_FEATURES_H_

#include "lib/owners/context.h"
#include "lib/owners/inventory.h"
#include "lib/owners/named_index.h"
#include "lib/owners/neighbourhood.h"
#include "lib/owners/twins.h"

namespace onnx_hier {

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
