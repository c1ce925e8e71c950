#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/base/outgoing_text.h"
#include "lib/report/figures.h"
#include "lib/report/text_table.h"
#include "lib/report/tree_rows.h"
#include "onnx_hier/reports.h"
#include "onnx_hier/safe_text.h"
#include "onnx_hier/summary.h"

namespace onnx_hier {
namespace {

std::vector<std::string> CellsOf(const Annotation& annotation, const TreeRow& row,
                                 const std::string& label, bool classes) {
  if (row.node.valid()) return {label};
  const Module& module = annotation.modules.module(row.module());
  std::vector<std::string> cells = {label, WithThousands(module.total_nodes),
                                    WithThousands(module.total_parameters),
                                    HumanBytes(module.total_parameter_bytes)};
  if (classes) cells.push_back(SafeForTerminal(module.class_name, kWidestName));
  return cells;
}

}  // namespace

// Columns as wide as they need to be: for that, all lines are made twice.
absl::Status WriteTreeText(const Annotation& annotation, const TreeTextOptions& options,
                           ByteSink& sink) {
  std::vector<std::string> titles = {"module", "nodes", "parameters", "size"};
  if (options.classes) titles.emplace_back("class");
  TextTable table({Align::kLeft, Align::kRight, Align::kRight, Align::kRight, Align::kLeft});
  const TreeRows rows(annotation, options);
  bool folded = false;
  table.Widen(titles);
  rows.ForEach([&](const TreeRow& row, const std::string& label) {
    folded |= row.count > 1;
    table.Widen(CellsOf(annotation, row, label, options.classes));
  });
  OutgoingText out(sink);
  table.Append(titles, out.text());
  rows.ForEach([&](const TreeRow& row, const std::string& label) {
    table.Append(CellsOf(annotation, row, label, options.classes), out.text());
    out.Pass();
  });
  if (folded) *out.text() += "xN: N modules built alike; the figures are those of one.\n";
  if (const uint64_t unsure = Summarize(annotation).unsure; unsure > 0) {
    absl::StrAppend(out.text(), unsure, unsure == 1 ? " node is" : " nodes are",
                    " less than 50 % sure: the sidecar says which.\n");
  }
  return out.Finish();
}

}  // namespace onnx_hier
