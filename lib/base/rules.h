// SPDX-License-Identifier: Apache-2.0

// The rules of inference, by name. Each has a row in lib/owners/RULES.md that says what it is for
// and what is lost without it.
//
// In a build with ONNX_HIER_BUILD_FIT, tools/fit-weights switches them off one at a time to measure
// that; in all others they are on for good, at no cost.
#ifndef ONNX_HIER_LIB_BASE_RULES_H_
#define ONNX_HIER_LIB_BASE_RULES_H_

#include <cstdint>

#ifdef ONNX_HIER_ABLATION
#include <bitset>
#include <cstddef>
#include <iterator>

#include "absl/strings/string_view.h"
#endif

namespace onnx_hier {

// With their names in RULES.md.
#define ONNX_HIER_RULES(RULE)                             \
  RULE(kReadableNames, "readable_names")                  \
  RULE(kBuilderValues, "builder_values")                  \
  RULE(kJoinedNames, "joined_names")                      \
  RULE(kFlattenedNames, "flattened_names")                \
  RULE(kFlattenedScopes, "flattened_scopes")              \
  RULE(kLearnedParameters, "learned_parameters")          \
  RULE(kUndoneOrders, "undone_orders")                    \
  RULE(kNumberedOrders, "numbered_orders")                \
  RULE(kOriginalNames, "original_names")                  \
  RULE(kFunctionScopes, "function_scopes")                \
  RULE(kOwnParameters, "own_parameters")                  \
  RULE(kHiddenContainers, "hidden_containers")            \
  RULE(kBasesElsewhere, "bases_elsewhere")                \
  RULE(kScatteredCalls, "scattered_calls")                \
  RULE(kMergedVotes, "merged_votes")                      \
  RULE(kVotesOutwards, "votes_outwards")                  \
  RULE(kCommonContainers, "common_containers")            \
  RULE(kSequentials, "sequentials")                       \
  RULE(kPrintedNumbers, "printed_numbers")                \
  RULE(kNeighboursOfScopes, "neighbours_of_scopes")       \
  RULE(kUnnamedWeights, "unnamed_weights")                \
  RULE(kDoubtedModules, "doubted_modules")                \
  RULE(kMergedParameters, "merged_parameters")            \
  RULE(kSilentGraphs, "silent_graphs")                    \
  RULE(kScopesOfNodes, "scopes_of_nodes")                 \
  RULE(kTracedCalls, "traced_calls")                      \
  RULE(kParametersOfOperators, "parameters_of_operators") \
  RULE(kWeightsNames, "weights_names")                    \
  RULE(kOptimisedPlaces, "optimised_places")              \
  RULE(kComputedTables, "computed_tables")                \
  RULE(kOwnersOfCopies, "owners_of_copies")               \
  RULE(kIntegerOperators, "integer_operators")            \
  RULE(kJoinedIntegers, "joined_integers")                \
  RULE(kMadeConstants, "made_constants")                  \
  RULE(kSiblings, "siblings")                             \
  RULE(kMadeUpModules, "made_up_modules")                 \
  RULE(kOperatorCalls, "operator_calls")                  \
  RULE(kBoundConstants, "bound_constants")                \
  RULE(kSecondPass, "second_pass")                        \
  RULE(kSecondLook, "second_look")                        \
  RULE(kOutOfLists, "out_of_lists")                       \
  RULE(kWeightsInContainers, "weights_in_containers")     \
  RULE(kFresh, "fresh")                                   \
  RULE(kChains, "chains")                                 \
  RULE(kSegments, "segments")                             \
  RULE(kNarrowing, "narrowing")                           \
  RULE(kWrappers, "wrappers")                             \
  RULE(kKnownClasses, "known_classes")                    \
  RULE(kClassWords, "class_words")

#define ONNX_HIER_RULE(rule, name) rule,
enum class Rule : uint8_t { ONNX_HIER_RULES(ONNX_HIER_RULE) };
#undef ONNX_HIER_RULE

#ifdef ONNX_HIER_ABLATION
#define ONNX_HIER_RULE(rule, name) name,
constexpr absl::string_view kRuleNames[] = {ONNX_HIER_RULES(ONNX_HIER_RULE)};
#undef ONNX_HIER_RULE
constexpr size_t kRuleCount = std::size(kRuleNames);

// Of the one program that measures.
inline std::bitset<kRuleCount>& RulesOff() {
  static std::bitset<kRuleCount> off;
  return off;
}
inline bool IsOn(Rule rule) { return !RulesOff()[static_cast<size_t>(rule)]; }
#else
constexpr bool IsOn(Rule) { return true; }
#endif
#undef ONNX_HIER_RULES

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_BASE_RULES_H_
