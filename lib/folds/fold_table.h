// What a folded model keeps of the flat one that does not follow from its functions: enough to have
// the flat one back, byte for byte. It stands in the model's metadata under "onnx_hier.fold"; the
// form is described in docs/folded-models.md.
#ifndef ONNX_HIER_LIB_FOLDS_FOLD_TABLE_H_
#define ONNX_HIER_LIB_FOLDS_FOLD_TABLE_H_

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

struct FoldTable {
  int64_t ir_version = 0;           // 0: it was none
  uint64_t checksum = 0;            // of the nodes, by NodesChecksum
  std::vector<uint32_t> positions;  // in the flat graph, of each node that a walk meets
  std::string codes;                // of the texts that it meets (text_codes.h)
};

// Of nodes as bytes, in their order.
class NodesChecksum {
 public:
  void Add(absl::string_view node);
  uint64_t value() const { return value_; }

 private:
  uint64_t value_ = 0;
};

std::string WriteFoldTable(const FoldTable& table);
// None: it is damaged, or speaks of more than `kMostUnfoldedNodes`.
std::optional<FoldTable> ReadFoldTable(absl::string_view text);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_FOLDS_FOLD_TABLE_H_
