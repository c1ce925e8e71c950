// SPDX-License-Identifier: Apache-2.0

// Plans: which precision the nodes of which modules are to have, or on which device they are to
// run.
//
//   # the head and all norms stay as they are
//   cls = fp32
//   **.LayerNorm = fp16
//   ** = int8
//
// Of lines that mean a module the first counts; patterns are those of Hierarchy::Match().
#ifndef ONNX_HIER_PROGRAM_MODULE_PLAN_H_
#define ONNX_HIER_PROGRAM_MODULE_PLAN_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "onnx_hier/hierarchy.h"
#include "onnx_hier/ids.h"

namespace onnx_hier {

struct PlanLine {
  size_t number = 0;  // in the file, from 1
  std::string pattern;
  std::string word;  // the precision: "fp32", "int8", ...; or the device: "cuda", "gpu:nvidia", ...
};
using ModulePlan = std::vector<PlanLine>;

// kInvalidArgument names the line and what is wrong in it.
absl::StatusOr<ModulePlan> ReadPrecisionPlan(absl::string_view text);
// From rules "PATTERN=DEVICE", of which the first is line 1. Devices are those that onnxruntime's
// session.layer_assignment_settings takes, or names of execution providers. kInvalidArgument names
// the rule.
absl::StatusOr<ModulePlan> ReadDevicePlan(absl::Span<const std::string> rules);

struct PlannedModules {
  IdVector<ModuleId, const PlanLine*> lines;  // that count; null: none means the module
  std::vector<const PlanLine*> unmet;         // that mean no module
  std::vector<const PlanLine*> covered;       // of whose modules all are earlier lines'
  // Modules with nodes of their own of which, or of modules inside, some have one word and some
  // another one: the innermost such ones.
  std::vector<ModuleId> mixed;
  // Nodes in bodies of functions that stand for several modules, of several words.
  size_t torn = 0;

  // Of a module's own nodes. "": the plan says nothing of them.
  absl::string_view WordOf(ModuleId module) const {
    return lines[module] == nullptr ? absl::string_view() : lines[module]->word;
  }
};

// `plan` must outlive this. kInvalidArgument names the line whose pattern is none.
absl::StatusOr<PlannedModules> PlanModules(const Hierarchy& hierarchy, const ModulePlan& plan);

}  // namespace onnx_hier

#endif  // ONNX_HIER_PROGRAM_MODULE_PLAN_H_
