// The rules of inference, by name. Each has a row in lib/infer/RULES.md that says what it is for
// and what is lost without it.
//
// In a build with ONNX_HIER_BUILD_FIT, tools/fit-weights switches them off one at a time to measure
// that; in all others they are on for good, at no cost.
#ifndef ONNX_HIER_LIB_BASE_RULES_H_
#define ONNX_HIER_LIB_BASE_RULES_H_

#include <cstddef>
#include <cstdint>

#include "absl/strings/string_view.h"

#ifdef ONNX_HIER_ABLATION
#include <bitset>
#endif

namespace onnx_hier {

enum class Rule : uint8_t {
  kReadableNames,
  kJoinedNames,
  kLearnedParameters,
  kUndoneOrders,
  kOriginalNames,
  kMixedScopes,
  kHiddenContainers,
  kMergedVotes,
  kVotesOfNameless,
  kVotesOutwards,
  kNeighboursOfScopes,
  kUnconfirmedScopes,
  kMergedParameters,
  kSilentGraphs,
  kScopesOfNodes,
  kParametersOfOperators,
  kWeightsNames,
  kOptimisedPlaces,
  kMadeConstants,
  kSiblings,
  kMadeUpModules,
  kTakenModules,
  kShells,
  kWeightOwners,
  kBoundConstants,
  kSecondPass,
  kInputCode,
  kAllReaders,
  kStrayBranches,
  kSecondLook,
  kRepeatedLeaves,
  kWeightsInContainers,
  kBehindLists,
  kFresh,
  kChains,
  kSegments,
  kNarrowing,
  kWrappers,
  kKnownClasses,
  kClassWords,
};
constexpr size_t kRuleCount = static_cast<size_t>(Rule::kClassWords) + 1;

// As in RULES.md.
constexpr absl::string_view kRuleNames[kRuleCount] = {
    "readable_names",
    "joined_names",
    "learned_parameters",
    "undone_orders",
    "original_names",
    "mixed_scopes",
    "hidden_containers",
    "merged_votes",
    "votes_of_nameless",
    "votes_outwards",
    "neighbours_of_scopes",
    "unconfirmed_scopes",
    "merged_parameters",
    "silent_graphs",
    "scopes_of_nodes",
    "parameters_of_operators",
    "weights_names",
    "optimised_places",
    "made_constants",
    "siblings",
    "made_up_modules",
    "taken_modules",
    "shells",
    "weight_owners",
    "bound_constants",
    "second_pass",
    "input_code",
    "all_readers",
    "stray_branches",
    "second_look",
    "repeated_leaves",
    "weights_in_containers",
    "behind_lists",
    "fresh",
    "chains",
    "segments",
    "narrowing",
    "wrappers",
    "known_classes",
    "class_words",
};

#ifdef ONNX_HIER_ABLATION
// Of the one program that measures.
inline std::bitset<kRuleCount>& RulesOff() {
  static std::bitset<kRuleCount> off;
  return off;
}
inline bool IsOn(Rule rule) { return !RulesOff()[static_cast<size_t>(rule)]; }
#else
constexpr bool IsOn(Rule) { return true; }
#endif

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_BASE_RULES_H_
