// SPDX-License-Identifier: Apache-2.0
#include "onnx_hier_program/module_plan.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "onnx_hier_program/text.h"

namespace onnx_hier {
namespace {

constexpr absl::string_view kPrecisions[] = {"fp32", "fp16",   "bf16",  "fp8",  "int16",
                                             "int8", "uint16", "uint8", "int4", "uint4"};

// onnxruntime 1.30, session.layer_assignment_settings.
constexpr absl::string_view kDevices[] = {"cpu", "gpu",  "cuda",       "dml",
                                          "npu", "fpga", "accelerator"};

bool IsDevice(absl::string_view word) {
  const bool is_plain = std::all_of(word.begin(), word.end(), [](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-' || c == ':';
  });
  return is_plain &&
         (std::find(std::begin(kDevices), std::end(kDevices), word) != std::end(kDevices) ||
          (absl::StartsWith(word, "gpu:") && word.size() > 4) ||
          (absl::EndsWith(word, "ExecutionProvider") && !absl::StrContains(word, ':')));
}

absl::Status WrongLine(size_t number, absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("line ", number, ": ", what));
}

absl::StatusOr<PlanLine> ReadLine(absl::string_view text, size_t number) {
  // Patterns have no such sign, but names may.
  const size_t equals = text.rfind('=');
  if (equals == absl::string_view::npos) {
    return WrongLine(number, absl::StrCat(QuotedName(text), " is not PATTERN = PRECISION"));
  }
  PlanLine line = {number, std::string(absl::StripAsciiWhitespace(text.substr(0, equals))),
                   std::string(absl::StripAsciiWhitespace(text.substr(equals + 1)))};
  if (line.pattern.empty()) return WrongLine(number, "there is no pattern before '='");
  if (std::find(std::begin(kPrecisions), std::end(kPrecisions), line.word) ==
      std::end(kPrecisions)) {
    return WrongLine(number, absl::StrCat("a precision is ", absl::StrJoin(kPrecisions, ", "),
                                          ", not ", QuotedName(line.word)));
  }
  return line;
}

// Of the nodes in a module, those inside of it included.
struct NodesInside {
  absl::string_view precision;
  bool has_nodes = false;
  bool differs = false;  // some have another one
  bool is_told = false;  // of a module in it

  void Add(absl::string_view other) {
    differs = differs || (has_nodes && other != precision);
    precision = other;
    has_nodes = true;
  }
};

std::vector<ModuleId> FindMixed(const ModuleTree& tree, const PlannedModules& planned) {
  IdVector<ModuleId, NodesInside> inside(tree.size());
  std::vector<ModuleId> mixed;
  // What is inside of a module comes behind it.
  for (size_t i = tree.size(); i-- > 0;) {
    const ModuleId id(i);
    NodesInside& own = inside[id];
    const bool has_nodes = tree.module(id).nodes > 0;
    if (has_nodes) own.Add(planned.WordOf(id));
    if (has_nodes && own.differs && !own.is_told) {
      mixed.push_back(id);
      own.is_told = true;
    }
    if (id == tree.root() || !own.has_nodes) continue;
    NodesInside& around = inside[tree.module(id).parent];
    around.Add(own.precision);
    around.differs = around.differs || own.differs;
    around.is_told = around.is_told || own.is_told;
  }
  std::reverse(mixed.begin(), mixed.end());
  return mixed;
}

}  // namespace

absl::StatusOr<ModulePlan> ReadPrecisionPlan(absl::string_view text) {
  ModulePlan plan;
  size_t number = 0;
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    ++number;
    line = absl::StripAsciiWhitespace(line.substr(0, line.find('#')));
    if (line.empty()) continue;
    absl::StatusOr<PlanLine> read = ReadLine(line, number);
    if (!read.ok()) return read.status();
    plan.push_back(*std::move(read));
  }
  if (plan.empty()) return absl::InvalidArgumentError("has no line PATTERN = PRECISION");
  return plan;
}

absl::StatusOr<ModulePlan> ReadDevicePlan(absl::Span<const std::string> rules) {
  ModulePlan plan;
  for (const std::string& rule : rules) {
    const size_t equals = rule.rfind('=');
    const absl::string_view text = rule;
    PlanLine line = {plan.size() + 1};
    if (equals != std::string::npos) {
      line.pattern = std::string(absl::StripAsciiWhitespace(text.substr(0, equals)));
      line.word = std::string(absl::StripAsciiWhitespace(text.substr(equals + 1)));
    }
    if (line.pattern.empty() || line.word.empty()) {
      return absl::InvalidArgumentError(absl::StrCat(QuotedName(rule), " is not PATTERN=DEVICE"));
    }
    if (!IsDevice(line.word)) {
      return absl::InvalidArgumentError(absl::StrCat(
          "a device is ", absl::StrJoin(kDevices, ", "),
          ", gpu:VENDOR, gpu:INDEX or an execution provider such as QNNExecutionProvider, not ",
          QuotedName(line.word)));
    }
    plan.push_back(std::move(line));
  }
  return plan;
}

absl::StatusOr<PlannedModules> PlanModules(const Hierarchy& hierarchy, const ModulePlan& plan) {
  const ModuleTree& tree = hierarchy.modules();
  PlannedModules planned;
  planned.lines = IdVector<ModuleId, const PlanLine*>(tree.size(), nullptr);
  for (const PlanLine& line : plan) {
    const absl::StatusOr<std::vector<ModuleId>> modules = hierarchy.Match(line.pattern);
    if (!modules.ok()) return WrongLine(line.number, modules.status().message());
    bool counts = false;
    for (ModuleId module : *modules) {
      for (ModuleId id = module; id != tree.subtree_end(module); id = ModuleId(id.index() + 1)) {
        if (planned.lines[id] != nullptr) continue;
        planned.lines[id] = &line;
        counts = true;
      }
    }
    if (modules->empty()) {
      planned.unmet.push_back(&line);
    } else if (!counts) {
      planned.covered.push_back(&line);
    }
  }
  planned.mixed = FindMixed(tree, planned);
  for (NodeId node : hierarchy.graph().node_ids()) {
    const absl::string_view first = planned.WordOf(hierarchy.ModuleOf(node));
    const std::vector<ModuleId> further = hierarchy.ModulesInFurtherCalls(node);
    const bool is_torn = std::any_of(further.begin(), further.end(), [&](ModuleId module) {
      return first != planned.WordOf(module);
    });
    planned.torn += is_torn ? 1 : 0;
  }
  return planned;
}

}  // namespace onnx_hier
