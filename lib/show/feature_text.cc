// SPDX-License-Identifier: Apache-2.0
#include "lib/show/feature_text.h"

#include <iterator>

#include "absl/strings/str_cat.h"
#include "absl/strings/substitute.h"
#include "lib/owners/feature_labels.h"

namespace onnx_hier {
namespace {

// "$0" is the candidate, "$1" what the digits say.

// Another module, by the candidate's relation to it.
const char* RelationText(uint32_t relation) {
  switch (static_cast<Relation>(relation)) {
    case Relation::kEqual:
      return "$0";
    case Relation::kParent:
      return "a module in $0";
    case Relation::kGrandparent:
    case Relation::kAncestor:
      return "a module deep in $0";
    case Relation::kChild:
      return "the module around $0";
    case Relation::kDeeper:
      return "a module far around $0";
    case Relation::kOtherNumber:
      return "another layer than $0";
    case Relation::kSibling:
      return "a module beside $0";
    case Relation::kUncle:
      return "a module in one beside $0";
    case Relation::kOther:
      break;
  }
  return "a module elsewhere than $0";
}

// Labels of FeatureKind::kRoom.
constexpr const char* kRoomTexts[] = {
    "nothing names $0 or a module like it",
    "no known node is in a module like $0",
    "the few known nodes of modules like $0 are no such nodes",
    "modules like $0 never hold such a node",
    "$0 holds as many such nodes as modules like it",
    "$0 holds such a node, as most modules like it",
    "modules like $0 hold more such nodes than it",
    "most modules like $0 hold such a node, and it has none",
    "$0 is the only one of its kind, and holds such a node",
    "$0 is the only one of its kind, and holds no such node",
};
static_assert(std::size(kRoomTexts) == CountLabels(kRoomLabels));

// Labels of FeatureKind::kAnchorHabit.
constexpr const char* kStandTexts[] = {"their owner", "the module around their owner", "elsewhere"};
constexpr const char* kShareTexts[] = {"in no known case", "never", "sometimes", "mostly",
                                       "always"};
static_assert(std::size(kStandTexts) == CountLabels(kStandLabels));
static_assert(std::size(kShareTexts) == CountLabels(kShareLabels));

constexpr const char* kInsideTexts[] = {"outside", "among"};
constexpr const char* kHasNodesTexts[] = {"no known", "known"};

// By kind.
constexpr const char* kTexts[] = {
    "the known node before it in the file is in $1",
    "the known node behind it in the file is in $1",
    "the known nodes before and behind it in the file are in $1",
    "what holds the known nodes before and behind it in the file is $1",
    "it stands $1 the known nodes of $0 in the file",
    "a node that it reads from is in $1",
    "all nodes that it reads from are in $0",
    "a known node further up the data flow is in $1",
    "a node that reads it is in $1",
    "all nodes that read it are in $0",
    "a known node further down the data flow is in $1",
    "what holds all known nodes up the data flow is $0",
    "what holds all known nodes down the data flow is $0",
    "what holds all known nodes around it in the data flow is $1",
    "nodes that look like it put it in $0",
    "all nodes that look like it put it in $0",
    "the owner of the parameters that it reads is $1",
    "nodes that read such parameters are $1",
    "$1",
    "$0 has $1 nodes of its own",
    "$0 is the whole model",
    "by the branch that a skip connection jumps over, it belongs to $1",
};
static_assert(std::size(kTexts) == kFeatureKindCount);

std::string DigitsText(const FeatureParts& parts) {
  const auto& digits = parts.digits;
  switch (parts.kind) {
    case FeatureKind::kBefore:
    case FeatureKind::kAfter:
      return RelationText(digits[2]);
    case FeatureKind::kUpNear:
    case FeatureKind::kUpFar:
    case FeatureKind::kDownNear:
    case FeatureKind::kDownFar:
    case FeatureKind::kFlowAncestor:
    case FeatureKind::kAnchor:
      return RelationText(digits[1]);
    case FeatureKind::kBothSides:
    case FeatureKind::kOrderAncestor:
    case FeatureKind::kResidual:
      return RelationText(digits[0]);
    case FeatureKind::kInside:
      return kInsideTexts[digits[0]];
    case FeatureKind::kAnchorHabit:
      return absl::StrCat("in ", kStandTexts[digits[0]], " ", kShareTexts[digits[1]]);
    case FeatureKind::kRoom:
      return kRoomTexts[digits[2]];
    case FeatureKind::kHasNodes:
      return kHasNodesTexts[digits[0]];
    default:
      return "";
  }
}

}  // namespace

std::string FeatureText(FeatureId id, absl::string_view candidate) {
  const FeatureParts parts = PartsOf(id);
  const std::string digits = absl::Substitute(DigitsText(parts), candidate);
  return absl::Substitute(kTexts[static_cast<size_t>(parts.kind)], candidate, digits);
}

}  // namespace onnx_hier
