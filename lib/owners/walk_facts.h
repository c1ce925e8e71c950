// SPDX-License-Identifier: Apache-2.0

// What the walk looks at: of each node, of each module, and of runs beside each other.
#ifndef ONNX_HIER_LIB_OWNERS_WALK_FACTS_H_
#define ONNX_HIER_LIB_OWNERS_WALK_FACTS_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "lib/owners/context.h"
#include "lib/owners/walk.h"

namespace onnx_hier {

// Operators that do the like, by a number; those behind kKinds are small ones of that kind.
using OpKind = uint8_t;

class Walk::Facts {
 public:
  explicit Facts(const Context& context);

  // --- of nodes
  bool is_anchor(Rank rank) const { return anchors_[rank].valid(); }
  PathId anchor(Rank rank) const { return anchors_[rank]; }
  // Constants, arithmetic of shapes.
  bool is_small(Rank rank) const { return small_.Has(rank); }
  OpKind kind(Rank rank) const { return kinds_[rank]; }
  uint64_t operator_hash(Rank rank) const { return operators_[rank]; }
  bool is_output(Rank rank) const { return outputs_.Has(rank); }
  // The last node that reads what this one makes; none: nobody does.
  Rank last_reader(Rank rank) const;
  // The modules of the nearest anchors that the node depends on, and that depend on it; what is
  // no anchor (inputs and outputs of the graph) has none.
  absl::Span<const PathId> sources(Rank rank) const { return sources_.of(rank); }
  absl::Span<const PathId> readers(Rank rank) const { return readers_.of(rank); }
  // What a skip connection jumps over: from the node behind which it parts to the one in which it
  // joins again, and what contains the anchors between (none: there are none).
  struct Branch {
    Rank begin;  // none: it is in no branch
    Rank join;
    PathId module;
  };
  // The innermost branch that the node is in, or that it joins.
  const Branch& branch(Rank rank) const { return branches_[rank]; }
  // Of a weight that nothing names: 0 for none, its rank, or kWorkedOut.
  static constexpr int kWorkedOut = 15;
  int unnamed_weight(Rank rank) const { return weights_[rank]; }
  // In the order of the trace.
  const std::vector<Rank>& anchors() const { return order_; }
  size_t place_among_anchors(Rank rank) const { return places_[rank]; }

  // --- of modules
  bool is_list(PathId path) const;
  bool is_leaf(PathId path) const { return context_.children.count(path) == 0; }
  // An anchor by its operator and what its module's parameters are called.
  uint64_t anchor_type(Rank rank) const;
  // The anchor at which the last of a module's parameters is first read; none: unread.
  Rank complete_at(PathId path) const { return complete_[path]; }
  // Whether all parameters that the anchor reads were read before.
  bool reads_again(Rank rank) const { return again_.Has(rank); }
  // The names from a module down to one in it, without numbers.
  uint64_t below(PathId module, PathId inner) const;

  // --- of runs beside each other
  // How many of the runs that leave (enter) a module of this signature from (to) the same place in
  // it begin (end) with the same operators, after each of these.
  enum class Share : uint8_t {
    kAlone = 1,
    kNobody,
    kFew,
    kMany,
    kAll,
    kNobodyElse,
    kFewElse,
    kManyElse,
    kAllElse
  };
  void CountBeginnings(absl::Span<const WalkRun> runs);
  std::vector<Share> SharesOf(const WalkRun& run, size_t step) const;
  // Of the operators before a gap in a run, or behind it.
  static constexpr size_t kMostOperators = 60;
  std::vector<uint64_t> HashesFrom(const WalkRun& run, bool backwards) const;
  // What runs have in common that leave or enter a module at a step.
  uint64_t GroupOf(const WalkRun& run, size_t step) const;

 private:
  void ReadParameters();
  void FindSmall();
  void FindAnchors();
  void FindNeighbours();
  void FindBranches();
  PathId ModuleBetween(Rank begin, Rank join) const;
  void SignModules();
  // Of what the parameters of a module are called, mixed into `seed`.
  uint64_t MixParameters(PathId module, uint64_t seed) const;
  uint64_t SurroundingsOf(const WalkRun& run, size_t step) const;

  struct Count {
    uint32_t runs = 0;
    uint64_t surroundings = 0;
    bool differ = false;
  };

  const Context& context_;
  const Flow& flow_;
  IdVector<Rank, PathId> anchors_;
  IdSet<Rank> small_;
  IdSet<Rank> pure_;  // worked out of parameters alone
  IdSet<Rank> outputs_;
  IdSet<Rank> again_;
  IdVector<Rank, OpKind> kinds_;
  IdVector<Rank, uint64_t> operators_;
  IdVector<Rank, uint8_t> weights_;
  IdVector<Rank, uint32_t> places_;
  std::vector<Rank> order_;
  Grouped<Rank, PathId> sources_;
  Grouped<Rank, PathId> readers_;
  IdVector<Rank, Branch> branches_;
  IdVector<PathId, std::vector<std::pair<uint64_t, uint64_t>>> parameters_;  // name, dimensions
  // Equal for modules whose parameters and children are called alike.
  IdVector<PathId, uint64_t> signatures_;
  IdVector<PathId, uint64_t> names_;
  IdVector<PathId, Rank> complete_;
  absl::flat_hash_map<std::pair<uint64_t, uint64_t>, Count> beginnings_;  // group, operators
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_OWNERS_WALK_FACTS_H_
