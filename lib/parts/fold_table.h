// SPDX-License-Identifier: Apache-2.0

// What a folded model keeps of the flat one that does not follow from its functions: enough to have
// the flat one back, byte for byte. It stands in the model's metadata under "onnx_hier.fold"; the
// form is described in docs/folded-models.md.
#ifndef ONNX_HIER_LIB_PARTS_FOLD_TABLE_H_
#define ONNX_HIER_LIB_PARTS_FOLD_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace onnx_hier {

constexpr absl::string_view kFoldKey = "onnx_hier.fold";
constexpr absl::string_view kFoldDomain = "onnx_hier.modules";
constexpr int64_t kFoldDomainVersion = 1;

// Models that would have more of them are made to take memory: a few functions that call each other
// can stand for any number of nodes.
constexpr size_t kMostUnfoldedNodes = 2'000'000;

// What stands at the beginning of a table: the form of the rest. The first one had no `functions`,
// and a checksum of the nodes that were moved alone. The last one is like the one before, of a
// model whose nodes did not stand one behind the other in the file: they come back, but not to
// there.
constexpr uint64_t kFirstFoldForm = 1;
constexpr uint64_t kFoldForm = 2;
constexpr uint64_t kScatteredFoldForm = 3;

struct FoldTable {
  uint64_t form = kFoldForm;
  int64_t ir_version = 0;           // 0: it was none
  uint64_t checksum = 0;            // of the flat graph, by NodesChecksum
  std::vector<uint32_t> functions;  // of what each holds, by FunctionChecksum, in their order
  std::vector<uint32_t> positions;  // in the flat graph, of each node that a walk meets
  std::string codes;                // of the texts that it meets (text_codes.h)
};

// Of a flat graph: of its nodes as bytes, in their order.
class NodesChecksum {
 public:
  // As the table's form wants it.
  explicit NodesChecksum(const FoldTable& table);
  void Add(absl::string_view node);
  // One that was not moved: its place counts, not its bytes.
  void AddStaying();
  uint64_t value() const { return value_; }

 private:
  bool counts_all_;
  uint64_t value_;
};

// Of a function: of its name, then of its inputs' and outputs' names, then of its nodes as bytes.
class FunctionChecksum {
 public:
  void Add(absl::string_view text);
  uint32_t value() const { return static_cast<uint32_t>(value_ ^ value_ >> 32); }

 private:
  uint64_t value_ = 0;
};

std::string WriteFoldTable(const FoldTable& table);
// None: it is damaged, or speaks of more than `kMostUnfoldedNodes`.
std::optional<FoldTable> ReadFoldTable(absl::string_view text);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_PARTS_FOLD_TABLE_H_
