// SPDX-License-Identifier: Apache-2.0
#include "lib/audit/name_evidence.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "lib/graph/parameter_parts.h"
#include "lib/names/derived_name.h"
#include "lib/names/dialects/torchscript.h"
#include "lib/names/parameter_name.h"
#include "lib/names/printed_scopes.h"
#include "lib/names/scoped_name.h"
#include "lib/owners/call_places.h"
#include "lib/owners/class_paths.h"
#include "lib/owners/evidence.h"
#include "lib/owners/module_operators.h"
#include "lib/owners/rule_places.h"

namespace onnx_hier {
namespace {

// Tags are class names if nearly all begin with one capitalised name that no scope begins with.
constexpr double kClassTags = 0.95;
constexpr absl::string_view kLibrary = "torch.nn.";

PathId FirstAtom(PathId path, const ModulePaths& paths) {
  if (!path.valid() || path == paths.root()) return PathId();
  return paths.AncestorAtDepth(path, 1);
}

// Copies paths from one tree of names to another, each once.
class Translator {
 public:
  Translator(const ModulePaths& from, ModulePaths& to) : from_(from), to_(to) {}

  PathId operator()(PathId path) {
    // A path comes after the one around it.
    for (size_t i = known_.size(); i <= path.index(); ++i) {
      const PathId id(i);
      known_.push_back(i == 0 ? to_.root() : to_.Child(known_[from_.parent(id)], from_.name(id)));
    }
    return known_[path];
  }

 private:
  const ModulePaths& from_;
  ModulePaths& to_;
  IdVector<PathId, PathId> known_;
};

class NameEvidenceCollector {
 public:
  NameEvidenceCollector(const ReadableGraph& readable, const ModuleMap& module_map, Tags& tags)
      : graph_(readable.graph()),
        tags_(tags),
        evidence_(CollectEvidence(readable, PathsOf(module_map, tags.paths()), tags.paths())),
        nodes_(graph_.node_count()),
        owners_(graph_.value_count()) {
    if (tags.calls != nullptr && readable.models().empty()) {
      calls_.emplace(graph_, *tags.calls, tags.paths(), evidence_);
    }
    if (tags.rules != nullptr) FollowRules(*tags.rules);
  }

  NameEvidence Collect(const ModuleMap& module_map) {
    ReadScopes();
    FindOwners();
    for (NodeId id : graph_.node_ids()) {
      nodes_[id].module = evidence_.nodes[id].place;
      nodes_[id].other_module = evidence_.nodes[id].other_place;
      nodes_[id].owner = OwnerOf(id);
    }
    FindClasses(module_map);
    return {std::move(nodes_), std::move(evidence_)};
  }

 private:
  // Names of nodes that are elsewhere by rules say nothing any more.
  void FollowRules(const AppliedRules& rules) {
    IdVector<NodeId, PathId> before(graph_.node_count());
    for (NodeId id : graph_.node_ids()) before[id] = evidence_.nodes[id].place;
    const RulePlaces places(rules, tags_.paths());
    places.Place(evidence_);
    places.Rename(evidence_);
    by_rule_.Resize(graph_.node_count());
    for (NodeId id : graph_.node_ids()) {
      if (evidence_.nodes[id].place != before[id]) by_rule_.Add(id);
    }
  }

  void ReadScopes() {
    PrintedScopes printed(TorchScopes());
    Translator translate(printed.paths(), tags_.paths());
    for (NodeId id : graph_.node_ids()) {
      // Names in a body are the same in all calls, or begin with the call's.
      if (calls_.has_value() && calls_->IsInCall(id)) continue;
      if (by_rule_.Contains(id)) continue;
      const absl::string_view op_type = graph_.op(id).type;
      const absl::string_view text = graph_.node(id).name;
      const auto [name, is_own] = printed.OfNodeName(text, op_type);
      if (name.valid()) {
        nodes_[id].name = translate(printed.scope(name).path);
        nodes_[id].fused = !is_own;
      }
      for (ValueId value : graph_.outputs(id)) {
        if (!value.valid()) continue;
        const ScopeId output = printed.OfValueName(graph_.value(value).name);
        if (output.valid()) nodes_[id].output = translate(printed.scope(output).path);
        break;
      }
    }
  }

  void FindClasses(const ModuleMap& module_map) {
    const ClassPaths classes(tags_.paths(), evidence_, module_map);
    absl::flat_hash_map<PathId, KnownClasses> known;
    for (NodeNameEvidence& said : nodes_) {
      if (!said.module.valid()) continue;
      const auto [entry, added] = known.try_emplace(said.module);
      if (added) entry->second = ClassesOf(classes, said.module);
      said.classes = entry->second;
    }
  }

  KnownClasses ClassesOf(const ClassPaths& classes, PathId module) {
    KnownClasses known;
    const std::string path = classes.ClassPath(module);
    if (path.empty()) return known;
    ModulePaths& paths = tags_.paths();
    known.path = AppendComponents(path, paths.root(), paths);
    known.path_last_numbers = paths.root();
    for (absl::string_view part : absl::StrSplit(path, '/', absl::SkipEmpty())) {
      const size_t first = part.find('.');
      const size_t last = part.rfind('.');
      known.path_last_numbers =
          AppendComponent(first == last ? std::string(part)
                                        : absl::StrCat(part.substr(0, first), part.substr(last)),
                          known.path_last_numbers, paths);
    }
    const absl::string_view own = classes.class_name(module);
    if (absl::StartsWith(own, kLibrary))
      known.library_class = std::string(own.substr(own.rfind('.') + 1));
    return known;
  }

  bool IsShared(ValueId value) const {
    const absl::Span<const Use> uses = graph_.uses(value);
    return std::any_of(uses.begin(), uses.end(), [&](const Use& use) {
      return tags_[use.node].primary != tags_[uses[0].node].primary;
    });
  }

  // Like Evidence::value_owners, without parameters that are shared.
  void FindOwners() {
    for (ValueId id : graph_.value_ids()) {
      const PathId owner = evidence_.value_owners[id];
      if (!owner.valid() || graph_.value(id).kind != ValueKind::kInitializer) continue;
      named_.emplace(owner, LeafOfParameterName(graph_.value(id).name));
      if (!IsShared(id)) owners_[id] = owner;
    }
    for (NodeId node : graph_.node_ids()) {
      // What an activation or another module's operator makes of parameters is that one's result.
      if (IsModuleByItself(graph_.op(node).type)) continue;
      const PathId from_inputs = OwnerOfInputs(node);
      for (ValueId id : graph_.outputs(node)) {
        if (!id.valid() || !evidence_.value_owners[id].valid()) continue;
        // The copy of a parameter that was merged with an equal one has the right name itself.
        const bool is_named = !OwnerInParameterName(graph_.value(id).name).empty();
        if (!IsShared(id)) owners_[id] = is_named ? evidence_.value_owners[id] : from_inputs;
      }
    }
  }

  PathId OwnerOfInputs(NodeId node) const {
    PathId owner;
    for (ValueId value : graph_.inputs(node)) {
      const PathId its = value.valid() ? OwnerFor(node, value) : PathId();
      if (!its.valid() || its == owner) continue;
      if (owner.valid()) return PathId();
      owner = its;
    }
    return owner;
  }

  PathId OwnerFor(NodeId node, ValueId value) const {
    if (owners_[value].valid()) return owners_[value];
    return LeavesItsOwn(node, value) ? evidence_.value_owners[value] : PathId();
  }

  // Whether the tag's module is that of the parameter in another member of a list, and has such a
  // parameter itself: then the node is not there, whoever else reads the one that it does read.
  bool LeavesItsOwn(NodeId node, ValueId value) const {
    const PathId owner = evidence_.value_owners[value];
    const PathId tag = tags_[node].primary;
    if (!owner.valid() || !tag.valid() || graph_.value(value).kind != ValueKind::kInitializer) {
      return false;
    }
    const ModulePaths& paths = tags_.paths();
    const uint32_t depth = paths.depth(paths.CommonAncestor(owner, tag)) + 1;
    if (depth > paths.depth(owner) || depth > paths.depth(tag)) return false;
    PathId own = paths.AncestorAtDepth(tag, depth);
    if (!paths.is_number(own) || !paths.is_number(paths.AncestorAtDepth(owner, depth))) {
      return false;
    }
    for (uint32_t at = depth + 1; own.valid() && at <= paths.depth(owner); ++at) {
      own = paths.FindChild(own, paths.name(paths.AncestorAtDepth(owner, at)));
    }
    return own.valid() && named_.contains({own, LeafOfParameterName(graph_.value(value).name)});
  }

  PathId OwnerOf(NodeId node) const {
    for (ValueId value : graph_.outputs(node)) {
      if (value.valid() && evidence_.value_owners[value].valid()) return owners_[value];
    }
    return OwnerOfInputs(node);
  }

  const Graph& graph_;
  Tags& tags_;
  Evidence evidence_;
  std::optional<CallPlaces> calls_;  // that gave way to their functions' bodies
  IdSet<NodeId> by_rule_;            // nodes whose names say nothing
  IdVector<NodeId, NodeNameEvidence> nodes_;
  IdVector<ValueId, PathId> owners_;
  absl::flat_hash_set<std::pair<PathId, absl::string_view>> named_;  // parameters: module, leaf
};

}  // namespace

NameEvidence CollectNameEvidence(const ReadableGraph& readable, const ModuleMap& module_map,
                                 Tags& tags) {
  return NameEvidenceCollector(readable, module_map, tags).Collect(module_map);
}

bool TagsAreClasses(const Tags& tags, const IdVector<NodeId, NodeNameEvidence>& name_evidence) {
  const ModulePaths& paths = tags.paths();
  absl::flat_hash_map<PathId, size_t> counts;
  size_t tagged = 0;
  PathId top;
  for (NodeId node : IdRange<NodeId>(tags.size())) {
    const PathId first = FirstAtom(tags[node].primary, paths);
    if (tags.has_tag(node)) ++tagged;
    if (!first.valid()) continue;
    const size_t count = ++counts[first];
    if (!top.valid() || count > counts[top] || (count == counts[top] && first < top)) top = first;
  }
  if (!top.valid() || static_cast<double>(counts[top]) < kClassTags * static_cast<double>(tagged)) {
    return false;
  }
  if (!BeginsWithCapital(paths.name(top))) return false;
  return std::none_of(
      name_evidence.begin(), name_evidence.end(), [&](const NodeNameEvidence& said) {
        return FirstAtom(said.name, paths) == top || FirstAtom(said.output, paths) == top ||
               FirstAtom(said.owner, paths) == top;
      });
}

}  // namespace onnx_hier
