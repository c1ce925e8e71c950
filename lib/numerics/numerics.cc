// SPDX-License-Identifier: Apache-2.0
#include "onnx_hier/numerics.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <string>
#include <tuple>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "lib/base/status_macros.h"
#include "lib/graph/data_type.h"
#include "lib/graph/weight.h"
#include "lib/parts/repeatable.h"
#include "lib/parts/units.h"
#include "onnx_hier_program/text.h"

namespace onnx_hier {
namespace {

constexpr size_t kAtATime = 4096;  // numbers that are compared at a time
// Modules that are told of between two compared values.
constexpr size_t kMostTogether = 16;

std::vector<uint64_t> WithoutOnes(const std::vector<uint64_t>& shape) {
  std::vector<uint64_t> others;
  absl::c_copy_if(shape, std::back_inserter(others), [](uint64_t size) { return size != 1; });
  return others;
}

// What an error grew by, where errors know nothing of each other.
double Introduced(double in, double out) {
  if (std::isinf(out)) return std::isinf(in) ? 0 : out;
  return out > in ? std::sqrt((out - in) * (out + in)) : 0;
}

class Comparer {
 public:
  Comparer(const Cutter& cutter, const NumericsInput& input, const ValueFiles& original,
           const ValueFiles& other, const ValueFiles* isolated)
      : hierarchy_(input.hierarchy),
        graph_(input.hierarchy.graph()),
        pairs_(input.pairs),
        other_graph_(input.other),
        original_(original),
        other_(other),
        isolated_(isolated),
        boundaries_(cutter.BoundariesOf(AllModules(), Inside::kLeftOut)),
        units_(graph_, graph_.main_block()),
        repeatable_(units_),
        places_(graph_.value_count(), kNotCompared) {}

  absl::StatusOr<Numerics> Compare() {
    OH_RETURN_IF_ERROR(CheckSamples());
    OH_RETURN_IF_ERROR(CompareAll());
    if (result_.values.empty()) return NothingInBoth();
    const bool has_isolated = absl::c_any_of(
        result_.values, [](const ComparedValue& value) { return value.is_isolated; });
    if (isolated_ != nullptr && !has_isolated) {
      return absl::FailedPreconditionError(
          absl::StrCat("the values of the isolated model are none of its: their names end in '",
                       kMadeEnding, "'"));
    }
    Walk();
    FindLacks();
    ShareErrors();
    RankModules();
    return std::move(result_);
  }

 private:
  static constexpr size_t kNotCompared = Numerics::kNone;

  // What there is of errors before a value: of what was compared, on any way.
  struct Reach {
    double error = 0;  // the largest relative one
    double noise = 0;  // mean squares of differences, of all that is read together
  };

  std::vector<ModuleId> AllModules() const {
    std::vector<ModuleId> modules;
    for (ModuleId module : hierarchy_.modules().ids()) modules.push_back(module);
    return modules;
  }

  absl::Status CheckSamples() {
    result_.samples = original_.samples();
    for (const ValueFiles* files : {&other_, isolated_}) {
      if (files == nullptr || files->samples() == result_.samples) continue;
      return absl::InvalidArgumentError(
          absl::StrCat("the original's values are of ", Counted(result_.samples, "run"),
                       ", those of the other model of ", Counted(files->samples(), "run")));
    }
    return absl::OkStatus();
  }

  absl::Status NothingInBoth() const {
    return absl::FailedPreconditionError(
        absl::StrCat("no value that stands between modules is in both: 'onnx-hier probe' makes "
                     "models give them out (",
                     result_.misfits.size(), " are of other shapes)"));
  }

  // Each value that goes into a module's own nodes or comes out of them, once, in graph order.
  absl::Status CompareAll() {
    IdSet<ValueId> asked(graph_.value_count());
    for (const Boundary& boundary : boundaries_) {
      for (ValueId value : boundary.inputs) asked.Add(value);
      for (ValueId value : boundary.outputs) asked.Add(value);
    }
    std::vector<std::pair<NodeId, ValueId>> values;
    for (ValueId value : graph_.value_ids()) {
      const NodeId maker = graph_.value(value).producer;
      if (asked.Has(value) && maker.valid()) values.emplace_back(maker, value);
    }
    absl::c_sort(values);
    for (const auto& [maker, value] : values) OH_RETURN_IF_ERROR(CompareValue(value));
    return absl::OkStatus();
  }

  absl::Status CompareValue(ValueId value) {
    const ValueId counterpart = pairs_.of[value];
    const absl::string_view name = graph_.value(value).name;
    std::vector<ValueError> errors;
    std::vector<ValueError> made;
    for (size_t sample = 0; sample < result_.samples; ++sample) {
      const SavedValue* const own = original_.Find(sample, name);
      const SavedValue* const theirs =
          counterpart.valid() ? other_.Find(sample, NameOf(value, counterpart)) : nullptr;
      if (own == nullptr || theirs == nullptr) break;
      const SavedValue* const alone =
          isolated_ == nullptr ? nullptr : isolated_->Find(sample, absl::StrCat(name, kMadeEnding));
      OH_ASSIGN_OR_RETURN(const bool fits, CompareSample(*own, *theirs, alone, errors, made));
      if (fits) continue;
      result_.misfits.push_back(value);
      return absl::OkStatus();
    }
    if (errors.size() < result_.samples) {
      result_.missing.push_back(value);
      return absl::OkStatus();
    }
    places_[value] = result_.values.size();
    ComparedValue& compared = result_.values.emplace_back();
    compared.value = value;
    compared.is_isolated = made.size() == errors.size();
    for (const ValueError& error : errors) compared.error.Add(error);
    errors_.push_back(std::move(errors));
    made_.push_back(std::move(made));
    const bool same_name = NameOf(value, counterpart) == name;
    ++(same_name ? result_.by_name : result_.by_place);
    return absl::OkStatus();
  }

  // Under which a probe gives it out.
  absl::string_view NameOf(ValueId value, ValueId counterpart) const {
    return pairs_.packed.Has(counterpart) ? graph_.value(value).name
                                          : other_graph_.value(counterpart).name;
  }

  // All of them are read side by side, once. False: they are of other shapes.
  absl::StatusOr<bool> CompareSample(const SavedValue& own, const SavedValue& theirs,
                                     const SavedValue* alone, std::vector<ValueError>& errors,
                                     std::vector<ValueError>& made) {
    OH_ASSIGN_OR_RETURN(ValueNumbers a, original_.Read(own));
    OH_ASSIGN_OR_RETURN(ValueNumbers b, other_.Read(theirs));
    absl::StatusOr<ValueNumbers> c = absl::NotFoundError("");
    if (alone != nullptr) {
      c = isolated_->Read(*alone);
      if (!c.ok()) return c.status();
    }
    // Numbers that are quantised, and not made plain again, say something else.
    const bool is_plain =
        data_type::IsFloatingPoint(a.type()) == data_type::IsFloatingPoint(b.type());
    if (!is_plain || WithoutOnes(a.shape()) != WithoutOnes(b.shape())) return false;
    const bool has_alone = c.ok() && WithoutOnes(c->shape()) == WithoutOnes(a.shape());
    ErrorSum error;
    ErrorSum own_error;
    const auto next = [](const ValueFiles& files, const SavedValue& value, ValueNumbers& numbers,
                         std::vector<double>& room) -> absl::Status {
      const absl::StatusOr<size_t> count = numbers.Next(absl::MakeSpan(room));
      if (count.ok()) return absl::OkStatus();
      return absl::Status(count.status().code(),
                          absl::StrCat(files.Describe(value), ": ", count.status().message()));
    };
    for (uint64_t left = a.count();;) {
      const auto some = static_cast<size_t>(std::min<uint64_t>(left, kAtATime));
      for (std::vector<double>* room : {&a_, &b_, &c_}) room->resize(some);
      OH_RETURN_IF_ERROR(next(original_, own, a, a_));
      OH_RETURN_IF_ERROR(next(other_, theirs, b, b_));
      if (has_alone) OH_RETURN_IF_ERROR(next(*isolated_, *alone, *c, c_));
      error.Add(a_, b_);
      if (has_alone) own_error.Add(a_, c_);
      left -= some;
      if (left == 0) break;
    }
    errors.push_back(error.error());
    if (has_alone) made.push_back(own_error.error());
    return true;
  }

  // From makers to readers: which modules lie between, and the worst error of what was compared.
  void Walk() {
    IdVector<ValueId, std::vector<ComparedValue::Maker>> makers(graph_.value_count());
    IdVector<ValueId, std::optional<size_t>> inputs(graph_.value_count());  // the worst ones
    for (Unit unit : units_.ids()) {
      const NodeId node = units_.node(unit);
      std::vector<ComparedValue::Maker> own;
      if (!repeatable_.Has(unit)) {
        own.push_back({hierarchy_.ModuleOf(node),
                       hierarchy_.annotation().assignments[node].call,
                       ReadsWeight(graph_, node),
                       {}});
      }
      std::optional<size_t> input;
      for (ValueId read : units_.reads(unit)) {
        if (!own.empty() && places_[read] != kNotCompared) AddRead(read, own.front());
        for (const ComparedValue::Maker& maker : makers[read]) Join(maker, own);
        const std::optional<size_t> other =
            places_[read] == kNotCompared ? inputs[read] : std::optional<size_t>(places_[read]);
        if (IsWorse(other, input)) input = other;
      }
      for (ValueId value : units_.makes(unit)) {
        if (!value.valid()) continue;
        if (places_[value] == kNotCompared) {
          makers[value] = own;
          inputs[value] = input;
        } else {
          result_.values[places_[value]].makers = own;
          result_.values[places_[value]].worst_input = input;
        }
      }
    }
    ranks_.resize(result_.values.size(), 0);
    IdVector<ValueId, Reach> reaching(graph_.value_count());
    for (size_t sample = 0; sample < result_.samples; ++sample) {
      for (Unit unit : units_.ids()) {
        Reach in;
        for (ValueId read : units_.reads(unit)) {
          in.error = std::max(in.error, reaching[read].error);
          in.noise += reaching[read].noise;
        }
        if (CanMakeMore(units_.node(unit))) in.noise = std::numeric_limits<double>::infinity();
        for (ValueId value : units_.makes(unit)) {
          if (value.valid()) reaching[value] = Settle(places_[value], sample, in);
        }
      }
    }
    for (ComparedValue& value : result_.values) {
      value.lost = std::sqrt(value.lost / static_cast<double>(result_.samples));
    }
  }

  bool IsWorse(std::optional<size_t> place, std::optional<size_t> other) const {
    if (!place.has_value()) return false;
    const double error = result_.values[*place].error.relative();
    return error > (other.has_value() ? result_.values[*other].error.relative() : 0);
  }

  static void Join(const ComparedValue::Maker& maker, std::vector<ComparedValue::Maker>& makers) {
    const auto found = absl::c_find_if(makers, [&](const ComparedValue::Maker& one) {
      return one.module == maker.module && one.call == maker.call;
    });
    if (found != makers.end()) {
      found->has_weights = found->has_weights || maker.has_weights;
      for (ValueId read : maker.reads) AddRead(read, *found);
    } else if (makers.size() < kMostTogether) {
      makers.push_back(maker);
    }
  }

  static void AddRead(ValueId value, ComparedValue::Maker& maker) {
    if (maker.reads.size() < kMostTogether && !absl::c_linear_search(maker.reads, value)) {
      maker.reads.push_back(value);
    }
  }

  // Of values that several modules lie before: whose inputs the other model has dropped.
  void FindLacks() {
    // Of the other model's values: what was compared, and what that is unpacked from.
    absl::flat_hash_map<ValueId, ValueId> compared;
    for (const ComparedValue& value : result_.values) {
      const ValueId counterpart = pairs_.of[value.value];
      compared[counterpart] = value.value;
      const NodeId maker = other_graph_.value(counterpart).producer;
      if (!maker.valid() || !IsMover(other_graph_.op(maker).type)) continue;
      const absl::Span<const ValueId> inputs = other_graph_.inputs(maker);
      if (!inputs.empty() && inputs[0].valid()) compared.try_emplace(inputs[0], value.value);
    }
    for (ComparedValue& value : result_.values) {
      if (value.makers.size() < 2) continue;
      const std::optional<absl::flat_hash_set<ValueId>> made_of = MadeOf(value.value, compared);
      if (!made_of.has_value()) continue;
      for (ComparedValue::Maker& maker : value.makers) {
        maker.lacks_input =
            absl::c_any_of(maker.reads, [&](ValueId read) { return !made_of->contains(read); });
      }
    }
  }

  // What was compared, of what the other model makes the value of; none: that is too much to look
  // at.
  std::optional<absl::flat_hash_set<ValueId>> MadeOf(
      ValueId value, const absl::flat_hash_map<ValueId, ValueId>& compared) const {
    constexpr size_t kMostNodes = 256;
    absl::flat_hash_set<ValueId> made_of;
    absl::flat_hash_set<NodeId> seen;
    std::vector<NodeId> open = {other_graph_.value(pairs_.of[value]).producer};
    while (!open.empty()) {
      const NodeId node = open.back();
      open.pop_back();
      if (!node.valid() || !seen.insert(node).second) continue;
      if (seen.size() > kMostNodes) return std::nullopt;
      for (ValueId read : other_graph_.inputs(node)) {
        if (!read.valid()) continue;
        const auto found = compared.find(read);
        if (found != compared.end() && found->second != value) {
          made_of.insert(found->second);
        } else {
          open.push_back(other_graph_.value(read).producer);
        }
      }
    }
    return made_of;
  }

  using Shares = std::vector<std::pair<ModuleId, double>>;

  static void AddShare(ModuleId module, double share, Shares& shares) {
    const auto found =
        absl::c_find_if(shares, [&](const auto& one) { return one.first == module; });
    if (found == shares.end()) {
      shares.emplace_back(module, share);
    } else {
      found->second += share;
    }
  }

  // The largest ones, largest first.
  static Shares Largest(Shares shares) {
    constexpr size_t kMost = 64;
    absl::c_stable_sort(shares, [](const auto& a, const auto& b) { return a.second > b.second; });
    if (shares.size() > kMost) shares.resize(kMost);
    return shares;
  }

  // Whose error that of each value is: that of its makers, and of what it is made of by how much
  // noise each of these has.
  void ShareErrors() {
    struct Known {
      double noise = 0;
      double error = 0;
      Shares shares;
    };
    IdVector<ValueId, Known> known(graph_.value_count());
    for (Unit unit : units_.ids()) {
      // What each of two factors does to a product is a question of relative errors.
      const bool multiplies = Multiplies(units_.node(unit));
      const auto weight_of = [&](ValueId value) {
        return multiplies ? known[value].error * known[value].error : known[value].noise;
      };
      Known in;
      double all = 0;
      for (ValueId read : units_.reads(unit)) {
        in.noise += known[read].noise;
        in.error = std::max(in.error, known[read].error);
        all += weight_of(read);
      }
      for (ValueId read : units_.reads(unit)) {
        if (!(all > 0) || !std::isfinite(all)) break;
        for (const auto& [module, share] : known[read].shares) {
          AddShare(module, share * weight_of(read) / all, in.shares);
        }
      }
      in.shares = Largest(std::move(in.shares));
      for (ValueId value : units_.makes(unit)) {
        if (!value.valid()) continue;
        known[value] = in;
        if (places_[value] == kNotCompared) continue;
        const ComparedValue& compared = result_.values[places_[value]];
        const double error = compared.error.relative();
        known[value].noise =
            compared.error.noise / std::max<double>(1, static_cast<double>(compared.error.count));
        known[value].error = error;
        if (error == 0 || !std::isfinite(error)) continue;
        const double own =
            in.shares.empty() ? 1 : std::min(1.0, compared.lost * compared.lost / (error * error));
        for (auto& [module, share] : known[value].shares) share *= 1 - own;
        AddShare(MainMaker(compared), own, known[value].shares);
        known[value].shares = Largest(std::move(known[value].shares));
      }
    }
    FindWorstOutput();
    if (result_.worst_output == kNotCompared) return;
    result_.shares = std::move(known[result_.values[result_.worst_output].value].shares);
  }

  bool Multiplies(NodeId node) const {
    const absl::string_view type = graph_.op(node).type;
    return type == "Mul" || type == "Div" || IsWeighted(type);
  }

  static ModuleId MainMaker(const ComparedValue& value) {
    const auto weighted = absl::c_find_if(
        value.makers, [](const ComparedValue::Maker& maker) { return maker.has_weights; });
    return weighted == value.makers.end() ? value.makers.front().module : weighted->module;
  }

  void FindWorstOutput() {
    for (size_t i = 0; i < result_.values.size(); ++i) {
      if (!units_.is_output(result_.values[i].value)) continue;
      const bool is_worse = result_.worst_output == kNotCompared ||
                            result_.values[i].error.relative() >
                                result_.values[result_.worst_output].error.relative();
      if (is_worse) result_.worst_output = i;
    }
    if (result_.worst_output == kNotCompared && !result_.values.empty()) {
      result_.worst_output = result_.values.size() - 1;
    }
  }

  // Whether a node can make the noise of what it reads larger, as a product does. What adds,
  // chooses or bends values has no more of it than all that it reads together.
  bool CanMakeMore(NodeId node) const {
    return IsWeighted(graph_.op(node).type) || ReadsWeight(graph_, node);
  }

  // What a value has in a run, and what its making added to its error.
  Reach Settle(size_t place, size_t sample, const Reach& in) {
    if (place == kNotCompared) return in;
    ComparedValue& compared = result_.values[place];
    const ValueError& error = errors_[place][sample];
    const double numbers = std::max<double>(1, static_cast<double>(error.count));
    const Reach own = {error.relative(), error.noise / numbers};
    double lost = Introduced(in.error, own.error);
    if (std::isfinite(lost) && std::isfinite(in.noise)) {
      const double more = std::max(0.0, own.noise - in.noise);
      lost = std::min(lost, std::sqrt(more * numbers / error.signal));
    }
    if (compared.is_isolated) lost = made_[place][sample].relative();
    // Noise that goes in may grow by itself.
    double rank = lost;
    if (!compared.is_isolated && std::isfinite(lost)) {
      rank = std::max(std::min(lost, Introduced(2 * in.error, own.error)), lost / 3);
    }
    ranks_[place] += rank * rank;
    compared.worst_lost = std::max(compared.worst_lost, lost);
    compared.lost += lost * lost;  // a sum, until all runs are there
    return own;
  }

  void RankModules() {
    absl::flat_hash_map<std::pair<ModuleId, uint32_t>, size_t> known;
    for (size_t i = 0; i < result_.values.size(); ++i) {
      const ComparedValue& value = result_.values[i];
      if (value.error.broken > 0 && result_.first_broken == Numerics::kNone) {
        result_.first_broken = i;
      }
      const bool is_shared = value.makers.size() > 1;
      for (const ComparedValue::Maker& maker : value.makers) {
        const auto [place, is_new] =
            known.try_emplace({maker.module, maker.call}, result_.losses.size());
        if (is_new) result_.losses.push_back({maker.module, maker.call, i, is_shared});
        ModuleLoss& loss = result_.losses[place->second];
        if (ranks_[i] > ranks_[loss.compared]) {
          loss.compared = i;
          loss.is_shared = is_shared;
        }
      }
    }
    // Of those that lie together: what reads a value that the other model does not, then those with
    // weights, then that of the value's own node.
    const auto rank = [&](const ModuleLoss& loss) {
      const ComparedValue& value = result_.values[loss.compared];
      const auto maker = absl::c_find_if(value.makers, [&](const ComparedValue::Maker& one) {
        return one.module == loss.module && one.call == loss.call;
      });
      return std::make_tuple(-ranks_[loss.compared], loss.compared, !maker->lacks_input,
                             !maker->has_weights, maker - value.makers.begin());
    };
    absl::c_sort(result_.losses,
                 [&](const ModuleLoss& a, const ModuleLoss& b) { return rank(a) < rank(b); });
  }

  const Hierarchy& hierarchy_;
  const Graph& graph_;
  const ValuePairs& pairs_;
  const Graph& other_graph_;
  const ValueFiles& original_;
  const ValueFiles& other_;
  const ValueFiles* const isolated_;
  const std::vector<Boundary> boundaries_;
  const Units units_;
  const Repeatable repeatable_;
  IdVector<ValueId, size_t> places_;             // in the result's values
  std::vector<std::vector<ValueError>> errors_;  // of these, by run
  std::vector<std::vector<ValueError>> made_;
  std::vector<double> ranks_;
  std::vector<double> a_;
  std::vector<double> b_;
  std::vector<double> c_;
  Numerics result_;
};

}  // namespace

absl::StatusOr<Numerics> CompareNumerics(const Cutter& cutter, const NumericsInput& input,
                                         const ValueFiles& original, const ValueFiles& other,
                                         const ValueFiles* isolated) {
  return Comparer(cutter, input, original, other, isolated).Compare();
}

std::vector<ModuleId> ModulesToKeep(const Numerics& numerics, double least_sqnr) {
  std::vector<ModuleId> kept;
  const auto keep = [&kept](ModuleId module) {
    if (!absl::c_linear_search(kept, module)) kept.push_back(module);
  };
  // Of what is broken nobody knows what is left without it.
  for (const ModuleLoss& loss : numerics.losses) {
    if (std::isinf(numerics.values[loss.compared].lost) && !loss.is_shared) keep(loss.module);
  }
  if (numerics.worst_output == Numerics::kNone) return kept;
  const double sqnr = numerics.values[numerics.worst_output].error.sqnr();
  double left = 1;
  for (const auto& [module, share] : numerics.shares) {
    if (!std::isfinite(sqnr) || left <= 0 || sqnr - 10 * std::log10(left) >= least_sqnr) break;
    keep(module);
    left -= share;
  }
  return kept;
}

}  // namespace onnx_hier
