// SPDX-License-Identifier: Apache-2.0
#include "lib/relate/parameter_match.h"

#include <optional>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "lib/base/status_macros.h"
#include "lib/graph/weight.h"
#include "lib/names/derived_name.h"
#include "lib/relate/content_print.h"

namespace onnx_hier {
namespace {

// Smaller tensors hold the same in many places: axes, shapes, numbers.
constexpr uint64_t kFewestBytes = 32;

class ParameterMatcher {
 public:
  ParameterMatcher(const Graph& from, const NameIndex& names, const Graph& to)
      : from_(from), names_(names), to_(to) {
    matches_.of.resize(to.value_count());
  }

  absl::StatusOr<ParameterMatches> Match(TensorValues& from_values, TensorValues& to_values) {
    std::vector<ValueId> unnamed;
    for (ValueId value : to_.value_ids()) {
      if (to_.value(value).kind != ValueKind::kInitializer || MatchByName(value)) continue;
      if (TensorOf(to_, value).bytes >= kFewestBytes) unnamed.push_back(value);
    }
    OH_RETURN_IF_ERROR(MatchByContents(unnamed, from_values, to_values));
    return std::move(matches_);
  }

 private:
  static const Tensor& TensorOf(const Graph& graph, ValueId value) {
    return graph.tensor(graph.value(value).tensor);
  }

  // True as well where the names are the same and the parameters are not.
  bool MatchByName(ValueId value) {
    const Tensor& tensor = TensorOf(to_, value);
    const absl::string_view name = to_.value(value).name;
    const ValueId same = names_.FindValue(name);
    if (same.valid() && from_.value(same).kind == ValueKind::kInitializer) {
      const bool fits = TensorOf(from_, same).elements == tensor.elements;
      if (IsWeight(tensor)) ++(fits ? matches_.agree : matches_.disagree);
      if (fits) matches_.of[value] = same;
      return fits;
    }
    for (const absl::string_view original : OriginalNames(name)) {
      const ValueId found = names_.FindValue(original);
      if (!found.valid() || from_.value(found).kind != ValueKind::kInitializer) continue;
      if (TensorOf(from_, found).elements != tensor.elements) continue;
      matches_.of[value] = found;
      return true;
    }
    return false;
  }

  // Values by what they hold; what several hold means none of them.
  struct Contents {
    ContentPrint print;
    uint64_t elements = 0;
    int32_t data_type = 0;
    bool operator==(const Contents&) const = default;
    template <class H>
    friend H AbslHashValue(H h, const Contents& contents) {
      return H::combine(std::move(h), contents.print, contents.elements, contents.data_type);
    }
  };

  // None: they cannot be read.
  static absl::StatusOr<std::optional<Contents>> ContentsOf(const Graph& graph, ValueId value,
                                                            TensorValues& values) {
    const Tensor& tensor = TensorOf(graph, value);
    OH_ASSIGN_OR_RETURN(
        const ContentPrints prints,
        ContentPrintsOf(values, graph.value(value).tensor, tensor.elements, {true, false, false}));
    if (!prints.is_known) return std::nullopt;
    return Contents{prints.of[0], tensor.elements, tensor.data_type};
  }

  absl::Status MatchByContents(const std::vector<ValueId>& unnamed, TensorValues& from_values,
                               TensorValues& to_values) {
    absl::flat_hash_set<uint64_t> sizes;
    for (ValueId value : unnamed) sizes.insert(TensorOf(to_, value).elements);
    absl::flat_hash_map<Contents, ValueId> values;
    absl::flat_hash_set<uint64_t> in_both;
    for (ValueId value : from_.value_ids()) {
      if (from_.value(value).kind != ValueKind::kInitializer) continue;
      const uint64_t elements = TensorOf(from_, value).elements;
      if (!sizes.contains(elements)) continue;
      in_both.insert(elements);
      OH_ASSIGN_OR_RETURN(const std::optional<Contents> contents,
                          ContentsOf(from_, value, from_values));
      if (!contents.has_value()) continue;
      const auto [entry, added] = values.emplace(*contents, value);
      if (!added) entry->second = ValueId();
    }
    for (ValueId value : unnamed) {
      if (!in_both.contains(TensorOf(to_, value).elements)) continue;
      OH_ASSIGN_OR_RETURN(const std::optional<Contents> contents,
                          ContentsOf(to_, value, to_values));
      const auto found = contents.has_value() ? values.find(*contents) : values.end();
      if (found != values.end()) matches_.of[value] = found->second;
    }
    return absl::OkStatus();
  }

  const Graph& from_;
  const NameIndex& names_;
  const Graph& to_;
  ParameterMatches matches_;
};

}  // namespace

absl::StatusOr<ParameterMatches> MatchParameters(const Graph& from, const NameIndex& names,
                                                 TensorValues& from_values, const Graph& to,
                                                 TensorValues& to_values) {
  return ParameterMatcher(from, names, to).Match(from_values, to_values);
}

}  // namespace onnx_hier
