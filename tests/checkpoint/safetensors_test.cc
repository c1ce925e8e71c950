// SPDX-License-Identifier: Apache-2.0
#include "lib/checkpoint/safetensors.h"

#include <doctest/doctest.h>

#include <string>

#include "tests/checkpoint/saved_tensors.h"
#include "tests/support/status.h"
#include "tests/support/temp_folder.h"

namespace onnx_hier {
namespace {

using testing::Floats;
using testing::MemoryFile;
using testing::Safetensors;
using testing::Word;

absl::StatusOr<TensorHeader> HeaderOf(const std::string& bytes) {
  const MemoryFile file(bytes);
  return ReadSafetensors(file.fd(), bytes.size());
}

absl::StatusOr<TensorHeader> HeaderOf(const std::string& header, const std::string& data) {
  return HeaderOf(Safetensors(header, data));
}

TEST_CASE("a header says names, types, shapes and places") {
  const std::string text =
      R"({"__metadata__":{"format":"pt"},"a.weight":{"dtype":"F32","shape":[2,1],)"
      R"("data_offsets":[2,10]},"b":{"dtype":"BF16","shape":[],"data_offsets":[0,2],"more":[1]}})";
  const TensorHeader header = testing::Value(HeaderOf(text, std::string(10, 'x')));
  REQUIRE(header.tensors.size() == 2);
  CHECK(header.tensors[0].name == "a.weight");
  CHECK(header.tensors[0].type->name == "F32");
  CHECK(header.tensors[0].dims == std::vector<uint64_t>{2, 1});
  CHECK(header.tensors[0].begin == 8 + text.size() + 2);
  CHECK(header.tensors[0].bytes == 8);
  CHECK(header.tensors[1].elements == 1);
  CHECK(header.hash == testing::Value(HeaderOf(text, std::string(10, 'y'))).hash);
}

TEST_CASE("damaged headers are refused, with their place") {
  const auto tensor = [](const std::string& fields) { return "{\"a\":{" + fields + "}}"; };
  const std::string data(8, 'x');
  CHECK_ERROR(HeaderOf("{", data), kInvalidArgument, ": the header is not");
  CHECK_ERROR(HeaderOf("[]", data), kInvalidArgument, "not that of safetensors");
  CHECK_ERROR(HeaderOf(R"({"a":1})", data), kInvalidArgument, "not that of safetensors");
  CHECK_ERROR(HeaderOf(tensor(""), data), kInvalidArgument, "'a' lacks its dtype");
  CHECK_ERROR(HeaderOf(tensor(R"("dtype":"F32","shape":[2])"), data), kInvalidArgument, "lacks");
  CHECK_ERROR(HeaderOf(tensor(R"("dtype":"X9","shape":[2],"data_offsets":[0,8])"), data),
              kInvalidArgument, "of a type that is not known, X9");
  CHECK_ERROR(HeaderOf(tensor(R"("dtype":"F32","shape":[2],"data_offsets":[0,7])"), data),
              kInvalidArgument, "other bytes than its dtype and shape");
  CHECK_ERROR(HeaderOf(tensor(R"("dtype":"F32","shape":[2],"data_offsets":[8,0])"), data),
              kInvalidArgument, "lacks");
  CHECK_ERROR(HeaderOf(tensor(R"("dtype":"F32","shape":[2],"data_offsets":[1,9])"), data),
              kInvalidArgument, "beyond the file's end");
  CHECK_ERROR(HeaderOf(tensor(R"("dtype":"F32","shape":[-2],"data_offsets":[0,8])"), data),
              kInvalidArgument, "no such numbers");
  CHECK_ERROR(HeaderOf(tensor(R"("dtype":"F32","shape":[4294967296,4294967296],)"
                              R"("data_offsets":[0,8])"),
                       data),
              kInvalidArgument, "too large");
  CHECK_ERROR(HeaderOf(R"({"a":{"dtype":"U8","shape":[5],"data_offsets":[0,5]},)"
                       R"("b":{"dtype":"U8","shape":[5],"data_offsets":[3,8]}})",
                       data),
              kInvalidArgument, "'b' and 'a' share bytes");
  CHECK_ERROR(HeaderOf(R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},)"
                       R"("a":{"dtype":"U8","shape":[1],"data_offsets":[1,2]}})",
                       data),
              kInvalidArgument, "two tensors are called 'a'");
  CHECK_ERROR(HeaderOf(Word(uint64_t{100}) + "{}"), kInvalidArgument, "longer than the file");
  CHECK_ERROR(HeaderOf(Word(~uint64_t{0}) + "{}"), kInvalidArgument, "longer than the file");
}

TEST_CASE("what begins so may be safetensors") {
  const std::string bytes = Safetensors("{}", "");
  CHECK(LooksLikeSafetensors(bytes, bytes.size()));
  CHECK(!LooksLikeSafetensors("{}", 2));
  CHECK(!LooksLikeSafetensors(Word(~uint64_t{0}) + "{", 9));
}

}  // namespace
}  // namespace onnx_hier
