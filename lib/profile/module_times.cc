// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "lib/profile/placing.h"
#include "onnx_hier/profile.h"

namespace onnx_hier {
namespace {

// Operators of modules, as they add up.
class OperatorSums {
 public:
  void Add(ModuleId module, const std::string& op_type, uint64_t time, ModuleTimes& times) {
    std::vector<OperatorTime>& operators = times.modules[module].operators;
    const auto [place, is_new] = places_.emplace(std::pair(module, op_type), operators.size());
    if (is_new) operators.push_back({op_type, 0});
    operators[place->second].time += time;
  }

 private:
  absl::flat_hash_map<std::pair<ModuleId, std::string>, size_t> places_;
};

}  // namespace

absl::string_view PlacedByName(PlacedBy by) {
  constexpr absl::string_view kNames[kPlacedByCount] = {"name",  "output",   "parts", "number",
                                                        "order", "sequence", "none"};
  return kNames[static_cast<size_t>(by)];
}

ModuleTimes TimesOf(const Hierarchy& hierarchy, const Profile& profile) {
  ModuleTimes times;
  times.modules.resize(hierarchy.modules().size());
  times.places = PlaceKernels(hierarchy, profile);
  OperatorSums operators;
  for (size_t i = 0; i < profile.kernels.size(); ++i) {
    const Kernel& kernel = profile.kernels[i];
    const ModuleId module = times.places[i].module;
    times.total += kernel.time;
    if (!module.valid()) {
      times.unplaced += kernel.time;
      continue;
    }
    times.modules[module].own += kernel.time;
    times.modules[module].own_calls += kernel.calls;
    const NodeId node = times.places[i].node;
    const bool says = !kernel.op_type.empty() || !node.valid();
    operators.Add(module, says ? kernel.op_type : std::string(hierarchy.graph().op(node).type),
                  kernel.time, times);
  }
  // A module comes before those inside it: backwards, these are complete.
  for (size_t i = times.modules.size(); i-- > 0;) {
    ModuleTime& time = times.modules[ModuleId(i)];
    time.total += time.own;
    time.total_calls += time.own_calls;
    std::stable_sort(time.operators.begin(), time.operators.end(),
                     [](const OperatorTime& a, const OperatorTime& b) { return a.time > b.time; });
    const ModuleId parent = hierarchy.modules().module(ModuleId(i)).parent;
    if (!parent.valid()) continue;
    times.modules[parent].total += time.total;
    times.modules[parent].total_calls += time.total_calls;
  }
  return times;
}

}  // namespace onnx_hier
