// SPDX-License-Identifier: Apache-2.0
#include "lib/onnx/tensor_bytes.h"

#include <algorithm>

#include "lib/base/status_macros.h"

namespace onnx_hier {

std::optional<TensorBytes::Span> TensorBytes::Find(TensorId tensor) {
  const Tensor& about = model_.graph.tensor(tensor);
  if (!about.external) {
    const TensorData& data = model_.tensor_data[tensor];
    if (data.field == 0) return std::nullopt;
    return Span{data.begin, data.end};
  }
  const ExternalPlace* const place = PlaceOf(tensor);
  if (place == nullptr || about.bytes == 0) return std::nullopt;
  if (!place->is_clear || place->is_sparse || !files_.Open(place->location).ok())
    return std::nullopt;
  const uint64_t length = place->length.value_or(about.bytes);
  if (length > files_.size() || place->offset > files_.size() - length) {
    files_.Note(place->location, absl::OutOfRangeError("it is shorter than the model says"));
    return std::nullopt;
  }
  return Span{place->offset, place->offset + length, /*in_data_file=*/true};
}

absl::string_view TensorBytes::LocationOf(TensorId tensor) const {
  const ExternalPlace* const place = PlaceOf(tensor);
  return place == nullptr ? "" : place->location;
}

absl::StatusOr<const char*> TensorBytes::Read(Span span) {
  if (!span.in_data_file && image_.in_memory()) return image_.data() + span.begin;
  if (buffer_.empty()) buffer_.resize(kBlock);
  OH_RETURN_IF_ERROR(span.in_data_file ? files_.Read(buffer_.data(), span.size(), span.begin)
                                       : image_.ReadAt(buffer_.data(), span.size(), span.begin));
  return buffer_.data();
}

const ExternalPlace* TensorBytes::PlaceOf(TensorId tensor) const {
  const auto external =
      std::lower_bound(model_.external_tensors.begin(), model_.external_tensors.end(), tensor,
                       [](const ExternalTensor& entry, TensorId id) { return entry.tensor < id; });
  if (external == model_.external_tensors.end() || external->tensor != tensor) return nullptr;
  return &external->place;
}

}  // namespace onnx_hier
