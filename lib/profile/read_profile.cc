// SPDX-License-Identifier: Apache-2.0
#include <cerrno>
#include <optional>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "lib/files/posix_io.h"
#include "lib/profile/csv_profile.h"
#include "lib/profile/json_profile.h"
#include "lib/profile/profile_text.h"
#include "lib/profile/table.h"
#include "onnx_hier/profile.h"
#include "onnx_hier_program/missing_file.h"

namespace onnx_hier {
namespace {

// Profiles say early what they are: in their first event, or the line that names their columns.
bool IsTable(absl::string_view ahead, bool is_json, const TableOptions& options) {
  if (options.is_asked()) return true;
  if (is_json) {
    constexpr absl::string_view kKeys[] = {R"("cat")",    R"("traceEvents")", R"("timeMs")",
                                           R"("count")",  R"("averageMs")",   R"("medianMs")",
                                           R"("Layers")", R"("ph")"};
    return absl::c_none_of(kKeys,
                           [&](absl::string_view key) { return absl::StrContains(ahead, key); });
  }
  absl::ConsumePrefix(&ahead, "\xEF\xBB\xBF");
  for (absl::string_view line : absl::StrSplit(ahead, '\n')) {
    if (NamesTimes(line)) return false;
  }
  return LooksLikeTable(ahead);
}

absl::StatusOr<Profile> Read(ProfileText& text, const ProfileOptions& options) {
  size_t lines = 0;
  std::optional<char> next = text.Peek();
  for (; next && absl::ascii_isspace(static_cast<unsigned char>(*next)); next = text.Peek()) {
    if (*next == '\n') ++lines;
    text.Skip();
  }
  if (next) {
    const bool is_json = next == '[' || next == '{';
    if (IsTable(text.Ahead(), is_json, options.table)) {
      return is_json ? ReadJsonTable(text, options) : ReadCsvTable(text, options, lines);
    }
    return is_json ? ReadJsonProfile(text, options) : ReadCsvProfile(text, options, lines);
  }
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
    case ProfileKind::kTimes:
      return "csv";
    case ProfileKind::kTable:
      break;
  }
  return "table";
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
