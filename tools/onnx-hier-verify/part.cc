// SPDX-License-Identifier: Apache-2.0
#include "tools/onnx-hier-verify/part.h"

#include <google/protobuf/unknown_field_set.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "tools/onnx-hier-verify/bodies.h"
#include "tools/onnx-hier-verify/model_fields.h"
#include "tools/onnx-hier-verify/nodes.h"

namespace onnx_hier::verify {
namespace {

using google::protobuf::RepeatedPtrField;
using google::protobuf::UnknownFieldSet;

using Names = absl::flat_hash_set<absl::string_view>;

std::string PlaceOf(const onnx::GraphProto& graph, int node) {
  const std::string& name = graph.node(node).name();
  return absl::StrCat("node ", node, name.empty() ? "" : absl::StrCat(" ", Quoted(name)));
}

Difference NodeDifference(const onnx::NodeProto& in, const onnx::NodeProto& out) {
  return FirstDifference(in, out, {.anywhere = NodeDocStrings()});
}

// The first value that a node makes; "" if it makes none.
absl::string_view FirstOutput(const onnx::NodeProto& node) {
  for (const std::string& output : node.output()) {
    if (!output.empty()) return output;
  }
  return {};
}

// Why a node of OUT is none of IN's that stand behind those of the nodes before it.
Difference WhyNoNode(const onnx::GraphProto& in, const onnx::GraphProto& out, int node) {
  const std::string place = PlaceOf(out, node);
  const absl::string_view output = FirstOutput(out.node(node));
  for (int i = 0; i < in.node_size(); ++i) {
    if (FirstOutput(in.node(i)) != output) continue;
    const Difference difference = NodeDifference(in.node(i), out.node(node));
    if (!difference.none()) return difference.In(place);
    return {place, absl::StrCat("is node ", i, " of IN, out of order or a second time")};
  }
  return {place, "is no node of IN"};
}

Difference CompareNodes(const onnx::GraphProto& in, const onnx::GraphProto& out) {
  int next = 0;
  for (int i = 0; i < out.node_size(); ++i) {
    while (next < in.node_size() && !NodeDifference(in.node(next), out.node(i)).none()) ++next;
    if (next == in.node_size()) return WhyNoNode(in, out, i);
    ++next;
  }
  return {};
}

// Every message of `out` is one of `in`, found by its key, and none stands there twice.
template <typename T>
Difference Subset(const RepeatedPtrField<T>& in, const RepeatedPtrField<T>& out,
                  absl::string_view what, const std::function<std::string(const T&)>& key) {
  absl::flat_hash_map<std::string, const T*> known;
  for (const T& message : in) known.emplace(key(message), &message);
  absl::flat_hash_set<std::string> seen;
  for (const T& message : out) {
    const std::string name = key(message);
    const std::string place = absl::StrCat(what, " ", Quoted(name));
    const auto found = known.find(name);
    if (found == known.end()) return {place, "is not in IN"};
    const Difference difference =
        FirstDifference(*found->second, message, {.anywhere = NodeDocStrings()});
    if (!difference.none()) return difference.In(place);
    if (!seen.insert(name).second) return {place, "stands there twice"};
  }
  return {};
}

Difference UnknownFields(const UnknownFieldSet& in, const UnknownFieldSet& out) {
  const auto serialized = [](const UnknownFieldSet& fields, int i) {
    UnknownFieldSet alone;
    alone.AddField(fields.field(i));
    std::string bytes;
    alone.SerializeToString(&bytes);
    return bytes;
  };
  absl::flat_hash_set<std::string> known;
  for (int i = 0; i < in.field_count(); ++i) known.insert(serialized(in, i));
  for (int i = 0; i < out.field_count(); ++i) {
    if (known.contains(serialized(out, i))) continue;
    return {"", absl::StrCat("field ", out.field(i).number(),
                             ", which this onnx does not know, is not as in IN")};
  }
  return {};
}

// What comes along with the nodes, from one model to the other.
Difference Belongings(const onnx::ModelProto& in, const onnx::ModelProto& out) {
  const auto weights = [](const auto& tensor) { return tensor.name(); };
  const auto sparse = [](const auto& tensor) { return tensor.values().name(); };
  const auto annotated = [](const auto& annotation) { return annotation.tensor_name(); };
  const auto function = [](const auto& proto) { return KeyOf(proto); };
  const onnx::GraphProto& a = in.graph();
  const onnx::GraphProto& b = out.graph();
  for (const Difference& difference :
       {Subset<onnx::TensorProto>(a.initializer(), b.initializer(), "initializer", weights),
        Subset<onnx::SparseTensorProto>(a.sparse_initializer(), b.sparse_initializer(),
                                        "sparse initializer", sparse),
        Subset<onnx::TensorAnnotation>(a.quantization_annotation(), b.quantization_annotation(),
                                       "quantization of", annotated),
        Subset<onnx::FunctionProto>(in.functions(), out.functions(), "function", function),
        UnknownFields(a.unknown_fields(), b.unknown_fields()),
        UnknownFields(in.unknown_fields(), out.unknown_fields())}) {
    if (!difference.none()) return difference;
  }
  return {};
}

Difference Training(const onnx::ModelProto& in, const onnx::ModelProto& out) {
  for (int i = 0; i < out.training_info_size(); ++i) {
    const std::string place = absl::StrCat("training_info ", i);
    if (i >= in.training_info_size()) return {place, "is not in IN"};
    const Difference difference =
        FirstDifference(in.training_info(i), out.training_info(i), {.anywhere = NodeDocStrings()});
    if (!difference.none()) return difference.In(place);
  }
  return {};
}

Difference Versions(const onnx::ModelProto& in, const onnx::ModelProto& out) {
  if (in.ir_version() != out.ir_version()) {
    return {"", absl::StrCat("ir_version was ", in.ir_version(), ", is ", out.ir_version())};
  }
  const auto before = OpsetsOf(in);
  for (const auto& [domain, version] : OpsetsOf(out)) {
    const std::string place = absl::StrCat("opset_import ", Quoted(domain));
    const auto found = before.find(domain);
    if (found == before.end()) return {place, "is not in IN"};
    if (found->second != version) {
      return {place, absl::StrCat("version was ", found->second, ", is ", version)};
    }
  }
  return {};
}

// What the nodes mean: the operators' versions and the functions that they call.
Difference Meanings(const onnx::ModelProto& in, const onnx::ModelProto& out) {
  const auto before = OpsetsOf(in);
  const auto after = OpsetsOf(out);
  const Functions functions = FunctionsOf(in);
  const Functions kept = FunctionsOf(out);
  Difference found;
  ForEachNode(out, [&](const onnx::NodeProto& node) {
    if (!found.none()) return;
    const std::string place = absl::StrCat("node ", Quoted(node.name()));
    const std::string domain(PlainDomain(node.domain()));
    if (before.contains(domain) && !after.contains(domain)) {
      found = {place, absl::StrCat("its operators' domain ", Quoted(domain), " is not imported")};
    }
    const std::string called = CalledKey(node);
    if (functions.contains(called) && !kept.contains(called)) {
      found = {place, absl::StrCat("calls function ", Quoted(called), ", which OUT lacks")};
    }
  });
  return found;
}

Difference OtherMetadataOfPart(const onnx::ModelProto& in, const onnx::ModelProto& out) {
  absl::flat_hash_set<std::string> known;
  for (const onnx::StringStringEntryProto& entry : in.metadata_props()) {
    known.insert(entry.SerializePartialAsString());
  }
  for (const onnx::StringStringEntryProto& entry : out.metadata_props()) {
    if (!IsOurs(entry.key()) && !known.contains(entry.SerializePartialAsString())) {
      return {absl::StrCat("metadata_props ", Quoted(entry.key())), "is not as in IN"};
    }
  }
  return {};
}

// Values that a graph has without making them.
Names GivenValues(const onnx::GraphProto& graph) {
  Names names;
  for (const onnx::ValueInfoProto& input : graph.input()) names.insert(input.name());
  for (const onnx::TensorProto& tensor : graph.initializer()) names.insert(tensor.name());
  for (const onnx::SparseTensorProto& tensor : graph.sparse_initializer()) {
    names.insert(tensor.values().name());
  }
  return names;
}

// The same, and those that its nodes make.
Names KnownValues(const onnx::GraphProto& graph) {
  Names names = GivenValues(graph);
  for (const onnx::NodeProto& node : graph.node()) {
    names.insert(node.output().begin(), node.output().end());
  }
  return names;
}

Difference MadeTwice(const onnx::GraphProto& out) {
  Names known = GivenValues(out);
  for (int i = 0; i < out.node_size(); ++i) {
    for (const std::string& output : out.node(i).output()) {
      if (output.empty() || known.insert(output).second) continue;
      return {PlaceOf(out, i), absl::StrCat("makes ", Quoted(output), ", which OUT has already")};
    }
  }
  return {};
}

// Every value that OUT needs is there. What nothing in IN makes either is no fault of OUT.
Difference Reads(const onnx::GraphProto& in, const onnx::GraphProto& out) {
  const Names before = KnownValues(in);
  const Names known = KnownValues(out);
  Difference found;
  for (int i = 0; i < out.node_size() && found.none(); ++i) {
    ForEachRead(out.node(i), [&](const std::string& value) {
      if (before.contains(value) && !known.contains(value)) {
        found = {PlaceOf(out, i),
                 absl::StrCat("reads ", Quoted(value), ", which nothing in OUT makes")};
      }
    });
  }
  return found;
}

// Graph outputs are made in OUT, and its graph inputs are values that IN computes or is given.
Difference Border(const onnx::GraphProto& in, const onnx::GraphProto& out) {
  Names known = KnownValues(out);
  for (const onnx::ValueInfoProto& output : in.output()) known.insert(output.name());
  for (const onnx::ValueInfoProto& output : out.output()) {
    if (known.contains(output.name())) continue;
    return {absl::StrCat("graph output ", Quoted(output.name())), "is made by nothing in OUT"};
  }
  Names computed;
  for (const onnx::ValueInfoProto& input : in.input()) computed.insert(input.name());
  for (const onnx::NodeProto& node : in.node()) {
    computed.insert(node.output().begin(), node.output().end());
  }
  for (const onnx::ValueInfoProto& input : out.input()) {
    if (computed.contains(input.name())) continue;
    return {absl::StrCat("graph input ", Quoted(input.name())),
            "is neither made by a node of IN nor an input of it"};
  }
  return {};
}

// Whether one that the model takes or gives out has no type there: it may have one elsewhere.
bool IsLeftOpen(const onnx::GraphProto& in, absl::string_view name) {
  const auto is_open = [name](const onnx::ValueInfoProto& value) {
    return value.name() == name && !value.has_type();
  };
  return std::any_of(in.input().begin(), in.input().end(), is_open) ||
         std::any_of(in.output().begin(), in.output().end(), is_open);
}

// What OUT says of its values' types is what IN says, where IN says anything. Shapes of inputs and
// outputs may be given more or less exactly.
Difference Types(const onnx::GraphProto& in, const onnx::GraphProto& out) {
  const StatedTypes stated = StatedTypesOf(in);
  const auto check = [&](const onnx::ValueInfoProto& value, absl::string_view what, bool exactly) {
    const auto [first, last] = stated.equal_range(value.name());
    if (first == last) return Difference();
    Difference difference;
    for (auto at = first; at != last; ++at) {
      difference = FirstDifference(*at->second, value.type());
      if (difference.none()) return difference;
      if (!exactly && SameElements(*at->second, value.type())) return Difference();
    }
    if (!exactly && !value.has_type() && IsLeftOpen(in, value.name())) return Difference();
    return difference.In(absl::StrCat(what, " ", Quoted(value.name()), ", type"));
  };
  Difference found;
  for (int i = 0; i < out.input_size() && found.none(); ++i) {
    found = check(out.input(i), "graph input", false);
  }
  for (int i = 0; i < out.output_size() && found.none(); ++i) {
    found = check(out.output(i), "graph output", false);
  }
  // A value may have several: those of OUT are some of those of IN, in their order.
  absl::flat_hash_map<absl::string_view, std::vector<const onnx::TypeProto*>> left;
  for (int i = in.value_info_size(); i > 0; --i) {
    left[in.value_info(i - 1).name()].push_back(&in.value_info(i - 1).type());
  }
  for (int i = 0; i < out.value_info_size() && found.none(); ++i) {
    found = check(out.value_info(i), "value_info", true);
    if (found.none()) continue;
    std::vector<const onnx::TypeProto*>& others = left[out.value_info(i).name()];
    while (!found.none() && !others.empty()) {
      if (FirstDifference(*others.back(), out.value_info(i).type()).none()) found = Difference();
      others.pop_back();
    }
  }
  return found;
}

// Of the main graph.
Difference MainDifference(const onnx::ModelProto& in, const onnx::ModelProto& out) {
  const std::function<Difference()> steps[] = {
      [&] { return Versions(in, out); },
      [&] { return CompareNodes(in.graph(), out.graph()); },
      [&] { return Belongings(in, out); },
      [&] { return Training(in, out); },
      [&] { return Meanings(in, out); },
      [&] { return OtherMetadataOfPart(in, out); },
      [&] { return MadeTwice(out.graph()); },
      [&] { return Reads(in.graph(), out.graph()); },
      [&] { return Border(in.graph(), out.graph()); },
      [&] { return Types(in.graph(), out.graph()); },
  };
  for (const std::function<Difference()>& step : steps) {
    Difference difference = step();
    if (!difference.none()) return difference;
  }
  return {};
}

}  // namespace

Difference PartDifference(const onnx::ModelProto& in, const onnx::ModelProto& out) {
  Difference difference = MainDifference(in, out);
  if (difference.none() || out.graph().node_size() == 0) return difference;
  const std::string value(FirstOutput(out.graph().node(0)));
  if (value.empty()) return difference;
  // Of several bodies that may be meant, the difference from the last one is shown.
  AnyBody(in, value, [&](const onnx::ModelProto& body) {
    difference = MainDifference(body, out);
    return difference.none();
  });
  return difference;
}

}  // namespace onnx_hier::verify
