// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "lib/base/status_macros.h"
#include "lib/checkpoint/checkpoint_values.h"
#include "lib/graph/data_type.h"
#include "lib/graph/parameter_parts.h"
#include "lib/graph/weight.h"
#include "lib/names/derived_name.h"
#include "lib/relate/content_print.h"
#include "lib/relate/folded_norms.h"
#include "lib/relate/joined_tensors.h"
#include "lib/relate/tensor_index.h"
#include "lib/relate/weight_likeness.h"
#include "lib/relate/weight_surroundings.h"
#include "lib/relate/weight_views.h"
#include "onnx_hier/checkpoint.h"
#include "onnx_hier/graph.h"
#include "onnx_hier/ids.h"
#include "onnx_hier/weights.h"
#include "onnx_hier_program/text.h"

namespace onnx_hier {
namespace {

// Of a tensor with fewer numbers, likeness says little.
constexpr uint64_t kFewestNumbers = 64;
// Comparisons of sketches that are made at most: some seconds.
constexpr uint64_t kMostComparisons = 4'000'000;
// A tensor that scales explain no better is another one.
constexpr double kLargestError = 0.5;
constexpr double kLeastMargin = 0.15;
// Sketches that are alike no more than by chance.
constexpr double kLeastLikeness = 0.5;
// That one tensor is taken apart into.
constexpr size_t kMostParts = 4;
// A weight tells of the one beside it, which tells of the next.
constexpr int kMostRounds = 8;

// That a match is right. Measured, but the last two: tests/README.md.
constexpr double kSureContents = 0.9999;
constexpr double kSureLikeness = 0.999;
constexpr double kLikelyLikeness = 0.97;
constexpr double kSureModule = 0.99;
constexpr double kLikelyModule = 0.9;
constexpr double kSureName = 0.9;

RoundedTo RoundingOf(int32_t data_type) {
  return data_type == data_type::kFloat16    ? RoundedTo::kHalf
         : data_type == data_type::kBfloat16 ? RoundedTo::kBfloat
                                             : RoundedTo::kFloat;
}

class WeightMatcher {
 public:
  WeightMatcher(const Model& model, const Checkpoint& checkpoint, std::vector<WeightView> views)
      : model_(model),
        graph_(model.graph()),
        checkpoint_(checkpoint),
        index_(checkpoint),
        norms_(checkpoint, index_),
        views_(std::move(views)),
        surroundings_(graph_, views_),
        of_view_(views_.size()),
        fates_(checkpoint.tensors().size(), TensorFate::kMissing) {}

  absl::StatusOr<WeightMatches> Match() {
    OH_RETURN_IF_ERROR(ReadAll());
    MatchEqual();
    MatchJoined();
    MatchParts();
    OH_RETURN_IF_ERROR(MatchAlike());
    OH_RETURN_IF_ERROR(MatchByNames());
    MatchByModules();
    LeaveTies();
    OH_RETURN_IF_ERROR(MeasureCasts());
    return Result();
  }

 private:
  absl::Span<const CheckpointTensor> tensors() const { return checkpoint_.tensors(); }
  bool is_matched(size_t view) const { return !of_view_[view].tensors.empty(); }
  // Numbers that a view is compared with.
  const ContentPrint& PrintOf(uint32_t tensor, RoundedTo rounding) const {
    return tensor_prints_[tensor].of[static_cast<size_t>(rounding)];
  }
  const ContentPrint& PrintOfView(size_t view, RoundedTo rounding) const {
    return view_prints_[view].of[static_cast<size_t>(rounding)];
  }
  RoundedTo RoundingOfView(size_t view) const {
    return RoundingOf(graph_.tensor(views_[view].tensor).data_type);
  }
  RoundedTo RoundingOfTensor(uint32_t tensor) const {
    const std::string& type = tensors()[tensor].type;
    return type == "F16" || type == "float16"     ? RoundedTo::kHalf
           : type == "BF16" || type == "bfloat16" ? RoundedTo::kBfloat
                                                  : RoundedTo::kFloat;
  }
  bool IsWeightView(size_t view) const {
    return views_[view].is_quantised || IsWeight(graph_.tensor(views_[view].tensor));
  }

  WeightMatch& Set(size_t view, uint32_t tensor, WeightClue by, double probability) {
    WeightMatch& match = of_view_[view];
    match = {};
    match.value = views_[view].value;
    match.tensors = {tensor};
    match.by = by;
    match.probability = probability;
    match.is_quantised = views_[view].is_quantised;
    fates_[tensor] = TensorFate::kFound;
    return match;
  }

  // --- What both hold.

  absl::Status ReadAll() {
    bool asked[kRoundings] = {true, false, false};
    for (size_t i = 0; i < views_.size(); ++i) asked[static_cast<size_t>(RoundingOfView(i))] = true;
    for (uint32_t i = 0; i < tensors().size(); ++i) {
      asked[static_cast<size_t>(RoundingOfTensor(i))] = true;
    }
    for (const RoundedTo rounding : {RoundedTo::kFloat, RoundedTo::kHalf, RoundedTo::kBfloat}) {
      if (asked[static_cast<size_t>(rounding)]) roundings_.push_back(rounding);
    }
    ViewValues values(model_, views_);
    view_prints_.resize(views_.size());
    uint64_t read = 0;
    uint64_t again = 0;
    for (size_t i = 0; i < views_.size(); ++i) {
      if (views_[i].is_quantised) continue;
      const uint64_t elements = views_[i].elements;
      OH_ASSIGN_OR_RETURN(view_prints_[i], ContentPrintsOf(values, TensorId(i), elements, asked));
      // Tensors that share bytes of a data file: no more of them than of others.
      if (!view_prints_[i].is_known && again + elements <= read) {
        ViewValues anew(model_, views_);
        again += elements;
        OH_ASSIGN_OR_RETURN(view_prints_[i], ContentPrintsOf(anew, TensorId(i), elements, asked));
      }
      if (view_prints_[i].is_known) {
        read += elements;
      } else if (IsWeightView(i)) {
        ++unread_;
      }
    }
    CheckpointValues stored(checkpoint_);
    tensor_prints_.resize(tensors().size());
    for (size_t i = 0; i < tensors().size(); ++i) {
      OH_ASSIGN_OR_RETURN(tensor_prints_[i],
                          ContentPrintsOf(stored, TensorId(i), tensors()[i].elements, asked));
    }
    return absl::OkStatus();
  }

  // --- Equal contents.

  struct Equals {
    std::vector<size_t> views;
    std::vector<uint32_t> tensors;  // in order
    std::vector<uint32_t> open;     // of these, that are still missing, the first one last

    bool Has(uint32_t tensor) const {
      return std::binary_search(tensors.begin(), tensors.end(), tensor);
    }
  };

  // As they are, then as the types say that either side may have been rounded to.
  void MatchEqual() {
    for (const RoundedTo rounding : roundings_) {
      // In the order of the views, so that nothing depends on hashes.
      absl::flat_hash_map<std::pair<ContentPrint, bool>, size_t> group_of;
      std::vector<Equals> groups;
      const auto group = [&](const ContentPrint& print, uint64_t elements) -> Equals& {
        // Those of zeros are told by their size.
        ContentPrint key = print;
        if (!key.says_enough()) key.high ^= elements * 0x9E3779B97F4A7C15ull;
        const auto [entry, is_new] =
            group_of.emplace(std::pair(key, print.says_enough()), groups.size());
        if (is_new) groups.emplace_back();
        return groups[entry->second];
      };
      for (size_t i = 0; i < views_.size(); ++i) {
        if (!view_prints_[i].is_known || is_matched(i) || ties_.contains(i)) continue;
        group(PrintOfView(i, rounding), views_[i].elements).views.push_back(i);
      }
      if (groups.empty()) continue;
      for (uint32_t i = 0; i < tensors().size(); ++i) {
        if (!tensor_prints_[i].is_known) continue;
        group(PrintOf(i, rounding), tensors()[i].elements).tensors.push_back(i);
      }
      for (Equals& equals : groups) MatchGroup(equals, rounding);
    }
  }

  void MatchGroup(Equals& equals, RoundedTo rounding) {
    if (equals.views.empty() || equals.tensors.empty()) return;
    for (const size_t view : equals.views) {
      const auto same = index_.Find(graph_.value(views_[view].value).name);
      if (same && equals.Has(*same)) SetEqual(view, *same, kSureContents);
    }
    const bool is_settled =
        PrintOfView(equals.views[0], rounding).says_enough() && equals.tensors.size() == 1;
    for (const size_t view : equals.views) {
      if (is_matched(view)) continue;
      if (is_settled) {
        SetEqual(view, equals.tensors[0], kSureContents);
      } else {
        ties_[view] = groups_.size();
      }
    }
    groups_.push_back(std::move(equals));
  }

  // Tensors that hold the same; null: there are none, or one is settled.
  Equals* TieOf(size_t view) {
    const auto found = ties_.find(view);
    return found == ties_.end() ? nullptr : &groups_[found->second];
  }

  void SetEqual(size_t view, uint32_t tensor, double probability) {
    WeightMatch& match = Set(view, tensor, WeightClue::kContents, probability);
    const ContentPrint& print = view_prints_[view].of[0];
    match.is_cast = !(PrintOf(tensor, RoundedTo::kFloat) == print);
    if (print.count == 0) return;
    match.layout = WeightLayout::kRearranged;
    FindLayout(view, tensor, match);
  }

  // Reads some numbers of both.
  void FindLayout(size_t view, uint32_t tensor, WeightMatch& match) {
    TensorDims from = Squeezed(tensors()[tensor].dims);
    TensorDims to = Squeezed(views_[view].dims);
    const uint64_t elements = tensors()[tensor].elements;
    const bool is_flat = from.size() < 2 || to.size() < 2;
    // Reshaped.
    if (is_flat && elements == views_[view].elements) from = to = {elements};
    const std::vector<AxisOrder> orders = AxisOrders(from, to);
    if (orders.empty()) return;
    CheckpointValues stored(checkpoint_);
    const auto read = SketchOf(stored, TensorId(tensor), from, OwnOrder(from.size()));
    if (!read.ok()) return;
    const std::optional<TensorSketch>& own = *read;
    if (!own.has_value()) return;
    for (const AxisOrder& order : orders) {
      ViewValues values(model_, views_);
      const auto made = SketchOf(values, TensorId(view), from, order);
      if (!made.ok()) continue;
      const std::optional<TensorSketch>& other = *made;
      if (!other.has_value() || LikenessOf(*own, *other) <= 0.9999) continue;
      match.layout = IsInOrder(order) ? WeightLayout::kAsStored : WeightLayout::kTransposed;
      return;
    }
  }

  // --- Several tensors in one, and one in several.

  void MatchJoined() {
    std::vector<uint32_t> open;
    for (uint32_t i = 0; i < tensors().size(); ++i) {
      if (fates_[i] == TensorFate::kMissing && tensor_prints_[i].is_known) open.push_back(i);
    }
    for (const RoundedTo rounding : roundings_) {
      const std::vector<size_t> views = OpenViews(rounding);
      if (views.empty()) continue;
      const auto sums = JoinedTensors(checkpoint_, open, tensor_prints_, rounding);
      for (const size_t view : views) {
        const auto found = sums.find(PrintOfView(view, rounding));
        if (found == sums.end()) continue;
        WeightMatch& match = Set(view, found->second[0], WeightClue::kContents, kSureContents);
        match.tensors = found->second;
        match.is_cast = rounding != RoundedTo::kFloat;
        for (const uint32_t tensor : match.tensors) fates_[tensor] = TensorFate::kFound;
      }
    }
  }

  // Those that are not matched, and say enough.
  std::vector<size_t> OpenViews(RoundedTo rounding) const {
    std::vector<size_t> open;
    for (size_t i = 0; i < views_.size(); ++i) {
      if (is_matched(i) || ties_.contains(i) || !view_prints_[i].is_known) continue;
      if (PrintOfView(i, rounding).says_enough()) open.push_back(i);
    }
    return open;
  }

  void MatchParts() {
    for (const RoundedTo rounding : roundings_) {
      absl::flat_hash_map<ContentPrint, uint32_t> wholes;
      for (uint32_t i = 0; i < tensors().size(); ++i) {
        if (fates_[i] != TensorFate::kMissing || !tensor_prints_[i].is_known) continue;
        if (PrintOf(i, rounding).says_enough()) wholes.emplace(PrintOf(i, rounding), i);
      }
      std::vector<size_t> open = OpenViews(rounding);
      // Pieces are read one after the other, though nodes may stand in between.
      std::stable_sort(open.begin(), open.end(), [&](size_t a, size_t b) {
        return surroundings_.FirstReader(a) < surroundings_.FirstReader(b);
      });
      std::map<std::pair<size_t, TensorDims>, std::vector<size_t>> alike;
      for (const size_t view : open) {
        const TensorDims dims = Squeezed(views_[view].dims);
        alike[{dims.size(), {}}].push_back(view);
        for (size_t axis = 0; axis < dims.size() && dims.size() > 1; ++axis) {
          TensorDims others = dims;
          others[axis] = 0;
          alike[{axis, std::move(others)}].push_back(view);
        }
      }
      for (const auto& [key, list] : alike) {
        for (size_t first = 0; first < list.size(); ++first) {
          MatchPartsFrom(absl::MakeConstSpan(list).subspan(first), rounding, wholes);
        }
      }
    }
  }

  void MatchPartsFrom(absl::Span<const size_t> list, RoundedTo rounding,
                      const absl::flat_hash_map<ContentPrint, uint32_t>& wholes) {
    ContentPrint sum;
    uint64_t elements = 0;
    for (size_t i = 0; i < list.size() && i < kMostParts; ++i) {
      if (is_matched(list[i])) return;
      sum += PrintOfView(list[i], rounding);
      elements += views_[list[i]].elements;
      if (i == 0) continue;
      const auto found = wholes.find(sum);
      if (found == wholes.end() || tensors()[found->second].elements != elements) continue;
      for (size_t part = 0; part <= i; ++part) {
        WeightMatch& match = Set(list[part], found->second, WeightClue::kContents, kSureContents);
        match.is_part = true;
        match.is_cast = rounding != RoundedTo::kFloat;
      }
      return;
    }
  }

  // --- Numbers that are alike.

  struct Candidate {
    uint32_t tensor = 0;
    TensorDims dims;  // it is read with these
    AxisOrder order;
    double likeness = 0;
  };

  absl::Status MatchAlike() {
    std::map<TensorDims, std::vector<Candidate>> by_sizes;
    for (uint32_t i = 0; i < tensors().size(); ++i) {
      if (!tensor_prints_[i].is_known || tensors()[i].elements < kFewestNumbers) continue;
      const TensorDims dims = Squeezed(tensors()[i].dims);
      by_sizes[Sorted(dims)].push_back({i, dims, {}});
      if (dims.size() < 3) continue;
      // As a matrix: what a kernel is multiplied as.
      const TensorDims matrix = {dims[0], tensors()[i].elements / dims[0]};
      by_sizes[Sorted(matrix)].push_back({i, matrix, {}});
    }
    uint64_t comparisons = 0;
    for (size_t i = 0; i < views_.size(); ++i) {
      if (is_matched(i) || ties_.contains(i) || views_[i].elements < kFewestNumbers) continue;
      if (!views_[i].is_quantised && !view_prints_[i].is_known) continue;
      const auto found = by_sizes.find(Sorted(Squeezed(views_[i].dims)));
      if (found == by_sizes.end()) continue;
      comparisons += found->second.size();
      if (comparisons > kMostComparisons) {
        too_many_ = true;
        return absl::OkStatus();
      }
      OH_RETURN_IF_ERROR(MatchAlike(i, found->second));
    }
    return absl::OkStatus();
  }

  static TensorDims Sorted(TensorDims dims) {
    std::sort(dims.begin(), dims.end());
    return dims;
  }

  // Without numbers: it cannot be read.
  absl::StatusOr<const TensorSketch*> SketchOfTensor(uint32_t tensor) {
    const auto [entry, is_new] = sketches_.try_emplace(tensor);
    if (!is_new) return &entry->second;
    CheckpointValues stored(checkpoint_);
    const TensorDims dims = Squeezed(tensors()[tensor].dims);
    OH_ASSIGN_OR_RETURN(std::optional<TensorSketch> sketch,
                        SketchOf(stored, TensorId(tensor), dims, OwnOrder(dims.size())));
    if (sketch.has_value()) entry->second = *std::move(sketch);
    return &entry->second;
  }

  absl::Status MatchAlike(size_t view, const std::vector<Candidate>& others) {
    const TensorDims to = Squeezed(views_[view].dims);
    // What the view looks like with its axes as those of a tensor.
    std::map<std::pair<TensorDims, AxisOrder>, TensorSketch> sketches;
    std::vector<Candidate> best;
    for (const Candidate& other : others) {
      const TensorDims& from = other.dims;
      OH_ASSIGN_OR_RETURN(const TensorSketch* const sketch, SketchOfTensor(other.tensor));
      for (const AxisOrder& order : AxisOrders(from, to)) {
        auto known = sketches.find({from, order});
        if (known == sketches.end()) {
          ViewValues values(model_, views_);
          OH_ASSIGN_OR_RETURN(std::optional<TensorSketch> made,
                              SketchOf(values, TensorId(view), from, order));
          if (!made.has_value()) return absl::OkStatus();
          known = sketches.emplace(std::pair(from, order), *std::move(made)).first;
        }
        if (sketch->numbers.size() != known->second.numbers.size()) continue;
        const double likeness = LikenessOf(*sketch, known->second);
        if (likeness >= kLeastLikeness) best.push_back({other.tensor, from, order, likeness});
      }
    }
    std::stable_sort(best.begin(), best.end(), [](const Candidate& a, const Candidate& b) {
      return a.likeness > b.likeness;
    });
    if (best.size() > 3) best.resize(3);
    return Choose(view, best);
  }

  absl::StatusOr<TensorDistance> DistanceTo(size_t view, const Candidate& candidate) {
    CheckpointValues stored(checkpoint_);
    ViewValues values(model_, views_);
    return DistanceOf(stored, TensorId(candidate.tensor), values, TensorId(view), candidate.dims,
                      candidate.order);
  }

  absl::Status Choose(size_t view, const std::vector<Candidate>& best) {
    const Candidate* chosen = nullptr;
    TensorDistance nearest;
    double second = 1;
    for (const Candidate& candidate : best) {
      OH_ASSIGN_OR_RETURN(TensorDistance distance, DistanceTo(view, candidate));
      const bool is_nearer = chosen == nullptr || distance.error < nearest.error;
      // The same tensor with its axes in another order says nothing against it.
      const bool is_same = chosen != nullptr && chosen->tensor == candidate.tensor;
      if (chosen != nullptr && !is_same) {
        second = std::min(second, is_nearer ? nearest.error : distance.error);
      }
      if (!is_nearer) continue;
      chosen = &candidate;
      nearest = std::move(distance);
    }
    if (chosen == nullptr || nearest.error > kLargestError) return absl::OkStatus();
    if (second - nearest.error < kLeastMargin) return absl::OkStatus();
    const bool is_sure = nearest.error < 0.25 && second > 0.6;
    WeightMatch& match =
        Set(view, chosen->tensor, WeightClue::kLikeness, is_sure ? kSureLikeness : kLikelyLikeness);
    match.error = nearest.error;
    match.is_scaled = nearest.scaled != ScaledBy::kNothing;
    // Some tools clip what they cast.
    match.is_cast = RoundingOfView(view) != RoundedTo::kFloat ||
                    RoundingOfTensor(chosen->tensor) != RoundedTo::kFloat;
    match.layout = IsInOrder(chosen->order) ? WeightLayout::kAsStored : WeightLayout::kTransposed;
    if (nearest.factors.empty()) return absl::OkStatus();
    match.folded = norms_.Find(nearest.factors);
    for (const uint32_t tensor : match.folded) {
      if (fates_[tensor] == TensorFate::kMissing) fates_[tensor] = TensorFate::kFolded;
    }
    return absl::OkStatus();
  }

  // --- Names alone.

  absl::Status MatchByNames() {
    for (size_t i = 0; i < views_.size(); ++i) {
      if (is_matched(i)) continue;
      const absl::string_view name = graph_.value(views_[i].value).name;
      for (const absl::string_view original : {name, OriginalNames(name).front()}) {
        const auto found = index_.Find(original);
        if (!found || !HaveSameAxes(i, *found)) continue;
        OH_RETURN_IF_ERROR(MatchByName(i, *found));
        if (is_matched(i)) break;
      }
    }
    return absl::OkStatus();
  }

  absl::Status MatchByName(size_t view, uint32_t tensor) {
    if (const Equals* const tie = TieOf(view); tie != nullptr) {
      if (tie->Has(tensor)) SetEqual(view, tensor, kSureContents);
      return absl::OkStatus();
    }
    const TensorDims dims = Squeezed(tensors()[tensor].dims);
    const std::vector<AxisOrder> orders = AxisOrders(dims, Squeezed(views_[view].dims));
    if (orders.empty()) return absl::OkStatus();
    OH_ASSIGN_OR_RETURN(const TensorDistance distance, DistanceTo(view, {tensor, dims, orders[0]}));
    Set(view, tensor, WeightClue::kName, kSureName).error = distance.plain;
    return absl::OkStatus();
  }

  // In whatever order.
  bool HaveSameAxes(size_t view, uint32_t tensor) const {
    return Sorted(Squeezed(tensors()[tensor].dims)) == Sorted(Squeezed(views_[view].dims));
  }

  // --- What the operators around it read.

  // One that is found tells of those around it.
  void MatchByModules() {
    bool has_changed = true;
    for (int round = 0; round < kMostRounds && has_changed; ++round) {
      has_changed = false;
      for (size_t i = 0; i < views_.size(); ++i) {
        if (is_matched(i) || (!IsWeightView(i) && !ties_.contains(i))) continue;
        if (MatchByModule(i)) has_changed = true;
      }
    }
  }

  bool MatchByModule(size_t view) {
    const Equals* const tie = TieOf(view);
    const bool is_vector = Squeezed(views_[view].dims).size() == 1;
    for (const size_t near : surroundings_.Around(view)) {
      if (near == view || !is_matched(near) || of_view_[near].by == WeightClue::kName) continue;
      const WeightMatch& match = of_view_[near];
      if (tie == nullptr && is_vector && !match.folded.empty() && MatchFolded(view, match)) {
        return true;
      }
      const std::optional<uint32_t> only = OnlyOneBeside(view, match.tensors[0]);
      if (!only) continue;
      if (tie != nullptr) {
        SetEqual(view, *only, kSureModule);
        of_view_[view].by = WeightClue::kModule;
        return true;
      }
      if (match.tensors.size() > 1 || match.is_part) continue;
      Set(view, *only, WeightClue::kModule, kLikelyModule * match.probability).error = 1;
      return true;
    }
    return false;
  }

  // In the module of `tensor`, of those that nothing is known to be, the only one that the view can
  // be.
  std::optional<uint32_t> OnlyOneBeside(size_t view, uint32_t tensor) {
    const Equals* const tie = TieOf(view);
    std::optional<uint32_t> only;
    for (const uint32_t other : index_.OfModule(ModuleOfParameterName(tensors()[tensor].name))) {
      if (fates_[other] != TensorFate::kMissing || !HaveSameAxes(view, other)) continue;
      if (tie != nullptr && !tie->Has(other)) continue;
      if (only.has_value()) return std::nullopt;
      only = other;
    }
    return only;
  }

  // The bias of what a norm was folded into.
  bool MatchFolded(size_t view, const WeightMatch& weight) {
    const absl::string_view norm = ModuleOfParameterName(tensors()[weight.folded[0]].name);
    const absl::string_view module = ModuleOfParameterName(tensors()[weight.tensors[0]].name);
    const uint64_t channels = views_[view].elements;
    const auto norm_bias = index_.InModule(norm, "bias", channels);
    const auto bias = index_.InModule(module, "bias", channels);
    if (!norm_bias && !bias) return false;
    WeightMatch& match = Set(view, bias ? *bias : *norm_bias, WeightClue::kModule, kSureModule);
    match.folded = weight.folded;
    match.is_scaled = true;
    return true;
  }

  // Which of several equal tensors it is, nothing tells, unless only one is left.
  void LeaveTies() {
    for (Equals& equals : groups_) {
      std::copy_if(equals.tensors.rbegin(), equals.tensors.rend(), std::back_inserter(equals.open),
                   [this](uint32_t tensor) { return fates_[tensor] == TensorFate::kMissing; });
    }
    for (size_t i = 0; i < views_.size(); ++i) {
      Equals* const tie = TieOf(i);
      // Of single numbers and the like nobody needs to be told.
      if (tie == nullptr || is_matched(i) || !IsWeightView(i) || IsPlainConstant(i)) continue;
      const std::vector<uint32_t>& all = tie->tensors;
      std::vector<uint32_t>& open = tie->open;
      while (!open.empty() && fates_[open.back()] != TensorFate::kMissing) open.pop_back();
      const size_t left = open.size();
      const bool says_enough = view_prints_[i].of[0].says_enough();
      const bool is_settled = says_enough && left == 1;
      const size_t choices = says_enough && left > 0 ? left : all.size() + (says_enough ? 0 : 1);
      SetEqual(i, left == 0 ? all[0] : open.back(),
               is_settled ? kSureModule : 1.0 / static_cast<double>(choices));
      of_view_[i].is_tie = !is_settled;
    }
    // Exporters keep one of equal tensors: the model holds what the others do.
    for (const Equals& equals : groups_) {
      for (const uint32_t tensor : equals.tensors) fates_[tensor] = TensorFate::kFound;
    }
    // Counts of what was trained on are no weights.
    for (uint32_t i = 0; i < tensors().size(); ++i) {
      if (LeafOfParameterName(tensors()[i].name) != "num_batches_tracked") continue;
      const std::string norm =
          absl::StrCat(ModuleOfParameterName(tensors()[i].name), ".running_var");
      if (const auto found = index_.Find(norm)) fates_[i] = fates_[*found];
    }
  }

  absl::Status MeasureCasts() {
    for (size_t i = 0; i < views_.size(); ++i) {
      if (!is_matched(i) || !of_view_[i].is_cast || of_view_[i].tensors.size() > 1) continue;
      WeightMatch& match = of_view_[i];
      const bool is_known = match.by == WeightClue::kLikeness;
      if (is_known || match.is_part || match.layout == WeightLayout::kRearranged) continue;
      const TensorDims from = Squeezed(tensors()[match.tensors[0]].dims);
      for (const AxisOrder& order : AxisOrders(from, Squeezed(views_[i].dims))) {
        if (IsInOrder(order) != (match.layout == WeightLayout::kAsStored)) continue;
        OH_ASSIGN_OR_RETURN(const TensorDistance distance,
                            DistanceTo(i, {match.tensors[0], from, order}));
        match.error = distance.plain;
        break;
      }
    }
    return absl::OkStatus();
  }

  // What nodes make of zeros and ones.
  bool IsPlainConstant(size_t view) const {
    const bool is_initializer = graph_.value(views_[view].value).kind == ValueKind::kInitializer;
    return !is_initializer && view_prints_[view].is_known &&
           !view_prints_[view].of[0].says_enough();
  }

  WeightMatches Result() {
    WeightMatches matches;
    for (size_t i = 0; i < views_.size(); ++i) {
      if (is_matched(i)) {
        matches.matches.push_back(std::move(of_view_[i]));
      } else if (IsWeightView(i) && !IsPlainConstant(i)) {
        matches.unexplained.push_back(views_[i].value);
      }
    }
    matches.fates = std::move(fates_);
    if (unread_ > 0) {
      matches.warnings.push_back(
          absl::StrCat(Counted(unread_, "weight"), " of the model could not be read"));
    }
    if (too_many_) {
      matches.warnings.emplace_back("so many tensors are of one size that not all were compared");
    }
    return matches;
  }

  const Model& model_;
  const Graph& graph_;
  const Checkpoint& checkpoint_;
  const TensorIndex index_;
  FoldedNorms norms_;
  const std::vector<WeightView> views_;
  const WeightSurroundings surroundings_;
  std::vector<WeightMatch> of_view_;  // without tensors: nothing is known
  std::vector<RoundedTo> roundings_;  // that either side may have been rounded to
  std::vector<ContentPrints> view_prints_;
  std::vector<ContentPrints> tensor_prints_;
  std::vector<TensorFate> fates_;
  std::vector<Equals> groups_;
  absl::flat_hash_map<size_t, size_t> ties_;  // of views: in groups_
  absl::flat_hash_map<uint32_t, TensorSketch> sketches_;
  uint64_t unread_ = 0;
  bool too_many_ = false;
};

}  // namespace

absl::StatusOr<WeightMatches> MatchWeights(const Model& model, const Checkpoint& checkpoint) {
  OH_ASSIGN_OR_RETURN(std::vector<WeightView> views, WeightViewsOf(model));
  return WeightMatcher(model, checkpoint, std::move(views)).Match();
}

}  // namespace onnx_hier
