// SPDX-License-Identifier: Apache-2.0
#include "lib/onnx/value_type.h"

#include <string>

#include "doctest/doctest.h"
#include "lib/graph/data_type.h"
#include "tests/support/wire.h"

namespace onnx_hier {
namespace {

using wire::Bytes;
using wire::Number;

const std::string& Float() {
  static const std::string type = TensorType(data_type::kFloat);
  return type;
}

TEST_CASE("types in words") {
  CHECK(TypeText("") == "unknown");
  CHECK(TypeText(TensorType(0)) == "unknown");
  CHECK(TypeText(TensorType(-1)) == "unknown");
  CHECK(TypeText(Float()) == "float32");
  CHECK(TypeText(TensorType(data_type::kString)) == "string");
  CHECK(TypeText(TensorType(data_type::kBool)) == "bool");
  CHECK(TypeText(TensorType(16)) == "bfloat16");
  CHECK(TypeText(TensorType(26)) == "int2");
  CHECK(TypeText(TensorType(1000)) == "type 1000");
  CHECK(TypeText(SequenceOf(TensorType(data_type::kInt64))) == "seq(int64)");
  CHECK(TypeText(OptionalOf(SequenceOf(Float()))) == "optional(seq(float32))");
  CHECK(TypeText(Bytes(8, Number(1, 1))) == "sparse(float32)");
  // Damaged, or of a kind that came later.
  CHECK(TypeText("\x0a") == "unknown");
  CHECK(TypeText(Bytes(1, "")) == "unknown");
}

TEST_CASE("types as a serializer writes them") {
  CHECK(Float() == Bytes(1, Number(1, 1)));
  CHECK(SequenceOf(Float()) == Bytes(4, Bytes(1, Float())));
  CHECK(OptionalOf(Float()) == Bytes(9, Bytes(1, Float())));
  CHECK(SequenceOf("") == "");
  CHECK(OptionalOf("") == "");
}

TEST_CASE("what sequences and optional values hold") {
  CHECK(ElementOf(SequenceOf(Float())) == Float());
  CHECK(ElementOf(OptionalOf(SequenceOf(Float()))) == SequenceOf(Float()));
  CHECK(ElementOf(Float()) == "");
  CHECK(ElementOf("") == "");
  CHECK(IsOptional(OptionalOf(Float())));
  CHECK(!IsOptional(SequenceOf(Float())));
  CHECK(!IsOptional(""));
}

TEST_CASE("a type of a file, without its shape") {
  const std::string shape = Bytes(2, Bytes(1, Number(1, 4)) + Bytes(1, Bytes(2, "batch")));
  const std::string tensor = Bytes(1, Number(1, 1) + shape);
  CHECK(WithoutShape(tensor) == Float());
  CHECK(WithoutShape(Bytes(4, Bytes(1, tensor))) == SequenceOf(Float()));
  CHECK(WithoutShape(Bytes(9, Bytes(1, Bytes(4, Bytes(1, tensor))))) ==
        OptionalOf(SequenceOf(Float())));
  const std::string map = Bytes(5, Number(1, 8) + Bytes(2, Float()));
  CHECK(WithoutShape(Bytes(5, Number(1, 8) + Bytes(2, tensor))) == map);
  CHECK(TypeText(SequenceOf(map)) == "seq(map(string,float32))");
  CHECK(TypeText(WithoutShape(Bytes(7, Bytes(1, "f") + Bytes(2, "thing")))) == "opaque(f.thing)");
  // The denotation is no type; of fields that come twice the last one counts, as for protobuf.
  CHECK(WithoutShape(tensor + Bytes(6, "IMAGE")) == Float());
  CHECK(WithoutShape(Bytes(1, Number(1, 7) + Number(1, 1))) == Float());
  // Nothing that could be declared: no element, damage.
  CHECK(WithoutShape("") == "");
  CHECK(WithoutShape(Bytes(1, shape)) == "");
  CHECK(WithoutShape(Bytes(4, "")) == "");
  CHECK(WithoutShape(Bytes(5, Number(1, 7))) == "");
  CHECK(WithoutShape(tensor.substr(0, tensor.size() - 1)) == "");
}

TEST_CASE("types that nest deeper than values do") {
  std::string type = Float();
  for (int i = 0; i < 7; ++i) type = SequenceOf(type);
  CHECK(WithoutShape(type) == type);
  for (int i = 0; i < 1000; ++i) type = SequenceOf(type);
  CHECK(WithoutShape(type) == "");
}

}  // namespace
}  // namespace onnx_hier
