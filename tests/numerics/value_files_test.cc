// SPDX-License-Identifier: Apache-2.0
#include "onnx_hier/value_files.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "tests/numerics/saved_values.h"
#include "tests/support/temp_folder.h"
#include "tests/support/wire.h"

namespace onnx_hier {
namespace {

using testing::Bytes;
using testing::Entry;
using testing::Floats;
using testing::Npy;
using testing::TempFolder;
using testing::Word;
using testing::Zip;

// All numbers of a value, or the error.
absl::StatusOr<std::vector<double>> NumbersOf(const ValueFiles& files, const std::string& name,
                                              size_t sample = 0) {
  const SavedValue* const value = files.Find(sample, name);
  if (value == nullptr) return absl::NotFoundError(name);
  absl::StatusOr<ValueNumbers> numbers = files.Read(*value);
  if (!numbers.ok()) return numbers.status();
  std::vector<double> all;
  std::vector<double> room(2);  // several pieces
  while (true) {
    const absl::StatusOr<size_t> count = numbers->Next(absl::MakeSpan(room));
    if (!count.ok()) return count.status();
    all.insert(all.end(), room.begin(), room.begin() + static_cast<std::ptrdiff_t>(*count));
    if (*count < room.size()) return all;
  }
}

std::string ErrorOf(const absl::StatusOr<std::vector<double>>& numbers) {
  return std::string(numbers.status().message());
}

// Of the value "x" in a folder of its own, as x.npy.
absl::StatusOr<std::vector<double>> ReadAlone(const std::string& npy) {
  const TempFolder folder;
  folder.Write("x.npy", npy);
  const absl::StatusOr<ValueFiles> files = ValueFiles::Open(folder.path());
  REQUIRE(files.ok());
  return NumbersOf(*files, "x");
}

std::string ErrorOfZip(const std::string& bytes) {
  const TempFolder folder;
  const std::string path = folder.Write("x.npz", bytes);
  const absl::StatusOr<ValueFiles> files = ValueFiles::Open(path);
  if (!files.ok()) {
    CHECK(absl::StartsWith(files.status().message(), path));
    return std::string(files.status().message().substr(path.size()));
  }
  const absl::StatusOr<std::vector<double>> numbers = NumbersOf(*files, "x");
  return ErrorOf(numbers);
}

using Numbers = std::vector<double>;

TEST_CASE("archives are read, stored, deflated and of 64 bits") {
  const TempFolder folder;
  const std::string path = folder.Write("x.npz", Zip({{"/a/b.npy", Floats({1, 2, 3})},
                                                      {"c.npy", Floats({4, 5}), 8},
                                                      {"d.npy", Floats({6}), 0, 0, true},
                                                      {"e.npy", Floats({7}), 0, 0, false, true},
                                                      {"readme.txt", "no array"}}));
  const absl::StatusOr<ValueFiles> files = ValueFiles::Open(path);
  REQUIRE(files.ok());
  CHECK(files->samples() == 1);
  CHECK(files->values(0).size() == 4);
  CHECK(*NumbersOf(*files, "/a/b") == Numbers{1, 2, 3});
  CHECK(*NumbersOf(*files, "c") == Numbers{4, 5});
  CHECK(*NumbersOf(*files, "d") == Numbers{6});
  CHECK(*NumbersOf(*files, "e") == Numbers{7});
  CHECK(files->Find(0, "readme.txt") == nullptr);
}

TEST_CASE("types of numpy") {
  CHECK(*ReadAlone(Npy("'<f8'", "(2,)", Bytes<double>({1.5, -2}))) == Numbers{1.5, -2});
  CHECK(ReadAlone(Npy("'<f2'", "(2,)", Bytes<uint16_t>({0x3C00, 0xFC00})))->front() == 1);
  CHECK(*ReadAlone(Npy("'|i1'", "(2,)", "\x01\xFF")) == Numbers{1, -1});
  CHECK(*ReadAlone(Npy("'<i8'", "()", Word<int64_t>(-7))) == Numbers{-7});
  CHECK(*ReadAlone(Npy("'<f4'", "(0, 3)", "")) == Numbers{});
  CHECK(*ReadAlone(Npy("'<V2'", "(1,)", Word<uint16_t>(0x3F80))) == Numbers{1});
}

TEST_CASE("what cannot be compared is said") {
  const auto says = [](const std::string& npy, absl::string_view what) {
    const std::string error = ErrorOf(ReadAlone(npy));
    CHECK_MESSAGE(absl::StrContains(error, what), error);
    CHECK(absl::StrContains(error, "x.npy: "));
  };
  says(Npy("'>f4'", "(1,)", Word<float>(1)), "other order of bytes");
  says(Npy("'|O'", "(1,)", ""), "'|O'");
  says(Npy("[('a', '<f4')]", "(1,)", ""), "no plain type");
  says(Npy("'<f4'", "(2, 2)", Bytes<float>({1, 2, 3, 4}), "True"), "Fortran");
  says(Npy("'<f4'", "(-1,)", ""), "dimension");
  says(Npy("'<f4'", "2", ""), "no shape");
  says("\x93NUMPX", "");
  says("text that is long enough", "does not begin");
}

TEST_CASE("what is damaged is an error while it is read") {
  const std::string whole = Floats({1, 2, 3});
  CHECK(absl::StrContains(ErrorOf(ReadAlone(whole.substr(0, whole.size() - 1))), "ends early"));
  CHECK(absl::StrContains(ErrorOf(ReadAlone(whole + "x")), "more of it"));
  CHECK(absl::StrContains(
      ErrorOf(ReadAlone(Npy("'<f4'", "(1000000000, 1000000000, 1000000000)", "abcd"))),
      "ends early"));
}

TEST_CASE("hostile archives") {
  const std::string good = Zip({{"x.npy", Floats({1, 2, 3}), 8}});
  CHECK(ErrorOfZip(good).empty());
  CHECK(absl::StrContains(ErrorOfZip("PK"), "without the list"));
  CHECK(absl::StrContains(ErrorOfZip(good.substr(0, good.size() - 1)), "without the list"));
  CHECK(absl::StrContains(ErrorOfZip(Zip({{"x.npy", "", 12}})), "method 12"));
  CHECK(absl::StrContains(ErrorOfZip(Zip({{"x.npy", "", 0, 1}})), "encrypted"));
  const Entry entry = {"x.npy", Floats({1})};
  CHECK(absl::StrContains(ErrorOfZip(Zip({entry, entry})), "twice"));
  // The bytes of one entry stand for another one, too.
  std::string overlapping = Zip({{"x.npy", Floats({1})}, {"y.npy", Floats({1})}});
  const size_t second = overlapping.rfind("PK\x01\x02");
  overlapping.replace(second + 42, 4, std::string(4, '\0'));
  CHECK(absl::StrContains(ErrorOfZip(overlapping), "share bytes"));
  // It says that it becomes a million times as much.
  std::string bomb = good;
  const size_t list = bomb.rfind("PK\x01\x02");
  bomb.replace(list + 24, 4, Word<uint32_t>(0x7FFFFFFF));
  CHECK(absl::StrContains(ErrorOfZip(bomb), "cannot become"));
  std::string wrong = Zip({{"x.npy", Floats({1, 2, 3})}});
  wrong[wrong.rfind("PK\x01\x02") - 1] ^= 1;
  CHECK(absl::StrContains(ErrorOfZip(wrong), "checksum"));
  std::string outside = good;
  outside.replace(list + 42, 4, Word<uint32_t>(0x7FFFFFF0));
  CHECK(absl::StrContains(ErrorOfZip(outside), "should begin at byte"));
}

TEST_CASE("folders of arrays and tensors") {
  const TempFolder folder;
  folder.Write("_fc_Add_output_0.npy", Floats({1, 2}));
  std::filesystem::create_directory(folder / "act");
  std::filesystem::create_directory(folder / "act/Relu");
  folder.Write("act/Relu/out.npy", Floats({3}));
  // A TensorProto: dims, data_type, float_data, name.
  folder.Write("output_0.pb", absl::StrCat(absl::string_view("\x08\x02\x10\x01\x22\x08", 6),
                                           Bytes<float>({4, 5}), "\x42\x02", "/y"));
  const absl::StatusOr<ValueFiles> files = ValueFiles::Open(folder.path());
  REQUIRE(files.ok());
  CHECK(*NumbersOf(*files, "/fc/Add_output_0") == Numbers{1, 2});
  CHECK(*NumbersOf(*files, "/act/Relu/out") == Numbers{3});
  CHECK(*NumbersOf(*files, "/y") == Numbers{4, 5});
  CHECK_FALSE(ValueFiles::Open(folder / "output_0.pb").ok());
}

TEST_CASE("numbers of a tensor that take as many bytes as they need") {
  const TempFolder folder;
  // dims 3, int64, int64_data.
  folder.Write("x.pb", absl::string_view("\x08\x03\x10\x07\x3A\x0D\x01\xFE\xFF\xFF\xFF\xFF\xFF\xFF"
                                         "\xFF\xFF\x01\xAC\x02",
                                         19));
  const absl::StatusOr<ValueFiles> files = ValueFiles::Open(folder.path());
  REQUIRE(files.ok());
  CHECK(*NumbersOf(*files, "x") == Numbers{1, -2, 300});
}

TEST_CASE("several runs") {
  const TempFolder folder;
  folder.Write("0.npz", Zip({{"x.npy", Floats({1})}}));
  folder.Write("1.npz", Zip({{"x.npy", Floats({2})}}));
  const absl::StatusOr<ValueFiles> archives = ValueFiles::Open(folder.path());
  REQUIRE(archives.ok());
  CHECK(archives->samples() == 2);
  CHECK(*NumbersOf(*archives, "x", 1) == Numbers{2});
  const TempFolder folders;
  for (const char* name : {"run_0", "run_1"}) {
    std::filesystem::create_directory(folders / name);
    folders.Write(absl::StrCat(name, "/x.npy"), Floats({3}));
  }
  CHECK(ValueFiles::Open(folders.path())->samples() == 2);
}

TEST_CASE("one run in several files") {
  const TempFolder folder;
  const std::string a = folder.Write("a.npz", Zip({{"x.npy", Floats({1})}}));
  const std::string b = folder.Write("b.npz", Zip({{"y.npy", Floats({2})}}));
  const absl::StatusOr<ValueFiles> files = ValueFiles::Open(absl::StrCat(a, ",", b));
  REQUIRE(files.ok());
  CHECK(files->samples() == 1);
  CHECK(*NumbersOf(*files, "x") == Numbers{1});
  CHECK(*NumbersOf(*files, "y") == Numbers{2});
}

std::string Encoded(absl::string_view name, const std::vector<float>& numbers) {
  return absl::StrCat("{\"outputs\": {\"", name, "\": {\"values\": {\"array\": \"",
                      absl::Base64Escape(Floats(numbers)),
                      "\"}}}, \"runtime\": 0.1, \"runner_name\": \"r\"}");
}

TEST_CASE("Polygraphy's results: a runner, its runs") {
  const TempFolder folder;
  const std::string path = folder.Write(
      "r.json", absl::StrCat("{\"lst\": [[\"onnxrt-runner\", [", Encoded("/a/b", {1, 2}), ", ",
                             Encoded("/a/b", {3, 4}), "]], [\"trt-runner\", [",
                             Encoded("\\u002fa/b", {5}), "]]], \"polygraphy_class\": \"x\"}"));
  const absl::StatusOr<ValueFiles> first = ValueFiles::Open(path);
  REQUIRE(first.ok());
  CHECK(first->samples() == 2);
  CHECK(*NumbersOf(*first, "/a/b", 1) == Numbers{3, 4});
  const absl::StatusOr<ValueFiles> second = ValueFiles::Open(path + "#trt");
  REQUIRE(second.ok());
  CHECK(*NumbersOf(*second, "/a/b") == Numbers{5});
  CHECK_FALSE(ValueFiles::Open(path + "#cuda").ok());
  for (const char* text : {"", "{", "{\"array\": \"", "[[[", "}", "{\"a\": \"b\"}", "\"text\""}) {
    CHECK_FALSE(ValueFiles::Open(folder.Write("bad.json", text)).ok());
  }
}

}  // namespace
}  // namespace onnx_hier
