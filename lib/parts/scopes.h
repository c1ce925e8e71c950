// SPDX-License-Identifier: Apache-2.0

// What calls and functions are called.
//
// A call has the name that the exporter gave to the scope of its run, so that names inside of it
// can be read on from there: "/encoder/layer.1" and "query/MatMul". A function has the name of its
// class, where that is known and no other function's, else the path of its modules without numbers:
// "BertLayer", "encoder.layer".
#ifndef ONNX_HIER_LIB_PARTS_SCOPES_H_
#define ONNX_HIER_LIB_PARTS_SCOPES_H_

#include <string>

#include "lib/parts/bodies.h"
#include "lib/parts/contraction.h"
#include "lib/parts/runs.h"
#include "onnx_hier/hierarchy.h"
#include "onnx_hier/ids.h"

namespace onnx_hier {

// By item, each of its own, and none that a node outside of all calls has as its name; "" for
// units.
IdVector<ItemId, std::string> FindScopes(const Contraction& contraction, const Units& units,
                                         const FoldRuns& runs, const Hierarchy& hierarchy);

// Each of its own.
IdVector<FoldFunctionId, std::string> NameFunctions(const Contraction& contraction,
                                                    const FoldBodies& bodies, const FoldRuns& runs,
                                                    const Hierarchy& hierarchy);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_PARTS_SCOPES_H_
