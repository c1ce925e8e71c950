#include "lib/files/file_attributes.h"

#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"

namespace onnx_hier {
namespace {

// As the kernel names it (xattr(7)).
constexpr char kAccessList[] = "system.posix_acl_access";
// What the kernel or a security module says of these very contents.
constexpr absl::string_view kOfContents[] = {"security.capability", "security.evm", "security.ima"};

std::vector<std::string> AttributeNames(int fd) {
  const ssize_t size = flistxattr(fd, nullptr, 0);
  if (size <= 0) return {};
  std::string names(static_cast<size_t>(size), '\0');
  const ssize_t n = flistxattr(fd, names.data(), names.size());
  names.resize(n < 0 ? 0 : static_cast<size_t>(n));
  return absl::StrSplit(names, '\0', absl::SkipEmpty());
}

std::optional<std::string> AttributeOf(int fd, const char* name) {
  const ssize_t size = fgetxattr(fd, name, nullptr, 0);
  if (size < 0) return std::nullopt;
  std::string value(static_cast<size_t>(size), '\0');
  const ssize_t n = fgetxattr(fd, name, value.data(), value.size());
  if (n < 0) return std::nullopt;
  value.resize(static_cast<size_t>(n));
  return value;
}

// Only the superuser can give a file away, so a refusal is no loss worth telling of.
void TakeOverModeAndOwner(const struct stat& old_status, int new_fd) {
  // A folder may hand out rights to all files that are made in it; the old file's count here.
  fremovexattr(new_fd, kAccessList);
  fchmod(new_fd, old_status.st_mode & 07777);
  if (fchown(new_fd, old_status.st_uid, old_status.st_gid) != 0) {
    fchmod(new_fd, old_status.st_mode & 0777);
  }
}

// What went wrong, or "".
std::string TakeOverAttribute(const std::string& name, int old_fd, int new_fd) {
  const auto lost = [&] {
    return absl::StrCat("its extended attribute '", name, "' is lost: ", std::strerror(errno));
  };
  const std::optional<std::string> value = AttributeOf(old_fd, name.c_str());
  if (!value.has_value()) return lost();
  // Some are there from the start, and not for everybody to set.
  if (AttributeOf(new_fd, name.c_str()) == value) return "";
  return fsetxattr(new_fd, name.c_str(), value->data(), value->size(), 0) == 0 ? "" : lost();
}

}  // namespace

std::vector<std::string> TakeOverAttributes(const struct stat& old_status, int old_fd, int new_fd) {
  std::vector<std::string> losses;
  TakeOverModeAndOwner(old_status, new_fd);
  if (old_fd < 0) losses.emplace_back("its extended attributes, if it had any, are lost");
  for (const std::string& name : AttributeNames(old_fd)) {
    if (std::find(std::begin(kOfContents), std::end(kOfContents), name) != std::end(kOfContents)) {
      continue;
    }
    std::string loss = TakeOverAttribute(name, old_fd, new_fd);
    if (!loss.empty()) losses.push_back(std::move(loss));
  }
  if (old_status.st_nlink > 1) {
    const auto others = static_cast<uint64_t>(old_status.st_nlink - 1);
    losses.push_back(absl::StrCat("its ", others, others == 1 ? " other name" : " other names",
                                  " (hard links) kept the old contents"));
  }
  return losses;
}

}  // namespace onnx_hier
