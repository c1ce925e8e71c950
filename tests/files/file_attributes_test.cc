// SPDX-License-Identifier: Apache-2.0
#include "lib/files/file_attributes.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "lib/files/posix_io.h"
#include "tests/support/status.h"
#include "tests/support/temp_folder.h"

namespace onnx_hier {
namespace {

using testing::TempFolder;

using List = std::vector<std::string>;

constexpr char kAccessList[] = "system.posix_acl_access";
// user::rw-, user:1234:r--, group::---, mask::r--, other::--- as the kernel keeps it (acl(5)).
constexpr char kOneReader[] =
    "\x02\0\0\0\x01\0\x06\0\xff\xff\xff\xff\x02\0\x04\0\xd2\x04\0\0\x04\0\0\0\xff\xff\xff\xff"
    "\x10\0\x04\0\xff\xff\xff\xff\x20\0\0\0\xff\xff\xff\xff";

struct Files {
  Files(const TempFolder& folder, mode_t old_mode)
      : old_file(open(folder.Write("old", "old", old_mode).c_str(), O_RDONLY)),
        new_file(open(folder.Write("new", "new", 0644).c_str(), O_RDWR)) {
    REQUIRE(fchmod(old_file.get(), old_mode) == 0);
  }

  List TakeOver() const {
    const std::optional<FileStatus> status = StatusOf(old_file.get());
    REQUIRE(status.has_value());
    return TakeOverAttributes(*status, old_file.get(), new_file.get());
  }
  mode_t NewMode() const {
    struct stat status;
    REQUIRE(fstat(new_file.get(), &status) == 0);
    return status.st_mode & 07777;
  }
  std::string NewAttribute(const char* name) const {
    char value[256];
    const ssize_t n = fgetxattr(new_file.get(), name, value, sizeof(value));
    return n < 0 ? "none" : std::string(value, static_cast<size_t>(n));
  }

  UniqueFd old_file;
  UniqueFd new_file;
};

bool CanSet(const UniqueFd& file, const char* name, const std::string& value) {
  return fsetxattr(file.get(), name, value.data(), value.size(), 0) == 0;
}

TEST_CASE("mode") {
  const TempFolder folder;
  const Files files(folder, 0604);
  CHECK(files.TakeOver() == List{});
  CHECK(files.NewMode() == 0604);
}

TEST_CASE("extended attributes") {
  const TempFolder folder;
  const Files files(folder, 0600);
  if (!CanSet(files.old_file, "user.note", std::string("a\0b", 3))) {
    MESSAGE("not on this file system");
    return;
  }
  REQUIRE(CanSet(files.old_file, "user.empty", ""));
  CHECK(files.TakeOver() == List{});
  CHECK(files.NewAttribute("user.note") == std::string("a\0b", 3));
  CHECK(files.NewAttribute("user.empty") == "");
}

TEST_CASE("access control lists") {
  const TempFolder folder;
  const Files files(folder, 0600);
  const std::string list(kOneReader, sizeof(kOneReader) - 1);
  if (!CanSet(files.old_file, kAccessList, list)) {
    MESSAGE("not on this file system");
    return;
  }
  CHECK(files.TakeOver() == List{});
  CHECK(files.NewAttribute(kAccessList) == list);
}

TEST_CASE("rights that a folder hands out do not widen those of the old file") {
  const TempFolder folder;
  const Files files(folder, 0640);
  if (!CanSet(files.new_file, kAccessList, std::string(kOneReader, sizeof(kOneReader) - 1))) {
    MESSAGE("not on this file system");
    return;
  }
  CHECK(files.TakeOver() == List{});
  CHECK(files.NewAttribute(kAccessList) == "none");
  CHECK(files.NewMode() == 0640);
}

TEST_CASE("what is lost is told") {
  const TempFolder folder;
  const Files files(folder, 0600);
  REQUIRE(link((folder / "old").c_str(), (folder / "other name").c_str()) == 0);
  CHECK(files.TakeOver() == List{"its 1 other name (hard links) kept the old contents"});
  if (!CanSet(files.old_file, "user.note", "text")) return;
  const std::optional<FileStatus> status = StatusOf(files.old_file.get());
  REQUIRE(status.has_value());
  const List losses = TakeOverAttributes(*status, files.old_file.get(), /*new_fd=*/-1);
  REQUIRE(losses.size() == 2);
  CHECK(absl::StrContains(losses[0], "'user.note' is lost: "));
}

}  // namespace
}  // namespace onnx_hier
