#include "lib/files/file_identity.h"

namespace onnx_hier {

FileIdentity FileIdentity::Of(const struct stat& status) {
  return {status.st_dev, status.st_ino, status.st_size, status.st_mtim};
}

bool FileIdentity::IsSameVersion(const FileIdentity& other) const {
  return IsSameFile(other) && size == other.size && modified.tv_sec == other.modified.tv_sec &&
         modified.tv_nsec == other.modified.tv_nsec;
}

}  // namespace onnx_hier
