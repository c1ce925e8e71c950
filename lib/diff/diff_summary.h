// What is said of a comparison as a whole: what only one of two models has, which members of lists
// have other numbers, figures by unit and of all.
#ifndef ONNX_HIER_LIB_DIFF_DIFF_SUMMARY_H_
#define ONNX_HIER_LIB_DIFF_DIFF_SUMMARY_H_

#include "lib/diff/alignment.h"
#include "lib/diff/module_groups.h"
#include "onnx_hier/diff.h"

namespace onnx_hier {

// Of what `diff.changed` has.
void Summarise(const ModuleGroups& a, const ModuleGroups& b, const Alignment& alignment,
               ModelDiff& diff);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_DIFF_DIFF_SUMMARY_H_
