// SPDX-License-Identifier: Apache-2.0
#include "lib/onnx/data_cut.h"

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/support/status.h"
#include "tests/support/temp_folder.h"

namespace onnx_hier {
namespace {

using testing::ReadFile;
using testing::TempFolder;
using testing::Value;

constexpr uint64_t kPage = 4096;

ExternalPlace At(absl::string_view location, uint64_t offset, std::optional<uint64_t> length) {
  return {.location = location, .offset = offset, .length = length};
}

// Bytes of which no two neighbourhoods are alike.
std::string TextOfSize(size_t size) {
  std::string text;
  for (size_t i = 0; text.size() < size; ++i) absl::StrAppend(&text, i, ",");
  text.resize(size);
  return text;
}

absl::Status CopyTo(const std::string& path, DataCut& cut) {
  OutputFile out = Value(OutputFile::Create(path, {.sync = false}));
  const absl::Status status = cut.CopyTo(out, {});
  return status.ok() ? out.Commit() : status;
}

// The bytes of each range, as they are in the file that was cut.
std::vector<std::string> Cut(const TempFolder& folder, const std::vector<ExternalPlace>& places) {
  DataCut cut(folder.path(), "part.data");
  for (const ExternalPlace& place : places) cut.Add(place);
  CHECK_OK(cut.Lay());
  CHECK_OK(CopyTo(folder / "part.data", cut));
  const std::string data = ReadFile(folder / "part.data");
  CHECK(data.size() == cut.size());
  std::vector<std::string> found;
  for (const ExternalPlace& place : places) {
    const std::optional<DataCut::Range> range = cut.Find(place);
    REQUIRE(range.has_value());
    found.push_back(data.substr(range->offset, range->length));
  }
  return found;
}

TEST_CASE("ranges of several files, each of a page or more at one, wherever they stood") {
  const TempFolder folder;
  const std::string text = TextOfSize(20000);
  folder.Write("a", text);
  folder.Write("b", "other");
  const std::vector<ExternalPlace> places = {At("a", 13001, 5000), At("b", 1, 3), At("a", 7, 100)};
  CHECK(Cut(folder, places) ==
        std::vector<std::string>{text.substr(13001, 5000), "the", text.substr(7, 100)});
  DataCut cut(folder.path(), "part.data");
  for (const ExternalPlace& place : places) cut.Add(place);
  REQUIRE_OK(cut.Lay());
  CHECK(cut.Find(places[2])->offset == 0);
  CHECK(cut.Find(places[0])->offset == kPage);
  // Behind 5000 bytes, at a multiple of 64.
  CHECK(cut.Find(places[1])->offset == kPage + 5056);
  CHECK(cut.size() == kPage + 5056 + 3);
  CHECK_FALSE(cut.Find(At("a", 8, 100)).has_value());
  CHECK_FALSE(cut.Find(At("c", 7, 100)).has_value());
}

TEST_CASE("what several tensors read is there once") {
  const TempFolder folder;
  const std::string text = TextOfSize(50000);
  folder.Write("w", text);
  const std::vector<ExternalPlace> places = {At("w", 5, 9000), At("w", 5, 9000),
                                             At("w", 4000, 9000), At("w", 100, 10)};
  CHECK(Cut(folder, places) == std::vector<std::string>{text.substr(5, 9000), text.substr(5, 9000),
                                                        text.substr(4000, 9000),
                                                        text.substr(100, 10)});
  CHECK(ReadFile(folder / "part.data").size() == 4000 + 9000 - 5);
}

TEST_CASE("a length that is not given is that of the tensor, or of what is left") {
  const TempFolder folder;
  folder.Write("w", "0123456789");
  ExternalPlace sized = At("w", 2, std::nullopt);
  sized.tensor_bytes = 4;
  CHECK(Cut(folder, {sized, At("w", 7, std::nullopt)}) == std::vector<std::string>{"2345", "789"});
}

TEST_CASE("nothing at all, at any place") {
  const TempFolder folder;
  folder.Write("w", "0123");
  CHECK(Cut(folder, {At("w", 4, 0), At("w", 0, 0)}) == std::vector<std::string>{"", ""});
  CHECK(ReadFile(folder / "part.data").empty());
}

TEST_CASE("what a data file does not hold is an error that names it") {
  const TempFolder folder;
  folder.Write("w", "0123");
  const auto lay = [&](const ExternalPlace& place) {
    DataCut cut(folder.path(), "part.data");
    cut.Add(At("w", 0, 1));
    cut.Add(place);
    return cut.Lay();
  };
  CHECK_ERROR(lay(At("w", 2, 3)), kOutOfRange,
              "'w': is too short: the model reads 3 bytes from byte 2 on, and");
  CHECK_ERROR(lay(At("w", 5, std::nullopt)), kOutOfRange, "it has 4");
  CHECK_ERROR(lay(At("w", 5, 0)), kOutOfRange, "'w'");
  CHECK_ERROR(lay(At("w", UINT64_MAX, 2)), kOutOfRange, "'w'");
  CHECK_ERROR(lay(At("w", 2, UINT64_MAX)), kOutOfRange, "'w'");
  CHECK_ERROR(lay(At("none", 0, 0)), kNotFound, "'none': cannot be opened");
  CHECK_ERROR(lay(At("../w", 0, 1)), kPermissionDenied, "outside");
  CHECK_ERROR(lay(At("", 0, 1)), kPermissionDenied, "outside");
  CHECK_ERROR(lay(At(".w", 0, 1)), kPermissionDenied, "hidden");
  ExternalPlace unclear = At("w", 0, 1);
  unclear.is_clear = false;
  CHECK_ERROR(lay(unclear), kDataLoss, "no number");
}

TEST_CASE("a file that is changed meanwhile") {
  const TempFolder folder;
  folder.Write("w", "0123");
  DataCut cut(folder.path(), "part.data");
  cut.Add(At("w", 0, 4));
  REQUIRE_OK(cut.Lay());
  folder.Write("w", "01234");
  CHECK_ERROR(CopyTo(folder / "part.data", cut), kAborted, "'w'");
  CHECK(folder.List() == std::vector<std::string>{"w"});
}

TEST_CASE("long ranges, which file systems may share") {
  const TempFolder folder;
  const std::string text = TextOfSize((40 << 20) + 77);
  folder.Write("w", text);
  const std::vector<ExternalPlace> places = {At("w", kPage, 17 << 20), At("w", 20 << 20, 20000077),
                                             At("w", 77 + (39 << 20), 1 << 20)};
  const std::vector<std::string> found = Cut(folder, places);
  for (size_t i = 0; i < places.size(); ++i) {
    CHECK((found[i] == text.substr(places[i].offset, *places[i].length)));
  }
}

}  // namespace
}  // namespace onnx_hier
