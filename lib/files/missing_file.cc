// SPDX-License-Identifier: Apache-2.0
#include "onnx_hier_program/missing_file.h"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <system_error>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "lib/files/posix_io.h"
#include "onnx_hier_program/text.h"

namespace onnx_hier {
namespace {

namespace fs = std::filesystem;

// Advice is not worth reading more names of a folder.
constexpr size_t kMostEntries = 4096;

struct Scheme {
  absl::string_view name;
  absl::string_view advice;
};
constexpr Scheme kSchemes[] = {
    {"http", "curl -L ADDRESS | onnx-hier tree -"},
    {"https", "curl -L ADDRESS | onnx-hier tree -"},
    {"s3", "aws s3 cp ADDRESS - | onnx-hier tree -"},
    {"gs", "gcloud storage cat ADDRESS | onnx-hier tree -"},
    {"hf", "curl -L https://huggingface.co/REPOSITORY/resolve/main/FILE | onnx-hier tree -"},
    {"file", "name the file itself"},
};

// "" for what does not begin as an address does.
std::string AdviceOnAddress(absl::string_view path) {
  const size_t end = path.find("://");
  if (end == absl::string_view::npos || end < 2) return "";
  const std::string scheme = absl::AsciiStrToLower(path.substr(0, end));
  if (!std::all_of(scheme.begin(), scheme.end(), [](char c) {
        return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '+' || c == '.' ||
               c == '-';
      })) {
    return "";
  }
  for (const Scheme& known : kSchemes) {
    if (known.name == scheme) return absl::StrCat("is an address, not a file: ", known.advice);
  }
  return "is an address, not a file: download it first";
}

// Names in a folder that are not hidden, in order: of files, or of folders.
std::vector<std::string> NamesIn(const fs::path& folder, bool of_folders) {
  std::vector<std::string> names;
  std::error_code error;  // of what cannot be read, there is nothing to say
  size_t entries = 0;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    if (++entries > kMostEntries) break;
    std::error_code unknown;
    if (entry->is_directory(unknown) != of_folders) continue;
    std::string name = entry->path().filename().string();
    if (!absl::StartsWith(name, ".")) names.push_back(std::move(name));
  }
  std::sort(names.begin(), names.end());
  return names;
}

// The file whose name is nearest, or "".
std::string Nearest(const std::string& path) {
  const fs::path typed(path);
  const std::string name = typed.filename().string();
  std::vector<std::string> names =
      NamesIn(typed.has_parent_path() ? typed.parent_path() : fs::path("."), false);
  std::erase(names, name);  // a link that leads nowhere
  for (const std::string& other : names) {
    if (absl::EqualsIgnoreCase(name, other)) return (typed.parent_path() / other).string();
  }
  const absl::string_view closest =
      Closest(name, std::vector<absl::string_view>(names.begin(), names.end()));
  return closest.empty() ? "" : (typed.parent_path() / std::string(closest)).string();
}

std::vector<std::string> ModelsIn(const fs::path& folder) {
  std::vector<std::string> models;
  const auto add = [&](const fs::path& inner) {
    for (const std::string& name : NamesIn(folder / inner, false)) {
      if (absl::EndsWith(name, ".onnx")) models.push_back((inner / name).string());
    }
  };
  add("");
  if (!models.empty()) return models;
  constexpr size_t kMostFolders = 64;
  const std::vector<std::string> inner = NamesIn(folder, true);
  for (size_t i = 0; i < std::min(inner.size(), kMostFolders); ++i) add(inner[i]);
  return models;
}

}  // namespace

absl::Status CannotOpen(const std::string& path, absl::string_view what, int error_number) {
  absl::Status status = ErrnoStatus(error_number, std::string(what));
  if (error_number != ENOENT) return status;
  if (const std::string advice = AdviceOnAddress(path); !advice.empty()) {
    return absl::NotFoundError(advice);
  }
  if (path.find_first_of("*?[") != std::string::npos) {
    return absl::NotFoundError("no file matches this pattern");
  }
  const std::string nearest = Nearest(path);
  if (nearest.empty()) return status;
  return absl::NotFoundError(
      absl::StrCat(status.message(), " (did you mean '", SafeForTerminal(nearest), "'?)"));
}

absl::Status IsNoModelButFolder(const std::string& path) {
  const std::vector<std::string> models = ModelsIn(path);
  std::string text = "is a folder, not an ONNX model";
  if (models.size() == 1) {
    absl::StrAppend(&text, "; it holds '", SafeForTerminal(models[0]), "': name that");
  } else if (!models.empty()) {
    absl::StrAppend(&text, "; it holds ", models.size(), " models, the first of them '",
                    SafeForTerminal(models[0]), "': name one of these");
  }
  return absl::InvalidArgumentError(text);
}

}  // namespace onnx_hier
