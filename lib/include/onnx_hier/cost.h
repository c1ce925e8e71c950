// SPDX-License-Identifier: Apache-2.0

// What a run of a model costs, by module: multiply-accumulates, bytes that are moved, memory.
//
//   CostOptions options;
//   options.shapes = {{"x", "1x3x224x224"}};
//   const absl::StatusOr<Costs> costs = MeasureCosts(model, hierarchy, options);
//   costs->Find("macs")->figure(layer).total.whole()
//
// Counted of the graph as it is, of shapes alone; nothing is run. What is not known is left out,
// and said: sums are "at least" then.
#ifndef ONNX_HIER_COST_H_
#define ONNX_HIER_COST_H_

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "onnx_hier/hierarchy.h"
#include "onnx_hier/measures.h"
#include "onnx_hier/model.h"

namespace onnx_hier {

// What a processor does at most.
struct Device {
  double gflops = 0;             // 10^9 operations a second; a multiply-accumulate is two
  double gbytes_per_second = 0;  // of its memory
};

struct CostOptions {
  // Of inputs by name: "1x3x224x224"; of scalars "".
  std::vector<std::pair<std::string, std::string>> shapes;
  // Sizes by the names that inputs have for them: "seq", 128. What counts the samples of a batch,
  // as far as names and places tell, is 1 where nothing else is said.
  std::vector<std::pair<std::string, uint64_t>> sizes;
  // Sizes may stay open: only formulas are made then.
  bool symbolic = false;
  bool values = false;           // shapes of all values are told, too
  std::optional<Device> device;  // with it, "bound" is measured
};

// Dimensions as texts: numbers, formulas ("2*seq + 1"), "": not known. None: not even how many.
using CountedShape = std::optional<std::vector<std::string>>;

// A value with the shape that it was counted with.
struct CountedValue {
  ValueId value;
  CountedShape shape;
};

struct Costs {
  // "macs", "operations" (of operators that multiply nothing), "read", "written" (activations, in
  // bytes), "alive" (most bytes of activations at a time), "intensity" (multiply-accumulates for
  // each byte that is moved, weights included), and with a device "bound" (the least time, node by
  // node). Empty where sizes stay open.
  std::deque<Column> columns;
  // Multiply-accumulates of each module and all inside it, in symbols; "": too long to say, or not
  // known. Empty where no size is open.
  IdVector<ModuleId, std::string> formulas;
  std::vector<CountedValue> inputs;
  // What nodes make, where options ask for it, but for those in functions.
  std::vector<CountedValue> values;
  NodeId peak;                  // where most is alive; none: there are no nodes
  std::vector<NodeId> unknown;  // that multiply, but nothing tells how much
  NodeId misfit;                // whose inputs do not fit together: the model takes no such sizes
  bool has_open_loops = false;  // each counts as one round
  bool has_open_branches = false;  // both branches of an If count, where nothing tells which runs
  bool is_cut_short = false;       // functions call each other more often than is followed

  const Column* Find(absl::string_view id) const;
};

// All that "columns" may have, and "achieved".
std::vector<Measure> CostMeasures();

// "achieved": 10^9 multiply-accumulates a second, by "macs" and the times of so many
// runs together.
Column AchievedRate(const Column& macs, const Column& times, uint64_t runs, const ModuleTree& tree);

// Whether a measure is of those.
bool IsCostMeasure(absl::string_view id);

// kInvalidArgument: what `options` says of inputs is not true of the model. kFailedPrecondition:
// sizes are open; the message names them.
absl::StatusOr<Costs> MeasureCosts(const Model& model, const Hierarchy& hierarchy,
                                   const CostOptions& options);

}  // namespace onnx_hier

#endif  // ONNX_HIER_COST_H_
