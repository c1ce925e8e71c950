// SPDX-License-Identifier: Apache-2.0
#include "lib/onnx/wire_reader.h"

#include <onnx/onnx_pb.h>

#include <string>
#include <vector>

#include "tests/support/status.h"
#include "tests/support/temp_folder.h"
#include "tests/support/wire.h"

namespace onnx_hier {
namespace {

using testing::MemoryFile;
using testing::Value;

// Reads all fields of `bytes`.
absl::StatusOr<std::vector<Field>> ReadAll(const std::string& bytes) {
  const MemoryFile file(bytes);
  FileImage image = Value(FileImage::Open(file.path()));
  WireReader reader(image);
  std::vector<Field> fields;
  while (reader.position() < image.size()) {
    Field field;
    if (absl::Status status = reader.ReadField(image.size(), &field); !status.ok()) return status;
    if (field.type == WireType::kBytes) reader.Skip(field);
    if (reader.position() != field.end) return absl::InternalError("not at the field's end");
    fields.push_back(field);
  }
  return fields;
}

// Fields of this number are unknown to every ONNX message: protobuf must only get past them.
constexpr uint32_t kUnknown = 1000;

bool ProtobufReads(const std::string& bytes) {
  onnx::StringStringEntryProto message;
  return message.ParseFromString(bytes);
}

TEST_CASE("every kind of field") {
  const std::string bytes = wire::Number(1, 300) + wire::Fixed64(2) + wire::Bytes(3, "abc") +
                            wire::Group(4, wire::Number(1, 1)) + wire::Fixed32(5) +
                            wire::Bytes(536870911, "");
  const std::vector<Field> fields = Value(ReadAll(bytes));
  REQUIRE(fields.size() == 6);
  CHECK(fields[0].IsVarint(1));
  CHECK(fields[0].value == 300);
  CHECK(fields[1].type == WireType::kFixed64);
  CHECK(fields[2].Is(3));
  CHECK(bytes.substr(fields[2].begin, fields[2].end - fields[2].begin) == "abc");
  CHECK(fields[2].length_size == 1);
  CHECK(fields[3].type == WireType::kGroupBegin);
  CHECK(fields[4].type == WireType::kFixed32);
  CHECK(fields[5].Is(536870911));
  CHECK(fields[5].begin == fields[5].end);
}

struct Case {
  const char* what;
  std::string bytes;
  const char* error;  // "": the field is read
};

std::string Repeat(const std::string& text, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += text;
  return out;
}

std::vector<Case> Cases() {
  const std::string ff = "\xFF";
  return {
      {"a number of ten bytes", wire::Tag(kUnknown, 0) + Repeat(ff, 9) + "\x01", ""},
      {"a number of eleven", wire::Tag(kUnknown, 0) + Repeat(ff, 10) + "\x01", "too many bytes"},
      {"a padded number", wire::Number(kUnknown, 1, 10), ""},
      {"a tag padded to five bytes", wire::Tag(kUnknown, 0, 5) + wire::Varint(1), ""},
      {"a tag padded to six", wire::Tag(kUnknown, 0, 6) + wire::Varint(1), "too many bytes"},
      {"a tag of more than 32 bits", "\xC0\xBE\x80\x80\x7F\x01", ""},
      {"a length padded to five bytes", wire::Bytes(kUnknown, "abc", 5), ""},
      {"a length padded to six", wire::Bytes(kUnknown, "abc", 6), "too many bytes"},
      {"field number 0", wire::Number(0, 1), "field number 0"},
      {"field number 0 above 32 bits", std::string("\x80\x80\x80\x80\x10\x01", 6),
       "field number 0"},
      {"wire type 6", wire::Tag(kUnknown, 6) + "a", "wire type 6"},
      {"wire type 7", wire::Tag(kUnknown, 7) + "a", "wire type 7"},
      {"a lone end of a group", wire::Tag(kUnknown, 4), "never began"},
      {"a tag cut short", "\xC0", "past the end"},
      {"a number cut short", wire::Tag(kUnknown, 0) + "\xFF", "past the end"},
      {"no number", wire::Tag(kUnknown, 0), "past the end"},
      {"a 64-bit value cut short", wire::Tag(kUnknown, 1) + "1234567", "runs past"},
      {"a 32-bit value cut short", wire::Tag(kUnknown, 5) + "123", "runs past"},
      {"a length cut short", wire::Tag(kUnknown, 2) + "\x80", "past the end"},
      {"contents cut short",
       wire::Tag(kUnknown, 2) + "\x04"
                                "abc",
       "a length of 4"},
      {"a length of 2 GiB", wire::Tag(kUnknown, 2) + wire::Varint(1u << 31) + "a", "a length of"},
      {"an empty group", wire::Group(kUnknown, ""), ""},
      {"a group with all kinds of fields",
       wire::Group(kUnknown, wire::Number(1, 1, 9) + wire::Fixed32(1) + wire::Fixed64(1) +
                                 wire::Bytes(1, "\x0B\x0C") + wire::Group(1, "")),
       ""},
      {"a group that does not close", wire::Tag(kUnknown, 3) + wire::Number(1, 1),
       "does not close"},
      {"a group that another one's end closes", wire::Tag(kUnknown, 3) + wire::Tag(7, 4),
       "not the last to begin"},
      {"groups that cross",
       wire::Tag(kUnknown, 3) + wire::Tag(7, 3) + wire::Tag(kUnknown, 4) + wire::Tag(7, 4),
       "not the last to begin"},
      {"field number 0 in a group", wire::Group(kUnknown, wire::Number(0, 1)), "field number 0"},
      {"wire type 7 in a group", wire::Group(kUnknown, wire::Tag(1, 7)), "wire type 7"},
      {"a length in a group that runs out of the file",
       wire::Group(kUnknown, wire::Tag(1, 2) + "\x7F"), "a length of 127"},
      {"ninety groups in one another",
       Repeat(wire::Tag(kUnknown, 3), 90) + Repeat(wire::Tag(kUnknown, 4), 90), ""},
      {"a hundred thousand groups in one another",
       Repeat(wire::Tag(kUnknown, 3), 100000) + Repeat(wire::Tag(kUnknown, 4), 100000),
       "nest too deeply"},
  };
}

TEST_CASE("what is refused and what is borne, as protobuf does") {
  for (const Case& c : Cases()) {
    CAPTURE(c.what);
    const absl::Status status = ReadAll(c.bytes).status();
    if (*c.error == '\0') {
      CHECK_OK(status);
    } else {
      CHECK_ERROR(status, kDataLoss, c.error);
    }
    CHECK(ProtobufReads(c.bytes) == status.ok());
  }
}

TEST_CASE("an error says where") {
  CHECK_ERROR(ReadAll(wire::Number(1, 1) + wire::Number(0, 1)), kDataLoss, "byte 2: ");
  CHECK_ERROR(ReadAll(wire::Bytes(1, "abc") + wire::Tag(1, 2) +
                      "\x09"
                      "ab"),
              kDataLoss, "byte 6: a length of 9 runs past the end (2 bytes are left)");
}

TEST_CASE("nothing runs past the message around it") {
  const std::string inner = wire::Tag(1, 2) + "\x02";
  const MemoryFile file(wire::Bytes(1, inner) + "abcd");
  FileImage image = Value(FileImage::Open(file.path()));
  WireReader reader(image);
  Field outer;
  REQUIRE_OK(reader.ReadField(image.size(), &outer));
  Field field;
  CHECK_ERROR(reader.ReadField(outer.end, &field), kDataLoss, "a length of 2");
}

TEST_CASE("numbers keep all of their bits") {
  for (int bit = 0; bit < 64; ++bit) {
    const uint64_t number = uint64_t{1} << bit;
    CHECK(Value(ReadAll(wire::Number(1, number)))[0].value == number);
    CHECK(Value(ReadAll(wire::Number(1, number - 1, 10)))[0].value == number - 1);
    char buffer[16];
    const int size = VarintSize(number);
    CHECK(std::string(buffer, WriteVarint(number, 1, buffer)) == wire::Varint(number));
    CHECK(static_cast<size_t>(size) == wire::Varint(number).size());
    CHECK(std::string(buffer, WriteVarint(number, 10, buffer)) == wire::Varint(number, 10));
  }
}

TEST_CASE("texts at the borders of what is read at once") {
  for (size_t size : {size_t{1}, size_t{65533}, size_t{65536}, size_t{200000}, size_t{3000000}}) {
    const std::string text(size, 'a');
    const MemoryFile file(wire::Bytes(1, text) + wire::Bytes(2, text));
    FileImage image = Value(FileImage::Open(file.path()));
    WireReader reader(image);
    for (uint32_t number : {1u, 2u}) {
      Field field;
      REQUIRE_OK(reader.ReadField(image.size(), &field));
      absl::string_view read;
      REQUIRE_OK(reader.ReadText(field, &read));
      CHECK(field.Is(number));
      CHECK((read == text));
    }
    CHECK(reader.position() == image.size());
  }
}

}  // namespace
}  // namespace onnx_hier
