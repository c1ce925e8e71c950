// SPDX-License-Identifier: Apache-2.0
#include "lib/owners/module_templates.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "lib/base/hash.h"
#include "lib/base/rules.h"
#include "lib/base/side_task.h"
#include "lib/graph/weight.h"
#include "lib/owners/module_operators.h"
#include "lib/owners/template_growth.h"
#include "onnx_hier_program/threads.h"

namespace onnx_hier {
namespace {

constexpr uint32_t kMostAround = 8;  // modules around a parameter
constexpr size_t kLeastWrapped = 3;  // modules between two operators that are the same
constexpr size_t kMostKeptOut = 16;  // modules that a node is kept out of
// Edges back from a node over which it is compared with others, and one more.
constexpr size_t kEdgesBack = 5;

struct AnchoredModule {
  PathId path;
  uint64_t kind = 0;  // equal for modules that read parameters alike
  uint32_t anchors = 0;
  uint32_t parameters = 0;  // that these read
  bool has_matrix = false;  // one of its anchors reads a weight
  bool adds_only = true;    // all of them add a parameter, as a linear layer its bias
  std::vector<TemplateStep> before;
  size_t taken = 0;  // so many of these steps are in its template
  std::optional<TemplateGrower::Behind> asked;
  std::vector<TemplateStep> behind;  // what is so behind the steps taken
};

size_t CommonSteps(const std::vector<TemplateStep>& a, const std::vector<TemplateStep>& b,
                   size_t most) {
  most = std::min({most, a.size(), b.size()});
  size_t common = 0;
  while (common < most && a[common].key == b[common].key) ++common;
  return common;
}

std::vector<const std::vector<TemplateStep>*> PointersTo(
    const std::vector<std::vector<TemplateStep>>& all) {
  std::vector<const std::vector<TemplateStep>*> pointers;
  pointers.reserve(all.size());
  for (const std::vector<TemplateStep>& steps : all) pointers.push_back(&steps);
  return pointers;
}

// Back to the last step that is a cut for all.
size_t LastCut(absl::Span<const std::vector<TemplateStep>* const> all, size_t steps) {
  while (steps > 0 && !std::all_of(all.begin(), all.end(),
                                   [&](const auto* its) { return (*its)[steps - 1].is_cut; })) {
    --steps;
  }
  return steps;
}

class TemplateFinder {
 public:
  TemplateFinder(const Context& context, const IdSet<PathId>& whole, size_t threads)
      : context_(context),
        whole_(whole),
        flow_(context.flow),
        known_(context.known),
        paths_(context.paths),
        threads_(threads),
        looks_(flow_.size()),
        templates_(flow_.size()) {}

  IdVector<Rank, TemplatePlace> Find() {
    for (Rank i : flow_.ranks()) {
      if (IsAnchor(i)) looks_[i] = AnchorLook(flow_.graph(), context_.evidence, flow_.node(i));
    }
    ListModules();
    if (modules_.empty()) return std::move(templates_);
    GrowBefore();
    for (const AnchoredModule& module : modules_) TakeOwnWeight(module);
    SortByKind();
    ForEachKind([this](absl::Span<AnchoredModule> alike) { CompareBefore(alike); });
    CompareAllBehind(false);
    // Modules may read parameters alike and yet be different: those at the same place once more.
    for (AnchoredModule& module : modules_)
      module.kind = MixHash(module.kind, PlaceOf(module.path));
    SortByKind();
    CompareAllBehind(true);
    return std::move(templates_);
  }

 private:
  bool IsAnchor(Rank rank) const { return known_[rank].valid() && !flow_.is_constant(rank); }

  uint64_t OperatorOf(Rank rank) const { return flow_.graph().node(flow_.node(rank)).op.index(); }

  bool IsLeaf(PathId path) const { return context_.children.count(path) == 0; }

  // A list with one member that parameters name, the first: it is no list of modules alike, and
  // what comes behind has none.
  bool HasFirstAlone(PathId list) const {
    return context_.children.count(list) == 1 && paths_.FindChild(list, "0").valid();
  }

  Surroundings::Interval SpanOf(const AnchoredModule& module) const {
    return context_.surroundings.interval(module.path);
  }

  // Calls `grow` with a grower for each of so many modules.
  void Grow(size_t count, absl::FunctionRef<void(TemplateGrower&, size_t)> grow) {
    const size_t parts = std::min(threads_, count);
    while (growers_.size() < parts) growers_.emplace_back(context_);
    // Modules that stand next to each other are about as large.
    RunOnThreads(parts, parts, [&](size_t part) {
      for (size_t i = part; i < count; i += parts) grow(growers_[part], i);
    });
  }

  void GrowBefore() {
    SideTask compare_nodes(threads_ > 1, [this] {
      FindFollowers();
      FindReaders();
    });
    Grow(modules_.size(), [this](TemplateGrower& grower, size_t i) {
      AnchoredModule& module = modules_[i];
      module.before = grower.GrowBefore(SpanOf(module), IsLeaf(module.path));
    });
  }

  // Those whose parameters are all read in one go.
  void ListModules() {
    IdVector<PathId, AnchoredModule> all(paths_.size());
    std::vector<uint32_t> anchors_before(flow_.size() + 1, 0);
    for (Rank i : flow_.ranks()) {
      anchors_before[i.index() + 1] = anchors_before[i.index()] + (IsAnchor(i) ? 1 : 0);
      if (!IsAnchor(i)) continue;
      const bool has_matrix = ReadsMatrix(flow_.graph(), flow_.node(i));
      const bool adds = MayAddBias(flow_.graph().op(flow_.node(i)));
      const uint32_t parameters = CountParameters(i);
      uint64_t way = 0;
      PathId path = known_[i];
      for (uint32_t k = 0; k < kMostAround && path != paths_.root(); ++k) {
        AnchoredModule& module = all[path];
        module.path = path;
        module.kind = MixHash(module.kind, MixHash(way, looks_[i]));
        module.has_matrix |= has_matrix;
        module.adds_only &= adds;
        ++module.anchors;
        module.parameters += parameters;
        way = MixHash(HashBytes(paths_.name(path)), way);
        path = paths_.parent(path);
      }
    }
    for (AnchoredModule& module : all) {
      if (module.anchors == 0) continue;
      const Surroundings::Interval span = SpanOf(module);
      const uint32_t within =
          anchors_before[span.last.index() + 1] - anchors_before[span.first.index()];
      if (within == module.anchors) modules_.push_back(std::move(module));
    }
  }

  uint32_t CountParameters(Rank rank) const {
    const absl::Span<const ValueId> inputs = flow_.graph().inputs(flow_.node(rank));
    return static_cast<uint32_t>(std::count_if(inputs.begin(), inputs.end(), [&](ValueId value) {
      return value.valid() && context_.evidence.value_owners[value].valid();
    }));
  }

  // Where a bias is all that a module has, the weight that nobody owns before it is its as well.
  void TakeOwnWeight(const AnchoredModule& module) {
    if (!IsLeaf(module.path) || module.parameters != 1 || !module.adds_only || module.has_matrix ||
        module.before.empty() || !module.before[0].has_matrix || !module.before[0].is_cut) {
      return;
    }
    templates_[module.before[0].rank].inside = module.path;
  }

  // The operator behind all anchors of one look.
  void FindFollowers() {
    for (Rank i : flow_.ranks()) {
      if (!IsAnchor(i)) continue;
      uint64_t follower = kNoOperator;
      for (const Flow::Edge& edge : flow_.consumers(i)) {
        follower = IsAnchor(edge.rank) ? kNoOperator : MixHash(follower, OperatorOf(edge.rank));
      }
      const auto [at, added] = followers_.emplace(looks_[i], follower);
      if (!added && at->second != follower) at->second = kNoOperator;
    }
  }

  // The operator that reads all nodes that are made alike, so many edges back.
  void FindReaders() {
    std::vector<uint64_t> before(flow_.size(), 0);
    for (MadeAlike& made : made_) {
      made.hashes.resize(flow_.size());
      for (Rank i : flow_.ranks()) {
        uint64_t hash = OperatorOf(i);
        for (const Flow::Edge& edge : flow_.producers(i)) {
          if (flow_.is_constant(edge.rank)) continue;
          hash = MixHash(hash, MixHash(before[edge.rank.index()], edge.slot));
        }
        made.hashes[i] = hash;
        const absl::Span<const Flow::Edge> readers = flow_.consumers(i);
        const uint64_t reader = readers.empty() ? 1 : MixHash(2, OperatorOf(readers[0].rank));
        const auto [at, added] = made.readers.emplace(hash, reader);
        if (!added && at->second != reader) at->second = kNoOperator;
      }
      std::copy(made.hashes.begin(), made.hashes.end(), before.begin());
    }
  }

  // Whether the like of these steps stands elsewhere as well, where none of the modules is.
  bool StandElsewhere(const std::vector<TemplateStep>& steps, size_t count) const {
    const MadeAlike& made = made_[std::min(count, made_.size()) - 1];
    return made.readers.at(made.hashes[steps[0].rank]) == kNoOperator;
  }

  void SortByKind() {
    std::stable_sort(
        modules_.begin(), modules_.end(),
        [](const AnchoredModule& a, const AnchoredModule& b) { return a.kind < b.kind; });
  }

  // Of modules sorted so.
  template <class Compare>
  void ForEachKind(const Compare& compare) {
    for (size_t begin = 0; begin < modules_.size();) {
      size_t end = begin;
      while (end < modules_.size() && modules_[end].kind == modules_[begin].kind) ++end;
      if (end - begin > 1) compare(absl::MakeSpan(modules_).subspan(begin, end - begin));
      begin = end;
    }
  }

  // Equal for modules that only the numbers of what is around them tell apart.
  uint64_t PlaceOf(PathId path) const {
    uint64_t place = HashBytes(paths_.name(path));
    for (uint32_t k = 0; k < kMostAround && path != paths_.root(); ++k) {
      path = paths_.parent(path);
      if (!paths_.is_number(path)) place = MixHash(place, HashBytes(paths_.name(path)));
    }
    return place;
  }

  void CompareBefore(absl::Span<AnchoredModule> alike) {
    const PathId one = alike[0].path;
    // A list itself is never called. But members of a Sequential without parameters may come first.
    if (context_.children.is_list(one) && paths_.FindChild(one, "0").valid()) return;
    const bool leaf = IsLeaf(one);
    std::vector<const std::vector<TemplateStep>*> steps;
    size_t common = alike[0].before.size();
    for (const AnchoredModule& module : alike) {
      steps.push_back(&module.before);
      common = CommonSteps(alike[0].before, module.before, common);
      if (whole_.Contains(module.path)) common = 0;
    }
    const size_t shared = common;
    if (leaf) KeepOut(alike, steps, shared, Side::kBefore);
    common = LastCut(steps, leaf ? LimitToLeaf(alike[0], common) : common);
    if (leaf) {
      const size_t plain = common;
      common = WithoutPlain(alike[0].before, common);
      if (common < plain) Unwrap(alike, steps, common);
    }
    if (!IsBorder(alike, common)) return;
    for (AnchoredModule& module : alike) module.taken = common;
    if (!leaf) KeepOut(alike, steps, shared, Side::kBefore);
    PutInside(alike, steps, common);
  }

  enum class Side { kBefore, kBehind };
  // Nodes that not all of these modules have beside them are in none of them. What runs behind a
  // module and reads what comes into it may be.
  void KeepOut(absl::Span<const AnchoredModule> alike,
               absl::Span<const std::vector<TemplateStep>* const> steps, size_t shared, Side side) {
    if (!IsOn(Rule::kKeptOut)) return;
    for (size_t i = 0; i < alike.size(); ++i) {
      const Rank first = SpanOf(alike[i]).first;
      for (size_t k = shared; k < steps[i]->size(); ++k) {
        const Rank rank = (*steps[i])[k].rank;
        if (side == Side::kBefore && rank > first) continue;
        auto& not_in = templates_[rank].not_in;
        if (not_in.size() < kMostKeptOut) not_in.push_back(alike[i].path);
      }
    }
  }

  // A module that holds no others has one weight, and one whose parameters feed another operator
  // than the bias's has none besides: a convolution is not in the norm behind it.
  static size_t LimitToLeaf(const AnchoredModule& module, size_t steps) {
    bool has_matrix = module.has_matrix || !module.adds_only;
    for (size_t k = 0; k < steps; ++k) {
      if (!module.before[k].has_matrix) continue;
      if (has_matrix) return k;
      has_matrix = true;
    }
    return steps;
  }

  // What only passes a value on to a module that holds no others is seldom a part of it.
  static size_t WithoutPlain(const std::vector<TemplateStep>& steps, size_t count) {
    while (count > 0 && steps[count - 1].is_plain && (count == 1 || steps[count - 2].is_cut)) {
      --count;
    }
    return count;
  }

  // Where all of these stand between two operators that are the same, in different places, what is
  // done to their input is undone after them.
  void Unwrap(absl::Span<const AnchoredModule> alike,
              absl::Span<const std::vector<TemplateStep>* const> steps, size_t before) {
    if (alike.size() < kLeastWrapped || !IsBorder(alike, before + 1)) return;
    std::vector<std::vector<TemplateStep>> all;
    bool differ = false;
    for (const AnchoredModule& module : alike) {
      const auto taken = absl::MakeConstSpan(module.before).subspan(0, before + 1);
      all.push_back(growers_[0].GrowBehind(SpanOf(module), taken, {false, true}));
      const std::vector<TemplateStep>& its = all.back();
      if (its.empty() || !its[0].is_cut || its[0].key != all[0][0].key || its[0].has_matrix ||
          OperatorOf(its[0].rank) != OperatorOf(module.before[before].rank)) {
        return;
      }
      differ |= KindOf(its[0].beyond) != KindOf(all[0][0].beyond);
    }
    if (!differ) return;
    PutInside(alike, steps, before + 1);
    PutInside(alike, PointersTo(all), 1);
  }

  // Whether the border of these modules is known to be at that step.
  bool IsBorder(absl::Span<const AnchoredModule> alike, size_t steps) const {
    if (steps == 0) return false;
    const auto beyond = [&](const AnchoredModule& module) {
      return module.before[steps - 1].beyond;
    };
    const uint64_t first = KindOf(beyond(alike[0]));
    bool differ = false;
    bool open = false;
    bool may_be_theirs = true;
    for (const AnchoredModule& module : alike) {
      const Rank source = beyond(module);
      differ |= KindOf(source) != first;
      open |= source.valid() && !known_[source].valid();
      may_be_theirs &=
          source.valid() && IsAnchor(source) && followers_.at(looks_[source]) != kNoOperator;
    }
    if ((!differ && !open) || may_be_theirs) return false;
    if (!IsLeaf(alike[0].path)) return !StandElsewhere(alike[0].before, steps);
    // A linear layer may always stand behind the same code, which is not in it.
    return differ || !alike[0].has_matrix;
  }

  // What a node beyond the border is, as far as it tells places apart.
  uint64_t KindOf(Rank rank) const {
    if (!rank.valid()) return 1;
    if (!IsAnchor(rank)) return MixHash(2, OperatorOf(rank));
    PathId named = known_[rank];
    while (named != paths_.root() && paths_.is_number(named)) named = paths_.parent(named);
    return MixHash(MixHash(3, looks_[rank]), HashBytes(paths_.name(named)));
  }

  void CompareAllBehind(bool at_one_place) {
    std::vector<AnchoredModule*> asked;
    ForEachKind([&](absl::Span<AnchoredModule> alike) { AskBehind(alike, asked); });
    Grow(asked.size(), [&](TemplateGrower& grower, size_t i) {
      AnchoredModule& module = *asked[i];
      const auto taken = absl::MakeConstSpan(module.before).subspan(0, module.taken);
      module.behind = grower.GrowBehind(SpanOf(module), taken, *module.asked);
    });
    ForEachKind(
        [&](absl::Span<const AnchoredModule> alike) { CompareBehind(alike, at_one_place); });
  }

  // Whether there may be anything of theirs behind modules like this one.
  bool MayGoOn(PathId one) const {
    return !IsLeaf(one) && (!context_.children.is_list(one) || HasFirstAlone(one));
  }

  // Which of these are to be grown, if not once more the same way.
  void AskBehind(absl::Span<AnchoredModule> alike, std::vector<AnchoredModule*>& asked) const {
    if (!MayGoOn(alike[0].path)) return;
    // What holds a list never joins: its members do. Behind one of these another member may stand
    // of which nothing is known.
    TemplateGrower::Behind behind = {true, true};
    for (const AnchoredModule& module : alike) {
      const bool is_member = paths_.is_number(module.path);
      behind.may_join &= is_member;
      behind.may_pass &=
          !is_member || context_.children.has_all_numbers(paths_.parent(module.path));
    }
    for (AnchoredModule& module : alike) {
      if (module.asked == behind) continue;
      module.asked = behind;
      asked.push_back(&module);
    }
  }

  void CompareBehind(absl::Span<const AnchoredModule> alike, bool at_one_place) {
    if (!MayGoOn(alike[0].path)) return;
    std::vector<const std::vector<TemplateStep>*> steps;
    steps.reserve(alike.size());
    for (const AnchoredModule& module : alike) steps.push_back(&module.behind);
    const std::vector<TemplateStep>& first = *steps[0];
    size_t common = first.size();
    for (const auto* its : steps) common = CommonSteps(first, *its, common);
    common = LastCut(steps, common);
    const auto differs = [&](const std::vector<TemplateStep>* its) {
      return KindOf((*its)[common - 1].beyond) != KindOf(first[common - 1].beyond);
    };
    if (common > 0 && std::any_of(steps.begin(), steps.end(), differs)) {
      PutInside(alike, steps, common);
      if (at_one_place) KeepOut(alike, steps, common, Side::kBehind);
    }
  }

  void PutInside(absl::Span<const AnchoredModule> alike,
                 absl::Span<const std::vector<TemplateStep>* const> steps, size_t count) {
    for (size_t i = 0; i < alike.size(); ++i) {
      // What the first one is like would be like it in turn: its parameters are what tells.
      const auto twin = [&](size_t k) {
        return i == 0 ? SpanOf(alike[i]).last : (*steps[i - 1])[k].rank;
      };
      for (size_t k = 0; k < count; ++k) {
        const TemplateStep& step = (*steps[i])[k];
        TemplatePlace& module_template = templates_[step.rank];
        if (module_template.inside.valid() &&
            !paths_.Contains(module_template.inside, alike[i].path))
          continue;
        module_template.inside = alike[i].path;
        module_template.twin = twin(k);
        module_template.joins = step.joins;
      }
    }
  }

  static constexpr uint64_t kNoOperator = 0;
  struct MadeAlike {
    IdVector<Rank, uint64_t> hashes;                  // equal for nodes that are made alike
    absl::flat_hash_map<uint64_t, uint64_t> readers;  // of these; kNoOperator: different ones
  };

  const Context& context_;
  const IdSet<PathId>& whole_;
  const Flow& flow_;
  const KnownModules& known_;
  const ModulePaths& paths_;
  const size_t threads_;
  std::deque<TemplateGrower> growers_;  // of threads
  IdVector<Rank, uint64_t> looks_;      // of anchors
  std::vector<AnchoredModule> modules_;
  absl::flat_hash_map<uint64_t, uint64_t> followers_;  // by look; kNoOperator: different ones
  std::array<MadeAlike, kEdgesBack> made_;             // by 0, 1, ... edges
  IdVector<Rank, TemplatePlace> templates_;
};

}  // namespace

IdVector<Rank, TemplatePlace> FindTemplatePlaces(const Context& context, const IdSet<PathId>& whole,
                                                 size_t threads) {
  return TemplateFinder(context, whole, threads).Find();
}

}  // namespace onnx_hier
