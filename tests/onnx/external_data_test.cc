// SPDX-License-Identifier: Apache-2.0
#include "lib/onnx/external_data.h"

#include <sys/stat.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "tests/onnx/model_text.h"
#include "tests/support/status.h"
#include "tests/support/temp_folder.h"
#include "tests/support/wire.h"

namespace onnx_hier {
namespace {

using testing::ReadFile;
using testing::TempFolder;
using testing::Value;

using List = std::vector<std::string>;

absl::Status Copy(const TempFolder& from, const TempFolder& to, const List& locations,
                  bool replace = false) {
  DataFiles data(from.path(), to.path(), {.replace = replace, .sync = false}, {});
  const absl::Status status = data.Copy(locations);
  if (status.ok()) data.Keep();
  return status;
}

TEST_CASE("each location is named once, in file order") {
  const auto tensor = [](const std::string& location) {
    return wire::Bytes(5,
                       wire::Number(2, 1) + wire::Number(14, 1) +
                           wire::Bytes(13, wire::Bytes(1, "location") + wire::Bytes(2, location)));
  };
  const testing::Scanned scanned = Value(testing::Scan(
      wire::Model(wire::Graph(tensor("b") + tensor("a") + tensor("b") + tensor("../c")))));
  CHECK(LocationsOf(scanned.model.external_tensors) == List{"b", "a", "../c"});
}

TEST_CASE("files are copied, folders are made") {
  const TempFolder from, to;
  REQUIRE(mkdir((from / "sub").c_str(), 0777) == 0);
  const std::string large(5000001, 'w');
  from.Write("w.bin", large);
  from.Write("sub/empty.bin", "");
  CHECK_OK(Copy(from, to, {"w.bin", "sub/empty.bin"}));
  CHECK((ReadFile(to / "w.bin") == large));
  CHECK(ReadFile(to / "sub/empty.bin") == "");
  CHECK(to.List() == List{"sub", "w.bin"});
}

TEST_CASE("whatever could lead out of the folder is refused before anything is copied") {
  const TempFolder from, to;
  from.Write("good", "text");
  for (const std::string& location :
       {std::string(""), std::string("/etc/passwd"), std::string("../w"), std::string("a/../../w"),
        std::string("./w"), std::string("a//w"), std::string("a/"), std::string("a\\w"),
        std::string("w\0x", 3), std::string("..")}) {
    CAPTURE(location);
    CHECK_ERROR(Copy(from, to, {"good", location}), kPermissionDenied, "refused");
  }
  CHECK(to.List() == List{});
}

TEST_CASE("symbolic links lead out as well") {
  const TempFolder from, to;
  from.Write("w", "text");
  REQUIRE(symlink("w", (from / "link").c_str()) == 0);
  REQUIRE(symlink(".", (from / "here").c_str()) == 0);
  CHECK_ERROR(Copy(from, to, {"link"}), kPermissionDenied, "symbolic link");
  CHECK_FALSE(Copy(from, to, {"here/w"}).ok());
  CHECK_FALSE(testing::StatusOf(Copy(from, to, {"none"})).ok());
}

TEST_CASE("what is no file is refused, not waited for") {
  const TempFolder from, to;
  REQUIRE(mkfifo((from / "pipe").c_str(), 0600) == 0);
  CHECK_ERROR(Copy(from, to, {"pipe"}), kInvalidArgument, "not a regular file");
  REQUIRE(mkdir((from / "folder").c_str(), 0777) == 0);
  CHECK_ERROR(Copy(from, to, {"folder"}), kInvalidArgument, "not a regular file");
}

TEST_CASE("a file that is there already") {
  const TempFolder from, to;
  from.Write("w", "new text");
  to.Write("w", "OLD TEXT");
  CHECK_ERROR(Copy(from, to, {"w"}), kAlreadyExists, "'w'");
  CHECK(ReadFile(to / "w") == "OLD TEXT");
  CHECK_OK(Copy(from, to, {"w"}, /*replace=*/true));
  CHECK(ReadFile(to / "w") == "new text");
  CHECK_OK(Copy(from, to, {"w"}));
  CHECK(ReadFile(to / "w") == "new text");
  to.Write("w", "longer old text");
  CHECK_ERROR(Copy(from, to, {"w"}), kAlreadyExists, "'w'");
  CHECK(ReadFile(to / "w") == "longer old text");
}

TEST_CASE("nothing is written through a link in the other folder") {
  const TempFolder from, to, elsewhere;
  REQUIRE(mkdir((from / "sub").c_str(), 0777) == 0);
  from.Write("sub/w", "evil");
  from.Write("w", "evil");
  elsewhere.Write("w", "old");
  REQUIRE(symlink(elsewhere.path().c_str(), (to / "sub").c_str()) == 0);
  REQUIRE(symlink((elsewhere / "w").c_str(), (to / "w").c_str()) == 0);
  REQUIRE(symlink((elsewhere / "new").c_str(), (to / "v").c_str()) == 0);
  from.Write("v", "evil");
  for (const bool replace : {false, true}) {
    CHECK_ERROR(Copy(from, to, {"sub/w"}, replace), kPermissionDenied, "symbolic link");
    CHECK_ERROR(Copy(from, to, {"w"}, replace), kPermissionDenied, "symbolic link");
    CHECK_ERROR(Copy(from, to, {"v"}, replace), kPermissionDenied, "symbolic link");
  }
  CHECK(elsewhere.List() == List{"w"});
  CHECK(ReadFile(elsewhere / "w") == "old");
}

TEST_CASE("a model does not choose hidden files") {
  const TempFolder from, to;
  from.Write("good", "text");
  from.Write(".profile", "evil");
  for (const char* location : {".profile", ".ssh/authorized_keys", "a/.b/w"}) {
    CAPTURE(location);
    CHECK_ERROR(Copy(from, to, {"good", location}, /*replace=*/true), kPermissionDenied, "hidden");
  }
  CHECK(to.List() == List{});
}

TEST_CASE("what is not kept goes again, and nothing else does") {
  const TempFolder from, to;
  REQUIRE(mkdir((from / "a").c_str(), 0777) == 0);
  from.Write("a/w", "weights");
  from.Write("v", "values");
  from.Write("same", "same");
  to.Write("same", "same");
  {
    DataFiles data(from.path(), to.path(), {.sync = false}, {});
    REQUIRE_OK(data.Copy({"a/w", "v", "same"}));
    CHECK(to.List() == List{"a", "same", "v"});
    to.Write("a/theirs", "theirs");
    REQUIRE(rename(to.Write("other", "theirs").c_str(), (to / "v").c_str()) == 0);
  }
  CHECK(to.List() == List{"a", "same", "v"});
  CHECK(ReadFile(to / "v") == "theirs");
  CHECK(access((to / "a/w").c_str(), F_OK) != 0);
  CHECK_ERROR(Copy(from, to, {"a/w", "none"}), kNotFound, "'none'");
  CHECK(access((to / "a/w").c_str(), F_OK) != 0);
}

TEST_CASE("data that another run has taken back is copied again") {
  const TempFolder from, to;
  from.Write("w", "weights");
  to.Write("w", "weights");
  DataFiles data(from.path(), to.path(), {.sync = false}, {});
  REQUIRE_OK(data.Copy({"w"}));
  REQUIRE(unlink((to / "w").c_str()) == 0);
  REQUIRE_OK(data.Settle());
  data.Keep();
  CHECK(ReadFile(to / "w") == "weights");
}

TEST_CASE("a location in an error steers no terminal") {
  const TempFolder from, to;
  CHECK_ERROR(Copy(from, to, {"\x1B[2J\xC2\x9B/../w"}), kPermissionDenied,
              "'\\x1b[2J\\xc2\\x9b/../w'");
}

}  // namespace
}  // namespace onnx_hier
