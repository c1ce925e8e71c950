// SPDX-License-Identifier: Apache-2.0
#include "lib/parts/fold_table.h"

#include <optional>
#include <string>

#include "absl/strings/escaping.h"
#include "doctest/doctest.h"

namespace onnx_hier {
namespace {

TEST_CASE("a table is read as it was written") {
  FoldTable table;
  table.ir_version = 7;
  table.checksum = 0xFEDCBA9876543210ull;
  table.functions = {0, 0xFFFFFFFFu};
  table.positions = {0, 1, 2, 9, 8, 3, 4};
  table.codes = std::string("\x01\0\xFF", 3);
  const std::optional<FoldTable> read = ReadFoldTable(WriteFoldTable(table));
  REQUIRE(read.has_value());
  CHECK(read->ir_version == 7);
  CHECK(read->checksum == table.checksum);
  CHECK(read->functions == table.functions);
  CHECK(read->positions == table.positions);
  CHECK(read->codes == table.codes);
}

TEST_CASE("a damaged table is none") {
  FoldTable table;
  table.positions = {0, 1, 2, 9};
  const std::string text = WriteFoldTable(table);
  CHECK(!ReadFoldTable("").has_value());
  CHECK(!ReadFoldTable("no base64!").has_value());
  CHECK(!ReadFoldTable(text.substr(0, 8)).has_value());
  // Another form, and more nodes than any model has.
  CHECK(!ReadFoldTable(absl::Base64Escape("\x03")).has_value());
  const std::string many("\x01\x08\x01\xFF\xFF\xFF\xFF\x0F\x00\xFF\xFF\xFF\xFF\x0F", 14);
  CHECK(!ReadFoldTable(absl::Base64Escape(many)).has_value());
  const std::string functions("\x02\x08\x01\xFF\xFF\xFF\xFF\x0F", 8);
  CHECK(!ReadFoldTable(absl::Base64Escape(functions)).has_value());
}

// Of a table of that form: "a", "-" for a node that stays.
uint64_t Checksum(uint64_t form, int64_t ir_version, const std::string& nodes) {
  NodesChecksum checksum({.form = form, .ir_version = ir_version});
  for (const char node : nodes) {
    if (node == '-') {
      checksum.AddStaying();
    } else {
      checksum.Add({&node, 1});
    }
  }
  return checksum.value();
}

TEST_CASE("the checksum depends on the order, on nodes that stay and on the IR version") {
  const uint64_t one = Checksum(kFoldForm, 8, "ab-");
  CHECK(one == Checksum(kFoldForm, 8, "ab-"));
  CHECK(one != Checksum(kFoldForm, 8, "ba-"));
  CHECK(one != Checksum(kFoldForm, 8, "a-b"));
  CHECK(one != Checksum(kFoldForm, 7, "ab-"));
  // Those of the first form know less.
  CHECK(Checksum(kFirstFoldForm, 8, "ab-") == Checksum(kFirstFoldForm, 7, "ab"));
}

}  // namespace
}  // namespace onnx_hier
