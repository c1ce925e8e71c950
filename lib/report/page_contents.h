// The nodes and parameters of modules as columns, which modules that are built alike share.
//
// A column is JSON: the item alone where all nodes have the same one, else the shortest of an array
// with an item for each node, an object with "runs", each an item and how often it comes, and one
// with "steps", the same of the differences between items. Items are numbers, mostly of texts. So a
// model of hundreds of alike layers takes little more than one of them, without compression, and a
// module's nodes are put together when somebody looks at them.
#ifndef ONNX_HIER_LIB_REPORT_PAGE_CONTENTS_H_
#define ONNX_HIER_LIB_REPORT_PAGE_CONTENTS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "lib/report/distinct_texts.h"
#include "lib/report/page_names.h"
#include "lib/types/value_types.h"
#include "onnx_hier/hierarchy.h"

namespace onnx_hier {

// As JSON.
std::string ColumnText(absl::Span<const int64_t> items);

class PageContents {
 public:
  // The names of the columns: what is known of a node. `step` is its distance in the graph from the
  // one before it in the module; `block` is what stands before its number in its id.
  enum NodeColumn : uint8_t {
    kStep,
    kBlock,
    kOp,
    kName,
    kOutput,
    kType,
    kHow,  // the method, and two figures in ten thousandths: "repetition 9412 9900"
    kReason,
    kCall,
    kNodeColumns
  };
  enum ParameterColumn : uint8_t { kTensor, kTensorType, kBytes, kParameterColumns };
  // Texts of a kind have a list of their own: those that follow each other begin alike.
  enum TextList : uint8_t { kTexts, kNames, kOutputs, kReasons, kTextLists };
  static const std::array<absl::string_view, kNodeColumns> kNodeColumnNames;
  static const std::array<absl::string_view, kParameterColumns> kParameterColumnNames;
  static const std::array<absl::string_view, kTextLists> kTextListNames;

  // Both must outlive this.
  PageContents(const Hierarchy& hierarchy, const ValueTypes& types)
      : hierarchy_(hierarchy), types_(types) {}

  // The numbers of what the module holds in contents().
  uint32_t AddNodes(ModuleId module);
  uint32_t AddParameters(ModuleId module);
  // Of another text of the page.
  uint32_t AddText(absl::string_view text);

  const DistinctTexts& texts(TextList list) const { return texts_[list]; }
  // Each is JSON.
  const DistinctTexts& columns() const { return columns_; }
  const DistinctTexts& contents() const { return contents_; }
  size_t bytes() const;

 private:
  using Columns = std::vector<std::vector<int64_t>>;

  void AppendNode(NodeId id, NodeId before, const NameScope& scope, Columns& columns);
  void AppendParameter(ValueId id, const NameScope& scope, Columns& columns);
  uint32_t AddColumns(const Columns& columns);
  std::string TypeOf(ValueId value) const;

  const Hierarchy& hierarchy_;
  const ValueTypes& types_;
  std::array<DistinctTexts, kTextLists> texts_;
  DistinctTexts columns_;
  DistinctTexts contents_;
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_REPORT_PAGE_CONTENTS_H_
