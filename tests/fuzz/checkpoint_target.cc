// SPDX-License-Identifier: Apache-2.0

// A checkpoint that somebody gives to us, in each form: if it can be opened, all that it holds is
// read from the beginning and from the middle on, and it is matched with a model.

#include <algorithm>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "lib/checkpoint/checkpoint_values.h"
#include "onnx_hier/checkpoint.h"
#include "onnx_hier/weights.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/temp_folder.h"
#include "tests/support/wire.h"

namespace onnx_hier::fuzz {
namespace {

// Numbers that are read of a tensor.
constexpr uint64_t kMost = 1 << 16;

const Model& SomeModel() {
  static const Model* const model = [] {
    const std::string numbers = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKL";
    absl::StatusOr<Model> opened = Model::FromBytes(wire::Model(wire::Graph(
        wire::Node("Gemm", {"x", "a", "b"}, {"y"}) + wire::Initializer("a", {4, 3}, numbers) +
        wire::Initializer("b", {3}, numbers.substr(0, 12)) + wire::Output("y"))));
    Require(opened.ok(), "a model is one");
    return new Model(*std::move(opened));
  }();
  return *model;
}

void ReadAll(const Checkpoint& checkpoint) {
  CheckpointValues values(checkpoint);
  for (size_t i = 0; i < checkpoint.tensors().size(); ++i) {
    const CheckpointTensor& tensor = checkpoint.tensors()[i];
    Require(tensor.file < checkpoint.files().size(), "a tensor is in one of the files");
    for (const uint64_t skipped : {uint64_t{0}, tensor.elements / 2}) {
      const absl::StatusOr<bool> is_there = values.Begin(TensorId(i));
      if (!is_there.ok() || !*is_there) break;
      Require(values.Skip(skipped).ok(), "what is there can be stepped over");
      std::vector<double> numbers(std::min(tensor.elements - skipped, kMost));
      Require(values.Read(absl::MakeSpan(numbers)).ok(), "what is there can be read");
    }
  }
}

}  // namespace
}  // namespace onnx_hier::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  namespace fuzz = onnx_hier::fuzz;
  const onnx_hier::testing::TempFolder folder;
  const std::string path = folder.Write("x.safetensors", fuzz::Text(data, size));
  const absl::StatusOr<onnx_hier::Checkpoint> checkpoint = onnx_hier::Checkpoint::Open({path});
  if (!checkpoint.ok()) {
    fuzz::Require(!checkpoint.status().message().empty(), "an error says why");
    return 0;
  }
  fuzz::ReadAll(*checkpoint);
  const absl::StatusOr<onnx_hier::WeightMatches> matches =
      onnx_hier::MatchWeights(fuzz::SomeModel(), *checkpoint);
  fuzz::Require(!matches.ok() || matches->fates.size() == checkpoint->tensors().size(),
                "every tensor has an answer");
  return 0;
}
