// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "lib/graph/weight.h"
#include "lib/profile/fused_operators.h"
#include "lib/profile/inlined_calls.h"
#include "lib/profile/node_finder.h"
#include "lib/profile/run_order.h"
#include "lib/profile/servants.h"
#include "onnx_hier/graph.h"
#include "onnx_hier/hierarchy.h"
#include "onnx_hier/ids.h"
#include "onnx_hier/profile.h"

namespace onnx_hier {
namespace {

// --- Which weighted node was fused with the nodes behind it.
//
//   Conv -> BatchNormalization -> Add -> Relu     a kernel named after the Relu is the Conv's
//
// An Add has two branches: the nearer weight is meant, if no other kernel has it, and if several
// are as near, the one whose size the runtime says.

class FusedWeights {
 public:
  explicit FusedWeights(const Graph& graph) : graph_(graph), taken_(graph.node_count()) {}

  // Another kernel has this node's weight.
  void Take(NodeId node) { taken_.Add(node); }

  // The weighted nodes that may have been fused with `node`: one as a rule, several where nothing
  // tells them apart.
  std::vector<NodeId> Before(NodeId node, uint64_t parameter_bytes) const;

 private:
  // The nodes that make what these read, if they have no weights; those that have go to `*found`.
  std::vector<NodeId> StepBack(const std::vector<NodeId>& nodes, std::vector<NodeId>* found) const;
  uint64_t WeightBytes(NodeId node) const;

  const Graph& graph_;
  IdSet<NodeId> taken_;
};

// Of nodes between a weight and the last one that is fused with it. onnxruntime's longest chain is
// the one above; HardSwish adds three.
constexpr size_t kMostSteps = 6;
constexpr size_t kMostNodes = 32;

std::vector<NodeId> FusedWeights::StepBack(const std::vector<NodeId>& nodes,
                                           std::vector<NodeId>* found) const {
  std::vector<NodeId> before;
  for (NodeId node : nodes) {
    for (ValueId value : graph_.inputs(node)) {
      const NodeId maker = value.valid() ? graph_.value(value).producer : NodeId();
      if (!maker.valid()) continue;
      std::vector<NodeId>& list = IsWeighted(graph_.op(maker).type) ? *found : before;
      if (&list == found && taken_.Has(maker)) continue;
      if (std::find(list.begin(), list.end(), maker) == list.end()) list.push_back(maker);
    }
    if (before.size() > kMostNodes) break;
  }
  return before;
}

uint64_t FusedWeights::WeightBytes(NodeId node) const {
  uint64_t bytes = 0;
  for (ValueId value : graph_.inputs(node)) {
    const TensorId tensor = value.valid() ? graph_.value(value).tensor : TensorId();
    if (tensor.valid()) bytes = std::max(bytes, graph_.tensor(tensor).bytes);
  }
  return bytes;
}

std::vector<NodeId> FusedWeights::Before(NodeId node, uint64_t parameter_bytes) const {
  std::vector<NodeId> found;
  std::vector<NodeId> at = {node};
  for (size_t step = 0; step < kMostSteps && found.empty(); ++step) at = StepBack(at, &found);
  if (found.size() < 2 || parameter_bytes == 0) return found;
  // A bias may have come to the weight.
  std::vector<NodeId> fitting;
  uint64_t largest = 0;
  for (NodeId candidate : found) {
    const uint64_t bytes = WeightBytes(candidate);
    if (bytes > parameter_bytes || bytes < largest) continue;
    if (bytes > largest) fitting.clear();
    largest = bytes;
    fitting.push_back(candidate);
  }
  return fitting.empty() ? found : fitting;
}

class KernelPlacer {
 public:
  KernelPlacer(const Hierarchy& hierarchy, const Profile& profile)
      : hierarchy_(hierarchy),
        graph_(hierarchy.graph()),
        tree_(hierarchy.modules()),
        profile_(profile),
        finder_(graph_),
        weights_(graph_),
        calls_(hierarchy),
        places_(profile.kernels.size()),
        call_of_(profile.kernels.size()),
        ends_(profile.kernels.size()),
        order_(graph_, profile.kernels),
        steps_left_(kStepsPerNode * graph_.node_count()) {}

  std::vector<KernelPlace> Run() {
    for (size_t i = 0; i < places_.size(); ++i) PlaceByName(i);
    PlaceInlined();
    // Only now it is known whose weights are taken.
    for (size_t i : wanting_) PlaceWithWeight(i);
    PlaceNameless();
    if (profile_.kind == ProfileKind::kOnnxRuntime && IsOfThisModel()) PlaceByOrder();
    const bool is_in_order =
        profile_.kind != ProfileKind::kTimes && profile_.kind != ProfileKind::kTable;
    if (is_in_order && IsOfThisModel()) PlaceBySequence();
    return std::move(places_);
  }

 private:
  // Kernels of an engine share its nodes out among them.
  static constexpr uint64_t kStepsPerNode = 16;
  static constexpr size_t kLeastShare = 8;
  // Operators of which there are more in bodies are not told apart.
  static constexpr size_t kMostAlike = 64;

  const Kernel& kernel(size_t i) const { return profile_.kernels[i]; }

  // What holds both; one that is none is left out.
  ModuleId Join(ModuleId a, ModuleId b) const {
    if (!a.valid()) return b;
    while (b.valid() && !tree_.Contains(a, b)) a = tree_.module(a).parent;
    return a;
  }

  void Place(size_t i, ModuleId module, PlacedBy by, NodeId node = NodeId()) {
    places_[i] = {module, node, node, by};
    if (!ends_[i].valid()) ends_[i] = node;
  }

  void PlaceByName(size_t i) {
    FoundNodes found = finder_.Find(kernel(i));
    if (found.empty() && profile_.kind == ProfileKind::kTable) {
      found = finder_.FindSanitised(kernel(i).name);
    }
    if (found.empty() || IsElsewhere(i, found)) return;
    if (found.by == PlacedBy::kParts) KeepWeighted(found.nodes);
    ModuleId module;
    for (NodeId node : found.nodes) module = Join(module, hierarchy_.ModuleOf(node));
    for (const auto& [first, last] : found.ranges)
      module = Join(module, ModuleOfRange(first, last));
    const NodeId only = found.nodes.size() == 1 && found.ranges.empty() ? found.nodes[0] : NodeId();
    Place(i, module, found.by, only);
    if (!only.valid()) {
      if (!found.nodes.empty()) places_[i].first = found.nodes[0];
      return;
    }
    if (IsWeighted(graph_.op(only).type)) {
      weights_.Take(only);
    } else if (IsWeighted(kernel(i).op_type)) {
      wanting_.push_back(i);
    }
  }

  // Of nodes of the same name, those of the hierarchy's graph are meant, if there are any.
  bool IsElsewhere(size_t i, FoundNodes& found) {
    const auto is_elsewhere = [this](NodeId node) { return !hierarchy_.ModuleOf(node).valid(); };
    const NodeId first = found.nodes.empty() ? found.ranges[0].first : found.nodes[0];
    std::erase_if(found.nodes, is_elsewhere);
    std::erase_if(found.ranges, [&](const auto& range) { return is_elsewhere(range.first); });
    if (found.empty()) Place(i, ModuleId(), found.by, first);
    return found.empty();
  }

  // A node of a function's body stands for one of each call.
  void PlaceInlined() {
    std::vector<size_t> inlined;
    for (size_t i = 0; i < places_.size(); ++i) {
      if (!places_[i].first.valid() || !calls_.IsInBody(places_[i].first)) continue;
      calls_.Note(places_[i].first, kernel(i).name);
      inlined.push_back(i);
    }
    if (inlined.empty()) return;
    for (NodeId node : graph_.node_ids()) {
      if (calls_.IsInBody(node)) in_bodies_[KindOf(graph_, node)].push_back(node);
    }
    for (size_t i : inlined) {
      const NodeId node = places_[i].first;
      const std::optional<uint32_t> call = calls_.CallOf(node, kernel(i).name);
      if (call) places_[i].module = calls_.ModuleIn(*call, node);
      call_of_[i] = call;
    }
    call_before_ = call_of_;
    call_after_ = call_of_;
    for (size_t i = 1; i < call_of_.size(); ++i) {
      if (!call_before_[i]) call_before_[i] = call_before_[i - 1];
    }
    for (size_t i = call_of_.size() - 1; i-- > 0;) {
      if (!call_after_[i]) call_after_[i] = call_after_[i + 1];
    }
  }

  // Which node of which body a kernel was made of, where calls that are known ran before and after
  // it, and between them one such node alone.
  bool PlaceInBody(size_t i) {
    const auto nodes = in_bodies_.find(KindOf(kernel(i).op_type));
    if (nodes == in_bodies_.end() || nodes->second.size() > kMostAlike) return false;
    NodeId only;
    uint32_t call = 0;
    for (NodeId node : nodes->second) {
      const absl::Span<const uint32_t> calls =
          calls_.CallsBetween(node, call_before_[i], call_after_[i]);
      if (calls.empty()) continue;
      if (only.valid() || calls.size() > 1) return false;
      only = node;
      call = calls[0];
    }
    if (only.valid()) Place(i, calls_.ModuleIn(call, only), PlacedBy::kSequence, only);
    return only.valid();
  }

  // Of nodes that were fused, those with weights say where the kernel is, if there are any.
  void KeepWeighted(std::vector<NodeId>& nodes) const {
    const auto is_weighted = [&](NodeId node) { return IsWeighted(graph_.op(node).type); };
    if (std::none_of(nodes.begin(), nodes.end(), is_weighted)) return;
    nodes.erase(
        std::remove_if(nodes.begin(), nodes.end(), [&](NodeId node) { return !is_weighted(node); }),
        nodes.end());
  }

  // Nodes between two of one graph, in its order.
  ModuleId ModuleOfRange(NodeId first, NodeId last) {
    ModuleId module = Join(hierarchy_.ModuleOf(first), hierarchy_.ModuleOf(last));
    if (graph_.node(first).block != graph_.node(last).block) return module;
    const absl::Span<const NodeId> nodes = graph_.nodes(graph_.node(first).block);
    for (uint32_t at = graph_.node(first).index; at < graph_.node(last).index; ++at) {
      if (module == tree_.root() || steps_left_ == 0) return tree_.root();
      --steps_left_;
      module = Join(module, hierarchy_.ModuleOf(nodes[at]));
    }
    return module;
  }

  // Such as a Conv that bears the name of the Relu it was fused with.
  void PlaceWithWeight(size_t i) {
    const std::vector<NodeId> nodes = weights_.Before(places_[i].node, kernel(i).parameter_bytes);
    if (nodes.empty()) return;
    ModuleId module;
    for (NodeId node : nodes) module = Join(module, hierarchy_.ModuleOf(node));
    Place(i, module, PlacedBy::kParts, nodes.size() == 1 ? nodes[0] : NodeId());
    if (nodes.size() == 1) weights_.Take(nodes[0]);
  }

  // onnxruntime calls a nameless node "MatMul_12", by its own number of it.
  bool IsNameless(size_t i) const {
    const std::optional<uint32_t> number = kernel(i).index;
    return places_[i].by == PlacedBy::kNone && number &&
           kernel(i).name == absl::StrCat(kernel(i).op_type, "_", *number);
  }

  void PlaceNameless() {
    std::vector<size_t> nameless;
    for (size_t i = 0; i < places_.size(); ++i) {
      if (IsNameless(i)) nameless.push_back(i);
    }
    if (!nameless.empty() && !PlaceByNumber(nameless)) PlaceByTurn(nameless);
  }

  // In a model as it was loaded, a number is a place in the file. Constants are taken out before.
  bool PlaceByNumber(const std::vector<size_t>& nameless) {
    std::vector<NodeId> numbered;
    for (NodeId node : graph_.nodes(graph_.main_block())) {
      if (graph_.op(node).type != "Constant") numbered.push_back(node);
    }
    const auto node_of = [&](size_t i) {
      const uint32_t number = kernel(i).index.value_or(0);
      return number < numbered.size() ? numbered[number] : NodeId();
    };
    const bool fits = std::all_of(nameless.begin(), nameless.end(), [&](size_t i) {
      const NodeId node = node_of(i);
      return !node.valid() ||
             (graph_.node(node).name.empty() && graph_.op(node).type == kernel(i).op_type);
    });
    if (!fits) return false;
    for (size_t i : nameless) {
      const NodeId node = node_of(i);
      if (node.valid()) Place(i, hierarchy_.ModuleOf(node), PlacedBy::kNumber, node);
    }
    return true;
  }

  // A model that was saved once it was optimised has its nodes in the order in which they run.
  void PlaceByTurn(const std::vector<size_t>& nameless) {
    absl::flat_hash_map<absl::string_view, std::vector<NodeId>> nodes;
    for (NodeId node : graph_.nodes(graph_.main_block())) {
      if (graph_.node(node).name.empty()) nodes[graph_.op(node).type].push_back(node);
    }
    absl::flat_hash_map<absl::string_view, std::vector<size_t>> kernels;
    for (size_t i : nameless) kernels[kernel(i).op_type].push_back(i);
    for (const auto& [op_type, numbers] : kernels) {
      const std::vector<NodeId>& alike = nodes[op_type];
      if (alike.size() != numbers.size()) continue;
      for (size_t i = 0; i < alike.size(); ++i) {
        Place(numbers[i], hierarchy_.ModuleOf(alike[i]), PlacedBy::kNumber, alike[i]);
      }
    }
  }

  static bool IsKnown(const KernelPlace& place) { return place.by != PlacedBy::kNone; }

  // Only where enough kernels are known: else it may be the profile of another model. Small models
  // with quantised weights have up to five kernels that were put in for one that was there.
  bool IsOfThisModel() const {
    const auto known = std::count_if(places_.begin(), places_.end(), IsKnown);
    return static_cast<size_t>(known) * kLeastShare >= places_.size();
  }

  // What onnxruntime gave a name of its own.
  void PlaceByOrder() {
    std::vector<size_t> open;
    std::vector<size_t> servants;
    for (size_t i = 0; i < places_.size(); ++i) {
      if (IsKnown(places_[i])) {
        NoteWhenRan(i);
      } else {
        (ServedBy(kernel(i)) == Served::kNone ? open : servants).push_back(i);
      }
    }
    const auto is_placed = [this](size_t i) { return PlaceInBody(i); };
    open.erase(std::remove_if(open.begin(), open.end(), is_placed), open.end());
    for (const AlignedKernel& found : order_.Align(open)) {
      if (calls_.IsInBody(found.node)) continue;
      Place(found.kernel, hierarchy_.ModuleOf(found.node),
            found.is_only ? PlacedBy::kOrder : PlacedBy::kSequence, found.node);
    }
    const Servants all(graph_, profile_.kernels, places_, ends_, order_);
    for (size_t i : servants) PlaceServant(all, i, ServedBy(kernel(i)));
    for (size_t i : open) {
      if (!IsKnown(places_[i])) PlaceServant(all, i, ServedByIfMade(kernel(i)));
    }
  }

  // A kernel that bears the name of another operator says nothing of when that ran.
  void NoteWhenRan(size_t i) {
    if (!ends_[i].valid()) return;
    for (NodeId node : {places_[i].node, ends_[i]}) {
      const bool is_it =
          KindOf(kernel(i).op_type) == KindOf(graph_, node) || IsWeighted(kernel(i).op_type);
      if (is_it) order_.Ran(node, i);
    }
  }

  void PlaceServant(const Servants& servants, size_t i, Served served) {
    const ServedNode found = servants.Find(i, served);
    if (!found.node.valid()) return;
    const bool is_called = found.beside < places_.size() && call_of_[found.beside];
    Place(i, is_called ? places_[found.beside].module : hierarchy_.ModuleOf(found.node),
          PlacedBy::kOrder, found.node);
  }

  void PlaceBySequence() {
    ModuleId before = tree_.root();
    for (size_t i = 0; i < places_.size();) {
      size_t end = i;
      while (end < places_.size() && !IsKnown(places_[end])) ++end;
      const ModuleId after = end < places_.size() ? places_[end].module : tree_.root();
      for (size_t k = i; k < end; ++k) Place(k, Join(before, after), PlacedBy::kSequence);
      before = after;
      i = end + 1;
    }
  }

  const Hierarchy& hierarchy_;
  const Graph& graph_;
  const ModuleTree& tree_;
  const Profile& profile_;
  const NodeFinder finder_;
  FusedWeights weights_;
  InlinedCalls calls_;
  absl::flat_hash_map<absl::string_view, std::vector<NodeId>> in_bodies_;  // nodes, by kind
  std::vector<KernelPlace> places_;
  std::vector<std::optional<uint32_t>> call_of_;      // by kernel: of which it is a node, if of one
  std::vector<std::optional<uint32_t>> call_before_;  // the nearest one that is known of
  std::vector<std::optional<uint32_t>> call_after_;
  std::vector<NodeId> ends_;  // the node that a kernel's name means: the last that was fused
  RunOrder order_;
  std::vector<size_t> wanting_;  // kernels with weights that are named after a node without
  uint64_t steps_left_;
};

// One place for each kernel.
std::vector<KernelPlace> PlaceKernels(const Hierarchy& hierarchy, const Profile& profile) {
  return KernelPlacer(hierarchy, profile).Run();
}

// What a kernel counts for in its module.
absl::string_view WordOf(const Graph& graph, const Kernel& kernel, NodeId node, MeasureUnit unit) {
  if (unit == MeasureUnit::kWords) return kernel.word;
  return kernel.op_type.empty() && node.valid() ? graph.op(node).type
                                                : absl::string_view(kernel.op_type);
}

// What nodes have, of which kernels are known.
void SetNodes(const Graph& graph, const Profile& profile, PlacedProfile& placed) {
  IdVector<NodeId, Amount> amounts(graph.node_count());
  for (size_t i = 0; i < profile.kernels.size(); ++i) {
    const NodeId node = placed.places[i].first;
    if (!node.valid()) continue;
    const Amount amount = profile.kernels[i].amount;
    if (profile.measure.adds == Adds::kSum) {
      amounts[node] += amount;
    } else {
      amounts[node] = std::max(amounts[node], amount);
    }
  }
  for (NodeId node : graph.node_ids()) {
    if (!amounts[node].is_zero()) placed.amounts.SetNode(node, amounts[node]);
  }
}

}  // namespace

absl::string_view PlacedByName(PlacedBy by) {
  constexpr absl::string_view kNames[kPlacedByCount] = {"name",  "output",   "parts", "number",
                                                        "order", "sequence", "none"};
  return kNames[static_cast<size_t>(by)];
}

size_t MostNamesOf(const Graph& graph) {
  constexpr size_t kNamesPerNode = 8;
  constexpr size_t kFewestNames = size_t{1} << 15;
  return kNamesPerNode * graph.node_count() + kFewestNames;
}

namespace {

PlacedProfile AddUp(const Hierarchy& hierarchy, const Profile& profile,
                    std::vector<KernelPlace> places) {
  const Graph& graph = hierarchy.graph();
  const ModuleTree& modules = hierarchy.modules();
  PlacedProfile placed;
  placed.places = std::move(places);
  placed.amounts = Column(profile.measure, modules);
  placed.calls = Column({"calls", "calls", MeasureUnit::kCount}, modules);
  for (size_t i = 0; i < profile.kernels.size(); ++i) {
    const Kernel& kernel = profile.kernels[i];
    const KernelPlace& place = placed.places[i];
    const absl::string_view word = WordOf(graph, kernel, place.node, profile.measure.unit);
    placed.amounts.AddPart(place.module, kernel.amount, word, kernel.calls);
    placed.amounts.AddUnknown(place.module, kernel.unknown);
    placed.calls.Add(place.module, Amount(kernel.calls));
  }
  placed.amounts.AddUp(modules);
  placed.calls.AddUp(modules);
  if (profile.measure.unit != MeasureUnit::kWords) SetNodes(graph, profile, placed);
  return placed;
}

}  // namespace

PlacedProfile PlaceProfile(const Hierarchy& hierarchy, const Profile& profile) {
  return AddUp(hierarchy, profile, PlaceKernels(hierarchy, profile));
}

void LeaveOutOthers(const Hierarchy& hierarchy, Profile& profile, PlacedProfile& placed) {
  constexpr auto kLeftOut = static_cast<uint32_t>(-1);
  const auto is_elsewhere = [](const KernelPlace& place) {
    return place.first.valid() && !place.module.valid();
  };
  if (std::none_of(placed.places.begin(), placed.places.end(), is_elsewhere)) return;
  std::vector<Kernel> kernels;
  std::vector<KernelPlace> places;
  std::vector<uint32_t> numbers;  // by kernel: its new one
  for (size_t i = 0; i < profile.kernels.size(); ++i) {
    const KernelPlace& place = placed.places[i];
    numbers.push_back(is_elsewhere(place) ? kLeftOut : static_cast<uint32_t>(kernels.size()));
    if (is_elsewhere(place)) continue;
    kernels.push_back(std::move(profile.kernels[i]));
    places.push_back(place);
  }
  profile.kernels = std::move(kernels);
  if (profile.others != Profile::kNone) profile.others = numbers[profile.others];
  std::erase_if(profile.last_run, [&](KernelSpan& span) {
    span.kernel = numbers[span.kernel];
    return span.kernel == kLeftOut;
  });
  placed = AddUp(hierarchy, profile, std::move(places));
}

}  // namespace onnx_hier
