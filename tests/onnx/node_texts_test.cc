// SPDX-License-Identifier: Apache-2.0
#include "lib/onnx/node_texts.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "doctest/doctest.h"
#include "tests/support/wire.h"

namespace onnx_hier {
namespace {

std::string Rewritten(absl::string_view node, NodePart part, absl::string_view before) {
  std::string made;
  std::string text;
  CHECK(RewriteTexts(
      node, part,
      [&](TextRole, absl::string_view old) {
        text = absl::StrCat(before, old);
        return absl::string_view(text);
      },
      &made));
  return made;
}

// Input, output, name, operator, doc_string, metadata.
std::string Node() {
  return wire::Bytes(1, "x") + wire::Bytes(2, "y") + wire::Bytes(3, "n") + wire::Bytes(4, "Op") +
         wire::Bytes(6, "doc") + wire::Bytes(9, wire::Bytes(1, "key") + wire::Bytes(2, "value"));
}

TEST_CASE("the parts of a node, and back") {
  std::string bare;
  std::string notes;
  AppendPart(Node(), NodePart::kBare, &bare);
  AppendPart(Node(), NodePart::kNotes, &notes);
  CHECK(bare == wire::Bytes(1, "x") + wire::Bytes(2, "y") + wire::Bytes(4, "Op"));
  CHECK(JoinNotes(bare, notes) == Node());
  CHECK(JoinNotes(bare, "") == bare);
  CHECK(HasFieldsInOrder(Node()));
  CHECK_FALSE(HasFieldsInOrder(wire::Bytes(3, "n") + wire::Bytes(1, "x")));
}

// Nobody reads it, but it is no note: nodes that differ in it are not alike.
TEST_CASE("a field with the number of a doc_string and another wire type") {
  const std::string node = wire::Number(6, 5) + Node();
  std::string bare;
  AppendPart(node, NodePart::kBare, &bare);
  CHECK(bare.substr(0, 2) == wire::Number(6, 5));
  CHECK_FALSE(HasFieldsInOrder(wire::Bytes(4, "Op") + wire::Number(6, 5)));
}

TEST_CASE("texts of one part, of the other, of both") {
  CHECK(Rewritten(Node(), NodePart::kBare, "/") ==
        wire::Bytes(1, "/x") + wire::Bytes(2, "/y") + wire::Bytes(4, "Op"));
  CHECK(Rewritten(Node(), NodePart::kNotes, "/") ==
        wire::Bytes(3, "/n") + wire::Bytes(6, "/doc") +
            wire::Bytes(9, wire::Bytes(1, "key") + wire::Bytes(2, "/value")));
  CHECK(Rewritten(Node(), NodePart::kWhole, "") == Node());
  std::string seen;
  VisitTexts(Node(), NodePart::kNotes,
             [&](TextRole, absl::string_view text) { absl::StrAppend(&seen, text, " "); });
  CHECK(seen == "n doc value ");
}

TEST_CASE("what would not come back") {
  CHECK(ComesBack(Node()));
  CHECK(ComesBack(Node() + wire::Bytes(77, "unknown", 3)));
  // A length that takes more bytes than it needs, of a text, of a message, inside of one.
  CHECK_FALSE(ComesBack(wire::Bytes(3, "n", 2)));
  CHECK_FALSE(ComesBack(wire::Bytes(9, wire::Bytes(2, "value"), 2)));
  CHECK_FALSE(ComesBack(wire::Bytes(9, wire::Bytes(2, "value", 2))));
  CHECK_FALSE(ComesBack(Node() + "\x0A"));
  for (const std::string& node : {Node(), wire::Bytes(3, "n", 2)}) {
    CHECK(ComesBack(node) == (Rewritten(node, NodePart::kWhole, "") == node));
  }
}

}  // namespace
}  // namespace onnx_hier
