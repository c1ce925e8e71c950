// SPDX-License-Identifier: Apache-2.0

// A model that also gives out what goes into its modules and comes out of them: which values, in
// which files, and what is told of that.
#ifndef ONNX_HIER_PROGRAM_PROBES_H_
#define ONNX_HIER_PROGRAM_PROBES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "onnx_hier/cost.h"
#include "onnx_hier/hierarchy.h"
#include "onnx_hier/ids.h"
#include "onnx_hier/model.h"
#include "onnx_hier/parts.h"

namespace onnx_hier {

// Which values of a model are given out.
struct Probes {
  std::vector<Boundary> boundaries;  // of the model that the modules are of
  // What is in boundaries, with what says the same in the model that is probed, where nodes make
  // that; in the order of their makers there.
  std::vector<ValuePair> pairs;
  std::vector<ValueId> unpaired;  // values in boundaries of which nothing says the same
  std::vector<ModuleId> inside;   // modules without a run in the main graph
};

// `cutter` is of the model that the modules are of. `pairs` by values of it; null: it is the model
// that is probed. `graph`: of that.
Probes FindProbes(const Cutter& cutter, const Hierarchy& hierarchy,
                  absl::Span<const ModuleId> modules, const Graph& graph, const ValuePairs* pairs);

// Values that one file gives out.
struct ProbeFile {
  std::vector<ValuePair> values;
  uint64_t bytes = 0;  // of these whose sizes are known
};

struct ProbeFiles {
  std::vector<ProbeFile> files;
  std::vector<ValueId> unknown;  // without a size that is known: counted as nothing
  std::vector<ValueId> large;    // more than a file should give out: each has one of its own
};

// As few files, of values one after the other, as give out no more bytes each. `cutter` is of the
// model that is probed. Errors of MeasureCosts().
absl::StatusOr<ProbeFiles> DivideProbes(const Model& model, const Hierarchy& hierarchy,
                                        const Cutter& cutter, absl::Span<const ValuePair> pairs,
                                        uint64_t most_bytes, const CostOptions& costs);

// What became of it.
struct ProbeResult {
  std::string input;
  std::string like;                // the model that the modules are of; "": it is the input
  std::vector<std::string> files;  // as many as in `division`
  ProbeFiles division;
  bool is_measured = false;  // sizes are known
  std::vector<Isolated::Value> isolated;
  std::vector<std::string> warnings;
};

//   probe.onnx: 41 modules, 58 values
std::string ProbeResultText(const Probes& probes, const ProbeResult& result);
// schemas/probe.schema.json. `hierarchy`: of the modules; `graph`: of the model that is probed.
std::string ProbeResultJson(const Hierarchy& hierarchy, const Graph& graph, const Probes& probes,
                            const ProbeResult& result);

}  // namespace onnx_hier

#endif  // ONNX_HIER_PROGRAM_PROBES_H_
