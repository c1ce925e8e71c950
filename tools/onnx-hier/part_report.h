// What is reported of a part of a model, by the commands that make parts.
#ifndef ONNX_HIER_TOOLS_PART_REPORT_H_
#define ONNX_HIER_TOOLS_PART_REPORT_H_

#include <string>

#include "onnx_hier/parts.h"
#include "onnx_hier/reports.h"

namespace onnx_hier::cli {

std::string TagOf(const Hierarchy& hierarchy, ModuleId module);

// All but the files and warnings.
PartResult DescribePart(const Graph& graph, const Hierarchy& hierarchy, const Cutter& cutter,
                        const Part& part);

}  // namespace onnx_hier::cli

#endif  // ONNX_HIER_TOOLS_PART_REPORT_H_
