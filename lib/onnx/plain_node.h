// SPDX-License-Identifier: Apache-2.0

// Reads a node that lies in memory whole and has nothing unusual in it, in one go.
//
// Nearly all nodes do. Walking them field by field, with a message kept open for each node and
// attribute and a status for each field, would take most of the time of reading a large graph.
// What is unusual (graphs in attributes, several tensors, fields of other types, damage of any
// kind) is left to that walk, which reads plain nodes alike: tests compare the two.
#ifndef ONNX_HIER_LIB_ONNX_PLAIN_NODE_H_
#define ONNX_HIER_LIB_ONNX_PLAIN_NODE_H_

#include <cstdint>
#include <vector>

#include "absl/strings/string_view.h"
#include "lib/base/hash.h"
#include "onnx_hier/graph.h"

namespace onnx_hier {

// An attribute counts in its node's hash with its contents up to this size. A longer one, or one
// with graphs, counts with one field after the other, and those that are longer with their length.
constexpr uint64_t kHashedBytes = 4096;

inline uint64_t HashAttribute(absl::string_view contents) { return HashName(contents, HashKey()); }
// `before` is what the fields before it came to; `field` has its tag and length.
inline uint64_t HashField(uint64_t before, uint32_t number, absl::string_view field) {
  return MixHash(before,
                 field.size() <= kHashedBytes ? HashBytes(field) : MixHash(number, field.size()));
}

// Offsets count from where the node's contents begin.
struct PlainNode {
  absl::string_view name, op_type, domain, overload;
  std::vector<absl::string_view> inputs, outputs;
  std::vector<StringPair> metadata;
  uint64_t attribute_hash = 0;
  bool has_name = false;
  uint64_t doc_at = 0;  // where a doc_string goes, or where it is
  bool has_doc = false;
  absl::string_view doc_string;
  uint64_t doc_end = 0;  // of its field
  bool has_tensor = false;
  uint64_t tensor_begin = 0;  // of the contents of the field that is a tensor
  uint64_t tensor_end = 0;
};

// False: it is not plain, and what `node` holds means nothing.
bool ReadPlainNode(absl::string_view bytes, PlainNode* node);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_ONNX_PLAIN_NODE_H_
