// SPDX-License-Identifier: Apache-2.0

// What is said of a model's inputs on the command line, for what its run costs.
#ifndef ONNX_HIER_TOOLS_COST_FLAGS_H_
#define ONNX_HIER_TOOLS_COST_FLAGS_H_

#include "absl/status/statusor.h"
#include "onnx_hier/cost.h"
#include "tools/cli/flags.h"

namespace onnx_hier::cli {

inline constexpr Flag kCostFlags[] = {
    {"shape", 0, "INPUT=DIMS",
     "for what a run costs: the shape of an input (x=1x3x224x224); may be given several times",
     /*repeatable=*/true},
    {"dim", 0, "NAME=N",
     "likewise: a size that inputs have by name (seq=128); a batch is 1 if nothing else is said",
     /*repeatable=*/true},
    {"device", 0, "GFLOPS:GBPS",
     "likewise: what a processor does at most, in 10^9 operations (a multiply-accumulate is two) "
     "and bytes a second (2000:50)"},
};

// Of the flags above. An error is one of usage.
absl::StatusOr<CostOptions> ReadCostFlags(const ParsedFlags& flags);

// The error of MeasureCosts(), with what to do about it.
absl::Status CostError(const absl::Status& status);

}  // namespace onnx_hier::cli

#endif  // ONNX_HIER_TOOLS_COST_FLAGS_H_
