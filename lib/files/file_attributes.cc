// SPDX-License-Identifier: Apache-2.0
#include "lib/files/file_attributes.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "lib/files/system.h"
#include "onnx_hier_program/text.h"

namespace onnx_hier {
namespace {

// What the kernel or a security module says of these very contents.
constexpr absl::string_view kOfContents[] = {"security.capability", "security.evm", "security.ima"};

std::optional<std::string> AttributeOf(int fd, const std::string& name) {
  std::string value;
  if (ReadAttribute(fd, name, &value) < 0) return std::nullopt;
  return value;
}

// Only the superuser can give a file away, so a refusal is no loss worth telling of.
void TakeOverModeAndOwner(const FileStatus& old, int new_fd) {
  // The old file's rights count, not those that the folder hands out.
  RemoveAccessList(new_fd);
  fchmod(new_fd, static_cast<mode_t>(old.mode));
  if (fchown(new_fd, old.owner, old.group) != 0)
    fchmod(new_fd, static_cast<mode_t>(old.mode & 0777));
}

// What went wrong, or "".
std::string TakeOverAttribute(const std::string& name, int old_fd, int new_fd) {
  const auto lost = [&] {
    return absl::StrCat("its extended attribute '", name, "' is lost: ", std::strerror(errno));
  };
  const std::optional<std::string> value = AttributeOf(old_fd, name);
  if (!value.has_value()) return lost();
  // Some are there from the start, and not for everybody to set.
  if (AttributeOf(new_fd, name) == value) return "";
  return WriteAttribute(new_fd, name, *value) == 0 ? "" : lost();
}

}  // namespace

std::vector<std::string> TakeOverAttributes(const FileStatus& old, int old_fd, int new_fd) {
  std::vector<std::string> losses;
  TakeOverModeAndOwner(old, new_fd);
  if (old_fd < 0) losses.emplace_back("its extended attributes, if it had any, are lost");
  for (const std::string& name : AttributeNames(old_fd)) {
    if (std::find(std::begin(kOfContents), std::end(kOfContents), name) != std::end(kOfContents)) {
      continue;
    }
    std::string loss = TakeOverAttribute(name, old_fd, new_fd);
    if (!loss.empty()) losses.push_back(std::move(loss));
  }
  if (old.names > 1) {
    const uint64_t others = old.names - 1;
    losses.push_back(
        absl::StrCat("its ", Counted(others, "other name"), " (hard links) kept the old contents"));
  }
  return losses;
}

}  // namespace onnx_hier
