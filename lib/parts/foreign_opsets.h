// SPDX-License-Identifier: Apache-2.0

// Domains of operators that the model itself does not import. onnxruntime lets that pass in a main
// graph, not in a function.
#ifndef ONNX_HIER_LIB_PARTS_FOREIGN_OPSETS_H_
#define ONNX_HIER_LIB_PARTS_FOREIGN_OPSETS_H_

#include <vector>

#include "absl/container/flat_hash_map.h"
#include "lib/parts/units.h"
#include "onnx_hier/graph.h"

namespace onnx_hier {

// By unit, those of its node and of nodes inside of that; of most units none. ONNX's own domain is
// foreign to a model that imports it by its other name, "ai.onnx", only. The version is that one's,
// else 1.
using ForeignOpsets = absl::flat_hash_map<Unit, std::vector<OpsetImport>>;

ForeignOpsets FindForeignOpsets(const Units& units);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_PARTS_FOREIGN_OPSETS_H_
