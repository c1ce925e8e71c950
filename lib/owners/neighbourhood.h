// SPDX-License-Identifier: Apache-2.0

// A node's known neighbours, gathered once, and what they say about a candidate.
#ifndef ONNX_HIER_LIB_OWNERS_NEIGHBOURHOOD_H_
#define ONNX_HIER_LIB_OWNERS_NEIGHBOURHOOD_H_

#include <cstdint>
#include <vector>

#include "lib/owners/context.h"
#include "lib/owners/features.h"
#include "onnx_hier/module_paths.h"

namespace onnx_hier {

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

// Appends what the neighbourhood says about the candidate.
void AddNeighbourFeatures(const Neighbourhood& around, Rank rank, const Context& context,
                          PathRelations& relations, Candidate& candidate);

// 0: next to it, 1: two places away, 2: three to five, 3: further.
uint32_t DistanceClass(uint32_t distance);

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

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_OWNERS_NEIGHBOURHOOD_H_
