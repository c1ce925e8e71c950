// SPDX-License-Identifier: Apache-2.0
#include "onnx_hier_program/probes.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "onnx_hier_program/json_text.h"
#include "onnx_hier_program/text.h"

namespace onnx_hier {
namespace {

// None: it is not a number, as a size that depends on what the model is given.
std::optional<uint64_t> BytesOf(const CountedShape& shape, uint32_t bits) {
  if (!shape || bits == 0) return std::nullopt;
  uint64_t elements = 1;
  for (const std::string& text : *shape) {
    uint64_t size = 0;
    if (!absl::SimpleAtoi(text, &size)) return std::nullopt;
    if (__builtin_mul_overflow(elements, size, &elements)) return UINT64_MAX / 64;
  }
  return elements > UINT64_MAX / 64 ? UINT64_MAX / 64 : (elements * bits + 7) / 8;
}

void AppendNames(absl::string_view key, const Graph& graph, absl::Span<const ValueId> values,
                 JsonText& json) {
  json.Key(key).BeginArray();
  for (ValueId value : values) json.String(graph.value(value).name);
  json.EndArray();
}

// Under which it is given out.
absl::string_view NameOf(const Graph& from, const Graph& graph, const ValuePair& pair) {
  return pair.is_packed ? from.value(pair.original).name : graph.value(pair.value).name;
}

// Those of which names differ.
void AppendRenamed(const Graph& from, const Graph& graph, absl::Span<const ValuePair> pairs,
                   JsonText& json) {
  json.Key("renamed").BeginArray();
  for (const ValuePair& pair : pairs) {
    if (NameOf(from, graph, pair) == from.value(pair.original).name) continue;
    json.NewLine();
    json.BeginObject();
    json.Key("original").String(from.value(pair.original).name);
    json.Key("value").String(graph.value(pair.value).name);
    json.EndObject();
  }
  json.EndArray();
}

}  // namespace

Probes FindProbes(const Cutter& cutter, const Hierarchy& hierarchy,
                  absl::Span<const ModuleId> modules, const Graph& graph, const ValuePairs* pairs) {
  const Graph& from = hierarchy.graph();
  Probes probes;
  probes.boundaries = cutter.BoundariesOf(modules, Inside::kIncluded);
  IdSet<ValueId> asked(from.value_count());
  for (const Boundary& boundary : probes.boundaries) {
    for (const std::vector<ValueId>* values : {&boundary.inputs, &boundary.outputs}) {
      for (ValueId value : *values) asked.Add(value);
    }
  }
  for (ModuleId module : modules) {
    const absl::Span<const NodeId> nodes = hierarchy.Nodes(module);
    const bool is_inside = !nodes.empty() && absl::c_none_of(nodes, [&](NodeId node) {
      return from.node(node).block == from.main_block();
    });
    if (is_inside) probes.inside.push_back(module);
  }
  for (ValueId id : from.value_ids()) {
    if (!asked.Has(id)) continue;
    const ValueId counterpart = pairs == nullptr ? id : pairs->of[id];
    if (!counterpart.valid()) {
      probes.unpaired.push_back(id);
    } else if (graph.value(counterpart).kind == ValueKind::kNodeOutput) {
      const bool is_packed = pairs != nullptr && pairs->packed.Has(counterpart);
      probes.pairs.push_back({id, counterpart, is_packed});
    }
  }
  absl::c_sort(probes.pairs,
               [](const ValuePair& a, const ValuePair& b) { return a.value < b.value; });
  return probes;
}

absl::StatusOr<ProbeFiles> DivideProbes(const Model& model, const Hierarchy& hierarchy,
                                        const Cutter& cutter, absl::Span<const ValuePair> pairs,
                                        uint64_t most_bytes, const CostOptions& costs) {
  CostOptions options = costs;
  options.values = true;
  OH_ASSIGN_OR_RETURN(const Costs measured, MeasureCosts(model, hierarchy, options));
  absl::flat_hash_map<ValueId, const CountedShape*> shapes;
  for (const CountedValue& value : measured.values) shapes[value.value] = &value.shape;
  ProbeFiles divided;
  divided.files.emplace_back();
  for (const ValuePair& pair : pairs) {
    const ValueId value = pair.value;
    const auto found = shapes.find(value);
    const std::optional<uint64_t> bytes =
        found == shapes.end() ? std::nullopt : BytesOf(*found->second, cutter.BitsOf(value));
    if (!bytes.has_value()) divided.unknown.push_back(value);
    const uint64_t size = bytes.value_or(0);
    if (size > most_bytes) divided.large.push_back(value);
    if (!divided.files.back().values.empty() && divided.files.back().bytes + size > most_bytes) {
      divided.files.emplace_back();
    }
    divided.files.back().values.push_back(pair);
    divided.files.back().bytes += size;
  }
  return divided;
}

std::string ProbeResultText(const Probes& probes, const ProbeResult& result) {
  std::string text;
  for (size_t i = 0; i < result.files.size(); ++i) {
    const ProbeFile& file = result.division.files[i];
    absl::StrAppend(&text, SafeForTerminal(result.files[i]), ": the whole model, with ",
                    Counted(file.values.size(), "value"));
    if (result.is_measured) absl::StrAppend(&text, " (", HumanBytes(file.bytes), ")");
    absl::StrAppend(&text, result.isolated.empty() ? " given out" : " given to it and out", "\n");
  }
  absl::StrAppend(&text, Counted(probes.boundaries.size(), "run of a module", "runs of modules"));
  if (!probes.unpaired.empty()) {
    absl::StrAppend(&text, ", ", Counted(probes.unpaired.size(), "value has", "values have"),
                    " no counterpart here");
  }
  return text + "\n";
}

std::string ProbeResultJson(const Hierarchy& hierarchy, const Graph& graph, const Probes& probes,
                            const ProbeResult& result) {
  const Graph& from = hierarchy.graph();
  std::string text;
  JsonText json(&text);
  json.BeginDocument("onnx-hier/probe", 1);
  json.Key("input").String(result.input);
  json.Key("like").StringOrNull(result.like);
  json.Key("files").BeginArray();
  for (size_t i = 0; i < result.files.size(); ++i) {
    const ProbeFile& file = result.division.files[i];
    json.NewLine();
    json.BeginObject();
    json.Key("file").String(result.files[i]);
    json.Key("bytes");
    if (result.is_measured) {
      json.Unsigned(file.bytes);
    } else {
      json.Null();
    }
    json.Key("values").BeginArray();
    for (const ValuePair& pair : file.values) json.String(NameOf(from, graph, pair));
    json.EndArray();
    json.EndObject();
  }
  json.EndArray();
  json.Key("modules").BeginArray();
  for (const Boundary& boundary : probes.boundaries) {
    json.NewLine();
    json.BeginObject();
    json.Key("path").String(hierarchy.annotation().Tag(boundary.module));
    json.Key("call").Unsigned(boundary.call);
    AppendNames("inputs", from, boundary.inputs, json);
    AppendNames("outputs", from, boundary.outputs, json);
    json.EndObject();
  }
  json.EndArray();
  AppendRenamed(from, graph, probes.pairs, json);
  AppendNames("unpaired", from, probes.unpaired, json);
  json.Key("isolated").BeginArray();
  for (const Isolated::Value& value : result.isolated) {
    json.NewLine();
    json.BeginObject();
    json.Key("original").String(from.value(value.pair.original).name);
    json.Key("output").String(value.made);
    json.EndObject();
  }
  json.EndArray();
  json.Key("warnings").BeginArray();
  for (const std::string& warning : result.warnings) json.String(warning);
  json.EndArray();
  json.EndObject();
  return text + "\n";
}

}  // namespace onnx_hier
