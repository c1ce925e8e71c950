// SPDX-License-Identifier: Apache-2.0
#include "onnx_hier/checkpoint.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "lib/checkpoint/checkpoint_values.h"
#include "tests/checkpoint/saved_tensors.h"
#include "tests/support/status.h"
#include "tests/support/temp_folder.h"

namespace onnx_hier {
namespace {

using testing::Floats;
using testing::GgufHead;
using testing::GgufTensor;
using testing::Padded;
using testing::Safetensors;
using testing::TempFolder;
using testing::Word;

std::string OneTensor(const std::string& name, const std::vector<float>& numbers) {
  return Safetensors(absl::StrCat("{\"", name, R"(":{"dtype":"F32","shape":[)", numbers.size(),
                                  R"(],"data_offsets":[0,)", numbers.size() * 4, "]}}"),
                     Floats(numbers));
}

std::vector<double> NumbersOf(const Checkpoint& checkpoint, size_t tensor, uint64_t skipped = 0) {
  CheckpointValues values(checkpoint);
  REQUIRE(testing::Value(values.Begin(TensorId(tensor))));
  CHECK_OK(values.Skip(skipped));
  std::vector<double> numbers(checkpoint.tensors()[tensor].elements - skipped);
  // One alone, then the rest.
  CHECK_OK(values.Read(absl::MakeSpan(numbers).subspan(0, 1)));
  CHECK_OK(values.Read(absl::MakeSpan(numbers).subspan(1)));
  return numbers;
}

TEST_CASE("tensors of several files are one checkpoint, and are read from any place on") {
  const TempFolder folder;
  const std::string a = folder.Write("a.safetensors", OneTensor("a", {1, 2, 3}));
  std::string block = Word(uint16_t{0x3C00});  // 1 as a float16
  for (int i = 0; i < 32; ++i) block.push_back(static_cast<char>(i - 5));
  const std::string b = folder.Write(
      "b.gguf", Padded(GgufHead(3, 1) + GgufTensor("b", {32, 2}, 8, 0)) + block + block);
  const Checkpoint checkpoint = testing::Value(Checkpoint::Open({a, b}));
  REQUIRE(checkpoint.tensors().size() == 2);
  CHECK(checkpoint.files()[1].format == "gguf");
  CHECK(NumbersOf(checkpoint, 0) == std::vector<double>{1, 2, 3});
  CHECK(NumbersOf(checkpoint, 0, 1) == std::vector<double>{2, 3});
  CHECK(NumbersOf(checkpoint, 1, 30)[0] == 25);
  CHECK(NumbersOf(checkpoint, 1, 30)[2] == -5);
  CHECK(NumbersOf(checkpoint, 1).size() == 64);
}

TEST_CASE("an index says which files, beside it") {
  const TempFolder folder;
  folder.Write("one.safetensors", OneTensor("a", {1}));
  folder.Write("two.safetensors", OneTensor("b", {2}));
  const auto index = [&](const std::string& map) {
    return folder.Write("model.safetensors.index.json", "\n{\"weight_map\":" + map + "}");
  };
  const std::vector<std::string> both = {index(R"({"a":"one.safetensors","b":"two.safetensors"})")};
  CHECK(testing::Value(Checkpoint::Open(both)).tensors().size() == 2);
  CHECK_ERROR(Checkpoint::Open({index(R"({"a":"two.safetensors"})")}), kInvalidArgument,
              "'a' is not in two.safetensors");
  CHECK_ERROR(Checkpoint::Open({index(R"({"a":"three.safetensors"})")}), kNotFound,
              "three.safetensors: No such file");
  for (const char* shard : {"/etc/passwd", "../one.safetensors", "", ".hidden"}) {
    CHECK_ERROR(Checkpoint::Open({index(absl::StrCat("{\"a\":\"", shard, "\"}"))}),
                kInvalidArgument, "no file beside it");
  }
  CHECK_ERROR(Checkpoint::Open({index("{\"a\":\"model.safetensors.index.json\"}")}),
              kInvalidArgument, "no safetensors");
  CHECK_ERROR(Checkpoint::Open({index("{\"a\":7}")}), kInvalidArgument, "weight_map");
}

TEST_CASE("what is no checkpoint is told from what is damaged") {
  const TempFolder folder;
  const auto opened = [&](const std::string& bytes) {
    return Checkpoint::Open({folder.Write("file", bytes)});
  };
  CHECK_ERROR(opened(std::string("PK\x03\x04", 4) + "archive/data.pkl"), kInvalidArgument,
              "pickled");
  CHECK_ERROR(opened("\x80\x02}q"), kInvalidArgument, "safetensors.torch.save_file");
  CHECK_ERROR(opened(""), kInvalidArgument, "no safetensors");
  CHECK_ERROR(opened("text"), kInvalidArgument, "no safetensors");
  CHECK_ERROR(opened(OneTensor("a", {1, 2}).substr(0, 60)), kInvalidArgument, "cut short");
  CHECK_ERROR(Checkpoint::Open({folder.path()}), kInvalidArgument, "no file");
  CHECK_ERROR(Checkpoint::Open({folder / "gone"}), kNotFound, "No such file");
}

TEST_CASE("a file that is changed while it is read is refused") {
  const TempFolder folder;
  const std::string path = folder.Write("a.safetensors", OneTensor("a", {1, 2, 3}));
  const Checkpoint checkpoint = testing::Value(Checkpoint::Open({path}));
  folder.Write("a.safetensors", OneTensor("a", {1}));
  CheckpointValues values(checkpoint);
  CHECK_ERROR(values.Begin(TensorId(0)), kAborted, "changed");
}

}  // namespace
}  // namespace onnx_hier
