// Which file it is that was opened, and which version of its contents.
#ifndef ONNX_HIER_LIB_FILES_FILE_IDENTITY_H_
#define ONNX_HIER_LIB_FILES_FILE_IDENTITY_H_

#include <sys/stat.h>
#include <sys/types.h>

#include <ctime>

namespace onnx_hier {

struct FileIdentity {
  dev_t device = 0;
  ino_t inode = 0;
  off_t size = 0;
  timespec modified = {};

  static FileIdentity Of(const struct stat& status);

  // Under whatever path.
  bool IsSameFile(const FileIdentity& other) const {
    return device == other.device && inode == other.inode;
  }
  // The same file, and as far as its size and time of change tell, with the same contents.
  bool IsSameVersion(const FileIdentity& other) const;
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_FILES_FILE_IDENTITY_H_
