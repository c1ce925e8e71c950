#include "lib/onnx/doc_changes.h"

#include <algorithm>

#include "lib/onnx/schema.h"

namespace onnx_hier {

uint64_t DocFieldSize(const ScannedModel& model, NodeId node) {
  if (!model.graph.node(node).has_doc_string) return 0;
  const auto field = std::lower_bound(model.doc_fields.begin(), model.doc_fields.end(),
                                      model.frames[model.node_frames[node]].doc_at,
                                      [](const DocField& f, uint64_t at) { return f.begin < at; });
  return field->end - field->begin;
}

std::vector<Change> DocChanges(const ScannedModel& model, const std::vector<DocEdit>& edits) {
  // Fields are in file order, which is node order but for nodes inside nodes.
  std::vector<DocField> fields(model.doc_fields);
  std::stable_sort(fields.begin(), fields.end(),
                   [](const DocField& a, const DocField& b) { return a.node < b.node; });
  std::vector<Change> changes;
  changes.reserve(edits.size());
  auto field = fields.begin();
  for (const DocEdit& edit : edits) {
    while (field != fields.end() && field->node < edit.node) ++field;
    const auto first = field;
    while (field != fields.end() && field->node == edit.node) ++field;
    const Node& node = model.graph.node(edit.node);
    const uint32_t frame = model.node_frames[edit.node];
    Change change = {.at = model.frames[frame].doc_at, .text = edit.text, .frame = frame};
    if (edit.present) change.field = schema::node::kDocString;
    // Of several the last one's place is kept.
    if (field != first) change.remove = (field - 1)->end - (field - 1)->begin;
    const bool same = field - first <= 1 && node.has_doc_string == edit.present &&
                      change.new_size() == change.remove &&
                      (!edit.present || node.doc_string == edit.text);
    if (same) continue;
    for (auto repeated = first; repeated + 1 < field; ++repeated) {
      changes.push_back(
          {.at = repeated->begin, .remove = repeated->end - repeated->begin, .frame = frame});
    }
    changes.push_back(change);
  }
  return changes;
}

}  // namespace onnx_hier
