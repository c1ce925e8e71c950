// SPDX-License-Identifier: Apache-2.0
#include <cerrno>
#include <optional>

#include "absl/strings/ascii.h"
#include "lib/files/posix_io.h"
#include "lib/profile/csv_profile.h"
#include "lib/profile/json_profile.h"
#include "lib/profile/profile_text.h"
#include "onnx_hier/profile.h"
#include "onnx_hier_program/missing_file.h"

namespace onnx_hier {
namespace {

absl::StatusOr<Profile> Read(ProfileText& text, const ProfileOptions& options) {
  size_t lines = 0;
  std::optional<char> next = text.Peek();
  for (; next && absl::ascii_isspace(static_cast<unsigned char>(*next)); next = text.Peek()) {
    if (*next == '\n') ++lines;
    text.Skip();
  }
  if (next == '[' || next == '{') return ReadJsonProfile(text, options);
  if (next) return ReadCsvProfile(text, options, lines);
  if (!text.status().ok()) return text.status();
  return absl::InvalidArgumentError("is empty: nothing was profiled, or the session has not ended");
}

}  // namespace

absl::string_view ProfileKindName(ProfileKind kind) {
  switch (kind) {
    case ProfileKind::kOnnxRuntime:
      return "onnxruntime";
    case ProfileKind::kTensorRt:
      return "tensorrt";
    case ProfileKind::kOpenVino:
      return "openvino";
    case ProfileKind::kTable:
      break;
  }
  return "csv";
}

absl::StatusOr<Profile> ReadProfile(const std::string& path, const ProfileOptions& options) {
  const UniqueFd fd = OpenForReading(path);
  if (!fd.valid()) return CannotOpen(path, "cannot be read", errno);
  return ReadProfileStream(fd.get(), options);
}

absl::StatusOr<Profile> ReadProfileStream(int fd, const ProfileOptions& options) {
  ProfileText text(fd, options.cancel);
  return Read(text, options);
}

absl::StatusOr<Profile> ParseProfile(absl::string_view text, const ProfileOptions& options) {
  ProfileText bytes(text);
  return Read(bytes, options);
}

}  // namespace onnx_hier
