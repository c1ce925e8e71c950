// SPDX-License-Identifier: Apache-2.0
#include "lib/onnx/stored_tensor_hashes.h"

#include <algorithm>
#include <array>

#include "absl/functional/function_ref.h"
#include "lib/base/hash.h"
#include "lib/base/load_word.h"
#include "lib/base/status_macros.h"
#include "lib/onnx/schema.h"
#include "lib/onnx/wire_reader.h"

namespace onnx_hier {
namespace {

constexpr uint64_t kBlock = TensorBytes::kBlock;
// Of the beginning, the middle and the end of what is not read whole.
constexpr uint64_t kSample = 1 << 12;

// Of a block: several words a step that do not wait for each other, as fast as memory.
uint64_t HashBlock(const char* p, uint64_t size, uint64_t seed) {
  constexpr size_t kLanes = 4;
  std::array<uint64_t, kLanes> lanes = {seed, seed + 1, seed + 2, seed + 3};
  const char* const end = p + size;
  for (; static_cast<size_t>(end - p) >= 16 * kLanes; p += 16 * kLanes) {
    for (size_t i = 0; i < kLanes; ++i) {
      lanes[i] =
          MixHash(lanes[i] ^ LoadWord<uint64_t>(p + 16 * i), LoadWord<uint64_t>(p + 16 * i + 8));
    }
  }
  uint64_t hash = HashBytes(absl::string_view(p, static_cast<size_t>(end - p)), seed);
  for (uint64_t lane : lanes) hash = MixHash(hash, lane);
  return hash;
}

// 0 means that nothing is known.
uint64_t Known(uint64_t hash) { return hash == 0 ? 1 : hash; }

// Hands out some of the bytes that are hashed, for as long as nothing else is read.
using ReadBytes = absl::FunctionRef<absl::StatusOr<const char*>(uint64_t at, uint64_t size)>;

// Of all bytes; of a sample, if that is enough and they are many.
absl::StatusOr<uint64_t> HashOf(uint64_t size, bool sample, ReadBytes read) {
  uint64_t hash = size;
  if (sample && size > 3 * kSample) {
    for (const uint64_t at : {uint64_t{0}, (size - kSample) / 2, size - kSample}) {
      OH_ASSIGN_OR_RETURN(const char* const bytes, read(at, kSample));
      hash = HashBlock(bytes, kSample, hash);
    }
    return Known(hash);
  }
  for (uint64_t at = 0; at < size; at += kBlock) {
    const uint64_t length = std::min(kBlock, size - at);
    OH_ASSIGN_OR_RETURN(const char* const bytes, read(at, length));
    hash = HashBlock(bytes, length, hash);
  }
  return Known(hash);
}

uint64_t ElementSize(const Tensor& tensor) {
  return tensor.elements == 0 ? 0 : tensor.bytes / tensor.elements;
}

}  // namespace

absl::StatusOr<uint64_t> StoredTensorHashes::HashOfTensor(TensorId tensor, bool sample) {
  const std::optional<Span> found = bytes_.Find(tensor);
  if (!found) return 0;
  const Span span = *found;
  const Tensor& about = bytes_.model().graph.tensor(tensor);
  if (about.external) return HashOfExternal(tensor, span, sample);
  const ScannedModel& model = bytes_.model();
  OH_ASSIGN_OR_RETURN(const uint64_t hash,
                      HashOfData(model.tensor_data[tensor], ElementSize(about), sample));
  const auto indices =
      std::lower_bound(model.sparse_indices.begin(), model.sparse_indices.end(), tensor,
                       [](const auto& entry, TensorId id) { return entry.first < id; });
  if (indices == model.sparse_indices.end() || indices->first != tensor) return hash;
  if (indices->second.field == 0) return 0;
  OH_ASSIGN_OR_RETURN(const uint64_t places,
                      HashOfData(indices->second, sizeof(int64_t), /*sample=*/false));
  return Known(MixHash(hash, places));
}

absl::StatusOr<uint64_t> StoredTensorHashes::HashOfData(const TensorData& data,
                                                        uint64_t element_size, bool sample) {
  const Span span = {data.begin, data.end};
  switch (data.field) {
    case schema::tensor::kInt32Data:
    case schema::tensor::kInt64Data:
    case schema::tensor::kUint64Data:
      return HashOfVarints(span, element_size, sample);
    case schema::tensor::kRawData:
    case schema::tensor::kFloatData:
      return HashOfSpan(span, sample);
    default:
      return HashOfSpan(span, /*sample=*/false);
  }
}

absl::StatusOr<uint64_t> StoredTensorHashes::HashOfSpan(Span span, bool sample) {
  return HashOf(span.size(), sample, [this, span](uint64_t at, uint64_t size) {
    return bytes_.Read({span.begin + at, span.begin + at + size, span.in_data_file});
  });
}

absl::StatusOr<uint64_t> StoredTensorHashes::HashOfVarints(Span span, uint64_t element_size,
                                                           bool sample) {
  // Longer ones are compared as they are encoded: nobody writes weights so.
  if (span.size() > kBlock || element_size == 0) return HashOfSpan(span, /*sample=*/false);
  OH_ASSIGN_OR_RETURN(const char* const bytes, bytes_.Read(span));
  absl::string_view rest(bytes, span.size());
  std::string elements;
  for (uint64_t value = 0; !rest.empty();) {
    if (!TakeVarint(&rest, &value)) return 0;
    for (uint64_t i = 0; i < element_size; ++i) {
      elements.push_back(static_cast<char>(i < 8 ? value >> (8 * i) : 0));
    }
  }
  return HashOf(elements.size(), sample,
                [&elements](uint64_t at, uint64_t /*size*/) -> absl::StatusOr<const char*> {
                  return elements.data() + at;
                });
}

absl::StatusOr<uint64_t> StoredTensorHashes::HashOfExternal(TensorId tensor, Span span,
                                                            bool sample) {
  const absl::string_view location = bytes_.LocationOf(tensor);
  absl::StatusOr<uint64_t> hash = sample && span.size() > 3 * kSample
                                      ? HashOfSpan(span, sample)
                                      : WholeExternal(location, span);
  if (hash.ok()) OH_RETURN_IF_ERROR(bytes_.files().VerifyUnchanged());
  if (hash.ok()) return hash;
  bytes_.files().Note(location, hash.status());
  return 0;
}

absl::StatusOr<uint64_t> StoredTensorHashes::WholeExternal(absl::string_view location, Span span) {
  const auto [known, is_new] =
      external_.try_emplace(std::make_tuple(location, span.begin, span.end), 0);
  if (!is_new) return known->second;
  if (!bytes_.files().MaySpend(span.size())) {
    return absl::InvalidArgumentError("its tensors overlap: it would be read again and again");
  }
  OH_ASSIGN_OR_RETURN(known->second, HashOfSpan(span, /*sample=*/false));
  return known->second;
}

}  // namespace onnx_hier
