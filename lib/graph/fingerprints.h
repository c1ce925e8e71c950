// SPDX-License-Identifier: Apache-2.0

// Numbers that are equal for nodes whose neighbourhoods look alike: same operators, wired alike, up
// to some number of edges away (Weisfeiler and Lehman's colour refinement).
//
// They count up from 0 for each likeness, in order of first sight.
//
// "Loose" looks at operators and parameter names' last words, "tight" at attributes as well.
#ifndef ONNX_HIER_LIB_GRAPH_FINGERPRINTS_H_
#define ONNX_HIER_LIB_GRAPH_FINGERPRINTS_H_

#include <array>
#include <cstdint>
#include <vector>

#include "lib/graph/flow.h"

namespace onnx_hier {

// From the most to the least telling.
enum class Likeness : uint8_t { kTight6, kLoose6, kTight3, kLoose3, kLoose2, kLoose1, kLoose0 };
constexpr size_t kLikenessCount = static_cast<size_t>(Likeness::kLoose0) + 1;

class Fingerprints {
 public:
  // Linear in nodes and edges.
  explicit Fingerprints(const Flow& flow);

  uint32_t at(Likeness likeness, Rank rank) const {
    return prints_[static_cast<size_t>(likeness)].numbers[rank];
  }
  // How many different ones there are.
  uint32_t count(Likeness likeness) const { return prints_[static_cast<size_t>(likeness)].count; }

 private:
  struct Prints {
    IdVector<Rank, uint32_t> numbers;
    uint32_t count = 0;
  };
  std::array<Prints, kLikenessCount> prints_;
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_GRAPH_FINGERPRINTS_H_
