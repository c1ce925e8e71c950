// SPDX-License-Identifier: Apache-2.0
#include "lib/files/open_folders.h"

#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/support/status.h"
#include "tests/support/temp_folder.h"

namespace onnx_hier {
namespace {

using testing::TempFolder;
using testing::Value;

TEST_CASE("outputs of one folder share it, and are where their paths say") {
  const TempFolder top;
  OpenFolders folders;
  const OutputPlace fresh = Value(folders.Find(top / "new"));
  CHECK(fresh.target == top / "new");
  CHECK(!fresh.there.has_value());
  CHECK(!fresh.place.exists());
  CHECK(fresh.place == PlaceOf(top / "new"));

  const std::string old = top.Write("old", "text");
  const OutputPlace replaced = Value(folders.Find(old));
  CHECK(replaced.folder == fresh.folder);
  CHECK(replaced.there->is_regular());
  CHECK(replaced.place == PlaceOf(old));
  CHECK(Value(folders.Find(top.path())).place == PlaceOf(top.path()));
}

TEST_CASE("links are followed to where they lead, there or not") {
  const TempFolder top;
  REQUIRE(mkdir((top / "inner").c_str(), 0777) == 0);
  REQUIRE(symlink("inner/new", (top / "dangling").c_str()) == 0);
  const std::string old = top.Write("inner/old", "text");
  REQUIRE(symlink("inner/old", (top / "link").c_str()) == 0);
  OpenFolders folders;
  const OutputPlace dangling = Value(folders.Find(top / "dangling"));
  CHECK(dangling.target == top / "inner/new");
  CHECK(dangling.place == PlaceOf(top / "inner/new"));
  const OutputPlace link = Value(folders.Find(top / "link"));
  CHECK(link.target == old);
  CHECK(link.place == PlaceOf(old));
  CHECK(link.folder == dangling.folder);
}

TEST_CASE("a folder that is not there is no error yet") {
  const TempFolder top;
  OpenFolders folders;
  const OutputPlace place = Value(folders.Find(top / "none/new"));
  CHECK(place.folder == nullptr);
  CHECK(place.place == PlaceOf(top / "none/new"));
  REQUIRE(mkdir((top / "none").c_str(), 0777) == 0);
  CHECK(Value(folders.Find(top / "none/new")).folder != nullptr);
}

TEST_CASE("thousands of folders are not all kept open") {
  const TempFolder top;
  OpenFolders folders;
  std::vector<std::weak_ptr<OpenFolder>> opened;
  for (int i = 0; i < 200; ++i) {
    const std::string folder = top / absl::StrCat("f", i);
    REQUIRE(mkdir(folder.c_str(), 0777) == 0);
    opened.push_back(Value(folders.Find(absl::StrCat(folder, "/out"))).folder);
  }
  size_t open = 0;
  for (const std::weak_ptr<OpenFolder>& folder : opened) open += folder.expired() ? 0 : 1;
  CHECK(open <= 64);
}

TEST_CASE("threads that wait for the disk wait together, and each has its answer") {
  const TempFolder top;
  const std::shared_ptr<OpenFolder> folder = Value(OpenFolder::Open(top.path()));
  std::atomic<int> synced{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      for (int k = 0; k < 10; ++k) synced += folder->Sync().ok() ? 1 : 0;
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(synced == 80);
}

TEST_CASE("what killed runs left is looked for once") {
  const TempFolder top;
  const std::shared_ptr<OpenFolder> folder = Value(OpenFolder::Open(top.path()));
  REQUIRE(mkdir((top / ".a.onnx-hier-0").c_str(), 0700) == 0);
  REQUIRE(mkdir((top / ".a.onnx-hier-3").c_str(), 0700) == 0);
  folder->RemoveLitterOf("b");
  CHECK(top.List().size() == 2);
  REQUIRE(mkdir((top / ".c.onnx-hier-0").c_str(), 0700) == 0);
  folder->RemoveLitterOf("a");
  folder->RemoveLitterOf("c");
  CHECK(top.List() == std::vector<std::string>{".c.onnx-hier-0"});
}

TEST_CASE("a folder of thousands of files is asked about each name") {
  const TempFolder top;
  for (int i = 0; i < 4200; ++i) top.Write(absl::StrCat("m", i), "");
  REQUIRE(mkdir((top / ".a.onnx-hier-0").c_str(), 0700) == 0);
  Value(OpenFolder::Open(top.path()))->RemoveLitterOf("a");
  CHECK(access((top / ".a.onnx-hier-0").c_str(), F_OK) != 0);
}

}  // namespace
}  // namespace onnx_hier
