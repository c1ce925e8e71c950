// SPDX-License-Identifier: Apache-2.0

// Columns that options of a question ask for: "columns", "sort", "profile" with "key", "value" and
// "adds", "shape", "dim", "device".
#ifndef ONNX_HIER_TOOLS_C_COLUMNS_H_
#define ONNX_HIER_TOOLS_C_COLUMNS_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "onnx_hier/hierarchy.h"
#include "onnx_hier/profile.h"
#include "onnx_hier_program/tasks.h"
#include "tools/c/handles.h"
#include "tools/c/options.h"

namespace onnx_hier::c {

// A profile or table, placed in the modules of a hierarchy of the model.
absl::StatusOr<OpenedProfile> ReadProfileAt(const Annotated& annotated, const Hierarchy& hierarchy,
                                            const std::string& path, Options& options);

// `usual`: shown where nothing is asked for.
absl::Status FillColumns(const Annotated& annotated, const Hierarchy& hierarchy, Options& options,
                         std::vector<std::string> usual, AskedColumns& columns);

}  // namespace onnx_hier::c

#endif  // ONNX_HIER_TOOLS_C_COLUMNS_H_
