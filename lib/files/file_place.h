// SPDX-License-Identifier: Apache-2.0

// Which file a path stands for, however it is spelled.
//
//   PlaceOf("in.onnx") == PlaceOf("./in.onnx")   // also by way of links, symbolic and hard
#ifndef ONNX_HIER_LIB_FILES_FILE_PLACE_H_
#define ONNX_HIER_LIB_FILES_FILE_PLACE_H_

#include <cstdint>
#include <string>
#include <tuple>

#include "absl/status/statusor.h"
#include "lib/files/file_status.h"

namespace onnx_hier {

struct FilePlace {
  uint64_t device = 0;  // of the file; if it is not there yet, of its folder
  uint64_t inode = 0;   // likewise; 0 if the folder is not there either
  std::string name;     // in that folder; "" for a file that is there

  bool exists() const { return name.empty(); }
  bool operator==(const FilePlace&) const = default;
  bool operator<(const FilePlace& other) const {
    return std::tie(device, inode, name) < std::tie(other.device, other.inode, other.name);
  }
};

FilePlace PlaceOf(const std::string& path);
// Of a file that is there.
FilePlace PlaceOfFile(const FileStatus& file);

// The folder part of a path; "." when it has none.
std::string DirectoryOf(const std::string& path);
// What follows the last slash.
std::string FileNameOf(const std::string& path);

// Where writing to `path` would really go: symbolic links followed, also dangling ones.
absl::StatusOr<std::string> ResolveOutputPath(const std::string& path);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_FILES_FILE_PLACE_H_
