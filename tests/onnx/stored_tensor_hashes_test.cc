// SPDX-License-Identifier: Apache-2.0
#include "lib/onnx/stored_tensor_hashes.h"

#include <cstdint>
#include <filesystem>
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

TEST_CASE("texts, and sparse tensors by values and places") {
  const auto texts = [](const std::string& first, const std::string& second) {
    return HashesOf(wire::Bytes(5, wire::Number(1, 2) + wire::Number(2, 8) + wire::Bytes(6, first) +
                                       wire::Bytes(6, second)))
        .whole;
  };
  CHECK(texts("ab", "c") != 0);
  CHECK(texts("ab", "c") == texts("ab", "c"));
  CHECK(texts("ab", "c") != texts("a", "bc"));
  const auto sparse = [](const std::string& value, const std::string& place) {
    const std::string one = wire::Number(1, 1);
    return wire::Bytes(15, wire::Bytes(1, one + wire::Number(2, 1) + wire::Bytes(9, value)) +
                               wire::Bytes(2, one + wire::Number(2, 7) + wire::Bytes(7, place)) +
                               wire::Number(3, 4));
  };
  const uint64_t whole = HashesOf(sparse("1234", "\1")).whole;
  CHECK(whole != 0);
  CHECK(whole != HashesOf(sparse("1235", "\1")).whole);
  CHECK(whole != HashesOf(sparse("1234", "\2")).whole);
  // What follows a sparse tensor has no places.
  const std::string plain = wire::Initializer("w", {2}, "12345678");
  const testing::Scanned scanned =
      Value(testing::Scan(wire::Model(wire::Graph(sparse("1234", "\1") + plain))));
  StoredTensorHashes hashes(scanned.image, scanned.model);
  REQUIRE(scanned.model.graph.tensor_count() == 2);
  const uint64_t alone = HashesOf(plain).whole;
  CHECK((Value(hashes.Whole(TensorId(0))) == alone || Value(hashes.Whole(TensorId(1))) == alone));
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

TEST_CASE("numbers in a field of their own have the sample of the same bytes") {
  std::string raw;
  std::string packed;
  for (int i = 0; i < 5'000; ++i) {
    raw += std::string(1, static_cast<char>(i % 100)) + std::string(7, '\0');
    packed += wire::Varint(static_cast<uint64_t>(i % 100));
  }
  const Hashed plain = HashesOf(wire::Initializer("w", {5'000}, raw, kInt64));
  const Hashed typed = HashesOf(Typed({5'000}, kInt64, 7, packed));
  CHECK(plain.sample == typed.sample);
  CHECK(plain.whole == typed.whole);
}

// A tensor of bytes in another file; a length of "" is not said.
std::string External(int64_t bytes, const std::string& location, const std::string& offset = "",
                     const std::string& length = "") {
  std::string tensor = wire::Number(1, static_cast<uint64_t>(bytes)) + wire::Number(2, 3) +
                       wire::Bytes(8, "w") + wire::Number(14, 1);
  const auto entry = [&tensor](const std::string& key, const std::string& value) {
    if (!value.empty()) {
      tensor += wire::Bytes(13, wire::Bytes(1, key) + wire::Bytes(2, value));
    }
  };
  entry("location", location);
  entry("offset", offset);
  entry("length", length);
  return wire::Bytes(5, tensor);
}

// What tensors hold in files of a folder.
struct Beside {
  explicit Beside(const std::string& tensors, const std::string& folder)
      : scanned(Value(testing::Scan(wire::Model(wire::Graph(tensors))))),
        hashes(scanned.image, scanned.model, folder) {}

  uint64_t Sample(uint32_t tensor) { return Value(hashes.Sample(TensorId(tensor))); }
  uint64_t Whole(uint32_t tensor) { return Value(hashes.Whole(TensorId(tensor))); }
  std::string Faults() const {
    std::string text;
    for (const DataFileReader::Fault& fault : hashes.faults()) {
      text += std::string(fault.location) + ": " + std::string(fault.status.message()) + "\n";
    }
    return text;
  }

  testing::Scanned scanned;
  StoredTensorHashes hashes;
};

constexpr int32_t kInt8 = 3;

TEST_CASE("contents in a data file are the same as in the model") {
  std::string bytes;
  for (int i = 0; i < 700'000; ++i) bytes.push_back(static_cast<char>(i * 7 + i / 256));
  const testing::TempFolder folder;
  std::filesystem::create_directory(folder.path() + "/data");
  folder.Write("data/w.bin", "before" + bytes + "after");
  folder.Write("v.bin", bytes);
  Beside beside(External(700'000, "data/w.bin", "6", "700000") + External(700'000, "v.bin") +
                    External(11, "data/w.bin", "0", "11") + External(700'000, "data/w.bin", "5"),
                folder.path());
  const Hashed embedded = HashesOf(wire::Initializer("w", {700'000}, bytes, kInt8));
  for (const uint32_t tensor : {0u, 1u}) {
    CHECK(beside.Sample(tensor) == embedded.sample);
    CHECK(beside.Whole(tensor) == embedded.whole);
  }
  CHECK(beside.Whole(2) ==
        HashesOf(wire::Initializer("w", {11}, "before" + bytes.substr(0, 5), kInt8)).whole);
  CHECK(beside.Sample(3) != embedded.sample);
  CHECK(beside.Faults() == "");
}

TEST_CASE("a data file that is not there, too short, or elsewhere is said once and not read") {
  const testing::TempFolder folder;
  folder.Write("w.bin", std::string(64, 'w'));
  folder.Write(".hidden", std::string(64, 'w'));
  std::filesystem::create_symlink("w.bin", folder.path() + "/link.bin");
  Beside beside(External(64, "gone.bin") + External(64, "gone.bin") + External(65, "w.bin") +
                    External(64, "w.bin", "1") + External(64, "../w.bin") +
                    External(64, "link.bin") + External(64, ".hidden") +
                    External(64, "w.bin", "18446744073709551615", "2") +
                    External(64, "w.bin", "x") + External(64, "w.bin"),
                folder.path());
  for (uint32_t tensor = 0; tensor < 9; ++tensor) {
    CAPTURE(tensor);
    CHECK(beside.Sample(tensor) == 0);
    CHECK(beside.Whole(tensor) == 0);
  }
  CHECK(beside.Whole(9) != 0);
  CHECK(beside.Faults() ==
        "gone.bin: No such file or directory\n"
        "w.bin: it is shorter than the model says\n"
        "../w.bin: it may lie outside the model's folder: refused\n"
        "link.bin: a symbolic link is on the way\n"
        ".hidden: it is a hidden file: refused\n");
}

TEST_CASE("tensors that overlap do not have a data file read again and again") {
  const testing::TempFolder folder;
  folder.Write("w.bin", std::string(100, 'w'));
  Beside beside(External(100, "w.bin") + External(100, "w.bin") + External(99, "w.bin"),
                folder.path());
  CHECK(beside.Whole(0) != 0);
  CHECK(beside.Whole(0) == beside.Whole(1));
  CHECK(beside.Whole(2) == 0);
  CHECK(beside.Faults() == "w.bin: its tensors overlap: it would be read again and again\n");
}

TEST_CASE("a data file that is changed meanwhile is an error") {
  const testing::TempFolder folder;
  const std::string path = folder.Write("w.bin", std::string(100, 'w'));
  Beside beside(External(50, "w.bin") + External(50, "w.bin", "50"), folder.path());
  CHECK(beside.Whole(0) != 0);
  folder.Write("w.bin", std::string(101, 'v'));
  CHECK_ERROR(beside.hashes.Whole(TensorId(1)), kAborted, "external data 'w.bin': was changed");
}

TEST_CASE("of a model without a folder, data files are not looked for") {
  Beside beside(External(64, "w.bin"), "");
  CHECK(beside.Whole(0) == 0);
  CHECK(beside.Faults() == "w.bin: the model came through a pipe, so that nothing is beside it\n");
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
