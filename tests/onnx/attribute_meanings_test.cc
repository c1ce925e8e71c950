// SPDX-License-Identifier: Apache-2.0
#include "lib/onnx/attribute_meanings.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/onnx/stored_tensor_hashes.h"
#include "tests/onnx/model_text.h"
#include "tests/support/raw_bytes.h"
#include "tests/support/status.h"
#include "tests/support/wire.h"

namespace onnx_hier {
namespace {

using testing::Scan;
using testing::Scanned;
using testing::Value;
using testing::Word;
using wire::Attribute;
using wire::Bytes;
using wire::Number;

// Fields of an AttributeProto: what it says, and of which type that is.
std::string Type(uint64_t type) { return Number(20, type); }

std::string Float(uint32_t field, float number) { return wire::Tag(field, 5) + Word(number); }

// Of a node that has this attribute.
AttributeMeaning MeaningOf(const std::string& attribute) {
  const Scanned scanned =
      Value(Scan(wire::Model(wire::Graph(wire::Node("Op", {"x"}, {"y"}, "", attribute)))));
  StoredTensorHashes hashes(scanned.image, scanned.model);
  const AttributeMeanings meanings(scanned.image, scanned.model, hashes);
  const std::vector<NodeId> nodes = {NodeId(0)};
  const std::vector<AttributeMeaning> told = Value(meanings.Tell(nodes));
  REQUIRE(told.size() == 1);
  return told[0];
}

std::string TextOf(const std::string& fields) { return MeaningOf(Attribute("a", fields)).text; }

bool SayTheSame(const std::string& one, const std::string& other) {
  return MeaningOf(Attribute("a", one)).hash == MeaningOf(Attribute("a", other)).hash;
}

TEST_CASE("what attributes say") {
  CHECK(TextOf(Float(2, 1e-5f) + Type(1)) == "1e-05");
  CHECK(TextOf(Float(2, 0.1f) + Type(1)) == "0.1");
  CHECK(TextOf(Number(3, 7) + Type(2)) == "7");
  CHECK(TextOf(Number(3, ~uint64_t{0}) + Type(2)) == "-1");
  CHECK(TextOf(Bytes(4, "same") + Type(3)) == "'same'");
  CHECK(TextOf(Float(7, 1) + Float(7, 2.5f) + Type(6)) == "[1,2.5]");
  CHECK(TextOf(Number(8, 1) + Number(8, 2) + Type(7)) == "[1,2]");
  CHECK(TextOf(Bytes(9, "a") + Bytes(9, "b") + Type(8)) == "['a','b']");
  CHECK(TextOf(Bytes(4, std::string(41, 'x')) + Type(3)) ==
        absl::StrCat("'", std::string(40, 'x'), "...'"));
  std::string nine;
  for (uint64_t i = 1; i <= 9; ++i) nine += Number(8, i);
  CHECK(TextOf(nine + Type(7)) == "[1,2,3,4,5,6,7,8,...] of 9");
  CHECK(TextOf(Bytes(21, "alpha") + Type(1)) == "attribute alpha of the function");
}

TEST_CASE("the same, otherwise encoded") {
  // Packed, or one number a field.
  CHECK(SayTheSame(Number(8, 1) + Number(8, 300) + Type(7),
                   Bytes(8, wire::Varint(1) + wire::Varint(300)) + Type(7)));
  CHECK(
      SayTheSame(Float(7, 1) + Float(7, 2) + Type(6), Bytes(7, Word(1.0f) + Word(2.0f)) + Type(6)));
  CHECK(TextOf(Bytes(8, wire::Varint(1) + wire::Varint(300)) + Type(7)) == "[1,300]");
  CHECK(TextOf(Bytes(7, Word(1.0f) + Word(2.0f)) + Type(6)) == "[1,2]");
  // A zero that is written or not; a type that IR version 1 does not state.
  CHECK(SayTheSame(Number(3, 0) + Type(2), Type(2)));
  CHECK(SayTheSame(Float(2, 0) + Type(1), Type(1)));
  CHECK(TextOf(Type(2)) == "0");
  CHECK(SayTheSame(Number(8, 1) + Type(7), Number(8, 1)));
  // The last of several counts, and what is of another type does not.
  CHECK(SayTheSame(Number(3, 5) + Number(3, 7) + Type(2), Number(3, 7) + Type(2)));
  CHECK(SayTheSame(Float(2, 5) + Number(3, 7) + Type(2), Number(3, 7) + Type(2)));
}

TEST_CASE("something else") {
  CHECK_FALSE(SayTheSame(Number(3, 1) + Type(2), Number(3, 2) + Type(2)));
  CHECK_FALSE(
      SayTheSame(Number(8, 1) + Number(8, 2) + Type(7), Number(8, 2) + Number(8, 1) + Type(7)));
  CHECK_FALSE(SayTheSame(Number(3, 0) + Type(2), Float(2, 0) + Type(1)));
  CHECK_FALSE(SayTheSame(Bytes(4, "a") + Type(3), Bytes(4, "b") + Type(3)));
  CHECK_FALSE(SayTheSame(Bytes(21, "a") + Type(1), Bytes(21, "b") + Type(1)));
  CHECK(MeaningOf(Attribute("a", Number(3, 1) + Type(2))).hash !=
        MeaningOf(Attribute("b", Number(3, 1) + Type(2))).hash);
}

}  // namespace
}  // namespace onnx_hier
