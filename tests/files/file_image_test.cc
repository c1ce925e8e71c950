// SPDX-License-Identifier: Apache-2.0
#include "lib/files/file_image.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/support/status.h"
#include "tests/support/temp_folder.h"

namespace onnx_hier {
namespace {

using testing::MemoryFile;
using testing::TempFolder;
using testing::Value;

// Every eighth byte differs from its neighbours at any distance that matters.
std::string Pattern(size_t size) {
  std::string bytes(size, '\0');
  for (size_t i = 0; i < size; ++i) bytes[i] = static_cast<char>(i * 2654435761u >> 13);
  return bytes;
}

TEST_CASE("what cannot be a model is refused") {
  const TempFolder folder;
  CHECK_ERROR(FileImage::Open(folder / "none"), kNotFound, "cannot open");
  CHECK_ERROR(FileImage::Open(folder.path()), kInvalidArgument, "is a folder");
  REQUIRE(mkfifo((folder / "pipe").c_str(), 0600) == 0);
  CHECK_ERROR(FileImage::Open(folder / "pipe"), kInvalidArgument, "not a regular file");
  CHECK_ERROR(FileImage::Open("/dev/null"), kInvalidArgument, "not a regular file");
}

TEST_CASE("an empty file is an image of nothing") {
  const MemoryFile file("");
  FileImage image = Value(FileImage::Open(file.path()));
  CHECK(image.size() == 0);
  CHECK_OK(image.Require(0, 0));
  CHECK_OK(image.VerifyUnchanged());
}

TEST_CASE("bytes in memory are all there, in any order") {
  for (size_t size : {0u, 5u, 100u, 3u << 20}) {
    const std::string bytes = Pattern(size);
    FileImage first = FileImage::FromBytes(bytes);
    FileImage image = std::move(first);
    CHECK(image.fd() == -1);
    CHECK_OK(image.Require(0, size));
    CHECK_OK(image.Require(size, size));
    CHECK_OK(image.Require(0, size / 2));
    CHECK(image.IsLoaded(0, size));
    CHECK((image.Text(0, size) == bytes));
    CHECK_OK(image.VerifyUnchanged());
    const FileImage again = Value(image.Again());
    const FileImage view = FileImage::FromMemory(bytes);
    CHECK(view.data() == (size == 0 ? view.data() : bytes.data()));
    CHECK((Value(view.Again()).Text(0, size) == bytes));
    CHECK_OK(view.VerifyUnchanged());
    image = FileImage::FromBytes("");
    CHECK((again.Text(0, size) == bytes));
  }
}

TEST_CASE("once more from the start") {
  const std::string bytes = Pattern(8 << 20);
  const MemoryFile file(bytes);
  FileImage image = Value(FileImage::Open(file.path()));
  REQUIRE_OK(image.Require(8000000, 8000010));
  CHECK_FALSE(image.Require(0, 10).ok());
  FileImage again = Value(image.Again());
  CHECK(again.mode() == image.mode());
  REQUIRE_OK(again.Require(0, 10));
  CHECK((again.Text(0, 10) == bytes.substr(0, 10)));
  REQUIRE(pwrite(file.fd(), "x", 1, static_cast<off_t>(bytes.size())) == 1);
  CHECK_ERROR(image.Again(), kAborted, "changed");
}

// Notes how often each byte is read.
class NotingSource : public ByteSource {
 public:
  explicit NotingSource(std::string bytes) : bytes_(std::move(bytes)), times_(bytes_.size()) {}

  uint64_t size() const override { return bytes_.size(); }
  absl::Status ReadAt(char* out, uint64_t size, uint64_t offset) override {
    std::memcpy(out, bytes_.data() + offset, size);
    for (uint64_t i = offset; i < offset + size; ++i) most_ = std::max(most_, ++times_[i]);
    return absl::OkStatus();
  }
  int most() const { return most_; }

 private:
  const std::string bytes_;
  std::vector<int> times_;
  int most_ = 0;
};

TEST_CASE("once more, nothing is read a second time") {
  const std::string bytes = Pattern(8 << 20);
  const auto source = std::make_shared<NotingSource>(bytes);
  FileImage image = Value(FileImage::FromSource(source));
  for (const uint64_t at : {0, 2000000, 2100000, 6000000}) {
    REQUIRE_OK(image.Require(at, at + 1000));
  }
  FileImage again = Value(image.Again());
  image = FileImage::FromMemory("");
  for (uint64_t at = 0; at + 500 <= bytes.size(); at += at % 3 == 0 ? 100000 : 500) {
    REQUIRE_OK(again.Require(at, at + 500));
    REQUIRE((again.Text(at, at + 500) == bytes.substr(at, 500)));
  }
  FileImage third = Value(again.Again());
  REQUIRE_OK(third.Require(0, bytes.size()));
  CHECK((third.Text(0, bytes.size()) == bytes));
  CHECK(source->most() == 1);
}

TEST_CASE("windows: what was asked for is there, what was jumped over is not") {
  const std::string bytes = Pattern(8 << 20);
  const MemoryFile file(bytes);
  FileImage image = Value(FileImage::Open(file.path()));
  REQUIRE_OK(image.Require(0, 10));
  REQUIRE_OK(image.Require(4000000, 4000010));
  REQUIRE_OK(image.Require(4000020, 4000030));
  REQUIRE_OK(image.Require(8000000, bytes.size()));
  CHECK((image.Text(0, 10) == bytes.substr(0, 10)));
  CHECK((image.Text(4000000, 4000030) == bytes.substr(4000000, 30)));
  CHECK((image.Text(8000000, bytes.size()) == bytes.substr(8000000)));
  CHECK(image.IsLoaded(0, 10));
  CHECK(image.IsLoaded(4000000, 4000030));
  CHECK(image.IsLoaded(8000000, bytes.size()));
  CHECK_FALSE(image.IsLoaded(2000000, 2000001));
  CHECK_FALSE(image.IsLoaded(5, 4000005));
  CHECK_FALSE(image.IsLoaded(3999999, 4000001));
  CHECK(image.LoadedAt(4000025).begin <= 4000000);
  CHECK(image.LoadedAt(4000025).end >= 4000030);
  CHECK(image.LoadedAt(2000000).end <= 2000000);
  CHECK(image.readable_end() == bytes.size());
  const std::vector<FileImage::Interval> gaps = image.NotLoaded();
  REQUIRE(gaps.size() == 2);
  CHECK(gaps[0].end == 4000000);
  CHECK(gaps[1].end == 8000000);
  for (const FileImage::Interval& gap : gaps) CHECK_FALSE(image.IsLoaded(gap.begin, gap.begin + 1));
}

TEST_CASE("whatever is said to be loaded holds the file's bytes, also when a thread reads ahead") {
  const std::string bytes = Pattern(7 << 20);
  const MemoryFile file(bytes);
  const auto read_in_steps = [&](uint64_t step, bool ahead) {
    FileImage image = Value(FileImage::Open(file.path()));
    if (ahead) image.StartReadingAhead();
    size_t wrong = 0;
    for (uint64_t at = 0; at + 64 <= bytes.size(); at += step) {
      if (!image.Require(at, at + 64).ok()) ++wrong;
    }
    const FileImage moved = std::move(image);
    for (uint64_t at = 0; at + 64 <= bytes.size(); at += 32) {
      if (at % step == 0 && !moved.IsLoaded(at, at + 64)) ++wrong;
      if (moved.IsLoaded(at, at + 64) &&
          moved.Text(at, at + 64) != absl::string_view(bytes).substr(at, 64))
        ++wrong;
    }
    CAPTURE(step);
    CAPTURE(ahead);
    CHECK(wrong == 0);
  };
  for (uint64_t step : {100u, 4096u, 16384u, 16385u, 20000u, 70000u, 1000000u}) {
    for (const bool ahead : {false, true}) read_in_steps(step, ahead);
  }
}

TEST_CASE("reading ahead stops where the reader jumps") {
  const std::string bytes = Pattern(16 << 20);
  const MemoryFile file(bytes);
  FileImage image = Value(FileImage::Open(file.path()));
  image.StartReadingAhead();
  for (uint64_t at = 0; at < 4 << 20; at += 1000) REQUIRE_OK(image.Require(at, at + 8));
  REQUIRE_OK(image.Require(12 << 20, (12 << 20) + 8));
  CHECK((image.Text(12 << 20, (12 << 20) + 8) == bytes.substr(12 << 20, 8)));
  CHECK_FALSE(image.IsLoaded(8 << 20, (8 << 20) + 8));
}

TEST_CASE("going back behind the window is a mistake of the caller, not of the file") {
  const MemoryFile file(Pattern(4 << 20));
  FileImage image = Value(FileImage::Open(file.path()));
  REQUIRE_OK(image.Require(3000000, 3000001));
  CHECK_ERROR(image.Require(0, 1), kInternal, "out of order");
  CHECK_ERROR(image.Require(3000000, (4 << 20) + 1), kInternal, "out of order");
}

TEST_CASE("a file cut short while it is read is an error, no crash") {
  const MemoryFile file(Pattern(1 << 20));
  FileImage image = Value(FileImage::Open(file.path()));
  REQUIRE_OK(image.Require(0, 10));
  REQUIRE(ftruncate(file.fd(), 300000) == 0);
  CHECK_OK(image.Require(200000, 200010));
  CHECK_ERROR(image.Require(500000, 500010), kAborted, "became shorter");
  CHECK_ERROR(image.VerifyUnchanged(), kAborted, "changed by another program");
}

TEST_CASE("a file cut short while a thread reads ahead is an error, no crash") {
  const MemoryFile file(Pattern(8 << 20));
  FileImage image = Value(FileImage::Open(file.path()));
  image.StartReadingAhead();
  absl::Status status;
  for (uint64_t at = 0; at + 8 <= 8 << 20 && status.ok(); at += 1000) {
    if (at == 4000000) REQUIRE(ftruncate(file.fd(), 4000000) == 0);
    status = image.Require(at, at + 8);
  }
  CHECK_ERROR(status, kAborted, "became shorter");
}

TEST_CASE("a change of the file is noticed, a change of its name is not one") {
  const TempFolder folder;
  const std::string path = folder.Write("m", "abc");
  const FileImage image = Value(FileImage::Open(path));
  CHECK_OK(image.VerifyUnchanged());
  REQUIRE(rename(path.c_str(), (folder / "n").c_str()) == 0);
  CHECK_OK(image.VerifyUnchanged());
  const timespec times[2] = {{0, UTIME_OMIT}, {1, 0}};
  REQUIRE(utimensat(AT_FDCWD, (folder / "n").c_str(), times, 0) == 0);
  CHECK_ERROR(image.VerifyUnchanged(), kAborted, "changed by another program");
}

TEST_CASE("the same file under another name") {
  const TempFolder folder;
  const FileImage image = Value(FileImage::Open(folder.Write("m", "abc")));
  REQUIRE(link((folder / "m").c_str(), (folder / "n").c_str()) == 0);
  folder.Write("o", "abc");
  const auto is_same = [&](const char* name) {
    const std::optional<FileStatus> status = StatusOf(folder / name);
    return status.has_value() && image.identity().IsSameFile(status->identity);
  };
  CHECK(is_same("n"));
  CHECK_FALSE(is_same("o"));
}

TEST_CASE("a moved image keeps its bytes") {
  const MemoryFile file("abcdef");
  FileImage first = Value(FileImage::Open(file.path()));
  REQUIRE_OK(first.Require(0, 6));
  FileImage second(std::move(first));
  CHECK(second.Text(2, 4) == "cd");
  FileImage third = Value(FileImage::Open(MemoryFile("x").path()));
  third = std::move(second);
  CHECK(third.Text(2, 4) == "cd");
  CHECK_OK(third.VerifyUnchanged());
}

TEST_CASE("a stream is taken whole") {
  const std::string bytes = Pattern(300000);
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  std::thread writer([&] {
    for (size_t at = 0; at < bytes.size();) {
      const ssize_t n = write(ends[1], bytes.data() + at, bytes.size() - at);
      if (n <= 0) break;
      at += static_cast<size_t>(n);
    }
    close(ends[1]);
  });
  FileImage image = Value(FileImage::FromStream(ends[0]));
  writer.join();
  close(ends[0]);
  REQUIRE(image.size() == bytes.size());
  REQUIRE_OK(image.Require(0, bytes.size()));
  CHECK((image.Text(0, bytes.size()) == bytes));
}

}  // namespace
}  // namespace onnx_hier
