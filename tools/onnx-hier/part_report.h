// SPDX-License-Identifier: Apache-2.0

// What is reported of parts of a model, and what their files are called, by all that makes parts.
#ifndef ONNX_HIER_TOOLS_PART_REPORT_H_
#define ONNX_HIER_TOOLS_PART_REPORT_H_

#include <string>
#include <vector>

#include "absl/types/span.h"
#include "onnx_hier/parts.h"
#include "onnx_hier/write.h"
#include "onnx_hier_program/reports.h"

namespace onnx_hier::cli {

std::string TagOf(const Hierarchy& hierarchy, ModuleId module);

// All but the files; of warnings, those about the part itself.
PartResult DescribePart(const Graph& graph, const Hierarchy& hierarchy, const Cutter& cutter,
                        const Part& part);
// Of a split of the model in the file `input` ("-" for a stream): its parts with the names of their
// files, "bert_03_layer.2.onnx".
SplitResult DescribeSplit(const Graph& graph, const Hierarchy& hierarchy, const Cutter& cutter,
                          const SplitRequest& request, const SplitPlan& plan,
                          const std::string& input);

// What became of the part and its probe, or of parts in their order, with a warning of data files
// that are not where these look for them.
void NoteWritten(absl::Span<const Written> written, PartResult& result);
void NoteWritten(absl::Span<const Written> written, SplitResult& result);

// What follows the model's name in that of an extracted part: "_bert.encoder.layer.3", of what
// shells and file systems take in good part.
std::string FileNamePart(const Hierarchy& hierarchy, const PartRequest& request);

// Of one module that runs several times, one run is meant: the first one, with a warning, if the
// request does not say which.
void ChooseCall(const Hierarchy& hierarchy, const Cutter& cutter, PartRequest& request,
                std::vector<std::string>& warnings);

}  // namespace onnx_hier::cli

#endif  // ONNX_HIER_TOOLS_PART_REPORT_H_
