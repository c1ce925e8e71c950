// What can be said about a candidate module of a node, as numbered features.
//
// A feature is a yes (value 1) or a share (0 to 1). Its number is stable within one version of
// this file; the weights (weights_table.inc) are kept by number, with the name beside it so that a
// test can tell when the two fall apart. "before.3-5.equal" reads: the known node before this one
// in the file is three to five places away, and it is in the candidate itself.
#ifndef ONNX_HIER_LIB_RESOLVE_FEATURES_H_
#define ONNX_HIER_LIB_RESOLVE_FEATURES_H_

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "lib/resolve/flow.h"
#include "onnx_hier/module_paths.h"

namespace onnx_hier {

// How a candidate stands to another module ("candidate is ... of the other").
enum class Relation : uint8_t {
  kEqual,
  kParent,
  kGrandparent,
  kAncestor,  // further up
  kChild,
  kDeeper,       // further down
  kOtherNumber,  // they part at two numbers of one list: another layer
  kSibling,
  kUncle,  // sibling of an ancestor
  kOther,
};

Relation RelationOf(PathId candidate, PathId other, const ModulePaths& paths);

// Remembers relations: the same few modules are compared again and again.
class Relations {
 public:
  explicit Relations(const ModulePaths& paths) : paths_(paths), entries_(kEntries) {}

  Relation Of(PathId candidate, PathId other) {
    if (candidate == other) return Relation::kEqual;
    const uint32_t hash = candidate.index() * 0x9E3779B1u + other.index() * 0x85EBCA77u;
    Entry& entry = entries_[hash >> (32 - kEntryBits)];
    if (entry.candidate != candidate || entry.other != other) {
      entry = {candidate, other, RelationOf(candidate, other, paths_)};
    }
    return entry.relation;
  }

 private:
  static constexpr uint32_t kEntryBits = 11;
  static constexpr size_t kEntries = 1 << kEntryBits;
  struct Entry {
    PathId candidate, other;
    Relation relation = Relation::kEqual;
  };

  const ModulePaths& paths_;
  std::vector<Entry> entries_;
};

// Which idea a feature belongs to: decides what is given as the reason.
enum class Idea : uint8_t { kOrder, kFlow, kTwins, kParameters, kStructure, kPrior };
constexpr size_t kIdeaCount = static_cast<size_t>(Idea::kPrior) + 1;

using FeatureId = uint16_t;

struct Feature {
  FeatureId id = 0;
  float value = 1;
};

struct Candidate {
  PathId path;
  std::vector<Feature> features;
  Place twin = kNowhere;  // the nearest of the twins that say so
};
using Candidates = std::vector<Candidate>;

// The families. Their digits are in features.cc.
enum class Kind : uint8_t {
  kBefore,         // candidate against the known node before, in file order
  kAfter,          // ... and behind
  kBothSides,      // both are in the same module
  kOrderAncestor,  // against what contains both
  kInside,         // whether the node stands among the candidate's known nodes
  kUpNear,         // against the known nodes it reads
  kUpNearAll,      // it reads from the candidate only
  kUpFar,          // against known nodes it reads through unknown ones
  kDownNear,       // the same for the nodes that read it
  kDownNearAll,
  kDownFar,
  kUpAncestor,    // the candidate is what contains all upstream
  kDownAncestor,  // ... downstream
  kFlowAncestor,  // against what contains both
  kTwin,          // share of the twins that say so
  kTwinsAgree,    // they all do
  kAnchor,        // against the owner of its parameters, which holds other modules or none
  kAnchorHabit,   // ... as known nodes that read such parameters are to theirs, see AnchorHabits
  kRoom,          // whether modules of the candidate's make hold such nodes, see Inventory
  kHasNodes,      // the candidate is known to have nodes of its own
  kRoot,
  kOnWay,       // where on the way from the module before to the module behind
  kOnWayTrait,  // ... and one trait of the node
  kOnWayShape,  // ... and several
  kResidual,    // against what the branch of a skip connection says
  kUpPair,      // the candidate is what contains two upstream nodes
  kDownPair,
  kThroughPair,  // ... one upstream and one downstream
  kUpWithin,     // how many of the upstream nodes are inside the candidate
  kDownWithin,
  kThroughWithin,
};

constexpr size_t kKindCount = static_cast<size_t>(Kind::kThroughWithin) + 1;

// The number of a feature; digits beyond those of its kind are 0.
FeatureId FeatureNumber(Kind kind, uint32_t a = 0, uint32_t b = 0, uint32_t c = 0);
// One past the largest.
size_t FeatureCount();
// "before.3-5.equal"
std::string FeatureName(FeatureId id);

// A feature taken apart: FeatureNumber(kind, digits[0], digits[1], digits[2]).
struct FeatureParts {
  Kind kind;
  std::array<uint32_t, 3> digits;
};
FeatureParts PartsOf(FeatureId id);
Kind KindOf(FeatureId id);
Idea IdeaOf(Kind kind);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_RESOLVE_FEATURES_H_
