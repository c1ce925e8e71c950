// SPDX-License-Identifier: Apache-2.0

// ONNX files as trees of fields, changed at random: lengths are right again afterwards, so that a
// fuzzer's time goes into what is inside.
#ifndef ONNX_HIER_TESTS_FUZZ_WIRE_MUTATOR_H_
#define ONNX_HIER_TESTS_FUZZ_WIRE_MUTATOR_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "tests/support/random.h"

namespace onnx_hier::fuzz {

// The messages of onnx.in.proto that the tool looks into; everything else is bytes.
enum class Message {
  kNone,
  kModel,
  kGraph,
  kNode,
  kAttribute,
  kTensor,
  kSparseTensor,
  kValueInfo,
  kEntry,
  kOpset,
  kFunction,
  kTraining,
};

struct WireField {
  uint32_t number = 0;
  uint32_t type = 0;                 // as in the wire format; groups are not taken apart
  uint64_t value = 0;                // of numbers
  std::string bytes;                 // of what is no message
  Message message = Message::kNone;  // what `fields` are of
  std::vector<WireField> fields;
};
using WireFields = std::vector<WireField>;

// None where the bytes are no fields of a model that can be told apart.
std::optional<WireFields> ParseWire(absl::string_view bytes);
std::string SerializeWire(const WireFields& fields, testing::Random& random);

// Changes a string in place in whatever way.
using BytesMutator = std::function<void(std::string*)>;

// One change somewhere in the tree; `donor` gives fields to be taken over, and may be the same.
void MutateWire(WireFields& model, const WireFields& donor, testing::Random& random,
                const BytesMutator& mutate_bytes);

// Changes a text in place by what the numbers say.
using TextMutator = std::function<void(std::string*, testing::Random&)>;

// The model with fewer than `most` changes. None where the bytes cannot be told apart.
std::optional<std::string> MutatedModel(absl::string_view model, testing::Random& random,
                                        uint64_t most, const TextMutator& mutate_text);

// What the model says of its own version: the seed of what a target makes up beside it, so that a
// fuzzer can change the model without making quite another of the rest. 0 where it says nothing.
uint64_t ModelVersion(absl::string_view model);
// The same model of another version; as it was where the bytes cannot be told apart.
std::string WithModelVersion(absl::string_view model, uint64_t version);

}  // namespace onnx_hier::fuzz

#endif  // ONNX_HIER_TESTS_FUZZ_WIRE_MUTATOR_H_
