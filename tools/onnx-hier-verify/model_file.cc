// SPDX-License-Identifier: Apache-2.0
#include "tools/onnx-hier-verify/model_file.h"

#include <fcntl.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"

namespace onnx_hier::verify {
namespace {

using google::protobuf::io::CodedInputStream;
using google::protobuf::io::FileInputStream;

constexpr int kBlockBytes = 1 << 20;
constexpr int kMostBytes = std::numeric_limits<int>::max();

absl::Status Error(const std::string& path, absl::string_view text) {
  return absl::InvalidArgumentError(absl::StrCat(path, ": ", text));
}

}  // namespace

absl::StatusOr<ModelFile> ReadModelFile(const std::string& path) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return Error(path, strerror(errno));
  FileInputStream file(descriptor, kBlockBytes);
  file.SetCloseOnDelete(true);
  struct stat status = {};
  if (fstat(descriptor, &status) == 0 && status.st_size > kMostBytes) {
    return Error(path, "is larger than 2 GiB, which protobuf cannot hold");
  }
  ModelFile result(path);
  CodedInputStream input(&file);
  input.SetTotalBytesLimit(kMostBytes);
  const bool parsed =
      result.model_->ParsePartialFromCodedStream(&input) && input.ConsumedEntireMessage();
  if (file.GetErrno() != 0) return Error(path, strerror(file.GetErrno()));
  if (!parsed) {
    return Error(path, absl::StrCat("protobuf cannot parse it as an ONNX model: it is damaged, or "
                                    "its messages lie more than ",
                                    CodedInputStream::GetDefaultRecursionLimit(), " deep"));
  }
  // To protobuf, no bytes at all are a message without fields.
  if (input.CurrentPosition() == 0) return Error(path, "is empty");
  return result;
}

}  // namespace onnx_hier::verify
