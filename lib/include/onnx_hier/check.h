// SPDX-License-Identifier: Apache-2.0

// Which tags of a model name a wrong layer or module, what they should be, and what is missing.
//
//   ReadTagsResult read = ReadTags(model.graph());
//   const std::vector<Finding> found = FindContamination(model.graph(), {}, read.tags);
//   const Repairs repairs = Repair(model.graph(), {}, found, read.tags);   // read.tags are right
//   now
//
// No tag is trusted, least of all because this library wrote it. Order of trust: the node's name,
// its outputs' names, metadata; then the parameters it reads; a node for which one of these speaks
// is settled by it. All others are judged by their counterparts in other layers, by the order of
// the file and by where the inference of `tag` puts them, of which two must agree, or one be sure.
// Not contamination: less specific tags, no tag, auxiliary tags, tags that skip modules that were
// never called.
#ifndef ONNX_HIER_CHECK_H_
#define ONNX_HIER_CHECK_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "onnx_hier/annotation.h"
#include "onnx_hier/graph.h"
#include "onnx_hier/ids.h"
#include "onnx_hier/module_paths.h"
#include "onnx_hier/tags.h"

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

// In graph order. Paths are added to tags.paths(); the tags stay as they are. `module_map`, which
// may be empty, tells the classes of modules: class tags are then compared with these.
std::vector<Finding> FindContamination(const Graph& graph, const ModuleMap& module_map, Tags& tags);
// Of a model whose original is known: `carried` is what AnnotateFrom() makes of it. A node that
// stands for one of the original's is settled by that. Not for tags that are class names.
std::vector<Finding> FindContamination(const Graph& graph, const ModuleMap& module_map,
                                       const Annotation& carried, Tags& tags);

struct Repairs {
  std::vector<Finding> done;  // one a node, in graph order
  size_t layer_only = 0;      // of these, tags whose layer is right now, and their module unproven
  std::vector<Finding> left;  // what a check still finds afterwards: none, as a rule
};

// Gives every found node its expected tag and keeps the old one as its first auxiliary tag, then
// checks again, until nothing is found or a check only wants back what nodes had before.
// `found` are the findings of a first check of `tags`.
Repairs Repair(const Graph& graph, const ModuleMap& module_map, std::vector<Finding> found,
               Tags& tags);

// What is missing or does not fit, apart from wrong tags.
enum class GapKind : uint8_t {
  kUntagged,
  kUnplaced,       // its tool knew no module for it and said so
  kUnknownModule,  // neither names nor what `tag` makes of them know the tag's module
  kMalformed,      // the doc_string's JSON cannot be read
  kSidecar,        // the sidecar breaks its schema, or is out of step with the model
};
constexpr size_t kGapKindCount = static_cast<size_t>(GapKind::kSidecar) + 1;
absl::string_view GapKindName(GapKind kind);  // "untagged", ...

struct Gap {
  GapKind kind = GapKind::kUntagged;
  NodeId node;       // none: it is about the sidecar
  std::string text;  // what is wrong, for people
};

struct Coverage {
  std::vector<Gap> gaps;  // by kind, then in graph order
  // Whether tags were compared with names at all: not if these tell of no modules, or if tags are
  // class names.
  bool modules_known = false;
};

// `written` is what `tag` would write into the model: its modules are known, whatever led to them.
// `malformed` are nodes whose doc_strings cannot be read; `sidecar` is what is wrong with the
// sidecar that the tags came from.
Coverage FindGaps(const Graph& graph, const ModuleMap& module_map, const Annotation& written,
                  Tags& tags, const std::vector<NodeId>& malformed,
                  const std::vector<std::string>& sidecar);

}  // namespace onnx_hier

#endif  // ONNX_HIER_CHECK_H_
