// SPDX-License-Identifier: Apache-2.0
#include "lib/files/inner_folder.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "tests/support/status.h"
#include "tests/support/temp_folder.h"

namespace onnx_hier {
namespace {

using testing::TempFolder;
using testing::Value;

using List = std::vector<std::string>;

TEST_CASE("locations that may lead out of a folder") {
  for (const std::string& location :
       {std::string(""), std::string("/etc/passwd"), std::string("../w"), std::string("a/../w"),
        std::string("./w"), std::string("a//w"), std::string("a/"), std::string("a\\w"),
        std::string("w\0x", 3), std::string("..")}) {
    CAPTURE(location);
    CHECK_FALSE(StaysInside(location));
  }
  for (const char* location : {"w", "a/b/w.bin", "...", "..w", "a b/ü"}) {
    CAPTURE(location);
    CHECK(StaysInside(location));
  }
}

TEST_CASE("hidden files and folders") {
  CHECK(IsHidden(".profile"));
  CHECK(IsHidden(".ssh/authorized_keys"));
  CHECK(IsHidden("a/.b/w"));
  CHECK(IsHidden("..."));
  CHECK_FALSE(IsHidden("a.b/w.bin"));
}

TEST_CASE("folders are opened and made part by part") {
  const TempFolder top;
  const UniqueFd fd = Value(OpenTopFolder(top.path()));
  CHECK_ERROR(OpenInnerFolder(fd.get(), "a/b/w"), kNotFound, "No such file");
  List made;
  CHECK_OK(OpenInnerFolder(fd.get(), "a/b/w", &made).status());
  CHECK(made == List{"a", "a/b"});
  CHECK_OK(OpenInnerFolder(fd.get(), "a/b/v", &made).status());
  CHECK(made.size() == 2);
  CHECK_OK(OpenInnerFolder(fd.get(), "w").status());
}

TEST_CASE("no symbolic link is followed") {
  const TempFolder top;
  const UniqueFd fd = Value(OpenTopFolder(top.path()));
  top.Write("w", "text");
  REQUIRE(symlink(".", (top / "here").c_str()) == 0);
  REQUIRE(symlink("w", (top / "link").c_str()) == 0);
  List made;
  CHECK_ERROR(OpenInnerFolder(fd.get(), "here/w", &made), kPermissionDenied, "symbolic link");
  CHECK_ERROR(OpenInnerFolder(fd.get(), "w/x"), kUnavailable, "Not a directory");
  CHECK_ERROR(OpenFileIn(fd.get(), "link"), kPermissionDenied, "symbolic link");
  CHECK_OK(OpenFileIn(fd.get(), "w").status());
  CHECK(made == List{});
}

TEST_CASE("a folder of the user's own may be a link") {
  const TempFolder top;
  REQUIRE(symlink(".", (top / "here").c_str()) == 0);
  CHECK_OK(OpenTopFolder(top / "here").status());
  CHECK_ERROR(OpenTopFolder(top / "none"), kNotFound, "there is no folder");
}

}  // namespace
}  // namespace onnx_hier
