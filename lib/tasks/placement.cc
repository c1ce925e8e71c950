// SPDX-License-Identifier: Apache-2.0
#include "onnx_hier_program/placement.h"

#include <algorithm>
#include <iterator>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "lib/names/own_metadata.h"
#include "lib/show/text_table.h"
#include "onnx_hier/tags.h"
#include "onnx_hier_program/json_text.h"
#include "onnx_hier_program/reports.h"
#include "onnx_hier_program/text.h"

namespace onnx_hier {
namespace {

struct Provider {
  absl::string_view device;  // "gpu:nvidia" is a gpu as well
  absl::string_view part;    // of the provider's name
};
// onnxruntime 1.30, core/framework/layering_annotations.cc and its providers.
constexpr Provider kProviders[] = {
    {"cpu", "CPU"},      {"cuda", "CUDA"},       {"dml", "Dml"},      {"gpu", "CUDA"},
    {"gpu", "Tensorrt"}, {"gpu", "TensorRTRTX"}, {"gpu", "Dml"},      {"gpu", "ROCM"},
    {"gpu", "MIGraphX"}, {"gpu", "WebGpu"},      {"gpu", "CoreML"},   {"gpu", "OpenVINO"},
    {"npu", "QNN"},      {"npu", "VitisAI"},     {"npu", "OpenVINO"}, {"npu", "CoreML"},
    {"npu", "Ryzen"},    {"fpga", "VitisAI"},
};

bool RunsOn(absl::string_view device, absl::string_view provider) {
  // Tables are read without the end that all have.
  constexpr absl::string_view kEnd = "ExecutionProvider";
  if (absl::StripSuffix(device, kEnd) == absl::StripSuffix(provider, kEnd)) return true;
  if (device == "accelerator") return !absl::StartsWith(provider, "CPU");
  const absl::string_view kind = device.substr(0, device.find(':'));
  return std::any_of(std::begin(kProviders), std::end(kProviders), [&](const Provider& one) {
    return one.device == kind && absl::StrContains(provider, one.part);
  });
}

// The device that an earlier run gave the node; "": it gave none.
absl::string_view DeviceOf(const Graph& graph, NodeId node) {
  const StringPair* const device = FindMetadata(graph.metadata(node), kDeviceKey);
  return device == nullptr ? absl::string_view() : device->value;
}

}  // namespace

std::string DeviceLabel(absl::string_view device) {
  std::string label = absl::StrCat("onnx_hier.", device);
  std::replace(label.begin(), label.end(), ':', '_');
  return label;
}

Placement PlaceNodes(const Hierarchy& hierarchy, const PlannedModules& planned) {
  const Graph& graph = hierarchy.graph();
  Placement placement;
  for (NodeId node : graph.node_ids()) {
    const bool was_placed = !DeviceOf(graph, node).empty();
    const StringPair* const label = FindMetadata(graph.metadata(node), kLayerKey);
    absl::string_view device = planned.WordOf(hierarchy.ModuleOf(node));
    for (ModuleId module : hierarchy.ModulesInFurtherCalls(node)) {
      if (planned.WordOf(module) != device) device = "";
    }
    if (graph.op(node).type == "Constant") {
      placement.constants += device.empty() ? 0 : 1;
      device = "";
    }
    if (label != nullptr && !was_placed) {
      if (!device.empty()) ++placement.kept[std::string(label->value)];
    } else if (!device.empty()) {
      placement.edits.SetMetadata(node, kLayerKey, DeviceLabel(device));
      placement.edits.SetMetadata(node, kDeviceKey, device);
      ++placement.labelled;
    } else if (was_placed) {
      placement.edits.RemoveMetadata(node, kLayerKey);
      placement.edits.RemoveMetadata(node, kDeviceKey);
    }
  }
  return placement;
}

std::string AssignmentSetting(const ModulePlan& plan) {
  std::vector<absl::string_view> devices;
  std::string setting;
  for (const PlanLine& line : plan) {
    if (std::find(devices.begin(), devices.end(), line.word) != devices.end()) continue;
    absl::StrAppend(&setting, devices.empty() ? "" : ";", line.word, "(=", DeviceLabel(line.word),
                    ")");
    devices.push_back(line.word);
  }
  return setting;
}

VerifiedPlacement VerifyPlacement(const Hierarchy& hierarchy, const Profile& assignment,
                                  const PlacedProfile& placed) {
  const ModuleTree& tree = hierarchy.modules();
  // Of nodes that were fused, what their module's other nodes have.
  IdVector<ModuleId, absl::string_view> usual(tree.size());
  for (NodeId node : hierarchy.graph().node_ids()) {
    const absl::string_view device = DeviceOf(hierarchy.graph(), node);
    if (!device.empty()) usual[hierarchy.ModuleOf(node)] = device;
  }
  VerifiedPlacement verified;
  IdVector<ModuleId, VerifiedModule> modules(tree.size());
  for (size_t i = 0; i < assignment.kernels.size(); ++i) {
    const Kernel& kernel = assignment.kernels[i];
    const KernelPlace& place = placed.places[i];
    const uint64_t rows = std::max<uint64_t>(kernel.calls, 1);
    if (!place.module.valid()) {
      verified.unplaced += rows;
      continue;
    }
    const absl::string_view own =
        place.node.valid() ? DeviceOf(hierarchy.graph(), place.node) : usual[place.module];
    if (own.empty()) {
      verified.unlabelled += rows;
      continue;
    }
    VerifiedModule& module = modules[place.module];
    module.module = place.module;
    module.device = std::string(own);
    if (RunsOn(own, kernel.word)) {
      module.as_planned += rows;
      verified.as_planned += rows;
      continue;
    }
    verified.elsewhere += rows;
    const auto found =
        std::find_if(module.elsewhere.begin(), module.elsewhere.end(),
                     [&kernel](const auto& one) { return one.first == kernel.word; });
    if (found == module.elsewhere.end()) {
      module.elsewhere.emplace_back(kernel.word, rows);
    } else {
      found->second += rows;
    }
  }
  for (ModuleId id : tree.ids()) {
    if (modules[id].module.valid()) verified.modules.push_back(std::move(modules[id]));
  }
  return verified;
}

std::vector<std::string> RuntimeWarnings(const Graph& graph, const ModulePlan& plan,
                                         const PlannedModules& planned,
                                         const Placement& placement) {
  std::vector<std::string> warnings;
  constexpr size_t kMostTold = 8;
  size_t told = 0;
  for (const auto& [label, nodes] : placement.kept) {
    if (told++ == kMostTold) break;
    warnings.push_back(absl::StrCat(Counted(nodes, "node keeps", "nodes keep"), " the label ",
                                    QuotedName(label), ", which needs a rule of its own"));
  }
  if (placement.kept.size() > kMostTold) {
    warnings.push_back(absl::StrCat("nodes keep ", placement.kept.size() - kMostTold,
                                    " more labels, each of which needs a rule of its own"));
  }
  if (planned.torn > 0) {
    warnings.push_back(absl::StrCat(planned.torn,
                                    " nodes of functions run on several devices, and get none: "
                                    "'unfold --all' makes nodes of each call"));
  }
  std::vector<absl::string_view> numbered;
  for (const PlanLine& line : plan) {
    const bool is_new = std::find(numbered.begin(), numbered.end(), line.word) == numbered.end();
    if (absl::StartsWith(line.word, "gpu:") && is_new) numbered.push_back(line.word);
  }
  if (numbered.size() > 1) {
    warnings.push_back(
        absl::StrCat("a session has one instance of each execution provider: ", numbered[0],
                     " and ", numbered[1], " may be the same; 'split' makes a model for each"));
  }
  const int64_t version = graph.info().ir_version;
  if (version < kMetadataIrVersion) {
    warnings.push_back(absl::StrCat("the model has IR version ", version,
                                    ", and nodes have metadata from version ", kMetadataIrVersion,
                                    " on: onnxruntime reads it all the same"));
  }
  return warnings;
}

std::string PlacementJson(const Hierarchy& hierarchy, const ModulePlan& plan,
                          const PlannedModules& planned, const Placement& placement,
                          absl::string_view input, absl::string_view output,
                          const std::vector<std::string>& warnings) {
  std::string text;
  JsonText json(&text);
  json.BeginDocument("onnx-hier/placement", 1);
  json.Key("input").String(input);
  json.Key("output").StringOrNull(output);
  json.Key("devices").BeginArray();
  for (const PlannedSum& sum : SumsOfPlan(hierarchy, plan, planned, nullptr)) {
    if (sum.word.empty()) continue;
    json.NewLine();
    json.BeginObject();
    json.Key("device").String(sum.word);
    json.Key("label").String(DeviceLabel(sum.word));
    json.Key("nodes").Unsigned(sum.nodes);
    json.Key("parameters").Unsigned(sum.parameters);
    json.EndObject();
  }
  json.NewLine();
  json.EndArray();
  json.Key("labelled").Unsigned(placement.labelled);
  json.Key("constants").Unsigned(placement.constants);
  json.Key("kept_labels").BeginArray();
  for (const auto& [label, nodes] : placement.kept) {
    json.BeginObject();
    json.Key("label").String(label);
    json.Key("nodes").Unsigned(nodes);
    json.EndObject();
  }
  json.EndArray();
  json.Key("setting").String(AssignmentSetting(plan));
  json.Key("warnings").BeginArray();
  for (const std::string& warning : warnings) json.String(warning);
  json.EndArray();
  json.EndObject();
  text.push_back('\n');
  return text;
}

std::string VerifiedPlacementText(const Hierarchy& hierarchy, const VerifiedPlacement& verified,
                                  absl::string_view model) {
  TextTable table({Align::kLeft, Align::kLeft, Align::kRight, Align::kLeft});
  std::vector<std::vector<std::string>> rows = {{"module", "planned", "there", "elsewhere"}};
  for (const VerifiedModule& module : verified.modules) {
    if (module.elsewhere.empty()) continue;
    std::string elsewhere;
    for (const auto& [provider, nodes] : module.elsewhere) {
      absl::StrAppend(&elsewhere, elsewhere.empty() ? "" : ", ", provider, " ", nodes);
    }
    rows.push_back({SafeForTerminal(hierarchy.annotation().Tag(module.module)), module.device,
                    WithThousands(module.as_planned), SafeForTerminal(elsewhere)});
  }
  std::string text = absl::StrCat(
      SafeForTerminal(model), ": ", Counted(verified.as_planned, "node"), " ran where placed, ",
      WithThousands(verified.elsewhere), " elsewhere, ", WithThousands(verified.unlabelled),
      " were not placed",
      verified.unplaced == 0
          ? ""
          : absl::StrCat("; rows of no known node: ", WithThousands(verified.unplaced)),
      "\n");
  if (rows.size() == 1) return text;
  for (const std::vector<std::string>& row : rows) table.Widen(row);
  for (const std::vector<std::string>& row : rows) table.Append(row, &text);
  return text;
}

std::string VerifiedPlacementJson(const Hierarchy& hierarchy, const VerifiedPlacement& verified,
                                  absl::string_view model) {
  std::string text;
  JsonText json(&text);
  json.BeginDocument("onnx-hier/verified-placement", 1);
  json.Key("file").String(model);
  json.Key("as_planned").Unsigned(verified.as_planned);
  json.Key("elsewhere").Unsigned(verified.elsewhere);
  json.Key("unlabelled").Unsigned(verified.unlabelled);
  json.Key("unplaced").Unsigned(verified.unplaced);
  json.Key("modules").BeginArray();
  for (const VerifiedModule& module : verified.modules) {
    json.NewLine();
    json.BeginObject();
    json.Key("module").String(hierarchy.annotation().Tag(module.module));
    json.Key("device").String(module.device);
    json.Key("as_planned").Unsigned(module.as_planned);
    json.Key("elsewhere").BeginArray();
    for (const auto& [provider, nodes] : module.elsewhere) {
      json.BeginObject();
      json.Key("provider").String(provider);
      json.Key("nodes").Unsigned(nodes);
      json.EndObject();
    }
    json.EndArray();
    json.EndObject();
  }
  json.NewLine();
  json.EndArray();
  json.EndObject();
  text.push_back('\n');
  return text;
}

}  // namespace onnx_hier
