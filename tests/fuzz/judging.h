// SPDX-License-Identifier: Apache-2.0

// A audit of tags, wherever they come from.
#ifndef ONNX_HIER_TESTS_FUZZ_JUDGING_H_
#define ONNX_HIER_TESTS_FUZZ_JUDGING_H_

#include <string>
#include <vector>

#include "onnx_hier/graph.h"
#include "onnx_hier/module_paths.h"
#include "onnx_hier/tags.h"

namespace onnx_hier::fuzz {

// Checks the tags, repairs them and writes every report: findings are in graph order and name
// modules, each report is valid whatever the names are, and a repair does what the finding said.
void Judge(const Graph& graph, const ModuleMap& classes, const std::vector<NodeId>& malformed,
           const std::vector<std::string>& sidecar_problems, Tags tags);

}  // namespace onnx_hier::fuzz

#endif  // ONNX_HIER_TESTS_FUZZ_JUDGING_H_
