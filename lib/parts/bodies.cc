// SPDX-License-Identifier: Apache-2.0
#include "lib/parts/bodies.h"

#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "lib/base/without_numbers.h"
#include "lib/onnx/node_texts.h"
#include "lib/onnx/wire_writer.h"

namespace onnx_hier {
namespace {

// The path with each number in it as "#".
std::string PlaceOf(const Hierarchy& hierarchy, const FoldRun& run) {
  const PathId path = hierarchy.modules().module(run.module).path;
  return WithoutNumbers(hierarchy.annotation().paths.QualifiedName(path));
}

// A body as bytes that do not depend on names.
class BodyText {
 public:
  BodyText(const Contraction& contraction, const Units& units, const NodeMessages& messages,
           const IdVector<ItemId, FoldFunctionId>& functions)
      : contraction_(contraction), units_(units), messages_(messages), functions_(functions) {}

  std::string Of(const FoldItem& call, std::string text) {
    text_ = std::move(text);
    numbers_.clear();
    AppendVarint(text_.size(), &text_);
    AppendValues(call.reads);
    for (ItemId id : call.items) {
      const FoldItem& item = contraction_.items[id];
      if (item.unit.valid()) {
        AppendNode(messages_[units_.node(item.unit)]);
      } else {
        text_.push_back('\1');
        AppendVarint(functions_[id].index(), &text_);
        AppendValues(item.reads);
        AppendValues(item.makes);
      }
    }
    AppendValues(call.makes);
    return std::move(text_);
  }

 private:
  uint32_t Number(absl::string_view value) {
    return numbers_.try_emplace(value, static_cast<uint32_t>(numbers_.size())).first->second;
  }
  void AppendValues(const std::vector<ValueId>& values) {
    AppendVarint(values.size(), &text_);
    for (ValueId value : values) AppendVarint(Number(units_.graph().value(value).name), &text_);
  }
  void AppendNode(absl::string_view node) {
    node_.clear();
    RewriteTexts(
        node, NodePart::kBare,
        [this](TextRole role, absl::string_view text) {
          number_.clear();
          if (role == TextRole::kValue && !text.empty()) AppendVarint(Number(text) + 1, &number_);
          return absl::string_view(number_);
        },
        &node_);
    text_.push_back('\0');
    AppendVarint(node_.size(), &text_);
    text_ += node_;
  }

  const Contraction& contraction_;
  const Units& units_;
  const NodeMessages& messages_;
  const IdVector<ItemId, FoldFunctionId>& functions_;
  absl::flat_hash_map<absl::string_view, uint32_t> numbers_;  // of values, by their names
  std::string text_;
  std::string node_;
  std::string number_;
};

// Of each function the first call that is met on a walk through the outermost graph and, at each
// call, its body.
void FindModels(const Contraction& contraction, FoldBodies& bodies) {
  IdSet<FoldFunctionId> has_model(bodies.functions.size());
  std::vector<ItemId> open(contraction.top.rbegin(), contraction.top.rend());
  while (!open.empty()) {
    const ItemId id = open.back();
    open.pop_back();
    const FoldFunctionId function = bodies.of[id];
    if (!function.valid() || has_model.Has(function)) continue;
    has_model.Add(function);
    bodies.functions[function].model = id;
    const std::vector<ItemId>& items = contraction.items[id].items;
    open.insert(open.end(), items.rbegin(), items.rend());
  }
}

// By place, how many functions its runs have.
absl::flat_hash_map<std::string, size_t> CountFunctions(const FoldRuns& runs,
                                                        const Hierarchy& hierarchy,
                                                        const Contraction& contraction,
                                                        const FoldBodies& bodies) {
  absl::flat_hash_map<std::string, size_t> counts;
  for (const FoldFunction& function : bodies.functions) {
    ++counts[PlaceOf(hierarchy, runs.run(contraction.items[function.model].run))];
  }
  return counts;
}

}  // namespace

bool HasUnlike(const FoldRuns& runs, const Hierarchy& hierarchy, const Contraction& contraction,
               const FoldBodies& bodies) {
  for (const auto& [place, count] : CountFunctions(runs, hierarchy, contraction, bodies)) {
    if (count > 1) return true;
  }
  return false;
}

IdSet<FoldRunId> FindLenders(const FoldRuns& runs, const Hierarchy& hierarchy,
                             const Contraction& contraction, const FoldBodies& bodies,
                             const Contraction& lent_contraction, const FoldBodies& lent_bodies) {
  const auto counts = CountFunctions(runs, hierarchy, contraction, bodies);
  const auto lent_counts = CountFunctions(runs, hierarchy, lent_contraction, lent_bodies);
  IdSet<FoldRunId> lenders(runs.size());
  for (FoldRunId id : runs.ids()) {
    const std::string place = PlaceOf(hierarchy, runs.run(id));
    const auto count = counts.find(place);
    const auto lent = lent_counts.find(place);
    if (count != counts.end() && lent != lent_counts.end() && lent->second < count->second) {
      lenders.Add(id);
    }
  }
  return lenders;
}

FoldBodies ShareBodies(const Contraction& contraction, const Units& units, const FoldRuns& runs,
                       const Hierarchy& hierarchy, const NodeMessages& messages) {
  FoldBodies bodies;
  bodies.of.assign(contraction.items.size(), FoldFunctionId());
  BodyText text(contraction, units, messages, bodies.of);
  absl::flat_hash_map<std::string, FoldFunctionId> known;
  for (ItemId id : IdRange<ItemId>(contraction.items.size())) {
    const FoldItem& item = contraction.items[id];
    if (item.unit.valid()) continue;
    std::string key = text.Of(item, PlaceOf(hierarchy, runs.run(item.run)));
    const auto [place, is_new] = known.try_emplace(std::move(key), bodies.functions.next_id());
    if (is_new) bodies.functions.push_back({id, 0, static_cast<uint32_t>(item.items.size())});
    ++bodies.functions[place->second].calls;
    bodies.of[id] = place->second;
  }
  FindModels(contraction, bodies);
  return bodies;
}

}  // namespace onnx_hier
