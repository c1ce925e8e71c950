// SPDX-License-Identifier: Apache-2.0
#include "lib/parts/part_sizes.h"

#include <algorithm>

namespace onnx_hier {
namespace {

constexpr size_t kMostBehind = 64;

// Items are units, or tensors, by their numbers.
class PieceMaker {
 public:
  PieceMaker(const Units& units, const Repeatable& repeatable, const SplitRequest& request)
      : units_(units),
        repeatable_(repeatable),
        counts_nodes_(request.measure == SplitRequest::Measure::kNodes ||
                      request.measure == SplitRequest::Measure::kAmounts),
        behind_(units.size()),
        is_large_(units.size()),
        counted_(units.size()) {
    const Graph& graph = units.graph();
    pieces_.weights.assign(counts_nodes_ ? units.size() : graph.tensor_count(), 1);
    if (request.measure == SplitRequest::Measure::kAmounts) {
      pieces_.weights.assign(units.size(), 0);
      for (const auto& [node, amount] : request.amounts) {
        if (units.unit(node).valid()) pieces_.weights[units.unit(node).index()] += amount;
      }
    }
    if (!counts_nodes_) {
      for (TensorId id : graph.tensor_ids()) {
        const Tensor& tensor = graph.tensor(id);
        pieces_.weights[id.index()] =
            request.measure == SplitRequest::Measure::kBytes ? tensor.bytes : tensor.elements;
      }
    }
    last_piece_.assign(pieces_.weights.size(), 0);
    for (Unit unit : units.ids()) {
      if (repeatable.Has(unit)) Gather(unit);
    }
  }

  Pieces Make(const std::vector<Unit>& begins) && {
    for (size_t i = 0; i < begins.size(); ++i) {
      const size_t end = i + 1 < begins.size() ? begins[i + 1].index() : units_.size();
      for (size_t unit = begins[i].index(); unit < end; ++unit) {
        if (repeatable_.Has(Unit(unit))) continue;
        if (counts_nodes_) Add(static_cast<uint32_t>(unit));
        for (ValueId value : units_.reads(Unit(unit))) AddRead(value);
      }
      if (i + 1 == begins.size()) {
        for (ValueId value : units_.graph().outputs(units_.block())) {
          if (value.valid()) AddRead(value);
        }
      }
      pieces_.first.push_back(static_cast<uint32_t>(pieces_.items.size()));
    }
    return std::move(pieces_);
  }

 private:
  // The repeatable unit that makes the value; none: another one does.
  Unit RepeatableMaker(ValueId value) const {
    const Unit maker = units_.maker(value);
    return maker.valid() && repeatable_.Has(maker) ? maker : Unit();
  }

  // What the unit itself counts for, and what the small ones behind it do.
  void GatherOwn(Unit unit, std::vector<uint32_t>& items) const {
    if (counts_nodes_) items.push_back(unit.index());
    for (ValueId value : units_.reads(unit)) {
      const TensorId tensor = units_.tensor(value);
      if (tensor.valid() && !counts_nodes_) items.push_back(tensor.index());
      const Unit maker = RepeatableMaker(value);
      if (!maker.valid()) continue;
      const Range range = behind_[maker];
      items.insert(items.end(), items_behind_.begin() + range.begin,
                   items_behind_.begin() + range.end);
    }
  }

  void Gather(Unit unit) {
    for (ValueId value : units_.reads(unit)) {
      const Unit maker = RepeatableMaker(value);
      if (maker.valid() && is_large_.Has(maker)) is_large_.Add(unit);
    }
    if (is_large_.Has(unit)) return;
    std::vector<uint32_t> items;
    GatherOwn(unit, items);
    std::sort(items.begin(), items.end());
    items.erase(std::unique(items.begin(), items.end()), items.end());
    if (items.size() > kMostBehind) {
      is_large_.Add(unit);
      return;
    }
    const auto begin = static_cast<uint32_t>(items_behind_.size());
    items_behind_.insert(items_behind_.end(), items.begin(), items.end());
    behind_[unit] = {begin, static_cast<uint32_t>(items_behind_.size())};
  }

  void Add(uint32_t item) {
    // Pieces count from 1 here.
    if (last_piece_[item] == pieces_.first.size()) return;
    last_piece_[item] = static_cast<uint32_t>(pieces_.first.size());
    pieces_.items.push_back(item);
  }

  void AddRead(ValueId value) {
    const TensorId tensor = units_.tensor(value);
    if (tensor.valid() && !counts_nodes_) Add(tensor.index());
    const Unit maker = RepeatableMaker(value);
    if (!maker.valid()) return;
    const Range range = behind_[maker];
    for (uint32_t i = range.begin; i < range.end; ++i) Add(items_behind_[i]);
    if (is_large_.Has(maker)) AddLarge(maker);
  }

  void AddLarge(Unit first) {
    std::vector<Unit> open = {first};
    while (!open.empty()) {
      const Unit unit = open.back();
      open.pop_back();
      if (counted_.Has(unit)) continue;
      counted_.Add(unit);
      std::vector<uint32_t> items;
      GatherOwn(unit, items);
      for (const uint32_t item : items) Add(item);
      for (ValueId value : units_.reads(unit)) {
        const Unit maker = RepeatableMaker(value);
        if (maker.valid() && is_large_.Has(maker)) open.push_back(maker);
      }
    }
  }

  const Units& units_;
  const Repeatable& repeatable_;
  const bool counts_nodes_;
  Pieces pieces_;
  std::vector<uint32_t> last_piece_;  // by item
  IdVector<Unit, Range> behind_;      // of repeatable units that are not large
  std::vector<uint32_t> items_behind_;
  IdSet<Unit> is_large_;
  IdSet<Unit> counted_;  // of the large ones
};

}  // namespace

Pieces MeasurePieces(const Units& units, const Repeatable& repeatable, const SplitRequest& request,
                     const std::vector<Unit>& begins) {
  return PieceMaker(units, repeatable, request).Make(begins);
}

}  // namespace onnx_hier
