// SPDX-License-Identifier: Apache-2.0
#include "tools/onnx-hier-verify/folded.h"

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "tools/onnx-hier-verify/function_rules.h"
#include "tools/onnx-hier-verify/model_fields.h"
#include "tools/onnx-hier-verify/structure.h"

namespace onnx_hier::verify {
namespace {

// A model that imports a domain twice means either.
bool IsImported(const onnx::ModelProto& model, const onnx::OperatorSetIdProto& opset) {
  return absl::c_any_of(model.opset_import(), [&](const onnx::OperatorSetIdProto& known) {
    return PlainDomain(known.domain()) == PlainDomain(opset.domain()) &&
           known.version() == opset.version();
  });
}

// Versions may go up, and functions need domains of their own.
Difference Versions(const onnx::ModelProto& in, const onnx::ModelProto& out,
                    const Functions& inlined) {
  if (out.ir_version() < in.ir_version()) {
    return {"", absl::StrCat("ir_version was ", in.ir_version(), ", is ", out.ir_version())};
  }
  const auto before = OpsetsOf(in);
  const auto after = OpsetsOf(out);
  for (const auto& [domain, version] : before) {
    const std::string place = absl::StrCat("opset_import ", Quoted(domain));
    const auto found = after.find(domain);
    if (found == after.end()) return {place, "is missing"};
    if (found->second < version) {
      return {place, absl::StrCat("version was ", version, ", is ", found->second)};
    }
  }
  // A node means the same inside a function and outside only under the same version.
  for (const auto& [key, function] : inlined) {
    for (const onnx::OperatorSetIdProto& opset : function->opset_import()) {
      const auto found = after.find(std::string(PlainDomain(opset.domain())));
      if (found == after.end() || IsImported(out, opset)) continue;
      return {absl::StrCat("function ", Quoted(key), ", opset_import ", Quoted(opset.domain())),
              absl::StrCat("version is ", opset.version(), ", that of the model ", found->second)};
    }
  }
  return {};
}

template <typename T>
std::map<std::string, const T*> ByName(const google::protobuf::RepeatedPtrField<T>& messages,
                                       const std::function<std::string(const T&)>& name) {
  std::map<std::string, const T*> found;
  for (const T& message : messages) found.emplace(name(message), &message);
  return found;
}

// The same messages by name, in any order.
template <typename T>
Difference SameByName(const std::map<std::string, const T*>& in,
                      const std::map<std::string, const T*>& out, absl::string_view what,
                      bool may_add) {
  for (const auto& [name, message] : in) {
    const std::string place = absl::StrCat(what, " ", Quoted(name));
    const auto found = out.find(name);
    if (found == out.end()) return {place, "is missing"};
    const Difference difference =
        FirstDifference(*message, *found->second, {.anywhere = NodeDocStrings()});
    if (!difference.none()) return difference.In(place);
  }
  for (const auto& [name, message] : out) {
    if (!may_add && !in.contains(name)) {
      return {absl::StrCat(what, " ", Quoted(name)), "is added"};
    }
  }
  return {};
}

Difference Weights(const onnx::GraphProto& in, const onnx::GraphProto& out) {
  const std::function<std::string(const onnx::TensorProto&)> dense =
      [](const onnx::TensorProto& tensor) { return tensor.name(); };
  const std::function<std::string(const onnx::SparseTensorProto&)> sparse =
      [](const onnx::SparseTensorProto& tensor) { return tensor.values().name(); };
  Difference difference = SameByName(ByName(in.initializer(), dense),
                                     ByName(out.initializer(), dense), "initializer", false);
  if (!difference.none()) return difference;
  return SameByName(ByName(in.sparse_initializer(), sparse),
                    ByName(out.sparse_initializer(), sparse), "sparse initializer", false);
}

// All but versions, nodes, weights and functions.
Difference Rest(const onnx::ModelProto& in, const onnx::ModelProto& out) {
  static const FieldSet& of_model = *new FieldSet(FieldsOf<onnx::ModelProto>(
      {"ir_version", "opset_import", "producer_name", "producer_version", "domain", "model_version",
       "doc_string", "graph", "metadata_props", "functions"}));
  static const FieldSet& of_graph = *new FieldSet(FieldsOf<onnx::GraphProto>(
      {"node", "name", "doc_string", "initializer", "sparse_initializer", "value_info"}));
  Difference difference =
      FirstDifference(in, out, {.anywhere = NodeDocStrings(), .on_top = of_model});
  if (difference.none()) difference = OtherMetadata(in, out);
  if (!difference.none()) return difference;
  return FirstDifference(in.graph(), out.graph(), {.on_top = of_graph});
}

std::string PlaceOf(const Run& run, const onnx::ModelProto& model) {
  const auto named = [](const onnx::NodeProto& node) {
    return node.name().empty() ? absl::StrCat("(", Quoted(node.op_type()), ")")
                               : Quoted(node.name());
  };
  if (run.function == nullptr) return absl::StrCat("node ", run.position, " ", named(*run.node));
  return absl::StrCat("node ", named(*run.node), " of function ", Quoted(KeyOf(*run.function)),
                      " called by node ", run.position, " ",
                      named(model.graph().node(run.position)));
}

// The first run of `some` that has no like among those of `others`; null if there is none.
const Run* FirstAlone(const Structure& some, const Structure& others) {
  absl::flat_hash_map<Number, int64_t> left;
  for (const Run& run : others.runs) ++left[run.whole];
  for (const Run& run : some.runs) {
    if (--left[run.whole] < 0) return &run;
  }
  return nullptr;
}

// What of IN comes next to a run of OUT, in words.
std::string NextTo(const Run& odd, const Structure& flat, const onnx::ModelProto& in) {
  for (const Run& run : flat.runs) {
    if (run.node->op_type() == odd.node->op_type() && run.reads == odd.reads) {
      return absl::StrCat("does not do what ", PlaceOf(run, in),
                          " of IN does with the same inputs");
    }
  }
  for (const Run& run : flat.runs) {
    if (run.kind != odd.kind || run.node->name().empty()) continue;
    if (run.node->name() == odd.node->name()) {
      return absl::StrCat("reads other values than ", PlaceOf(run, in), " of IN");
    }
  }
  return "no node of IN does the same";
}

Difference CompareNodes(const onnx::ModelProto& in, const Structure& flat,
                        const onnx::ModelProto& out, const Structure& folded) {
  if (const Run* odd = FirstAlone(folded, flat); odd != nullptr) {
    return {PlaceOf(*odd, out), NextTo(*odd, flat, in)};
  }
  if (const Run* odd = FirstAlone(flat, folded); odd != nullptr) {
    return {absl::StrCat(PlaceOf(*odd, in), " of IN"), "nothing in OUT does the same"};
  }
  for (const onnx::ValueInfoProto& output : out.graph().output()) {
    const auto before = flat.values.find(output.name());
    const auto after = folded.values.find(output.name());
    const bool made = after != folded.values.end();
    if ((before != flat.values.end()) == made && (!made || before->second == after->second)) {
      continue;
    }
    return {absl::StrCat("graph output ", Quoted(output.name())), "is computed in another way"};
  }
  return {};
}

// Values that are computed alike have types that agree, where both models state them.
Difference Types(const onnx::ModelProto& in, const Structure& flat, const onnx::ModelProto& out,
                 const Structure& folded) {
  // Of all values with a number, and by what they are written as: many may be alike.
  std::map<Number, std::map<std::string, const onnx::TypeProto*>> stated;
  for (const auto& [name, type] : StatedTypesOf(in.graph())) {
    const auto value = flat.values.find(name);
    if (value == flat.values.end()) continue;
    stated[value->second].emplace(type->SerializePartialAsString(), type);
  }
  // A value may have several.
  for (const onnx::ValueInfoProto& info : in.graph().value_info()) {
    const auto value = flat.values.find(info.name());
    if (value == flat.values.end()) continue;
    stated[value->second].emplace(info.type().SerializePartialAsString(), &info.type());
  }
  for (const onnx::ValueInfoProto& info : out.graph().value_info()) {
    const auto value = folded.values.find(info.name());
    if (value == folded.values.end()) continue;
    const auto types = stated.find(value->second);
    if (types == stated.end()) continue;
    if (types->second.contains(info.type().SerializePartialAsString())) continue;
    const onnx::TypeProto& first = *types->second.begin()->second;
    return FirstDifference(first, info.type())
        .In(absl::StrCat("value_info ", Quoted(info.name()), ", type"));
  }
  return {};
}

}  // namespace

Functions NewFunctions(const onnx::ModelProto& in, const onnx::ModelProto& out) {
  Functions functions = FunctionsOf(out);
  for (const auto& [key, function] : FunctionsOf(in)) functions.erase(key);
  return functions;
}

Difference FoldedDifference(const onnx::ModelProto& in, const onnx::ModelProto& out) {
  const Functions inlined = NewFunctions(in, out);
  Difference difference = Versions(in, out, inlined);
  if (difference.none()) difference = Rest(in, out);
  if (difference.none()) difference = Weights(in.graph(), out.graph());
  if (difference.none()) {
    difference = SameByName(FunctionsOf(in), FunctionsOf(out), "function", true);
  }
  if (difference.none()) difference = BrokenFunctionRule(in, out, inlined);
  if (!difference.none()) return difference;
  NumberTable numbers;
  const Structure flat = StructureOf(in, {}, kNoLimit, numbers);
  if (!flat.error.empty()) return {"IN", flat.error};
  const Structure folded = StructureOf(out, inlined, LimitsOf(flat), numbers);
  if (!folded.error.empty()) return {"", folded.error};
  difference = CompareNodes(in, flat, out, folded);
  return difference.none() ? Types(in, flat, out, folded) : difference;
}

}  // namespace onnx_hier::verify
