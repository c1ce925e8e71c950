// SPDX-License-Identifier: Apache-2.0
#include "lib/checkpoint/tensor_layout.h"

#include <algorithm>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "onnx_hier_program/text.h"

namespace onnx_hier {
namespace {}  // namespace

absl::Status MeasureLayout(TensorLayout& tensor) {
  uint64_t elements = 1;
  for (const uint64_t dim : tensor.dims) {
    if (__builtin_mul_overflow(elements, dim, &elements)) {
      return absl::InvalidArgumentError(absl::StrCat(QuotedName(tensor.name), " is too large"));
    }
  }
  const StoredType& type = *tensor.type;
  const uint64_t row = tensor.dims.empty() ? 1 : tensor.dims.back();
  if (row % type.block != 0 ||
      __builtin_mul_overflow(elements / type.block, type.bytes, &tensor.bytes)) {
    return absl::InvalidArgumentError(
        absl::StrCat(QuotedName(tensor.name), " is of no size that ", type.name, " can have"));
  }
  tensor.elements = elements;
  return absl::OkStatus();
}

absl::Status CheckLayouts(absl::Span<const TensorLayout> tensors, uint64_t file_size) {
  std::vector<const TensorLayout*> by_place;
  by_place.reserve(tensors.size());
  absl::flat_hash_set<absl::string_view> names;
  for (const TensorLayout& tensor : tensors) {
    if (!names.insert(tensor.name).second) {
      return absl::InvalidArgumentError(
          absl::StrCat("two tensors are called ", QuotedName(tensor.name)));
    }
    if (tensor.begin > file_size || tensor.bytes > file_size - tensor.begin) {
      return absl::InvalidArgumentError(
          absl::StrCat(QuotedName(tensor.name), " should stand at byte ", tensor.begin,
                       " and take ", tensor.bytes, ", beyond the file's end: it was cut short"));
    }
    if (tensor.bytes > 0) by_place.push_back(&tensor);
  }
  std::sort(by_place.begin(), by_place.end(),
            [](const TensorLayout* a, const TensorLayout* b) { return a->begin < b->begin; });
  for (size_t i = 1; i < by_place.size(); ++i) {
    if (by_place[i]->begin - by_place[i - 1]->begin < by_place[i - 1]->bytes) {
      return absl::InvalidArgumentError(absl::StrCat(QuotedName(by_place[i]->name), " and ",
                                                     QuotedName(by_place[i - 1]->name),
                                                     " share bytes: the header is damaged"));
    }
  }
  return absl::OkStatus();
}

}  // namespace onnx_hier
