#include "tools/onnx-hier/output_folder.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "absl/strings/str_cat.h"

namespace onnx_hier::cli {

absl::StatusOr<OutputFolder> OutputFolder::Prepare(const std::string& path) {
  if (mkdir(path.c_str(), 0777) == 0) return OutputFolder(path);
  struct stat status;
  if (errno == EEXIST && stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode)) {
    return OutputFolder("");
  }
  return absl::FailedPreconditionError(
      absl::StrCat("cannot make the folder: ", std::strerror(errno)));
}

OutputFolder::~OutputFolder() {
  if (!made_.empty()) rmdir(made_.c_str());
}

}  // namespace onnx_hier::cli
