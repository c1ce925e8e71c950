// Which known nodes are near an open one.
#ifndef ONNX_HIER_LIB_FEATURES_SURROUNDINGS_H_
#define ONNX_HIER_LIB_FEATURES_SURROUNDINGS_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "lib/evidence/known_modules.h"
#include "lib/graph/flow.h"
#include "onnx_hier/module_paths.h"

namespace onnx_hier {

// Which known nodes surround the open ones. Linear in nodes and edges.
class Surroundings {
 public:
  // Nearest known nodes up or down the data flow that are remembered for a node.
  static constexpr size_t kMostNear = 6;
  struct Near {
    Place place = 0;
    uint32_t distance = 0;  // edges
  };
  struct Interval {  // of places; empty: no known node
    Place first = kNowhere;
    Place last = 0;
  };

  Surroundings(const Flow& flow, const KnownModules& known, const ModulePaths& paths);

  // The nearest known places in file order, or kNowhere.
  Place previous(Place place) const { return previous_[place]; }
  Place next(Place place) const { return next_[place]; }
  // The nearest known nodes that it is computed from, and that are computed from it, through
  // unknown nodes; nearest first. Only of open nodes.
  absl::Span<const Near> upstream(Place place) const { return up_[open_[place]].nodes(); }
  absl::Span<const Near> downstream(Place place) const { return down_[open_[place]].nodes(); }
  // Where the known nodes of a module and of all inside it stand.
  Interval interval(PathId path) const {
    return path.index() < intervals_.size() ? intervals_[path] : Interval();
  }
  // Whether the module itself is known to have a node.
  bool has_nodes(PathId path) const { return path.index() < seen_.size() && seen_[path] != 0; }

 private:
  class NearList {
   public:
    void Add(Place place, uint32_t distance);
    absl::Span<const Near> nodes() const { return absl::MakeConstSpan(nodes_, size_); }

   private:
    Near nodes_[kMostNear];
    uint32_t size_ = 0;
  };

  void FindInOrder();
  void FindUpstream();
  void FindDownstream();
  void FindIntervals(const ModulePaths& paths);

  const Flow& flow_;
  const KnownModules& known_;
  std::vector<Place> previous_, next_;
  std::vector<uint32_t> open_;  // by place: number of the open node
  std::vector<NearList> up_, down_;
  IdVector<PathId, Interval> intervals_;
  IdVector<PathId, uint8_t> seen_;
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_FEATURES_SURROUNDINGS_H_
