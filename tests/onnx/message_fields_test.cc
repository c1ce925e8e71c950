// SPDX-License-Identifier: Apache-2.0
#include "lib/onnx/message_fields.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "doctest/doctest.h"
#include "tests/support/wire.h"

namespace onnx_hier {
namespace {

using wire::Bytes;
using wire::Number;

// "number=value" or "number='bytes'" of each field.
std::string Text(const std::string& message) {
  std::string text;
  for (MessageFields fields(message); fields.Next();) {
    absl::StrAppend(&text, fields.number(), "=");
    if (fields.is_bytes()) {
      absl::StrAppend(&text, "'", fields.bytes(), "' ");
    } else {
      absl::StrAppend(&text, fields.value(), " ");
    }
  }
  return text;
}

TEST_CASE("fields of all kinds, in their order") {
  CHECK(Text("") == "");
  CHECK(Text(Bytes(1, "a") + Number(2, 300) + Bytes(1, "") + Number(20000, UINT64_MAX)) ==
        "1='a' 2=300 1='' 20000=18446744073709551615 ");
  CHECK(Text(wire::Fixed32(3) + wire::Fixed64(4) + Number(5, 1)) == "3=0 4=0 5=1 ");
  // Numbers that take more bytes than they need.
  CHECK(Text(Number(1, 7, 5) + Bytes(2, "b", 3)) == "1=7 2='b' ");
}

TEST_CASE("damage ends the message") {
  const std::string whole = Bytes(1, "a");
  CHECK(Text(whole + Bytes(2, "text").substr(0, 4)) == "1='a' ");
  CHECK(Text(whole + wire::Tag(2, 2) + wire::Varint(UINT64_MAX)) == "1='a' ");
  CHECK(Text(whole + wire::Tag(2, 0)) == "1='a' ");
  CHECK(Text(whole + wire::Tag(2, 1) + "1234") == "1='a' ");
  CHECK(Text(whole + wire::Group(2, Number(1, 1)) + whole) == "1='a' ");
  CHECK(Text(whole + wire::Tag(2, 7) + whole) == "1='a' ");
  CHECK(Text(whole + std::string(20, '\xFF')) == "1='a' ");
}

}  // namespace
}  // namespace onnx_hier
