// SPDX-License-Identifier: Apache-2.0

// One HTML page about a model: its modules as a picture and as a table, the nodes of each, and on
// demand the time of a profile and what another model has in their place.
//
//   const Hierarchy hierarchy(model.graph(), annotation);
//   absl::Status status = WritePage(model, {.hierarchy = hierarchy}, sink);
//
// The page is one file that asks nobody for anything, and says so to the browser (a content
// security policy of hashes). Texts of the model are data to it: they are made fit to be shown
// (safe_text.h), and never become HTML. The same input makes the same bytes.
#ifndef ONNX_HIER_PROGRAM_PAGE_H_
#define ONNX_HIER_PROGRAM_PAGE_H_

#include <cstddef>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "onnx_hier/annotation.h"
#include "onnx_hier/byte_sink.h"
#include "onnx_hier/diff.h"
#include "onnx_hier/hierarchy.h"
#include "onnx_hier_program/profile_reports.h"

namespace onnx_hier {

class Model;

// What became of the page's model in another one.
struct PageComparison {
  std::string file;         // of the other model
  const Annotation& other;  // likewise
  const ModelDiff& diff;    // A: the page's model, B: the other one
};

// All that is referred to must outlive this.
struct PageReport {
  const Hierarchy& hierarchy;
  std::optional<TimedProfile> times = std::nullopt;
  std::optional<PageComparison> comparison = std::nullopt;
  // Texts of nodes and parameters that the page may hold. The modules behind those with which they
  // are used up are shown without, and the page says so.
  size_t most_node_bytes = size_t{32} << 20;
};

// `model` is the one of the hierarchy. Its weights are not read. Errors of reading it again for the
// types of values: kDataLoss, kAborted.
absl::Status WritePage(const Model& model, const PageReport& report, ByteSink& sink);

}  // namespace onnx_hier

#endif  // ONNX_HIER_PROGRAM_PAGE_H_
