// SPDX-License-Identifier: Apache-2.0

// Changes of a model, made to bytes in memory.
#ifndef ONNX_HIER_TESTS_EDITS_SPLICES_H_
#define ONNX_HIER_TESTS_EDITS_SPLICES_H_

#include <string>
#include <vector>

#include "lib/edits/splices.h"
#include "tests/onnx/model_text.h"
#include "tests/support/status.h"

namespace onnx_hier::testing {

// The changed file. Stops the test case if splices are out of order, overlap, or do not grow the
// file as announced.
inline std::string Spliced(const std::string& bytes, const Splices& splices) {
  std::string out;
  uint64_t from = 0;
  REQUIRE_OK(splices.ForEach([&](const Splice& splice) {
    REQUIRE(splice.at >= from);
    out += bytes.substr(from, splice.at - from);
    from = splice.at + splice.remove;
    REQUIRE(from <= bytes.size());
    out.append(splice.insert.data(), splice.insert.size());
    out.append(splice.text.data(), splice.text.size());
    out += bytes.substr(splice.copied.begin, splice.copied.end - splice.copied.begin);
    return absl::OkStatus();
  }));
  out += bytes.substr(from);
  REQUIRE(static_cast<int64_t>(out.size()) ==
          static_cast<int64_t>(bytes.size()) + splices.growth());
  return out;
}

inline std::string Edited(const std::string& bytes, const std::vector<DocEdit>& edits) {
  const Scanned scanned = Value(Scan(bytes));
  return Spliced(bytes, Splices(scanned.model, edits));
}

// Edits that give the first nodes these doc_strings. Views into `texts`.
inline std::vector<DocEdit> EditsTo(const std::vector<std::string>& texts) {
  std::vector<DocEdit> edits;
  for (size_t i = 0; i < texts.size(); ++i) edits.push_back({NodeId(i), true, texts[i]});
  return edits;
}

// What each node's doc_string is, as an edit. Views into the image that was scanned.
inline std::vector<DocEdit> DocsOf(const ScannedModel& model) {
  std::vector<DocEdit> docs;
  for (NodeId id : model.graph.node_ids()) {
    docs.push_back({id, model.graph.has_doc_string(id), model.graph.doc_string(id)});
  }
  return docs;
}

}  // namespace onnx_hier::testing

#endif  // ONNX_HIER_TESTS_EDITS_SPLICES_H_
