// SPDX-License-Identifier: Apache-2.0

// Nodes with weights that read one value in the same way: the projections of an attention to
// queries, keys and values are three matrix products of one input. Each is a module of its own, and
// in every layer they come in the same order: the first of three is no twin of another layer's
// second, however alike the two look.
#ifndef ONNX_HIER_LIB_OWNERS_SIBLINGS_H_
#define ONNX_HIER_LIB_OWNERS_SIBLINGS_H_

#include <cstdint>

#include "lib/base/rules.h"
#include "lib/graph/fingerprints.h"
#include "lib/graph/flow.h"
#include "onnx_hier/ids.h"

namespace onnx_hier {

class Siblings {
 public:
  // Linear in nodes and edges.
  Siblings(const Flow& flow, const Fingerprints& fingerprints);

  // Whether both are at the same place among equally many siblings, or have different numbers of
  // these, which tells nothing.
  bool MayBeTwins(Rank a, Rank b) const {
    const Place& one = places_[a];
    const Place& other = places_[b];
    return !IsOn(Rule::kSiblings) || one.siblings != other.siblings || one.number == other.number;
  }

 private:
  struct Place {
    uint8_t number = 0;    // in file order
    uint8_t siblings = 0;  // with itself; 0: none or very many
  };

  void Number(const Flow& flow, const Fingerprints& fingerprints, Rank producer);

  IdVector<Rank, Place> places_;
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_OWNERS_SIBLINGS_H_
