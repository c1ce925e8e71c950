// SPDX-License-Identifier: Apache-2.0
#include "lib/files/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "lib/files/file_place.h"
#include "tests/support/lacking.h"
#include "tests/support/status.h"
#include "tests/support/temp_folder.h"

namespace onnx_hier {
namespace {

using testing::Lacking;
using testing::ReadFile;
using testing::TempFolder;
using testing::Value;

using List = std::vector<std::string>;

constexpr OutputFile::Options kNew = {.sync = false};
constexpr OutputFile::Options kReplace = {.replace = true, .sync = false};

mode_t ModeOf(const std::string& path) {
  struct stat status;
  REQUIRE(stat(path.c_str(), &status) == 0);
  return status.st_mode & 07777;
}

void WriteWhole(const std::string& path, const OutputFile::Options& options,
                const std::string& text) {
  OutputFile file = Value(OutputFile::Create(path, options));
  REQUIRE_OK(file.Reserve(text.size()));
  REQUIRE_OK(file.Append(text.substr(0, 2)));
  REQUIRE_OK(file.Append(text.substr(2)));
  REQUIRE_OK(file.Commit());
}

// What every file system must give, whatever it lacks.
void CheckPromises() {
  const TempFolder folder;
  {
    OutputFile file = Value(OutputFile::Create(folder / "out", kNew));
    REQUIRE_OK(file.Append("text"));
    CHECK(access((folder / "out").c_str(), F_OK) != 0);
  }
  CHECK(folder.List() == List{});

  WriteWhole(folder / "out", kNew, "text");
  CHECK(ReadFile(folder / "out") == "text");
  CHECK(folder.List() == List{"out"});

  CHECK_ERROR(OutputFile::Create(folder / "out", kNew), kAlreadyExists, "--force");
  {
    OutputFile file = Value(OutputFile::Create(folder / "late", kNew));
    REQUIRE_OK(file.Append("ours"));
    folder.Write("late", "theirs");
    CHECK_ERROR(file.Commit(), kAlreadyExists, "");
  }
  CHECK(ReadFile(folder / "late") == "theirs");

  REQUIRE(link((folder / "out").c_str(), (folder / "second name").c_str()) == 0);
  REQUIRE(chmod((folder / "out").c_str(), 0604) == 0);
  WriteWhole(folder / "out", kReplace, "new text");
  CHECK(ReadFile(folder / "out") == "new text");
  CHECK(ModeOf(folder / "out") == 0604);
  CHECK(ReadFile(folder / "second name") == "text");
  {
    OutputFile file = Value(OutputFile::Create(folder / "out", kReplace));
    REQUIRE_OK(file.Append("never"));
  }
  CHECK(ReadFile(folder / "out") == "new text");
  {
    OutputFile file = Value(OutputFile::Create(folder / "a", kNew));
    file = Value(OutputFile::Create(folder / "b", kNew));
    OutputFile third(std::move(file));
    REQUIRE_OK(third.Append("b"));
    REQUIRE_OK(third.Commit());
  }
  CHECK(folder.List() == List{"b", "late", "out", "second name"});
}

TEST_CASE("a file appears complete or not at all, and leaves nothing behind") { CheckPromises(); }

TEST_CASE("so where files must have a name") {
  if (!testing::RunLacking(Lacking::kUnnamedFiles, CheckPromises)) MESSAGE("not allowed here");
}

TEST_CASE("so where renaming cannot refuse either") {
  if (!testing::RunLacking(Lacking::kUnnamedFilesAndRename2, CheckPromises)) {
    MESSAGE("not allowed here");
  }
}

TEST_CASE("the mode of a new file is what was asked for, less the umask") {
  const TempFolder folder;
  const mode_t before = umask(027);
  WriteWhole(folder / "plain", {.sync = false}, "text");
  WriteWhole(folder / "private", {.sync = false, .mode = 0600}, "text");
  WriteWhole(folder / "read-only", {.sync = false, .mode = S_IFREG | 06444}, "text");
  umask(before);
  CHECK(ModeOf(folder / "plain") == 0640);
  CHECK(ModeOf(folder / "private") == 0600);
  CHECK(ModeOf(folder / "read-only") == 0440);
}

TEST_CASE("synced to the disk") {
  const TempFolder folder;
  WriteWhole(folder / "out", {.sync = true}, "text");
  WriteWhole(folder / "out", {.replace = true, .sync = true}, "more");
  CHECK(ReadFile(folder / "out") == "more");
}

TEST_CASE("a symbolic link stays, what it points to is written") {
  const TempFolder folder;
  REQUIRE(mkdir((folder / "sub").c_str(), 0777) == 0);
  REQUIRE(symlink("sub/link", (folder / "link").c_str()) == 0);
  REQUIRE(symlink("../target", (folder / "sub/link").c_str()) == 0);
  CHECK(Value(ResolveOutputPath(folder / "link")) == folder / "sub/../target");
  WriteWhole(folder / "link", kNew, "text");  // the target was not there
  CHECK(ReadFile(folder / "target") == "text");
  CHECK_ERROR(OutputFile::Create(folder / "link", kNew), kAlreadyExists, "");
  WriteWhole(folder / "link", kReplace, "more");
  CHECK(ReadFile(folder / "target") == "more");
  CHECK(folder.List() == List{"link", "sub", "target"});
  struct stat status;
  REQUIRE(lstat((folder / "link").c_str(), &status) == 0);
  CHECK(S_ISLNK(status.st_mode));
}

OutputFile::Options InsteadOf(const std::string& path) {
  const std::optional<FileStatus> status = StatusOf(path);
  REQUIRE(status.has_value());
  return {.sync = false, .instead_of = status->identity};
}

// What must hold for an output that takes the place of its input, whatever a file system lacks.
void CheckTakesPlaceOfOneVersion() {
  const TempFolder folder;
  const std::string path = folder.Write("m", "first");
  WriteWhole(path, InsteadOf(path), "ours");
  CHECK(ReadFile(path) == "ours");

  // Replaced before the output is begun, or afterwards.
  for (const bool before : {true, false}) {
    const OutputFile::Options options = InsteadOf(path);
    const auto replace = [&] {
      const std::string theirs = folder.Write("theirs", "theirs");
      REQUIRE(rename(theirs.c_str(), path.c_str()) == 0);
    };
    if (before) replace();
    OutputFile file = Value(OutputFile::Create(path, options));
    REQUIRE_OK(file.Append("ours"));
    if (!before) replace();
    CHECK_ERROR(file.Commit(), kAborted, "another program replaced");
    CHECK(ReadFile(path) == "theirs");
  }
  {
    OutputFile file = Value(OutputFile::Create(path, InsteadOf(path)));
    folder.Write("m", "written in place, and longer");
    CHECK_ERROR(file.Commit(), kAborted, "another program replaced");
    CHECK(ReadFile(path) == "written in place, and longer");
  }
  {
    OutputFile file = Value(OutputFile::Create(path, InsteadOf(path)));
    REQUIRE(unlink(path.c_str()) == 0);
    CHECK_ERROR(file.Commit(), kAborted, "removed");
  }
  CHECK(folder.List() == List{});
}

TEST_CASE("an output in place of its input leaves what another program has put there") {
  CheckTakesPlaceOfOneVersion();
}

TEST_CASE("so where files cannot be swapped") {
  if (!testing::RunLacking(Lacking::kUnnamedFilesAndRename2, CheckTakesPlaceOfOneVersion)) {
    MESSAGE("not allowed here");
  }
}

TEST_CASE("whoever replaces it at the very moment keeps the last word") {
  const TempFolder folder;
  const std::string path = folder.Write("m", "first");
  for (int round = 0; round < 200; ++round) {
    OutputFile file = Value(OutputFile::Create(path, InsteadOf(path)));
    REQUIRE_OK(file.Append("ours"));
    const std::string theirs = folder.Write("theirs", "theirs");
    std::thread other([&] { REQUIRE(rename(theirs.c_str(), path.c_str()) == 0); });
    const absl::Status status = file.Commit();
    other.join();
    // Theirs came after ours, or ours gave way; ours never came over theirs.
    REQUIRE(ReadFile(path) == "theirs");
    if (!status.ok()) REQUIRE(absl::IsAborted(status));
  }
  CHECK(folder.List() == List{"m"});
}

TEST_CASE("in a folder that was opened, whatever happens to its path") {
  const TempFolder folder;
  REQUIRE(mkdir((folder / "a").c_str(), 0777) == 0);
  UniqueFd opened(open((folder / "a").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  REQUIRE(symlink("m", (folder / "a/link").c_str()) == 0);
  CHECK_ERROR(OutputFile::CreateIn(UniqueFd(dup(opened.get())), "a/link", kReplace),
              kPermissionDenied, "symbolic link");
  OutputFile file = Value(OutputFile::CreateIn(std::move(opened), "a/m", kNew));
  REQUIRE(rename((folder / "a").c_str(), (folder / "b").c_str()) == 0);
  REQUIRE_OK(file.Append("text"));
  REQUIRE_OK(file.Commit());
  CHECK(ReadFile(folder / "b/m") == "text");
}

TEST_CASE("links in a circle are an error") {
  const TempFolder folder;
  REQUIRE(symlink("b", (folder / "a").c_str()) == 0);
  REQUIRE(symlink("a", (folder / "b").c_str()) == 0);
  CHECK_ERROR(ResolveOutputPath(folder / "a"), kUnavailable, "symbolic links");
  CHECK_ERROR(OutputFile::Create(folder / "a", kReplace), kUnavailable, "symbolic links");
}

TEST_CASE("what cannot be written is refused at once") {
  const TempFolder folder;
  CHECK_ERROR(OutputFile::Create(folder.path(), kReplace), kInvalidArgument, "is a folder");
  CHECK_ERROR(OutputFile::Create(folder / "none/out", kNew), kNotFound, "there is no folder");
  REQUIRE(mkfifo((folder / "pipe").c_str(), 0600) == 0);
  CHECK_ERROR(OutputFile::Create(folder / "pipe", kReplace), kInvalidArgument, "regular");
  CHECK_ERROR(OutputFile::Create(folder / "pipe", kNew), kAlreadyExists, "");
  if (geteuid() == 0) return;  // whom no mode keeps out
  REQUIRE(chmod(folder.path().c_str(), 0500) == 0);
  CHECK_ERROR(OutputFile::Create(folder / "out", kNew), kPermissionDenied, "cannot write");
  REQUIRE(chmod(folder.path().c_str(), 0700) == 0);
}

TEST_CASE("names as long as a file system allows") {
  const TempFolder folder;
  const std::string name(255, 'n');
  WriteWhole(folder / name, kNew, "text");
  WriteWhole(folder / name, kReplace, "more");
  CHECK(folder.List() == List{name});
  CHECK_ERROR(OutputFile::Create(folder / std::string(300, 'n'), kNew).value().Commit(),
              kUnavailable, "too long");
}

TEST_CASE("more room than there is") {
  const TempFolder folder;
  OutputFile file = Value(OutputFile::Create(folder / "out", kNew));
  CHECK_OK(file.Reserve(0));
  CHECK_ERROR(file.Reserve(uint64_t{1} << 62), kResourceExhausted, "cannot reserve");
}

TEST_CASE("folders of paths") {
  CHECK(DirectoryOf("m.onnx") == ".");
  CHECK(DirectoryOf("a/b/m.onnx") == "a/b");
  CHECK(DirectoryOf("/m.onnx") == "/");
}

TEST_CASE("of two new files neither appears if one cannot") {
  const TempFolder folder;
  OutputFile first = Value(OutputFile::Create(folder / "first", kNew));
  OutputFile second = Value(OutputFile::Create(folder / "second", kNew));
  folder.Write("second", "somebody else's");
  CHECK_ERROR(OutputFile::CommitAll({{&first, &second}}), kAlreadyExists, "second");
  CHECK(folder.List() == List{"second"});
}

TEST_CASE("nothing is replaced before the new files have their names") {
  const TempFolder folder;
  folder.Write("old", "old");
  OutputFile replacing = Value(OutputFile::Create(folder / "old", kReplace));
  OutputFile fresh = Value(OutputFile::Create(folder / "fresh", kNew));
  REQUIRE_OK(replacing.Append("new"));
  folder.Write("fresh", "somebody else's");
  CHECK_ERROR(OutputFile::CommitAll({{&replacing, &fresh}}), kAlreadyExists, "fresh");
  CHECK(ReadFile(folder / "old") == "old");
}

}  // namespace
}  // namespace onnx_hier
