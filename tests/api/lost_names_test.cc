// SPDX-License-Identifier: Apache-2.0

// What is said of models of which some names were lost, and what is found of wrong tags then: all
// of it, as a few numbers. They are no judge of what is right, which tests/truth is: they say that
// something changed.
#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "lib/api/annotate.h"
#include "lib/base/hash.h"
#include "lib/graph/tensor_values.h"
#include "lib/relate/graph_match.h"
#include "lib/relate/transferred_places.h"
#include "lib/relate/value_pairs.h"
#include "onnx_hier/check.h"
#include "onnx_hier/onnx_hier.h"
#include "onnx_hier/tags.h"
#include "tests/support/digest.h"
#include "tests/support/model_files.h"
#include "tests/support/status.h"
#include "tools/fit-weights/masked_graph.h"

namespace onnx_hier {
namespace {

using testing::Digest;
using testing::Thousandths;

constexpr uint32_t kShares[] = {0, 20, 60, 100};  // of the nodes, that have no names, in percent

void AddOwners(const Annotation& annotation, Digest& digest) {
  for (NodeId node : IdRange<NodeId>(annotation.assignments.size())) {
    const Assignment& owner = annotation.assignments[node];
    uint64_t all = HashBytes(annotation.paths.Tag(owner.primary));
    for (uint64_t number : {uint64_t{owner.call}, static_cast<uint64_t>(owner.method),
                            static_cast<uint64_t>(owner.retreat), uint64_t{owner.is_by_call},
                            Thousandths(owner.confidence), Thousandths(owner.containment),
                            uint64_t{owner.witness.valid() ? owner.witness.index() + 1 : 0}}) {
      all = MixHash(all, number);
    }
    for (uint32_t i = owner.auxiliary.begin; i < owner.auxiliary.end; ++i) {
      all = MixHash(all, HashBytes(annotation.paths.Tag(annotation.auxiliary[i])));
    }
    digest.Add(node.index(), all);
  }
}

void AddModules(const Annotation& annotation, Digest& digest) {
  for (ModuleId id : annotation.modules.ids()) {
    const Module& module = annotation.modules.module(id);
    uint64_t all = HashBytes(annotation.paths.Tag(module.path));
    for (uint64_t number : {uint64_t{module.calls}, module.nodes, module.total_nodes,
                            module.parameters, module.total_parameters, uint64_t{module.is_idle}}) {
      all = MixHash(all, number);
    }
    digest.Add(id.index(), all);
  }
}

// As tools that know classes alone write it: "/Model/C3/C1.0"; several names have one class.
std::string ClassTag(absl::string_view tag) {
  std::string text = "/Model";
  for (absl::string_view name : absl::StrSplit(tag, '/', absl::SkipEmpty())) {
    const absl::string_view stem = name.substr(0, name.find('.'));
    uint64_t sum = 0;
    for (char letter : stem) sum += static_cast<uint8_t>(letter);
    absl::StrAppend(&text, "/C", sum % 7, name.substr(stem.size()));
  }
  return text;
}

// Some nodes have the tag of any other node, of one nearby, or of the module around theirs; or
// classes stand for names.
enum class Wrong { kOther, kNear, kAround, kClasses };

Tags WrongTags(const Annotation& right, Wrong wrong) {
  const size_t count = right.assignments.size();
  Tags tags(count);
  tags.source = TagSource::kDocStrings;
  for (NodeId node : IdRange<NodeId>(count)) {
    const size_t i = node.index();
    size_t from = i;
    if (wrong == Wrong::kNear && i % 11 == 3 && i + 9 < count) from = i + 9;
    if ((wrong == Wrong::kOther || wrong == Wrong::kClasses) && i % 9 == 4) from = 13 * i % count;
    PathId path = right.assignments[NodeId(from)].primary;
    if (wrong == Wrong::kAround && i % 5 == 2 && path != right.paths.root()) {
      path = right.paths.parent(path);
    }
    const std::string tag = right.paths.Tag(path);
    tags.Set(node, {wrong == Wrong::kClasses ? ClassTag(tag) : tag});
  }
  return tags;
}

void AddFindings(const Graph& graph, Tags tags, Digest& digest) {
  const std::vector<Finding> found = FindContamination(graph, {}, tags);
  for (const Finding& finding : found) {
    uint64_t all = HashBytes(tags.paths().Tag(finding.expected));
    for (uint64_t number : {static_cast<uint64_t>(finding.kind), uint64_t{finding.depth},
                            Thousandths(finding.confidence), uint64_t{finding.layer_only}}) {
      all = MixHash(all, number);
    }
    for (size_t i = 0; i < kTagWitnessCount; ++i) {
      all = MixHash(all, finding.witnesses.Has(static_cast<TagWitness>(i)) ? 1 : 0);
    }
    digest.Add(finding.node.index(), all);
  }
  const Repairs repairs = Repair(graph, {}, found, tags);
  for (const Finding& left : repairs.left) digest.Add(left.node.index(), 1);
}

// A model without the names of so many of its nodes.
fit::MaskedGraph Without(const Graph& graph, uint32_t share) {
  return fit::MaskedGraph(graph, fit::RandomMask(graph.node_count(), share, 3, 1));
}

// Those of both models hold the same; some cannot be read, and some are equal.
class SameTensors : public TensorValues {
 public:
  absl::StatusOr<bool> Begin(TensorId tensor) override {
    tensor_ = static_cast<double>(tensor.index() % 50);
    next_ = 0;
    return tensor.index() % 5 != 0;
  }
  absl::Status Read(absl::Span<double> values) override {
    for (double& value : values) value = tensor_ + 1 / static_cast<double>(3 + next_++);
    return absl::OkStatus();
  }
  absl::Status Skip(uint64_t count) override {
    next_ += count;
    return absl::OkStatus();
  }

 private:
  double tensor_ = 0;
  uint64_t next_ = 0;
};

uint64_t Number(NodeId node) { return node.valid() ? node.index() + 1 : 0; }

void AddMatch(const Graph& from, const Annotation& original, const Graph& to, Digest& digest) {
  SameTensors from_values;
  SameTensors to_values;
  const GraphMatch match = testing::Value(MatchGraphs(from, from_values, to, to_values));
  for (NodeId node : to.node_ids()) {
    uint64_t all = MixHash(static_cast<uint64_t>(match.nodes[node].by), match.nodes[node].in_call);
    for (NodeId other : match.region(node)) all = MixHash(all, Number(other));
    for (NodeId main : match.mains_of(node)) all = MixHash(all, Number(main));
    digest.Add(node.index(), all);
  }
  const ValuePairs pairs = PairValues(from, to, match);
  for (ValueId value : from.value_ids()) {
    if (pairs.of[value].valid()) digest.Add(value.index(), pairs.of[value].index());
  }
  const ReadableGraph readable(to);
  ModulePaths paths;
  Evidence evidence = CollectEvidence(readable, {}, paths);
  const TransferredPlaces places = PlaceTransferred(match, original, to, paths, evidence);
  for (NodeId node : to.node_ids()) {
    const NodeEvidence& said = evidence.nodes[node];
    const uint64_t place = said.place.valid() ? HashBytes(paths.Tag(said.place)) : 0;
    digest.Add(node.index(), MixHash(place, MixHash(static_cast<uint64_t>(said.method),
                                                    Number(places.sources[node]))));
  }
}

TEST_CASE("what is said of models some of whose names were lost") {
  std::string said;
  std::string found;
  for (uint32_t share : kShares) {
    Digest owners;
    Digest modules;
    Digest findings;
    for (const std::string& path : testing::AllModelFiles()) {
      const Model model = testing::Value(Model::Open(path));
      const Graph& graph = model.graph();
      const Annotation right = AnnotateGraph(graph, nullptr, {});
      const fit::MaskedGraph masked = Without(graph, share);
      const Annotation annotation = AnnotateGraph(masked.graph(), nullptr, {});
      AddOwners(annotation, owners);
      AddModules(annotation, modules);
      for (Wrong wrong : {Wrong::kOther, Wrong::kNear, Wrong::kAround, Wrong::kClasses}) {
        AddFindings(masked.graph(), WrongTags(right, wrong), findings);
      }
    }
    absl::StrAppend(&said, share, ": ", owners.Text(), ", ", modules.Text(), "\n");
    absl::StrAppend(&found, share, ": ", findings.Text(), "\n");
  }
  CHECK(said ==
        "0: 4024 of 12563522454134830264, 850 of 17044545244638918225\n"
        "20: 4024 of 16128013475445547753, 845 of 902227566936357178\n"
        "60: 4024 of 18024482744750866522, 787 of 14976402439028269775\n"
        "100: 4024 of 17238260510165417224, 706 of 6646044853420320892\n");
  CHECK(found ==
        "0: 817 of 10072785292198217936\n"
        "20: 735 of 8311782700209947940\n"
        "60: 591 of 15179733156131317905\n"
        "100: 457 of 6488159607654992905\n");
}

TEST_CASE("what nodes some of whose names were lost stand for in the model that they come from") {
  std::string stood_for;
  for (uint32_t share : kShares) {
    Digest matches;
    for (const std::string& path : testing::AllModelFiles()) {
      const Model model = testing::Value(Model::Open(path));
      const fit::MaskedGraph masked = Without(model.graph(), share);
      AddMatch(model.graph(), AnnotateGraph(model.graph(), nullptr, {}), masked.graph(), matches);
    }
    absl::StrAppend(&stood_for, share, ": ", matches.Text(), "\n");
  }
  CHECK(stood_for ==
        "0: 12059 of 1906254354983660644\n"
        "20: 12054 of 18040699661487411869\n"
        "60: 12044 of 4761072881900242109\n"
        "100: 12016 of 6736226449909346426\n");
}

}  // namespace
}  // namespace onnx_hier
