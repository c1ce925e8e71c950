// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "lib/base/status_macros.h"
#include "lib/checkpoint/checkpoint_values.h"
#include "lib/graph/data_type.h"
#include "lib/graph/weight.h"
#include "lib/names/derived_name.h"
#include "lib/names/parameter_name.h"
#include "lib/relate/content_print.h"
#include "lib/relate/weight_likeness.h"
#include "lib/relate/weight_views.h"
#include "onnx_hier/checkpoint.h"
#include "onnx_hier/graph.h"
#include "onnx_hier/ids.h"
#include "onnx_hier/weights.h"

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
// Tensors that are put together into one, in families of as many.
constexpr size_t kMostParts = 4;
constexpr size_t kLargestFamily = 8;
// Operators that only pass a weight on, one behind the other.
constexpr int kLongestWay = 3;
constexpr double kNormError = 0.02;

// Measured: tests/README.md.
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

// "layers.#.fc.weight" of "layers.12.fc.weight".
std::string WithoutNumbers(absl::string_view name) {
  std::string text;
  for (const char c : name) {
    const bool is_digit = c >= '0' && c <= '9';
    if (!is_digit) {
      text.push_back(c);
    } else if (text.empty() || text.back() != '#') {
      text.push_back('#');
    }
  }
  return text;
}

std::string OnlyDigits(absl::string_view name) {
  std::string digits;
  for (const char c : name) {
    if (c >= '0' && c <= '9') digits.push_back(c);
  }
  return digits;
}

absl::string_view ModuleOf(absl::string_view name) {
  const size_t dot = name.rfind('.');
  return dot == absl::string_view::npos ? absl::string_view() : name.substr(0, dot);
}

absl::string_view LeafOf(absl::string_view name) { return name.substr(name.rfind('.') + 1); }

class WeightMatcher {
 public:
  WeightMatcher(const Model& model, const Checkpoint& checkpoint)
      : model_(model), graph_(model.graph()), checkpoint_(checkpoint) {
    for (size_t i = 0; i < tensors().size(); ++i) {
      by_name_.emplace(tensors()[i].name, static_cast<uint32_t>(i));
      by_module_[ModuleOf(tensors()[i].name)].push_back(static_cast<uint32_t>(i));
    }
    fates_.resize(tensors().size(), TensorFate::kMissing);
  }

  absl::StatusOr<WeightMatches> Match() {
    OH_ASSIGN_OR_RETURN(views_, WeightViewsOf(model_));
    of_view_.resize(views_.size());
    for (size_t i = 0; i < views_.size(); ++i) view_of_[views_[i].value] = i;
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
  bool is_matched(size_t view) const { return of_view_[view].has_value(); }
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
    WeightMatch& match = of_view_[view].emplace();
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
    std::vector<uint32_t> tensors;
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
    if (equals.tensors.size() > 1) equals_.emplace_back(equals.views[0], equals.tensors);
    for (const size_t view : equals.views) {
      const absl::string_view name = graph_.value(views_[view].value).name;
      const auto same =
          std::find_if(equals.tensors.begin(), equals.tensors.end(),
                       [&](uint32_t tensor) { return tensors()[tensor].name == name; });
      if (same != equals.tensors.end()) SetEqual(view, *same, kSureContents);
    }
    const bool says_enough = PrintOfView(equals.views[0], rounding).says_enough();
    if (says_enough && equals.tensors.size() == 1) {
      for (const size_t view : equals.views) {
        if (!is_matched(view)) SetEqual(view, equals.tensors[0], kSureContents);
      }
      return;
    }
    for (const size_t view : equals.views) {
      if (!is_matched(view)) ties_[view] = equals.tensors;
    }
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
    const TensorDims from = Squeezed(tensors()[tensor].dims);
    const TensorDims to = Squeezed(views_[view].dims);
    // Reshaped.
    const bool is_flat = from.size() < 2 || to.size() < 2;
    CheckpointValues stored(checkpoint_);
    const auto is_like = [&](const TensorDims& dims, const AxisOrder& order) {
      AxisOrder identity(dims.size());
      for (uint32_t i = 0; i < identity.size(); ++i) identity[i] = i;
      ViewValues values(model_, views_);
      const auto a = SketchOf(stored, TensorId(tensor), dims, identity);
      const auto b = SketchOf(values, TensorId(view), dims, order);
      return a.ok() && b.ok() && a->has_value() && b->has_value() && LikenessOf(**a, **b) > 0.9999;
    };
    if (is_flat && tensors()[tensor].elements == views_[view].elements) {
      if (is_like({tensors()[tensor].elements}, {0})) match.layout = WeightLayout::kAsStored;
      return;
    }
    for (const AxisOrder& order : AxisOrders(from, to)) {
      if (!is_like(from, order)) continue;
      match.layout = IsInOrder(order) ? WeightLayout::kAsStored : WeightLayout::kTransposed;
      return;
    }
  }

  // --- Several tensors in one, and one in several.

  void MatchJoined() {
    std::map<std::string, std::vector<uint32_t>> families;
    for (uint32_t i = 0; i < tensors().size(); ++i) {
      if (fates_[i] != TensorFate::kMissing || !tensor_prints_[i].is_known) continue;
      const std::string& name = tensors()[i].name;
      const absl::string_view module = ModuleOf(name);
      families[absl::StrCat("module ", module)].push_back(i);
      // Of one layer of a recurrent network.
      families[absl::StrCat("layer ", module, " ", OnlyDigits(LeafOf(name)))].push_back(i);
      families[absl::StrCat("beside ", ModuleOf(module), " ", LeafOf(name))].push_back(i);
      families[absl::StrCat("list ", WithoutNumbers(name))].push_back(i);
    }
    for (const RoundedTo rounding : roundings_) {
      absl::flat_hash_map<ContentPrint, std::vector<uint32_t>> sums;
      for (const auto& [name, family] : families) AddSums(family, rounding, sums);
      for (const size_t view : OpenViews(rounding)) {
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

  // Of all choices of a small family; of neighbours in a large one, and of all of it.
  void AddSums(const std::vector<uint32_t>& family, RoundedTo rounding,
               absl::flat_hash_map<ContentPrint, std::vector<uint32_t>>& sums) const {
    if (family.size() < 2) return;
    const auto add = [&](std::vector<uint32_t> parts) {
      ContentPrint sum;
      for (const uint32_t part : parts) sum += PrintOf(part, rounding);
      sums.try_emplace(sum, std::move(parts));
    };
    if (family.size() <= kLargestFamily) {
      for (uint32_t chosen = 1; chosen < 1U << family.size(); ++chosen) {
        std::vector<uint32_t> parts;
        for (size_t i = 0; i < family.size(); ++i) {
          if ((chosen >> i & 1) != 0) parts.push_back(family[i]);
        }
        if (parts.size() > 1) add(std::move(parts));
      }
      return;
    }
    for (size_t first = 0; first < family.size(); ++first) {
      std::vector<uint32_t> parts = {family[first]};
      for (size_t i = first + 1; i < family.size() && parts.size() < kMostParts; ++i) {
        parts.push_back(family[i]);
        add(parts);
      }
    }
    add(family);
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
      std::stable_sort(open.begin(), open.end(),
                       [&](size_t a, size_t b) { return FirstReader(a) < FirstReader(b); });
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

  NodeId FirstReader(size_t view) const {
    const absl::Span<const Use> uses = graph_.uses(views_[view].value);
    return uses.empty() ? NodeId() : uses[0].node;
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

  absl::StatusOr<const TensorSketch*> SketchOfTensor(uint32_t tensor) {
    std::optional<TensorSketch>& sketch = sketches_[tensor];
    if (sketch.has_value()) return &*sketch;
    CheckpointValues stored(checkpoint_);
    const TensorDims dims = Squeezed(tensors()[tensor].dims);
    AxisOrder identity(dims.size());
    for (uint32_t i = 0; i < identity.size(); ++i) identity[i] = i;
    OH_ASSIGN_OR_RETURN(sketch, SketchOf(stored, TensorId(tensor), dims, identity));
    if (!sketch.has_value()) sketch.emplace();
    return &*sketch;
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
      if (chosen != nullptr && !is_same)
        second = std::min(second, is_nearer ? nearest.error : distance.error);
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
    if (!nearest.factors.empty()) FindNorm(nearest, match);
    return absl::OkStatus();
  }

  // --- What was multiplied into it: of a batch norm, weight / sqrt(running_var + eps), else a
  // weight.

  const std::vector<double>& Numbers(uint32_t tensor) {
    std::vector<double>& numbers = numbers_[tensor];
    if (!numbers.empty()) return numbers;
    CheckpointValues stored(checkpoint_);
    const absl::StatusOr<bool> is_there = stored.Begin(TensorId(tensor));
    if (!is_there.ok() || !*is_there) return numbers;
    numbers.resize(tensors()[tensor].elements);
    if (!stored.Read(absl::MakeSpan(numbers)).ok()) numbers.clear();
    return numbers;
  }

  std::optional<uint32_t> InModule(absl::string_view module, absl::string_view leaf,
                                   uint64_t elements) const {
    const auto found = by_name_.find(absl::StrCat(module, module.empty() ? "" : ".", leaf));
    if (found == by_name_.end() || tensors()[found->second].elements != elements)
      return std::nullopt;
    return found->second;
  }

  void FindNorm(const TensorDistance& distance, WeightMatch& match) {
    const uint64_t channels = distance.factors.size();
    if (norms_.empty()) {
      for (uint32_t i = 0; i < tensors().size(); ++i) {
        if (Squeezed(tensors()[i].dims).size() == 1) norms_[tensors()[i].elements].push_back(i);
      }
    }
    for (const uint32_t tensor : norms_[channels]) {
      const absl::string_view module = ModuleOf(tensors()[tensor].name);
      const bool is_variance = LeafOf(tensors()[tensor].name) == "running_var";
      if (!is_variance && LeafOf(tensors()[tensor].name) != "weight") continue;
      const auto weight = InModule(module, "weight", channels);
      if (!is_variance && InModule(module, "running_var", channels)) continue;
      for (const double epsilon : {1e-5, 1e-3, 1e-6, 1e-12}) {
        std::vector<double> expected = Numbers(tensor);
        if (expected.size() != channels) break;
        if (is_variance) {
          for (double& number : expected) number = 1 / std::sqrt(number + epsilon);
          if (weight) {
            const std::vector<double>& factors = Numbers(*weight);
            for (size_t i = 0; i < channels && i < factors.size(); ++i) expected[i] *= factors[i];
          }
        }
        double all = 0;
        double rest = 0;
        for (size_t i = 0; i < channels; ++i) {
          all += expected[i] * expected[i];
          rest += (expected[i] - distance.factors[i]) * (expected[i] - distance.factors[i]);
        }
        if (all > 0 && std::sqrt(rest / all) < kNormError) {
          Fold(module, channels, match);
          return;
        }
        if (!is_variance) break;
      }
    }
  }

  void Fold(absl::string_view module, uint64_t channels, WeightMatch& match) {
    for (const absl::string_view leaf : {"weight", "bias", "running_mean", "running_var"}) {
      const auto tensor = InModule(module, leaf, channels);
      if (!tensor) continue;
      match.folded.push_back(*tensor);
      if (fates_[*tensor] == TensorFate::kMissing) fates_[*tensor] = TensorFate::kFolded;
    }
    if (const auto counter = InModule(module, "num_batches_tracked", 1)) {
      if (fates_[*counter] == TensorFate::kMissing) fates_[*counter] = TensorFate::kFolded;
    }
  }

  // --- Names alone.

  absl::Status MatchByNames() {
    for (size_t i = 0; i < views_.size(); ++i) {
      if (is_matched(i)) continue;
      const absl::string_view name = graph_.value(views_[i].value).name;
      for (const absl::string_view original : {name, OriginalNames(name).front()}) {
        const auto found = by_name_.find(original);
        if (found == by_name_.end()) continue;
        if (Sorted(Squeezed(tensors()[found->second].dims)) != Sorted(Squeezed(views_[i].dims)))
          continue;
        const auto tie = ties_.find(i);
        const bool is_equal = tie != ties_.end();
        if (is_equal &&
            std::find(tie->second.begin(), tie->second.end(), found->second) == tie->second.end()) {
          continue;
        }
        if (is_equal) {
          SetEqual(i, found->second, kSureContents);
          break;
        }
        Candidate candidate = {found->second, Squeezed(tensors()[found->second].dims), {}};
        const std::vector<AxisOrder> orders = AxisOrders(candidate.dims, Squeezed(views_[i].dims));
        if (!orders.empty()) candidate.order = orders[0];
        OH_ASSIGN_OR_RETURN(const TensorDistance distance, DistanceTo(i, candidate));
        WeightMatch& match = Set(i, found->second, WeightClue::kName, kSureName);
        match.error = distance.plain;
        break;
      }
    }
    return absl::OkStatus();
  }

  // --- What the operators around it read.

  // Views of weights that a node reads, perhaps by way of operators that pass them on.
  void ViewsReadBy(NodeId node, std::vector<size_t>& views) const {
    for (ValueId value : graph_.inputs(node)) {
      for (int i = 0; i <= kLongestWay && value.valid(); ++i) {
        const auto found = view_of_.find(value);
        if (found != view_of_.end()) {
          views.push_back(found->second);
          break;
        }
        const NodeId maker = graph_.value(value).producer;
        if (!maker.valid() || !IsMover(graph_.op(maker).type) || graph_.inputs(maker).empty())
          break;
        value = graph_.inputs(maker)[0];
      }
    }
  }

  // Nodes that use a value, behind those that only pass it on.
  void ReadersOf(ValueId value, int way, std::vector<NodeId>& readers) const {
    for (const Use& use : graph_.uses(value)) {
      const bool passes = IsMover(graph_.op(use.node).type) && use.slot == 0;
      if (!passes || way == kLongestWay) {
        readers.push_back(use.node);
        continue;
      }
      for (const ValueId output : graph_.outputs(use.node)) {
        if (output.valid()) ReadersOf(output, way + 1, readers);
      }
    }
  }

  // Those beside it first, then those that its readers' other inputs are made with, then those that
  // what they make is used with.
  std::vector<size_t> Around(size_t view) const {
    std::vector<NodeId> readers;
    ReadersOf(views_[view].value, 0, readers);
    std::vector<size_t> around;
    if (readers.size() > kLargestFamily) return around;
    for (const NodeId reader : readers) ViewsReadBy(reader, around);
    for (const NodeId reader : readers) {
      for (ValueId value : graph_.inputs(reader)) {
        for (int i = 0; i <= kLongestWay && value.valid(); ++i) {
          const NodeId maker = graph_.value(value).producer;
          if (!maker.valid()) break;
          if (!IsMover(graph_.op(maker).type)) {
            ViewsReadBy(maker, around);
            break;
          }
          value = graph_.inputs(maker).empty() ? ValueId() : graph_.inputs(maker)[0];
        }
      }
    }
    for (const NodeId reader : readers) {
      for (const ValueId output : graph_.outputs(reader)) {
        if (!output.valid() || graph_.uses(output).size() > 2) continue;
        std::vector<NodeId> next;
        ReadersOf(output, 0, next);
        for (const NodeId node : next) ViewsReadBy(node, around);
      }
    }
    return around;
  }

  void MatchByModules() {
    for (bool has_changed = true; has_changed;) {
      has_changed = false;
      for (size_t i = 0; i < views_.size(); ++i) {
        if (is_matched(i) || (!IsWeightView(i) && !ties_.contains(i))) continue;
        if (MatchByModule(i)) has_changed = true;
      }
    }
  }

  bool MatchByModule(size_t view) {
    const auto tie = ties_.find(view);
    const TensorDims dims = Sorted(Squeezed(views_[view].dims));
    for (const size_t near : Around(view)) {
      if (near == view || !is_matched(near) || of_view_[near]->by == WeightClue::kName) continue;
      const WeightMatch& match = *of_view_[near];
      if (tie == ties_.end() && dims.size() == 1 && !match.folded.empty() &&
          MatchFolded(view, match)) {
        return true;
      }
      // One of several equal ones, or the only one of its size.
      const absl::string_view module = ModuleOf(tensors()[match.tensors[0]].name);
      std::vector<uint32_t> fitting;
      for (const uint32_t tensor : by_module_.at(module)) {
        if (fates_[tensor] != TensorFate::kMissing) continue;
        if (Sorted(Squeezed(tensors()[tensor].dims)) != dims) continue;
        if (tie != ties_.end() &&
            std::find(tie->second.begin(), tie->second.end(), tensor) == tie->second.end()) {
          continue;
        }
        fitting.push_back(tensor);
      }
      if (fitting.size() != 1) continue;
      if (tie != ties_.end()) {
        SetEqual(view, fitting[0], kSureModule);
        of_view_[view]->by = WeightClue::kModule;
      } else if (match.tensors.size() == 1 && !match.is_part) {
        Set(view, fitting[0], WeightClue::kModule, kLikelyModule * match.probability).error = 1;
      } else {
        continue;
      }
      return true;
    }
    return false;
  }

  // The bias of what a norm was folded into.
  bool MatchFolded(size_t view, const WeightMatch& weight) {
    const absl::string_view norm = ModuleOf(tensors()[weight.folded[0]].name);
    const absl::string_view module = ModuleOf(tensors()[weight.tensors[0]].name);
    const uint64_t channels = views_[view].elements;
    const auto norm_bias = InModule(norm, "bias", channels);
    const auto bias = InModule(module, "bias", channels);
    if (!norm_bias && !bias) return false;
    WeightMatch& match = Set(view, bias ? *bias : *norm_bias, WeightClue::kModule, kSureModule);
    match.folded = weight.folded;
    match.is_scaled = true;
    return true;
  }

  // Which of several equal tensors it is, nothing tells, unless only one is left.
  void LeaveTies() {
    for (size_t i = 0; i < views_.size(); ++i) {
      const auto tie = ties_.find(i);
      // Of single numbers and the like nobody needs to be told.
      if (tie == ties_.end() || is_matched(i) || !IsWeightView(i) || IsPlainConstant(i)) continue;
      std::vector<uint32_t> left;
      for (const uint32_t tensor : tie->second) {
        if (fates_[tensor] == TensorFate::kMissing) left.push_back(tensor);
      }
      const bool says_enough = view_prints_[i].of[0].says_enough();
      const bool is_settled = says_enough && left.size() == 1;
      const size_t choices = says_enough && !left.empty() ? left.size() : tie->second.size();
      SetEqual(
          i, left.empty() ? tie->second[0] : left[0],
          is_settled ? kSureModule : 1.0 / static_cast<double>(choices + (says_enough ? 0 : 1)));
      of_view_[i]->is_tie = !is_settled;
    }
    // Exporters keep one of equal tensors: the model holds what the others do.
    for (const auto& [view, tensors] : equals_) {
      for (const uint32_t tensor : tensors) fates_[tensor] = TensorFate::kFound;
    }
    // Counts of what was trained on are no weights.
    for (uint32_t i = 0; i < tensors().size(); ++i) {
      if (LeafOf(tensors()[i].name) != "num_batches_tracked") continue;
      const auto norm = by_name_.find(absl::StrCat(ModuleOf(tensors()[i].name), ".running_var"));
      if (norm != by_name_.end()) fates_[i] = fates_[norm->second];
    }
  }

  absl::Status MeasureCasts() {
    for (size_t i = 0; i < views_.size(); ++i) {
      if (!is_matched(i) || !of_view_[i]->is_cast || of_view_[i]->tensors.size() > 1) continue;
      WeightMatch& match = *of_view_[i];
      if (match.by == WeightClue::kLikeness || match.is_part ||
          match.layout == WeightLayout::kRearranged)
        continue;
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
        matches.matches.push_back(*std::move(of_view_[i]));
      } else if (IsWeightView(i) && !IsPlainConstant(i)) {
        matches.unexplained.push_back(views_[i].value);
      }
    }
    matches.fates = std::move(fates_);
    if (unread_ > 0) {
      matches.warnings.push_back(absl::StrCat(unread_, unread_ == 1 ? " weight" : " weights",
                                              " of the model could not be read"));
    }
    if (too_many_) {
      matches.warnings.emplace_back("so many tensors are of one size that not all were compared");
    }
    return matches;
  }

  const Model& model_;
  const Graph& graph_;
  const Checkpoint& checkpoint_;
  std::vector<WeightView> views_;
  std::vector<std::optional<WeightMatch>> of_view_;
  absl::flat_hash_map<ValueId, size_t> view_of_;
  std::vector<RoundedTo> roundings_;  // that either side may have been rounded to
  std::vector<ContentPrints> view_prints_;
  std::vector<ContentPrints> tensor_prints_;
  std::vector<TensorFate> fates_;
  absl::flat_hash_map<absl::string_view, uint32_t> by_name_;
  absl::flat_hash_map<absl::string_view, std::vector<uint32_t>> by_module_;
  absl::flat_hash_map<size_t, std::vector<uint32_t>> ties_;  // by views: tensors that hold the same
  std::vector<std::pair<size_t, std::vector<uint32_t>>>
      equals_;  // the first view of each such kind
  absl::flat_hash_map<uint32_t, std::optional<TensorSketch>> sketches_;
  absl::flat_hash_map<uint32_t, std::vector<double>> numbers_;
  std::map<uint64_t, std::vector<uint32_t>> norms_;  // vectors, by their sizes
  uint64_t unread_ = 0;
  bool too_many_ = false;
};

}  // namespace

absl::StatusOr<WeightMatches> MatchWeights(const Model& model, const Checkpoint& checkpoint) {
  return WeightMatcher(model, checkpoint).Match();
}

}  // namespace onnx_hier
