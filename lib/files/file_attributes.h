// SPDX-License-Identifier: Apache-2.0

// What belongs to a file beside its contents, for the file that takes its place.
#ifndef ONNX_HIER_LIB_FILES_FILE_ATTRIBUTES_H_
#define ONNX_HIER_LIB_FILES_FILE_ATTRIBUTES_H_

#include <string>
#include <vector>

#include "lib/files/file_status.h"

namespace onnx_hier {

// Gives the mode, owner, access control list and extended attributes of one file to another, but
// for those that vouch for contents (capabilities, signatures). `old_fd` may be -1: it cannot be
// opened. Returns what is lost, in words for people: attributes that could not be taken over, and
// the file's other names, which keep the old contents.
std::vector<std::string> TakeOverAttributes(const FileStatus& old, int old_fd, int new_fd);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_FILES_FILE_ATTRIBUTES_H_
