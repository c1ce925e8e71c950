// SPDX-License-Identifier: Apache-2.0

// What a run of any model costs: shapes are worked out or not, and what is counted adds up.
#include <string>

#include "absl/strings/str_cat.h"
#include "onnx_hier/cost.h"
#include "onnx_hier/hierarchy.h"
#include "tests/fuzz/fuzz.h"

namespace onnx_hier::fuzz {
namespace {

// Own amounts of all modules are the root's total, whatever is not known.
void CheckSums(const Costs& costs, const Hierarchy& hierarchy) {
  for (const Column& column : costs.columns) {
    if (column.measure().adds != Adds::kSum) continue;
    Amount own;
    uint64_t known = 0;
    for (ModuleId module : hierarchy.modules().ids()) {
      own += column.figure(module).own;
      known += column.figure(module).own_known;
    }
    const Figure& root = column.figure(ModuleId(0));
    const bool is_whole = root.total.is_whole();
    Require(!is_whole || own == root.total, absl::StrCat(column.measure().id, " adds up"));
    Require(known == root.known, absl::StrCat(column.measure().id, ": what is known adds up"));
  }
}

void CountOnce(const Model& model, const Hierarchy& hierarchy, const CostOptions& options) {
  const absl::StatusOr<Costs> costs = MeasureCosts(model, hierarchy, options);
  if (!costs.ok()) return Require(!costs.status().message().empty(), "an error says why");
  CheckSums(*costs, hierarchy);
}

}  // namespace
}  // namespace onnx_hier::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace onnx_hier;
  using namespace onnx_hier::fuzz;
  const absl::StatusOr<Model> model = Model::FromMemory(Text(data, size), {.threads = 1});
  if (!model.ok()) return 0;
  const Annotation annotation = Annotate(*model, {.threads = 1});
  const Hierarchy hierarchy(model->graph(), annotation);
  CostOptions options;
  options.device = Device{10, 1};
  options.values = true;
  CountOnce(*model, hierarchy, options);
  options.symbolic = true;
  CountOnce(*model, hierarchy, options);
  for (const char* name : {"seq", "s", "n", "batch"}) options.sizes.emplace_back(name, 4);
  CountOnce(*model, hierarchy, options);
  return 0;
}
