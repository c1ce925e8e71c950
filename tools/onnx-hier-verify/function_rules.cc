// SPDX-License-Identifier: Apache-2.0
#include "tools/onnx-hier-verify/function_rules.h"

#include <string>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace onnx_hier::verify {
namespace {

using Nodes = google::protobuf::RepeatedPtrField<onnx::NodeProto>;
using Domains = absl::flat_hash_set<absl::string_view>;

// "" if all that have a name have one of their own.
std::string DoubledName(const Nodes& nodes) {
  absl::flat_hash_set<absl::string_view> names;
  for (const onnx::NodeProto& node : nodes) {
    if (!node.name().empty() && !names.insert(node.name()).second) return node.name();
  }
  return "";
}

// Of these nodes and those inside of them, the first that is of no such domain.
const onnx::NodeProto* FirstForeign(const Nodes& nodes, const Domains& domains) {
  for (const onnx::NodeProto& node : nodes) {
    if (!domains.contains(node.domain())) return &node;
    for (const onnx::AttributeProto& attribute : node.attribute()) {
      const onnx::NodeProto* found = FirstForeign(attribute.g().node(), domains);
      for (const onnx::GraphProto& graph : attribute.graphs()) {
        if (found == nullptr) found = FirstForeign(graph.node(), domains);
      }
      if (found != nullptr) return found;
    }
  }
  return nullptr;
}

Difference ForeignDomain(const onnx::FunctionProto& function) {
  Domains domains;
  for (const onnx::OperatorSetIdProto& opset : function.opset_import()) {
    domains.insert(opset.domain());
    // The other way round it does not hold.
    if (opset.domain().empty()) domains.insert("ai.onnx");
  }
  const onnx::NodeProto* const node = FirstForeign(function.node(), domains);
  if (node == nullptr) return {};
  return {absl::StrCat("node ", Quoted(node->name())),
          absl::StrCat("is of the domain ", Quoted(node->domain()), ", which is not imported")};
}

Difference NameDifference(const Nodes& nodes) {
  const std::string doubled = DoubledName(nodes);
  return doubled.empty() ? Difference{}
                         : Difference{"", absl::StrCat("has two nodes named ", Quoted(doubled))};
}

}  // namespace

Difference BrokenFunctionRule(const onnx::ModelProto& in, const onnx::ModelProto& out,
                              const Functions& functions) {
  if (functions.empty()) return {};
  const bool are_unique = DoubledName(in.graph().node()).empty();
  if (are_unique) {
    const Difference difference = NameDifference(out.graph().node());
    if (!difference.none()) return difference.In("graph");
  }
  for (const auto& [key, function] : functions) {
    Difference difference = ForeignDomain(*function);
    if (difference.none() && are_unique) difference = NameDifference(function->node());
    if (!difference.none()) return difference.In(absl::StrCat("function ", Quoted(key)));
  }
  return {};
}

}  // namespace onnx_hier::verify
