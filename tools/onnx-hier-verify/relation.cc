// SPDX-License-Identifier: Apache-2.0
#include "tools/onnx-hier-verify/relation.h"

#include <algorithm>
#include <map>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "tools/onnx-hier-verify/folded.h"
#include "tools/onnx-hier-verify/model_fields.h"
#include "tools/onnx-hier-verify/moved_data.h"
#include "tools/onnx-hier-verify/nodes.h"
#include "tools/onnx-hier-verify/part.h"

namespace onnx_hier::verify {
namespace {

constexpr Relation kAll[] = {Relation::kSame,  Relation::kTags, Relation::kNamed,
                             Relation::kProbe, Relation::kPart, Relation::kFolded};

// `others` are not looked at.
Difference TagsDifference(const onnx::ModelProto& in, const onnx::ModelProto& out,
                          FieldSet others = {}) {
  Difference difference = OtherMetadata(in, out);
  if (!difference.none()) return difference;
  others.insert(others.end(), NodeDocStrings().begin(), NodeDocStrings().end());
  return FirstDifference(
      in, out, {.anywhere = others, .on_top = FieldsOf<onnx::ModelProto>({"metadata_props"})});
}

// "Add", "Add_12"
bool IsNumbered(absl::string_view name, absl::string_view before) {
  return absl::ConsumePrefix(&name, before) && absl::ConsumePrefix(&name, "_") && !name.empty() &&
         std::all_of(name.begin(), name.end(),
                     [](char c) { return absl::ascii_isdigit(static_cast<unsigned char>(c)); });
}

Difference NamedDifference(const onnx::ModelProto& in, const onnx::ModelProto& out) {
  Difference difference = TagsDifference(in, out, FieldsOf<onnx::NodeProto>({"name"}));
  if (!difference.none()) return difference;
  std::vector<absl::string_view> before;
  absl::flat_hash_map<absl::string_view, size_t> bearers_before;
  ForEachNode(in, [&](const onnx::NodeProto& node) {
    before.push_back(node.name());
    ++bearers_before[node.name()];
  });
  absl::flat_hash_map<absl::string_view, size_t> bearers;
  ForEachNode(out, [&](const onnx::NodeProto& node) { ++bearers[node.name()]; });
  size_t index = 0;
  ForEachNode(out, [&](const onnx::NodeProto& node) {
    const absl::string_view old = before[index++];
    const absl::string_view name = node.name();
    if (name == old || !difference.none()) return;
    if (!old.empty() && (bearers_before[old] == 1 || !IsNumbered(name, old))) {
      difference = TagsDifference(in, out);
    } else if (bearers[name] > 1) {
      difference = {absl::StrCat("name ", Quoted(name)),
                    "is given to a node and another one has it"};
    }
  });
  return difference;
}

// Graph outputs of OUT that are none of IN's.
std::vector<const onnx::ValueInfoProto*> Probes(const onnx::GraphProto& in,
                                                const onnx::GraphProto& out) {
  absl::flat_hash_set<absl::string_view> known;
  for (const onnx::ValueInfoProto& output : in.output()) known.insert(output.name());
  std::vector<const onnx::ValueInfoProto*> probes;
  for (const onnx::ValueInfoProto& output : out.output()) {
    if (!known.contains(output.name())) probes.push_back(&output);
  }
  return probes;
}

Difference ProbeDifference(const onnx::ModelProto& in, const onnx::ModelProto& out) {
  const auto probes = Probes(in.graph(), out.graph());
  if (probes.empty()) return {"graph", "has no more outputs than IN's"};
  Difference difference = OtherMetadata(in, out);
  if (!difference.none()) return difference;
  const Ignored model = {.anywhere = NodeDocStrings(),
                         .on_top = FieldsOf<onnx::ModelProto>({"metadata_props", "graph"})};
  difference = FirstDifference(in, out, model);
  if (!difference.none()) return difference;
  const Ignored graph = {.anywhere = NodeDocStrings(),
                         .on_top = FieldsOf<onnx::GraphProto>({"output"})};
  difference = FirstDifference(in.graph(), out.graph(), graph);
  if (!difference.none()) return difference;
  // Without its probes OUT must have IN's outputs.
  onnx::GraphProto before, after;
  *before.mutable_output() = in.graph().output();
  const absl::flat_hash_set<const onnx::ValueInfoProto*> added(probes.begin(), probes.end());
  for (const onnx::ValueInfoProto& output : out.graph().output()) {
    if (!added.contains(&output)) *after.add_output() = output;
  }
  difference = FirstDifference(before, after);
  // That each is made, and has the type that IN states, holds for any part.
  return difference.none() ? PartDifference(in, out) : difference;
}

Difference DifferenceFor(Relation relation, const onnx::ModelProto& in,
                         const onnx::ModelProto& out) {
  switch (relation) {
    case Relation::kSame:
      return FirstDifference(in, out);
    case Relation::kTags:
      return TagsDifference(in, out);
    case Relation::kNamed:
      return NamedDifference(in, out);
    case Relation::kProbe:
      return ProbeDifference(in, out);
    case Relation::kPart:
      return PartDifference(in, out);
    case Relation::kFolded:
      return FoldedDifference(in, out);
    case Relation::kDifferent:
      break;
  }
  return {};
}

// What OUT was most likely meant to be, where it is nothing: the difference from that says most.
Relation Meant(const onnx::ModelProto& in, const onnx::ModelProto& out) {
  if (!NewFunctions(in, out).empty()) return Relation::kFolded;
  if (out.graph().node_size() < in.graph().node_size()) return Relation::kPart;
  if (!Probes(in.graph(), out.graph()).empty()) return Relation::kProbe;
  return Relation::kTags;
}

}  // namespace

absl::string_view RelationName(Relation relation) {
  switch (relation) {
    case Relation::kSame:
      return "same";
    case Relation::kTags:
      return "tags";
    case Relation::kNamed:
      return "named";
    case Relation::kProbe:
      return "probe";
    case Relation::kPart:
      return "part";
    case Relation::kFolded:
      return "folded";
    case Relation::kDifferent:
      break;
  }
  return "different";
}

std::optional<Relation> RelationOf(absl::string_view name) {
  for (const Relation relation : kAll) {
    if (RelationName(relation) == name) return relation;
  }
  return std::nullopt;
}

bool Implies(Relation stronger, Relation weaker) {
  if (stronger == Relation::kDifferent) return false;
  // A part is not folded, and has the names of IN; everything else is in one line.
  if (weaker == Relation::kFolded) return stronger <= Relation::kNamed || stronger == weaker;
  if (stronger == Relation::kNamed) return stronger == weaker;
  return stronger <= weaker;
}

Verdict Judge(const ModelFile& in_file, const ModelFile& out_file,
              std::optional<Relation> required) {
  const onnx::ModelProto& in = in_file.model();
  const onnx::ModelProto& out = out_file.model();
  const MovedData moved(in_file, out_file);
  std::map<Relation, Difference> differences;
  const auto difference = [&](Relation relation) -> const Difference& {
    const auto known = differences.find(relation);
    if (known != differences.end()) return known->second;
    // Only parts and probes may have their data elsewhere.
    const bool may_move = relation == Relation::kPart || relation == Relation::kProbe;
    if (may_move && !moved.difference().none()) return differences[relation] = moved.difference();
    return differences[relation] = DifferenceFor(relation, in, may_move ? moved.settled() : out);
  };
  // A model may be both a part and folded: what was asked for goes first.
  std::vector<Relation> order(std::begin(kAll), std::end(kAll));
  std::stable_partition(order.begin(), order.end(), [&](Relation relation) {
    return !required.has_value() || Implies(relation, *required);
  });
  Verdict verdict;
  for (const Relation relation : order) {
    if (!difference(relation).none()) continue;
    verdict.relation = relation;
    break;
  }
  verdict.holds = verdict.relation != Relation::kDifferent &&
                  (!required.has_value() || Implies(verdict.relation, *required));
  if (!verdict.holds) verdict.difference = difference(required.value_or(Meant(in, out))).Text();
  verdict.metadata = OurMetadata(in, out);
  if (verdict.relation == Relation::kProbe) {
    for (const onnx::ValueInfoProto* probe : Probes(in.graph(), out.graph())) {
      verdict.probes.push_back(probe->name());
    }
  }
  return verdict;
}

}  // namespace onnx_hier::verify
