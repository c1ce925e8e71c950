// SPDX-License-Identifier: Apache-2.0

// Reads the ONNX messages that hold no nodes: they nest to a fixed depth, so that each is read by
// a function of its own. Every function is given the field that holds the message, just read by
// `reader`, and leaves the reader behind it.
#ifndef ONNX_HIER_LIB_ONNX_LEAF_MESSAGES_H_
#define ONNX_HIER_LIB_ONNX_LEAF_MESSAGES_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "lib/onnx/wire_reader.h"
#include "onnx_hier/graph.h"

namespace onnx_hier {

absl::Status ReadEntry(WireReader& reader, const Field& outer, StringPair* pair);
absl::Status ReadOpset(WireReader& reader, const Field& outer, OpsetImport* opset);
// The name of a ValueInfoProto; its type is not looked at.
absl::Status ReadValueName(WireReader& reader, const Field& outer, absl::string_view* name);

// Where the elements of a tensor stand in the file, and in which of TensorProto's fields: texts
// with the tag and length of each.
struct TensorData {
  uint64_t begin = 0;
  uint64_t end = 0;
  uint32_t field = 0;  // 0: they are nowhere, elsewhere, or in pieces
};

// Where the elements of a tensor stand in another file, as the model says: not to be trusted.
struct ExternalPlace {
  absl::string_view location;  // relative to the model's folder
  uint64_t offset = 0;
  std::optional<uint64_t> length;        // none: as long as the tensor
  std::optional<uint64_t> tensor_bytes;  // by its type and dims; none: these do not tell
  bool is_clear = true;                  // false: the numbers are none
  bool is_sparse = false;                // it is the values, or the indices, of a sparse tensor
};

// A field as it stands in the file, its tag and length included.
struct FieldExtent {
  uint64_t begin = 0;
  uint64_t end = 0;  // 0: there is none
};

struct TensorContents {
  Tensor tensor;
  TensorData data;     // of a sparse tensor: of its values
  TensorData indices;  // of a sparse tensor
  std::vector<int64_t> dims;
  std::vector<ExternalPlace> external_places;  // of what lies in other files
  // Of a tensor that is not sparse: its name and the entries that say where its data are, as they
  // stand in the file.
  FieldExtent name_field;
  std::vector<FieldExtent> external_fields;
};

// A tensor's description; its contents are skipped unread.
absl::Status ReadTensor(WireReader& reader, const Field& outer, TensorContents* contents);
// The name, type and location of the values, and the dims of the whole.
absl::Status ReadSparseTensor(WireReader& reader, const Field& outer, TensorContents* contents);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_ONNX_LEAF_MESSAGES_H_
