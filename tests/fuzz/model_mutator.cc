// SPDX-License-Identifier: Apache-2.0

// How libFuzzer changes models: most of the time field by field, else byte by byte.

#include <algorithm>
#include <cstring>
#include <string>

#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/wire_mutator.h"

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

namespace onnx_hier::fuzz {
namespace {

// One in so many changes does not know of fields.
constexpr uint64_t kPlainChange = 4;
// What a text may grow by in one change.
constexpr size_t kGrowth = 64;

void MutateText(std::string* text) {
  const size_t size = text->size();
  text->resize(size + kGrowth);
  text->resize(LLVMFuzzerMutate(reinterpret_cast<uint8_t*>(text->data()), size, text->size()));
}

// 0 where the result is too large or `data` no model.
size_t MutateFields(uint8_t* data, size_t size, size_t max_size, absl::string_view donor_bytes,
                    testing::Random& random) {
  std::optional<WireFields> model = ParseWire(Text(data, size));
  const std::optional<WireFields> donor = ParseWire(donor_bytes);
  if (!model.has_value() || !donor.has_value()) return 0;
  do {
    MutateWire(*model, *donor, random, MutateText);
  } while (!random.OneIn(3));
  const std::string bytes = SerializeWire(*model, random);
  if (bytes.size() > max_size) return 0;
  std::memcpy(data, bytes.data(), bytes.size());
  return bytes.size();
}

}  // namespace
}  // namespace onnx_hier::fuzz

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                                          unsigned seed) {
  onnx_hier::testing::Random random(seed);
  if (!random.OneIn(onnx_hier::fuzz::kPlainChange)) {
    const std::string donor(onnx_hier::fuzz::Text(data, size));
    const size_t changed = onnx_hier::fuzz::MutateFields(data, size, max_size, donor, random);
    if (changed > 0) return changed;
  }
  return LLVMFuzzerMutate(data, size, max_size);
}

extern "C" size_t LLVMFuzzerCustomCrossOver(const uint8_t* a, size_t a_size, const uint8_t* b,
                                            size_t b_size, uint8_t* out, size_t max_out,
                                            unsigned seed) {
  onnx_hier::testing::Random random(seed);
  if (a_size > max_out) return 0;
  std::memcpy(out, a, a_size);
  return onnx_hier::fuzz::MutateFields(out, a_size, max_out, onnx_hier::fuzz::Text(b, b_size),
                                       random);
}
