// SPDX-License-Identifier: Apache-2.0
#include "lib/files/work_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

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

using List = std::vector<std::string>;

UniqueFd Open(const TempFolder& folder) {
  return UniqueFd(open(folder.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

ino_t InodeOf(const std::string& path) {
  struct stat status;
  REQUIRE(lstat(path.c_str(), &status) == 0);
  return status.st_ino;
}

// A folder as a run leaves it that was killed; its path.
std::string LeaveLitter(const TempFolder& folder, const std::string& name) {
  const std::string path = folder / absl::StrCat(".", name, ".onnx-hier-0");
  REQUIRE(mkdir(path.c_str(), 0700) == 0);
  return path;
}

std::string PartOf(const std::string& folder) {
  return absl::StrCat("part-", absl::Hex(InodeOf(folder)));
}

void Write(const std::string& path, const std::string& text) {
  const UniqueFd file(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600));
  REQUIRE(write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size()));
}

TEST_CASE("a hidden folder with a name for one file goes with its object") {
  const TempFolder folder;
  const UniqueFd parent = Open(folder);
  {
    const WorkFolder work = Value(WorkFolder::Make(parent.get(), "out"));
    CHECK(folder.List() == List{".out.onnx-hier-0"});
    CHECK(work.file_name() == PartOf(folder / ".out.onnx-hier-0"));
    Write(folder / absl::StrCat(".out.onnx-hier-0/", work.file_name()), "text");
    const WorkFolder second = Value(WorkFolder::Make(parent.get(), "out"));
    CHECK(folder.List() == List{".out.onnx-hier-0", ".out.onnx-hier-1"});
  }
  CHECK(folder.List() == List{});
}

TEST_CASE("moved, each goes once") {
  const TempFolder folder;
  const UniqueFd parent = Open(folder);
  std::optional<WorkFolder> kept = Value(WorkFolder::Make(parent.get(), "a"));
  kept = Value(WorkFolder::Make(parent.get(), "b"));
  CHECK(folder.List() == List{".b.onnx-hier-0"});
  kept.reset();
  CHECK(folder.List() == List{});
}

TEST_CASE("what a killed run left is removed") {
  const TempFolder folder;
  const UniqueFd parent = Open(folder);
  const std::string path = LeaveLitter(folder, "out");
  Write(absl::StrCat(path, "/", PartOf(path)), "half");
  Litter(parent.get()).RemoveOf("other");
  CHECK(folder.List() == List{".out.onnx-hier-0"});
  Litter(parent.get()).RemoveOf("out");
  CHECK(folder.List() == List{});
  LeaveLitter(folder, "out");
  Litter(parent.get()).RemoveOf("out");
  CHECK(folder.List() == List{});
}

// A killed run's folder that holds `file` under the name for a swap of the two others.
std::string SwapLitter(const TempFolder& folder, const std::string& file, ino_t old_file,
                       ino_t new_file) {
  const std::string path = LeaveLitter(folder, "out");
  const std::string swap = absl::StrCat(path, "/swap-", absl::Hex(InodeOf(path)), "-",
                                        absl::Hex(old_file), "-", absl::Hex(new_file));
  REQUIRE(rename(file.c_str(), swap.c_str()) == 0);
  return swap;
}

TEST_CASE("both files of a swap are ours, a third is not") {
  const TempFolder folder;
  const UniqueFd parent = Open(folder);
  const std::string old_file = folder.Write("old", "old");
  const std::string new_file = folder.Write("new", "new");
  const ino_t old_inode = InodeOf(old_file);
  const ino_t new_inode = InodeOf(new_file);
  for (const std::string& ours : {old_file, new_file}) {
    SwapLitter(folder, ours, old_inode, new_inode);
    Litter(parent.get()).RemoveOf("out");
    CHECK(access((folder / ".out.onnx-hier-0").c_str(), F_OK) != 0);
  }
  const std::string keeper = folder.Write("keeper", "has the number of none of them");
  const std::string theirs = folder.Write("theirs", "theirs");
  const std::string swap = SwapLitter(folder, theirs, InodeOf(keeper), InodeOf(keeper));
  Litter(parent.get()).RemoveOf("out");
  CHECK(ReadFile(swap) == "theirs");
}

TEST_CASE("what only looks like litter stays") {
  const TempFolder folder;
  const UniqueFd parent = Open(folder);
  folder.Write(".out.onnx-hier-0", "a model of the user's");
  REQUIRE(mkdir((folder / ".out.onnx-hier-1").c_str(), 0700) == 0);
  folder.Write(".out.onnx-hier-1/weights.bin", "weights");
  folder.Write(".out.onnx-hier-1/part-12", "named by another folder's number");
  REQUIRE(symlink("somewhere", (folder / ".out.onnx-hier-2").c_str()) == 0);
  Litter(parent.get()).RemoveOf("out");
  CHECK(folder.List() == List{".out.onnx-hier-0", ".out.onnx-hier-1", ".out.onnx-hier-2"});
  CHECK(ReadFile(folder / ".out.onnx-hier-1/weights.bin") == "weights");
  CHECK(ReadFile(folder / ".out.onnx-hier-1/part-12") == "named by another folder's number");
  const WorkFolder work = Value(WorkFolder::Make(parent.get(), "out"));
  CHECK(folder.List().back() == ".out.onnx-hier-3");
}

TEST_CASE("a living run's folder stays") {
  const TempFolder folder;
  const UniqueFd parent = Open(folder);
  const WorkFolder work = Value(WorkFolder::Make(parent.get(), "out"));
  Litter(parent.get()).RemoveOf("out");
  CHECK(folder.List() == List{".out.onnx-hier-0"});
}

TEST_CASE("left behind on purpose, it stays and says where") {
  const TempFolder folder;
  const UniqueFd parent = Open(folder);
  std::string place;
  {
    WorkFolder work = Value(WorkFolder::Make(parent.get(), "out"));
    Write(folder / absl::StrCat(".out.onnx-hier-0/", work.file_name()), "theirs");
    place = work.Abandon();
  }
  CHECK(ReadFile(folder / place) == "theirs");
}

}  // namespace
}  // namespace onnx_hier
