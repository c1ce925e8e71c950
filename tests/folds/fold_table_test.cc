#include "lib/folds/fold_table.h"

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
  table.positions = {0, 1, 2, 9, 8, 3, 4};
  table.codes = std::string("\x01\0\xFF", 3);
  const std::optional<FoldTable> read = ReadFoldTable(WriteFoldTable(table));
  REQUIRE(read.has_value());
  CHECK(read->ir_version == 7);
  CHECK(read->checksum == table.checksum);
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
  CHECK(!ReadFoldTable(absl::Base64Escape("\x02")).has_value());
  const std::string many("\x01\x08\x01\xFF\xFF\xFF\xFF\x0F\x00\xFF\xFF\xFF\xFF\x0F", 14);
  CHECK(!ReadFoldTable(absl::Base64Escape(many)).has_value());
}

TEST_CASE("the checksum depends on the order") {
  NodesChecksum one;
  one.Add("a");
  one.Add("b");
  NodesChecksum other;
  other.Add("b");
  other.Add("a");
  CHECK(one.value() != other.value());
}

}  // namespace
}  // namespace onnx_hier
