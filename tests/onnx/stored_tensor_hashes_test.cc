#include "lib/onnx/stored_tensor_hashes.h"

#include <cstdint>
#include <string>
#include <vector>

#include "doctest/doctest.h"
#include "tests/onnx/model_text.h"
#include "tests/support/status.h"
#include "tests/support/temp_folder.h"
#include "tests/support/wire.h"

namespace onnx_hier {
namespace {

using testing::Value;

constexpr int32_t kInt64 = 7;

// An initializer whose elements are in a field of their own.
std::string Typed(const std::vector<int64_t>& dims, int32_t type, uint32_t field,
                  const std::string& elements) {
  std::string tensor;
  for (int64_t dim : dims) tensor += wire::Number(1, static_cast<uint64_t>(dim));
  tensor += wire::Number(2, static_cast<uint64_t>(type)) + wire::Bytes(field, elements);
  return wire::Bytes(5, tensor);
}

struct Hashed {
  uint64_t sample;
  uint64_t whole;
};

// Of a model's only tensor.
Hashed HashesOf(const std::string& initializer) {
  const testing::Scanned scanned = Value(testing::Scan(wire::Model(wire::Graph(initializer))));
  StoredTensorHashes hashes(scanned.image, scanned.model);
  return {Value(hashes.Sample(TensorId(0))), Value(hashes.Whole(TensorId(0)))};
}

TEST_CASE("tensors that hold the same are the same, however they are encoded") {
  const std::string raw("\1\0\0\0\0\0\0\0\x80\1\0\0\0\0\0\0", 16);
  const Hashed plain = HashesOf(wire::Initializer("w", {2}, raw, kInt64));
  const Hashed packed = HashesOf(Typed({2}, kInt64, 7, wire::Varint(1) + wire::Varint(0x180)));
  CHECK(plain.whole != 0);
  CHECK(plain.whole == packed.whole);
  CHECK(plain.sample == packed.sample);
  CHECK(HashesOf(wire::Initializer("w", {2}, std::string(16, 'x'), kInt64)).whole != plain.whole);

  const std::string floats(8, 'f');
  CHECK(HashesOf(wire::Initializer("w", {2}, floats)).whole ==
        HashesOf(Typed({2}, 1, 4, floats)).whole);
}

TEST_CASE("every byte counts for the whole, few for a sample") {
  std::string bytes(400'000, 'w');
  const Hashed before = HashesOf(wire::Initializer("w", {100'000}, bytes));
  bytes[100'000] = 'x';
  const Hashed after = HashesOf(wire::Initializer("w", {100'000}, bytes));
  CHECK(before.sample == after.sample);
  CHECK(before.whole != after.whole);
  bytes[200'000] = 'x';
  CHECK(HashesOf(wire::Initializer("w", {100'000}, bytes)).sample != after.sample);
}

TEST_CASE("what is nowhere, in pieces, or elsewhere is not known") {
  CHECK(HashesOf(wire::Initializer("w", {2})).whole == 0);
  const std::string half(4, 'h');
  const std::string pieces =
      wire::Number(1, 2) + wire::Number(2, 1) + wire::Bytes(9, half) + wire::Bytes(9, half);
  CHECK(HashesOf(wire::Bytes(5, pieces)).whole == 0);
  const std::string external =
      wire::Number(1, 2) + wire::Number(2, 1) + wire::Bytes(9, half) + wire::Number(14, 1);
  CHECK(HashesOf(wire::Bytes(5, external)).whole == 0);
}

TEST_CASE("of a file, contents are read where they stand") {
  const std::string bytes =
      wire::Model(wire::Graph(wire::Initializer("w", {250'000}, std::string(1'000'000, 'w'))));
  const testing::TempFolder folder;
  const std::string path = folder.Write("m.onnx", bytes);
  FileImage image = Value(FileImage::Open(path));
  const ScannedModel model = Value(ScanModel(image));
  StoredTensorHashes hashes(image, model);
  CHECK(Value(hashes.Whole(TensorId(0))) ==
        HashesOf(wire::Initializer("w", {250'000}, std::string(1'000'000, 'w'))).whole);
}

}  // namespace
}  // namespace onnx_hier
