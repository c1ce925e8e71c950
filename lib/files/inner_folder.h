// SPDX-License-Identifier: Apache-2.0

// Files below a folder by names that are not to be trusted: a model chooses those of its data.
//
//   Location("data/w.bin")   parts "data", "w.bin"; opened one at a time, through no symbolic link
//   Location("../w.bin")     may lead out of the folder
#ifndef ONNX_HIER_LIB_FILES_INNER_FOLDER_H_
#define ONNX_HIER_LIB_FILES_INNER_FOLDER_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "lib/files/posix_io.h"

namespace onnx_hier {

// Whether a location names a file below its folder: not absolute, without "." and "..", empty parts
// and backslashes (which are slashes elsewhere).
bool StaysInside(absl::string_view location);
// Whether a file or folder on the way is one that is not shown to people (".profile").
bool IsHidden(absl::string_view location);

// Opens the folder of the file at `location` below `top`, one part at a time. kPermissionDenied if
// a symbolic link is on the way. With `made`, folders that are missing are made, and their
// locations appended to it.
absl::StatusOr<UniqueFd> OpenInnerFolder(int top, absl::string_view location,
                                         std::vector<std::string>* made = nullptr);
// Opens an existing regular file in a folder for reading; a symbolic link is kPermissionDenied.
absl::StatusOr<UniqueFd> OpenFileIn(int folder, const std::string& name);

// Opens a folder by a path of the user's own. One that may not be read can still be used.
absl::StatusOr<UniqueFd> OpenTopFolder(const std::string& path);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_FILES_INNER_FOLDER_H_
