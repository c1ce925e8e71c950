// SPDX-License-Identifier: Apache-2.0

// The walk: a trace of a network goes through its tree of modules, and never steps back.
//
// Between two nodes that are known to be in modules A and B, one after the other in the order of
// the trace, all others are on the way from A up to what holds both, and down to B: where each
// module of the way is left or entered is all that there is to decide, for the whole run of nodes
// at once (see lattice.h). Of 16,785 nodes without names whose owners are known, 96.4 % are on
// that way, in order. What speaks for a step is weighed by weights that were fitted on files with
// known owners; runs that are alike decide together, and modules that are alike begin and end
// alike.
#ifndef ONNX_HIER_LIB_OWNERS_WALK_H_
#define ONNX_HIER_LIB_OWNERS_WALK_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "lib/owners/context.h"
#include "lib/owners/lattice.h"
#include "lib/owners/walk_weight.h"
#include "onnx_hier/module_paths.h"

namespace onnx_hier {

// Why the way turns where it does, and not in the common ancestor of its ends.
enum class Turn : uint8_t { kCommon, kOutOfList, kAgain };

// Nodes between two that are known.
struct WalkRun {
  Rank before, after;  // that are known; none at the ends of the graph
  std::vector<PathId> way;
  size_t turn = 0;  // the step that is furthest out
  Turn kind = Turn::kCommon;
  std::vector<Rank> nodes;

  PathId first() const { return way.front(); }
  PathId last() const { return way.back(); }
  // Whether the crossing from `step` to the next leaves a module; else it enters one.
  bool leaves(size_t step) const { return step < turn; }
  // The module that is left or entered then.
  PathId crossed(size_t step) const { return leaves(step) ? way[step] : way[step + 1]; }
};

// Of all runs of a graph: what is to be weighed in them.
class Walk {
 public:
  // `context` must outlive this. Linear in nodes, edges and their depth.
  explicit Walk(const Context& context);
  ~Walk();

  absl::Span<const WalkRun> runs() const { return runs_; }

  // Called with what speaks for each place or crossing of a run.
  using Place = absl::FunctionRef<void(size_t node, size_t step, absl::Span<const WalkFeature>)>;
  void FeaturesOf(const WalkRun& run, Place place, Place crossing) const;

  // How much a node counts among those of its run: constants and arithmetic of shapes follow
  // others, and the nodes of one module are no independent witnesses.
  std::vector<float> TempersOf(const WalkRun& run) const;

  // What each feature weighs; nothing, where none is set.
  class Weights {
   public:
    void Set(WalkWeight row) { by_feature_[row.feature] = row.weight; }
    float Sum(absl::Span<const WalkFeature> features) const;

   private:
    absl::flat_hash_map<WalkFeature, float> by_feature_;
  };

  // How likely each node of each run is at each step; `own` is what else speaks for a node in a
  // module, if anything does: the logarithm of its odds. On up to `threads` threads, which call
  // `own`; the result is the same.
  using Own = absl::FunctionRef<float(Rank rank, PathId module)>;
  std::vector<Lattice> Decide(const Weights& weights, std::optional<Own> own, size_t threads) const;

  class Facts;

 private:
  // Runs of the same operators on ways of the same names; each run is in one of the lists.
  std::vector<std::vector<size_t>> AlikeRuns() const;
  Lattice ScoresOf(absl::Span<const size_t> alike, const Weights& weights) const;
  static void AddOwn(const WalkRun& run, Own own, Lattice& scores);

  const Context& context_;
  std::unique_ptr<const Facts> facts_;
  std::vector<WalkRun> runs_;
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_OWNERS_WALK_H_
