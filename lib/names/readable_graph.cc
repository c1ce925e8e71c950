// SPDX-License-Identifier: Apache-2.0
#include "lib/names/readable_graph.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "lib/base/rules.h"
#include "lib/names/derived_name.h"
#include "lib/names/dialects/onnxscript.h"
#include "lib/names/flattened_names.h"
#include "lib/names/metadata_scope.h"
#include "lib/names/number.h"
#include "lib/names/parameter_name.h"
#include "lib/names/wording.h"
#include "onnx_hier/graph.h"
#include "onnx_hier/ids.h"

namespace onnx_hier {
namespace {

// --- Names of several operators in one, as TensorFlow Lite gives them to what it fused, where a
// converter has replaced the semicolons between them:
//
//   net/conv1/Relu_net/conv1/BiasAdd_head/Conv2D  ->  net/conv1/Relu;net/conv1/BiasAdd;head/Conv2D
//
// An operator, which begins with a capital, ends where the name of a scope of the file begins.

class JoinedNames {
 public:
  // `graph` must outlive this. Linear in its names.
  explicit JoinedNames(const Graph& graph);

  // Whether there are any.
  bool any() const { return any_; }
  // With semicolons; `text` is where that is kept, untouched where nothing is joined.
  absl::string_view OfNode(NodeId id, std::string& text) const {
    return Part(graph_.node(id).name, text);
  }
  absl::string_view OfTensor(TensorId id, std::string& text) const {
    return Part(graph_.tensor(id).name, text);
  }
  absl::string_view OfValue(ValueId id, std::string& text) const {
    return Part(graph_.value(id).name, text);
  }

 private:
  absl::string_view Part(absl::string_view name, std::string& text) const;

  const Graph& graph_;
  absl::flat_hash_set<absl::string_view> tops_;  // what names begin with, up to the first slash
  bool any_ = false;
};

// Fewer can be called so by chance.
constexpr size_t kFewest = 4;

// Calls `visit` with each place where an operator may end in a component, and the next name begin:
// behind "Relu" and "Relu_1" of "Relu_1_net".
template <class Visit>
void ForEachEnd(absl::string_view component, const Visit& visit) {
  if (!BeginsWithCapital(component)) return;
  const size_t first = component.find('_');
  if (first == absl::string_view::npos) return;
  visit(first);
  const size_t second = component.find('_', first + 1);
  if (second == absl::string_view::npos) return;
  if (IsNumber(component.substr(first + 1, second - first - 1))) visit(second);
}

// The underscores between names that were joined.
std::vector<size_t> Seams(absl::string_view name,
                          const absl::flat_hash_set<absl::string_view>& tops) {
  std::vector<size_t> seams;
  size_t begin = name.find('/');
  while (begin != absl::string_view::npos) {
    ++begin;
    const size_t end = name.find('/', begin);
    // What a name ends with is no scope.
    if (end == absl::string_view::npos) break;
    const absl::string_view component = name.substr(begin, end - begin);
    ForEachEnd(component, [&](size_t at) {
      if (tops.contains(component.substr(at + 1))) seams.push_back(begin + at);
    });
    begin = end;
  }
  return seams;
}

JoinedNames::JoinedNames(const Graph& graph) : graph_(graph) {
  for (NodeId id : graph.node_ids()) {
    const absl::string_view name = graph.node(id).name;
    const size_t slash = name.find('/');
    if (slash != absl::string_view::npos && slash > 0) tops_.insert(name.substr(0, slash));
  }
  if (tops_.empty()) return;
  size_t count = 0;
  for (NodeId id : graph.node_ids()) count += Seams(graph.node(id).name, tops_).empty() ? 0 : 1;
  any_ = count >= kFewest;
}

absl::string_view JoinedNames::Part(absl::string_view name, std::string& text) const {
  const std::vector<size_t> seams = Seams(name, tops_);
  if (seams.empty()) return name;
  text = std::string(name);
  for (size_t seam : seams) text[seam] = ';';
  return text;
}

bool AreRead(const BuilderValues& built) { return built.any() && IsOn(Rule::kBuilderValues); }

// Names as a wording has them read.
class NameReading {
 public:
  // The first three must outlive this.
  NameReading(const Graph& graph, const Wording& wording, const BuilderValues& built)
      : graph_(graph), wording_(wording), built_(built) {
    if (wording.lacks_slash) FindBare();
  }

  // How names are read behind the prefixes: a graph with the same ids.
  void ReadBelow(const Graph& below) {
    below_ = &below;
    separator_ = ModuleSeparator(below);
  }

  // Names as they are read; `text` is where one is kept that has to be made.
  absl::string_view OfNode(NodeId id, std::string& text) const {
    if (below_ != nullptr) return Of(graph_.node(id).name, below_->node(id).name, false, text);
    const absl::string_view name =
        wording_.has_operators ? WithoutOperatorInFront(graph_, id) : graph_.node(id).name;
    const auto bare =
        wording_.lacks_slash && IsBare(id) ? bare_.find(graph_.op(id).type) : bare_.end();
    // A builder counts the nodes of all modules together.
    const bool at_root =
        bare != bare_.end() && (NumberOf(id) < bare->second || HasBuilderCounter(name));
    return at_root ? text = absl::StrCat("/", name) : WithSlash(name, text);
  }
  absl::string_view OfValue(ValueId id, std::string& text) const {
    const Value& value = graph_.value(id);
    if (below_ != nullptr) {
      const absl::string_view owner = OwnerInParameterName(value.name);
      const bool may_be_parameter =
          MayBeParameter(graph_, value) && !IsNamedAfterReader(graph_, id, owner);
      return Of(value.name, below_->value(id).name, may_be_parameter, text);
    }
    if (AreRead(built_) && built_.Read(id, text)) return text;
    return WithSlash(value.name, text);
  }
  absl::string_view OfTensor(TensorId id, std::string& text) const {
    const absl::string_view name = graph_.tensor(id).name;
    return below_ != nullptr ? Of(name, below_->tensor(id).name, true, text)
                             : WithSlash(name, text);
  }

 private:
  absl::string_view Of(absl::string_view name, absl::string_view rest, bool may_be_parameter,
                       std::string& text) const;
  absl::string_view WithSlash(absl::string_view name, std::string& text) const;
  void FindBare();
  // Whether the node is named after its operator alone, and is none that an optimiser put there or
  // in the place of a module's.
  bool IsBare(NodeId id) const {
    return WithoutCounter(graph_.node(id).name) == graph_.op(id).type &&
           graph_.op(id).domain.empty() && !absl::StrContains(NameOfOutput(graph_, id), '/');
  }
  // 0 for "Constant", 12 for "Constant_12"; exporters write no "Constant_0" in a module.
  uint64_t NumberOf(NodeId id) const {
    const absl::string_view name = graph_.node(id).name;
    const size_t length = graph_.op(id).type.size();
    if (name.size() == length) return 0;
    uint64_t number = 0;
    const bool is_number = absl::SimpleAtoi(name.substr(length + 1), &number) && number > 0;
    return is_number ? number : std::numeric_limits<uint64_t>::max();
  }

  const Graph& graph_;
  const Wording& wording_;
  const BuilderValues& built_;
  const Graph* below_ = nullptr;                           // null: there are no prefixes
  char separator_ = '.';                                   // see ModuleSeparator
  absl::flat_hash_map<absl::string_view, uint64_t> bare_;  // of the root module, by operator
};

// Nodes of the root module are counted from "Constant", "Constant_1" on; those of which nothing is
// known have numbers of their own.
void NameReading::FindBare() {
  absl::flat_hash_map<absl::string_view, absl::flat_hash_set<uint64_t>> numbers;
  for (NodeId id : graph_.node_ids()) {
    if (IsBare(id)) numbers[graph_.op(id).type].insert(NumberOf(id));
  }
  for (const auto& [type, known] : numbers) {
    uint64_t count = 0;
    while (known.contains(count)) ++count;
    bare_[type] = count;
  }
}

// `rest`: what is behind the name's prefix, as it is read.
absl::string_view NameReading::Of(absl::string_view name, absl::string_view rest,
                                  bool may_be_parameter, std::string& text) const {
  const absl::string_view prefix = wording_.PrefixOf(name);
  if (prefix.empty()) return rest;
  if (absl::StartsWith(rest, "/")) return text = absl::StrCat("/", ModuleOfPrefix(prefix), rest);
  const absl::string_view owner = may_be_parameter ? OwnerInParameterName(rest) : "";
  const bool has_slashes = owner.empty() || separator_ == '/';
  if (has_slashes && absl::StrContains(rest, '/')) {
    return text = absl::StrCat(ModuleOfPrefix(prefix), "/", rest);
  }
  if (owner.empty()) return rest;
  // "ConvBnFusion_W_" stays in front of it all.
  const auto front = static_cast<size_t>(owner.data() - rest.data());
  return text =
             absl::StrCat(rest.substr(0, front), ModuleOfPrefix(prefix), ".", rest.substr(front));
}

absl::string_view NameReading::WithSlash(absl::string_view name, std::string& text) const {
  if (wording_.lacks_slash && !absl::StartsWith(name, "/") && absl::StrContains(name, '/')) {
    return text = absl::StrCat("/", name);
  }
  return name;
}

void TakePrefixesOff(const Wording& wording, RenamedGraph& bare) {
  const Graph& graph = bare.graph();
  const auto without = [&](absl::string_view name) {
    return name.substr(wording.PrefixOf(name).size());
  };
  for (NodeId id : graph.node_ids()) bare.SetName(id, without(graph.node(id).name));
  for (TensorId id : graph.tensor_ids()) bare.SetName(id, without(graph.tensor(id).name));
  for (ValueId id : graph.value_ids()) bare.SetName(id, without(graph.value(id).name));
}

}  // namespace

ReadableGraph::Model::Model(JoinedModel joined)
    : part(std::move(joined.part)),
      readable(part.graph(), joined.prefix.empty() ? Prefix::kNone : Prefix::kGiven,
               joined.prefix) {}

ReadableGraph::~ReadableGraph() = default;

ReadableGraph::ReadableGraph(const Graph& graph, Prefix prefix, absl::string_view given)
    : graph_(graph) {
  const bool is_searched = prefix == Prefix::kUnknown && IsOn(Rule::kReadableNames);
  if (is_searched && ReadModels(SplitByBranches(graph))) return;
  const absl::string_view shared = is_searched ? SharedPrefix(graph) : given;
  std::optional<FlattenedNames> flattened;
  std::optional<RenamedGraph> unflattened;
  // A builder's values are named by another grammar.
  const BuilderValues built(graph);
  if (shared.empty() && !AreRead(built) && flattened.emplace(graph).has_scopes()) {
    unflattened = Renamed(graph, *flattened);
    sureness_ = flattened->sureness();
  }
  const Graph& read = unflattened.has_value() ? unflattened->graph() : graph;
  Wording wording;
  if (IsOn(Rule::kReadableNames)) {
    wording = shared.empty() ? FindWording(read) : Wording{{shared}};
    if (prefix == Prefix::kNone) wording.prefixes.clear();
  }
  if (!wording.prefixes.empty()) {
    if (is_searched && ReadModels(SplitByPrefixes(graph_, wording.prefixes))) return;
    ReadBehindPrefix(read, wording, built, prefix);
  } else if (!wording.is_as_exported() || AreRead(built)) {
    renamed_ = Renamed(read, NameReading(read, wording, built));
  } else if (unflattened.has_value()) {
    renamed_ = *std::move(unflattened);
  } else if (flattened.has_value() && flattened->any()) {
    renamed_ = Renamed(graph, *flattened);
    sureness_ = flattened->sureness();
  } else if (const JoinedNames joined(graph); joined.any() && IsOn(Rule::kJoinedNames)) {
    renamed_ = Renamed(graph, joined);
  }
}

void ReadableGraph::ReadBehindPrefix(const Graph& read, const Wording& wording,
                                     const BuilderValues& built, Prefix prefix) {
  RenamedGraph bare(read);
  TakePrefixesOff(wording, bare);
  ReadableGraph below(bare.graph(), Prefix::kNone, "");
  names_below_ = std::move(below.names_);
  sureness_ = below.sureness();
  // Metadata says where the nodes of a single model are, and knows nothing of prefixes.
  if (prefix == Prefix::kUnknown && HasScopesInMetadata(read)) {
    renamed_ = below.renamed_.has_value() ? std::move(below.renamed_) : std::move(bare);
    return;
  }
  NameReading reading(read, wording, built);
  reading.ReadBelow(below.graph());
  renamed_ = Renamed(read, reading);
  top_ = ModuleOfPrefix(wording.prefixes[0]);
}

// False: all is one model.
bool ReadableGraph::ReadModels(std::vector<JoinedModel> models) {
  if (models.empty()) return false;
  RenamedGraph& renamed = renamed_.emplace(graph_);
  for (JoinedModel& joined : models) {
    models_.push_back(std::make_unique<Model>(std::move(joined)));
    sureness_.Include(models_.back()->readable.sureness());
    TakeNames(*models_.back(), renamed);
  }
  return true;
}

// What the model reads of others keeps the name that it has there.
void ReadableGraph::TakeNames(const Model& model, RenamedGraph& renamed) const {
  const Graph& graph = model.readable.graph();
  for (NodeId id : graph.node_ids()) {
    renamed.SetName(model.part.InWhole(id), graph.node(id).name);
  }
  for (TensorId id : graph.tensor_ids()) {
    renamed.SetName(model.part.InWhole(id), graph.tensor(id).name);
  }
  for (ValueId id : graph.value_ids()) {
    const NodeId producer = graph_.value(model.part.InWhole(id)).producer;
    if (producer.valid() && !model.part.InPart(producer).valid()) continue;
    renamed.SetName(model.part.InWhole(id), graph.value(id).name);
  }
}

template <class Reading>
RenamedGraph ReadableGraph::Renamed(const Graph& graph, const Reading& reading) {
  RenamedGraph renamed(graph);
  std::string text;
  // Kept where it had to be made.
  const auto keep = [&](absl::string_view name) {
    if (text.empty()) return name;
    name = names_.emplace_back(text);
    text.clear();
    return name;
  };
  for (NodeId id : graph.node_ids()) renamed.SetName(id, keep(reading.OfNode(id, text)));
  for (TensorId id : graph.tensor_ids()) renamed.SetName(id, keep(reading.OfTensor(id, text)));
  for (ValueId id : graph.value_ids()) {
    const absl::string_view name = keep(reading.OfValue(id, text));
    renamed.SetName(id, name);
    // An initializer is called like its value.
    if (graph.value(id).tensor.valid()) renamed.SetName(graph.value(id).tensor, name);
  }
  return renamed;
}

}  // namespace onnx_hier
