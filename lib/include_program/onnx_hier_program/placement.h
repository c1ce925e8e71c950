// SPDX-License-Identifier: Apache-2.0

// Modules on devices, for onnxruntime: labels in the metadata of nodes, which its session option
// session.layer_assignment_settings maps to devices; and what it made of them.
//
// Rules of onnxruntime name labels, or what labels begin with, of which the leftmost counts. Each
// node gets one label, of a device, and the rules name whole labels: no order matters.
// Source: onnxruntime 1.30, onnxruntime_session_options_config_keys.h.
#ifndef ONNX_HIER_PROGRAM_PLACEMENT_H_
#define ONNX_HIER_PROGRAM_PLACEMENT_H_

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "onnx_hier/edits.h"
#include "onnx_hier/hierarchy.h"
#include "onnx_hier/ids.h"
#include "onnx_hier/profile.h"
#include "onnx_hier_program/module_plan.h"

namespace onnx_hier {

// "onnx_hier.gpu_nvidia" of "gpu:nvidia"
std::string DeviceLabel(absl::string_view device);

// What is written into a model.
struct Placement {
  Edits edits;
  uint64_t labelled = 0;                 // nodes
  std::map<std::string, uint64_t> kept;  // nodes by labels that somebody else gave them
  uint64_t constants = 0;                // without a label: they are no work
};

// Nodes get the labels of their modules' devices; labels of an earlier run go. Nodes of bodies that
// run on several devices get none. Both must outlive the edits.
Placement PlaceNodes(const Hierarchy& hierarchy, const PlannedModules& planned);

// "cuda(=onnx_hier.cuda);cpu(=onnx_hier.cpu)", of each device once
std::string AssignmentSetting(const ModulePlan& plan);

// What onnxruntime will not do as it is told.
std::vector<std::string> RuntimeWarnings(const Graph& graph, const ModulePlan& plan,
                                         const PlannedModules& planned, const Placement& placement);

// What came of it, as JSON (schemas/placement.schema.json). `output`: "" for none.
std::string PlacementJson(const Hierarchy& hierarchy, const ModulePlan& plan,
                          const PlannedModules& planned, const Placement& placement,
                          absl::string_view input, absl::string_view output,
                          const std::vector<std::string>& warnings);

// A module whose nodes have labels of PlaceNodes(), and where they ran.
struct VerifiedModule {
  ModuleId module;
  std::string device;
  uint64_t as_planned = 0;
  std::vector<std::pair<std::string, uint64_t>> elsewhere;  // by provider, in order of appearance
};

struct VerifiedPlacement {
  std::vector<VerifiedModule> modules;  // in tree order
  uint64_t as_planned = 0;
  uint64_t elsewhere = 0;
  uint64_t unlabelled = 0;  // rows of nodes without such a label
  uint64_t unplaced = 0;    // rows of which no node or module is known
};

// `assignment`: a table by node whose words are execution providers, placed in the same hierarchy.
VerifiedPlacement VerifyPlacement(const Hierarchy& hierarchy, const Profile& assignment,
                                  const PlacedProfile& placed);

// Modules of which something ran elsewhere, and sums; as text, or as JSON
// (schemas/verified_placement.schema.json).
std::string VerifiedPlacementText(const Hierarchy& hierarchy, const VerifiedPlacement& verified,
                                  absl::string_view model);
std::string VerifiedPlacementJson(const Hierarchy& hierarchy, const VerifiedPlacement& verified,
                                  absl::string_view model);

}  // namespace onnx_hier

#endif  // ONNX_HIER_PROGRAM_PLACEMENT_H_
