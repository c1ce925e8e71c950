#include "lib/onnx/stored_tensor_hashes.h"

#include <algorithm>
#include <array>

#include "lib/base/hash.h"
#include "lib/base/load_word.h"
#include "lib/base/status_macros.h"
#include "lib/files/posix_io.h"
#include "lib/onnx/schema.h"
#include "lib/onnx/wire_reader.h"

namespace onnx_hier {
namespace {

// Read and hashed at a time: fits into the processor's second cache.
constexpr uint64_t kBlock = 1 << 18;
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

}  // namespace

absl::StatusOr<uint64_t> StoredTensorHashes::Whole(TensorId tensor) {
  const TensorData& data = model_.tensor_data[tensor];
  const Tensor& about = model_.graph.tensor(tensor);
  const Span span{data.begin, data.end};
  switch (data.field) {
    case 0:
      return 0;
    case schema::tensor::kInt32Data:
    case schema::tensor::kInt64Data:
    case schema::tensor::kUint64Data:
      return HashOfVarints(span, about.elements == 0 ? 0 : about.bytes / about.elements);
    default:
      return HashOf(span);
  }
}

absl::StatusOr<uint64_t> StoredTensorHashes::Sample(TensorId tensor) {
  const TensorData& data = model_.tensor_data[tensor];
  const uint64_t size = data.end - data.begin;
  const bool is_plain =
      data.field == schema::tensor::kRawData || data.field == schema::tensor::kFloatData;
  if (!is_plain || size <= 3 * kSample) return Whole(tensor);
  uint64_t hash = size;
  for (const uint64_t at : {uint64_t{0}, (size - kSample) / 2, size - kSample}) {
    OH_ASSIGN_OR_RETURN(const char* const bytes, Read(data.begin + at, kSample));
    hash = HashBlock(bytes, kSample, hash);
  }
  return Known(hash);
}

absl::StatusOr<uint64_t> StoredTensorHashes::HashOf(Span span) {
  uint64_t hash = span.end - span.begin;
  for (uint64_t at = span.begin; at < span.end; at += kBlock) {
    const uint64_t size = std::min(kBlock, span.end - at);
    OH_ASSIGN_OR_RETURN(const char* const bytes, Read(at, size));
    hash = HashBlock(bytes, size, hash);
  }
  return Known(hash);
}

absl::StatusOr<uint64_t> StoredTensorHashes::HashOfVarints(Span span, uint64_t element_size) {
  // Longer ones are compared as they are encoded: nobody writes weights so.
  if (span.end - span.begin > kBlock || element_size == 0) return HashOf(span);
  OH_ASSIGN_OR_RETURN(const char* const bytes, Read(span.begin, span.end - span.begin));
  absl::string_view rest(bytes, span.end - span.begin);
  std::string elements;
  for (uint64_t value = 0; !rest.empty();) {
    if (!TakeVarint(&rest, &value)) return 0;
    for (uint64_t i = 0; i < element_size; ++i) {
      elements.push_back(static_cast<char>(i < 8 ? value >> (8 * i) : 0));
    }
  }
  uint64_t hash = elements.size();
  for (uint64_t at = 0; at < elements.size(); at += kBlock) {
    hash = HashBlock(elements.data() + at, std::min(kBlock, elements.size() - at), hash);
  }
  return Known(hash);
}

absl::StatusOr<const char*> StoredTensorHashes::Read(uint64_t begin, uint64_t size) {
  if (image_.fd() < 0) return image_.data() + begin;
  if (buffer_.empty()) buffer_.resize(kBlock);
  OH_RETURN_IF_ERROR(ReadFully(image_.fd(), buffer_.data(), size, begin));
  return buffer_.data();
}

}  // namespace onnx_hier
