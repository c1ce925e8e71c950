// SPDX-License-Identifier: Apache-2.0
#include "lib/owners/branches.h"

#include <algorithm>

#include "absl/strings/string_view.h"

namespace onnx_hier {
namespace {

// What makes as much of sizes as they say: a mask, positions.
bool MakesData(absl::string_view op_type) {
  return op_type == "ConstantOfShape" || op_type == "Range" || op_type == "Expand";
}

class BranchFinder {
 public:
  BranchFinder(const Flow& flow, const ModulePaths& paths, const IdVector<Rank, PathId>& places,
               const IdSet<Rank>& is_anchored)
      : flow_(flow),
        graph_(flow.graph()),
        paths_(paths),
        places_(places),
        behind_(is_anchored),
        before_(is_anchored),
        belongs_(flow.size()),
        sizes_(flow.size()) {}

  std::vector<Rank> Find() {
    for (Rank rank : flow_.ranks()) {
      if (HasOneIn(behind_, rank, flow_.producers(rank))) behind_.Add(rank);
    }
    for (size_t i = flow_.size(); i-- > 0;) {
      const Rank rank(i);
      const absl::Span<const Flow::Edge> consumers = flow_.consumers(rank);
      if (HasOneIn(before_, rank, consumers)) before_.Add(rank);
      if (behind_.Has(rank) || before_.Has(rank) || !places_[rank].valid() ||
          ServesOnly(rank, consumers)) {
        belongs_.Add(rank);
      }
    }
    FindSizes();
    std::vector<Rank> strays;
    for (Rank rank : flow_.ranks()) {
      if (!belongs_.Has(rank) && !sizes_.Has(rank)) AddBranch(rank, strays);
    }
    std::sort(strays.begin(), strays.end());
    return strays;
  }

 private:
  bool IsInside(Rank inner, Rank outer) const {
    return places_[inner].valid() && paths_.Contains(places_[outer], places_[inner]);
  }

  bool HasOneIn(const IdSet<Rank>& set, Rank rank, absl::Span<const Flow::Edge> edges) const {
    return places_[rank].valid() &&
           std::any_of(edges.begin(), edges.end(), [&](const Flow::Edge& edge) {
             return set.Has(edge.rank) && IsInside(edge.rank, rank);
           });
  }

  bool ServesOnly(Rank rank, absl::Span<const Flow::Edge> consumers) const {
    return !consumers.empty() &&
           std::all_of(consumers.begin(), consumers.end(), [&](const Flow::Edge& edge) {
             return belongs_.Has(edge.rank) && IsInside(edge.rank, rank);
           });
  }

  void FindSizes() {
    for (Rank rank : flow_.ranks()) {
      const absl::string_view op_type = graph_.op(flow_.node(rank)).type;
      const absl::Span<const Flow::Edge> producers = flow_.producers(rank);
      const bool only_sizes =
          !producers.empty() &&
          std::all_of(producers.begin(), producers.end(), [&](const Flow::Edge& edge) {
            return sizes_.Has(edge.rank) || flow_.is_constant(edge.rank);
          });
      const bool gives_size = op_type == "Shape" || op_type == "Size";
      if (gives_size || (only_sizes && !MakesData(op_type))) sizes_.Add(rank);
    }
  }

  // What is connected with the node, in its module; each is looked at once.
  void AddBranch(Rank first, std::vector<Rank>& strays) {
    size_t next = strays.size();
    const auto add = [&](Rank rank) {
      belongs_.Add(rank);
      strays.push_back(rank);
    };
    add(first);
    while (next < strays.size()) {
      const Rank rank = strays[next++];
      for (const auto& edges : {flow_.producers(rank), flow_.consumers(rank)}) {
        for (const Flow::Edge& edge : edges) {
          if (!belongs_.Has(edge.rank) && places_[edge.rank] == places_[first]) add(edge.rank);
        }
      }
    }
  }

  const Flow& flow_;
  const Graph& graph_;
  const ModulePaths& paths_;
  const IdVector<Rank, PathId>& places_;
  IdSet<Rank> behind_;   // anchored nodes, and what gets data from these inside its module
  IdSet<Rank> before_;   // ... and what gives data to them
  IdSet<Rank> belongs_;  // or was looked at
  IdSet<Rank> sizes_;    // what computes with nothing but shapes
};

}  // namespace

std::vector<Rank> FindStrayBranches(const Flow& flow, const ModulePaths& paths,
                                    const IdVector<Rank, PathId>& places,
                                    const IdSet<Rank>& is_anchored) {
  return BranchFinder(flow, paths, places, is_anchored).Find();
}

}  // namespace onnx_hier
