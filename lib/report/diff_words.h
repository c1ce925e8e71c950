// How a module differs from its counterpart in another model, in words.
#ifndef ONNX_HIER_LIB_REPORT_DIFF_WORDS_H_
#define ONNX_HIER_LIB_REPORT_DIFF_WORDS_H_

#include <string>
#include <vector>

#include "onnx_hier/annotation.h"
#include "onnx_hier/diff.h"
#include "onnx_hier/ids.h"

namespace onnx_hier {

// What became of each of A's modules; null: nothing. `diff` must outlive it.
IdVector<ModuleId, const ModuleDiff*> ChangesByModule(const ModelDiff& diff, const Annotation& a);

// "moved, operators", "only in A".
std::string ChangesText(const ModuleDiff& diff);

// "- Add x2, Relu", "+ float32[64]": what only one of the two has. Names are as files have them.
std::vector<std::string> DetailLines(const ModuleDiff& diff);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_REPORT_DIFF_WORDS_H_
