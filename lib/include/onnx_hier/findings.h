// SPDX-License-Identifier: Apache-2.0

// What a check for contamination found.
#ifndef ONNX_HIER_FINDINGS_H_
#define ONNX_HIER_FINDINGS_H_

#include <cstdint>
#include <vector>

#include "absl/strings/string_view.h"
#include "onnx_hier/ids.h"

namespace onnx_hier {

// Who says that a tag is wrong. None of them looks at the node's own tag.
enum class TagWitness : uint8_t {
  kName,        // the scope in the node's name
  kOutput,      // the scope in the name of a value it makes
  kModule,      // the module that metadata or a function around the node names
  kParameters,  // the module whose parameters it reads
  kClassMap,    // class tags: what other nodes with such a scope are tagged
  kModuleMap,   // class tags: the classes that the module map gives
  kFresh,       // where the resolver puts the node, whatever the tags are
  kTwin,        // its counterparts in the other layers
  kSegment,     // the nodes before and after it in the order of the file
  kOriginal,    // what it stands for in the model that this one was made from
};
constexpr size_t kTagWitnessCount = static_cast<size_t>(TagWitness::kOriginal) + 1;
absl::string_view TagWitnessName(TagWitness witness);

// A set of witnesses.
class TagWitnesses {
 public:
  void Add(TagWitness witness) { bits_ |= Bit(witness); }
  bool Has(TagWitness witness) const { return (bits_ & Bit(witness)) != 0; }
  size_t count() const { return static_cast<size_t>(__builtin_popcount(bits_)); }

 private:
  static uint32_t Bit(TagWitness witness) { return 1u << static_cast<uint32_t>(witness); }
  uint32_t bits_ = 0;
};

enum class FindingKind : uint8_t { kCrossLayer, kCrossModule };
absl::string_view FindingKindName(FindingKind kind);  // "cross_layer", "cross_module"

struct Finding {
  NodeId node;
  FindingKind kind = FindingKind::kCrossLayer;
  PathId actual;  // in Tags::paths(), as is `expected`
  PathId expected;
  uint32_t depth = 0;  // how many atoms they share: the ones at this depth differ
  TagWitnesses witnesses;
  float confidence = 0;  // that the tag is wrong
  // Nothing tells whether the module of `expected` is right, too: only its layer was shown to be.
  bool layer_only = false;
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_FINDINGS_H_
