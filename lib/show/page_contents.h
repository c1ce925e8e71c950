// SPDX-License-Identifier: Apache-2.0

// The nodes and parameters of modules as columns, which modules that are built alike share.
//
// A column is JSON: the item alone where all nodes have the same one, else the shortest of an array
// with an item for each node, an object with "runs", each an item and how often it comes, and one
// with "steps", the same of the differences between items. Items are numbers, mostly of texts. So a
// model of hundreds of alike layers takes little more than one of them, without compression, and a
// module's nodes are put together when somebody looks at them.
#ifndef ONNX_HIER_LIB_SHOW_PAGE_CONTENTS_H_
#define ONNX_HIER_LIB_SHOW_PAGE_CONTENTS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "lib/base/interner.h"
#include "lib/cost/known_shapes.h"
#include "lib/onnx/value_types.h"
#include "lib/show/page_names.h"
#include "onnx_hier/hierarchy.h"

namespace onnx_hier {

// Texts to dense numbers, each text held once.
//
//   DistinctTexts texts;
//   texts.Add("Add"), texts.Add("Mul"), texts.Add("Add");  // 0, 1, 0
class DistinctTexts {
 public:
  uint32_t Add(std::string text) {
    const uint32_t known = table_.Find(text);
    if (known != Interner::kNone) return known;
    bytes_ += text.size();
    texts_.push_back(std::move(text));
    return table_.Intern(texts_.back());
  }

  const std::deque<std::string>& texts() const { return texts_; }
  size_t bytes() const { return bytes_; }

 private:
  std::deque<std::string> texts_;  // a deque: views of them stay valid as it grows
  Interner table_;
  size_t bytes_ = 0;
};

// As JSON.
std::string ColumnText(absl::Span<const int64_t> items);

class PageContents {
 public:
  // The names of the columns: what is known of a node. `step` is its distance in the graph from the
  // one before it in the module; `block` is what stands before its number in its id. `inputs` has a
  // line for each: "3" is what the third node before it in its graph makes, "3:1" the second output
  // of that, "!1045/then_branch/0:1" one of a node of another graph, or that many read, "$2" the
  // third of the module's parameters, "=NAME" what else no node makes.
  enum NodeColumn : uint8_t {
    kStep,
    kBlock,
    kOp,
    kName,
    kInputs,
    kOutputs,  // a line for each
    kTypes,    // likewise
    kAttributes,
    kHow,  // the method, and two figures in ten thousandths: "repetition 9412 9900"
    kReason,
    kCall,
    kNodeColumns
  };
  enum ParameterColumn : uint8_t { kTensor, kTensorType, kBytes, kParameterColumns };
  // Texts of a kind have a list of their own: those that follow each other begin alike.
  enum TextList : uint8_t { kTexts, kNames, kReads, kMade, kReasons, kTextLists };
  static const std::array<absl::string_view, kNodeColumns> kNodeColumnNames;
  static const std::array<absl::string_view, kParameterColumns> kParameterColumnNames;
  static const std::array<absl::string_view, kTextLists> kTextListNames;

  // `attributes` of each node as a text. All must outlive this.
  PageContents(const Hierarchy& hierarchy, const ValueTypes& types, const KnownShapes& shapes,
               const IdVector<NodeId, std::string>& attributes);

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

  // "float32[1,128]", "int64"; "" where nothing tells.
  std::string TypeOf(ValueId value) const;
  // The node that makes it: its id, and ":1" for the second output. "": none.
  std::string MakerOf(ValueId value) const;

 private:
  using Columns = std::vector<std::vector<int64_t>>;

  void AppendNode(NodeId id, NodeId before, const NameScope& scope, Columns& columns);
  void AppendParameter(ValueId id, const NameScope& scope, Columns& columns);
  uint32_t AddColumns(const Columns& columns);
  uint32_t OpText(OpId op);
  // As of kInputs.
  std::string ReadText(const Node& reader, ValueId value, const NameParts& parts) const;
  void NumberParameters(ModuleId module);
  std::string SlotText(ValueId value) const;

  static constexpr uint32_t kNoText = 0xFFFFFFFFu;

  const Hierarchy& hierarchy_;
  const ValueTypes& types_;
  const KnownShapes& shapes_;
  const IdVector<NodeId, std::string>& attributes_;
  IdVector<ValueId, uint32_t> slots_;  // among the outputs of the nodes that make them
  // The number of each parameter of the module that is being added.
  absl::flat_hash_map<ValueId, uint32_t> own_parameters_;
  std::array<DistinctTexts, kTextLists> texts_;
  DistinctTexts columns_;
  DistinctTexts contents_;
  // Texts of neighbours are mostly the same.
  BlockId last_block_;
  uint32_t last_block_text_ = 0;
  std::optional<Assignment> last_how_;
  uint32_t last_how_text_ = 0;
  IdVector<OpId, uint32_t> op_texts_;
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_SHOW_PAGE_CONTENTS_H_
