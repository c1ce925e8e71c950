// SPDX-License-Identifier: Apache-2.0

// What a page shows, as the JSON that its script reads.
//
// Columns are as page_contents.h has them: of the modules too, in the tree's order, where the depth
// says what is in what.
#ifndef ONNX_HIER_LIB_SHOW_PAGE_DATA_H_
#define ONNX_HIER_LIB_SHOW_PAGE_DATA_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "lib/base/outgoing_text.h"
#include "lib/cost/known_shapes.h"
#include "lib/onnx/value_types.h"
#include "lib/show/page_contents.h"
#include "onnx_hier_program/json_text.h"
#include "onnx_hier_program/reports.h"

namespace onnx_hier {

// The file of the page's model.
struct PageFile {
  std::string name;  // without its folder; "" for a stream
  uint64_t bytes = 0;
  const ValueTypes& types;
  const KnownShapes& shapes;
  const IdVector<NodeId, std::string>& attributes;  // "epsilon: 1e-05, axis: -1"
};

class PageData {
 public:
  // What is referred to must outlive this.
  PageData(const PageReport& report, PageFile file);

  // "<" is nowhere in it: it may stand in a script element.
  absl::Status Write(ByteSink& sink) const;

 private:
  using Numbers = std::vector<int64_t>;

  void AddModules();
  void AddContents();
  void AddMeasures();
  void AddComparison(const PageComparison& comparison);
  void AppendFacts(JsonText& json) const;
  void AppendValues(absl::string_view key, absl::Span<const ValueId> values, JsonText& json) const;
  void AppendMeasures(JsonText& json) const;
  static void AppendProfile(const TimedProfile& timed, JsonText& json);
  void AppendComparison(const PageComparison& comparison, JsonText& json) const;

  const PageReport& report_;
  const PageFile file_;
  const Annotation& annotation_;
  PageContents contents_;
  std::vector<std::pair<std::string, Numbers>> modules_;      // the columns by name
  std::vector<std::pair<std::string, std::string>> numbers_;  // of others than whole numbers: JSON
  uint64_t left_out_ = 0;                                     // nodes
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_SHOW_PAGE_DATA_H_
