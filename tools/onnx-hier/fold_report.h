// SPDX-License-Identifier: Apache-2.0

// What is reported of a model whose modules became functions.
#ifndef ONNX_HIER_TOOLS_FOLD_REPORT_H_
#define ONNX_HIER_TOOLS_FOLD_REPORT_H_

#include "onnx_hier/folds.h"
#include "onnx_hier_program/reports.h"

namespace onnx_hier::cli {

// All but the files and warnings.
FoldResult DescribeFolding(const Hierarchy& hierarchy, const Folding& folding);

}  // namespace onnx_hier::cli

#endif  // ONNX_HIER_TOOLS_FOLD_REPORT_H_
