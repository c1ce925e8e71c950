// SPDX-License-Identifier: Apache-2.0
#include "lib/relate/parameter_match.h"

#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "lib/base/hash.h"
#include "lib/base/status_macros.h"
#include "lib/graph/weight.h"
#include "lib/names/derived_name.h"

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

  absl::StatusOr<ParameterMatches> Match(TensorHashes& from_hashes, TensorHashes& to_hashes) {
    std::vector<ValueId> unnamed;
    for (ValueId value : to_.value_ids()) {
      if (to_.value(value).kind != ValueKind::kInitializer || MatchByName(value)) continue;
      if (TensorOf(to_, value).bytes >= kFewestBytes) unnamed.push_back(value);
    }
    OH_RETURN_IF_ERROR(MatchByContents(unnamed, from_hashes, to_hashes));
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

  // Values by a hash of their kind and contents; one that several have means none of them.
  using ByHash = absl::flat_hash_map<uint64_t, ValueId>;

  static uint64_t KindOf(const Tensor& tensor) {
    return MixHash(tensor.elements, static_cast<uint64_t>(tensor.data_type));
  }

  static absl::Status AddHash(const Graph& graph, ValueId value, TensorHashes& hashes,
                              ByHash& values) {
    OH_ASSIGN_OR_RETURN(const uint64_t contents, hashes.Whole(graph.value(value).tensor));
    if (contents == 0) return absl::OkStatus();
    const auto [entry, added] =
        values.emplace(MixHash(contents, KindOf(TensorOf(graph, value))), value);
    if (!added) entry->second = ValueId();
    return absl::OkStatus();
  }

  // Most tensors are told apart by their kinds or by a sample; only those that are not, or that
  // seem to be the same, are read whole.
  absl::Status MatchByContents(const std::vector<ValueId>& unnamed, TensorHashes& from_hashes,
                               TensorHashes& to_hashes) {
    const absl::flat_hash_set<uint64_t> kinds = KindsInBoth(unnamed);
    absl::flat_hash_map<uint64_t, std::vector<ValueId>> by_sample;
    for (ValueId value : unnamed) {
      if (kinds.count(KindOf(TensorOf(to_, value))) == 0) continue;
      OH_ASSIGN_OR_RETURN(const uint64_t sample, to_hashes.Sample(to_.value(value).tensor));
      if (sample != 0) by_sample[sample].push_back(value);
    }
    std::vector<ValueId> candidates;
    std::vector<ValueId> alike;
    for (ValueId value : from_.value_ids()) {
      if (from_.value(value).kind != ValueKind::kInitializer ||
          kinds.count(KindOf(TensorOf(from_, value))) == 0) {
        continue;
      }
      OH_ASSIGN_OR_RETURN(const uint64_t sample, from_hashes.Sample(from_.value(value).tensor));
      const auto found = by_sample.find(sample);
      if (found == by_sample.end()) continue;
      candidates.push_back(value);
      alike.insert(alike.end(), found->second.begin(), found->second.end());
      found->second.clear();
    }
    return MatchWhole(alike, candidates, from_hashes, to_hashes);
  }

  // Of values of `to`, and of any parameter of `from`.
  absl::flat_hash_set<uint64_t> KindsInBoth(const std::vector<ValueId>& unnamed) const {
    absl::flat_hash_set<uint64_t> wanted;
    for (ValueId value : unnamed) wanted.insert(KindOf(TensorOf(to_, value)));
    absl::flat_hash_set<uint64_t> kinds;
    if (wanted.empty()) return kinds;
    for (ValueId value : from_.value_ids()) {
      if (from_.value(value).kind != ValueKind::kInitializer) continue;
      const uint64_t kind = KindOf(TensorOf(from_, value));
      if (wanted.count(kind) > 0) kinds.insert(kind);
    }
    return kinds;
  }

  absl::Status MatchWhole(const std::vector<ValueId>& alike, const std::vector<ValueId>& candidates,
                          TensorHashes& from_hashes, TensorHashes& to_hashes) {
    ByHash values;
    for (ValueId value : candidates) {
      OH_RETURN_IF_ERROR(AddHash(from_, value, from_hashes, values));
    }
    for (ValueId value : alike) {
      OH_ASSIGN_OR_RETURN(const uint64_t contents, to_hashes.Whole(to_.value(value).tensor));
      const auto found = values.find(MixHash(contents, KindOf(TensorOf(to_, value))));
      if (contents != 0 && found != values.end()) matches_.of[value] = found->second;
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
                                                 TensorHashes& from_hashes, const Graph& to,
                                                 TensorHashes& to_hashes) {
  return ParameterMatcher(from, names, to).Match(from_hashes, to_hashes);
}

}  // namespace onnx_hier
