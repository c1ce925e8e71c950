// SPDX-License-Identifier: Apache-2.0
#include "onnx_hier/module_paths.h"

#include <algorithm>
#include <array>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "lib/base/fit_text.h"

namespace onnx_hier {
namespace {

// Bytes that JSON writes as they are, but for the slash, which parts names.
constexpr std::array<bool, 256> MakePlain() {
  std::array<bool, 256> plain{};
  for (size_t c = ' '; c <= '~'; ++c) plain[c] = c != '"' && c != '\\' && c != '/';
  return plain;
}
constexpr std::array<bool, 256> kPlain = MakePlain();

// Most names by far: written as they are, and of one part.
bool IsPlain(absl::string_view name) {
  return !name.empty() && name.size() <= ModulePaths::kLongestName &&
         std::all_of(name.begin(), name.end(),
                     [](char c) { return kPlain[static_cast<uint8_t>(c)]; });
}

}  // namespace

ModulePaths::ModulePaths() {
  Path top;
  top.jump = root();
  paths_.push_back(top);
}

std::string ModulePaths::FitName(absl::string_view name) {
  if (IsPlain(name)) return std::string(name);
  const std::string parts = absl::StrJoin(absl::StrSplit(name, '/', absl::SkipEmpty()), "/");
  return FitText(parts, kLongestName);
}

PathId ModulePaths::Child(PathId parent, absl::string_view name) {
  if (const PathId known = Find(parent, name); known.valid()) return known;
  if (IsPlain(name)) return Add(parent, name, name.size());
  const std::string fit = FitName(name);
  if (fit.empty()) return parent;
  const PathId known = Find(parent, fit);
  return known.valid() ? known : Add(parent, fit, WrittenLength(fit));
}

PathId ModulePaths::Add(PathId parent, absl::string_view name, size_t length) {
  const auto written = static_cast<uint32_t>(paths_[parent].length + 1 + length);
  if (paths_[parent].depth >= kDeepest || written > kLongest) return parent;
  names_.emplace_back(name);
  Path path;
  path.parent = parent;
  path.length = written;
  path.jump = JumpFrom(parent);
  path.name = names_.back();
  path.depth = paths_[parent].depth + 1;
  path.is_number = !name.empty() && std::all_of(name.begin(), name.end(), absl::ascii_isdigit);
  // SimpleAtoi leaves the largest value where the number is too large for the type.
  if (path.is_number && !absl::SimpleAtoi(name, &path.number)) path.number = UINT64_MAX;
  const PathId id = paths_.push_back(path);
  children_.emplace(std::make_pair(parent, path.name), id);
  return id;
}

ModulePaths ModulePaths::Clone() const {
  ModulePaths clone;
  clone.paths_[root()].is_model = paths_[root()].is_model;
  for (PathId id : ids()) {
    if (id == root()) continue;
    const Path& path = paths_[id];
    const PathId copy =
        clone.Add(path.parent, path.name, path.length - 1 - paths_[path.parent].length);
    clone.paths_[copy].is_model = path.is_model;
  }
  return clone;
}

PathId ModulePaths::FindChild(PathId parent, absl::string_view name) const {
  const PathId known = Find(parent, name);
  return known.valid() || IsPlain(name) ? known : Find(parent, FitName(name));
}

PathId ModulePaths::Find(PathId parent, absl::string_view name) const {
  const auto found = children_.find(std::make_pair(parent, name));
  return found == children_.end() ? PathId() : found->second;
}

PathId ModulePaths::Parse(absl::string_view qualified_name) {
  PathId id = root();
  for (absl::string_view name : absl::StrSplit(qualified_name, '.', absl::SkipEmpty())) {
    id = Child(id, name);
  }
  return id;
}

PathId ModulePaths::Copy(const ModulePaths& other, PathId path) {
  PathId copy = root();
  for (uint32_t depth = 1; depth <= other.depth(path); ++depth) {
    const PathId around = other.AncestorAtDepth(path, depth);
    copy = Child(copy, other.name(around));
    if (other.paths_[around].is_model) MarkModel(copy);
  }
  return copy;
}

// Jump pointers of a skew-binary list (Myers, 1983): how far they reach depends on the depth alone.
PathId ModulePaths::JumpFrom(PathId parent) const {
  const PathId first = paths_[parent].jump;
  const PathId second = paths_[first].jump;
  const bool same_length =
      paths_[parent].depth - paths_[first].depth == paths_[first].depth - paths_[second].depth;
  return same_length ? second : parent;
}

PathId ModulePaths::AncestorAtDepth(PathId id, uint32_t depth) const {
  while (paths_[id].depth > depth) {
    const Path& path = paths_[id];
    id = paths_[path.jump].depth >= depth ? path.jump : path.parent;
  }
  return id;
}

PathId ModulePaths::CommonAncestor(PathId a, PathId b) const {
  a = AncestorAtDepth(a, paths_[b].depth);
  b = AncestorAtDepth(b, paths_[a].depth);
  while (a != b) {
    const Path& first = paths_[a];
    const Path& second = paths_[b];
    const bool far = first.jump != second.jump;
    a = far ? first.jump : first.parent;
    b = far ? second.jump : second.parent;
  }
  return a;
}

bool ModulePaths::Contains(PathId outer, PathId inner) const {
  return AncestorAtDepth(inner, paths_[outer].depth) == outer;
}

std::string ModulePaths::Tag(PathId id) const { return id == root() ? "/" : Joined(id, '/'); }

std::string ModulePaths::QualifiedName(PathId id) const {
  return id == root() ? "" : Joined(id, '.').substr(1);
}

// Filled from the end: the way up is the way from the last name to the first. One allocation, for
// what every module's and every node's text is made from.
std::string ModulePaths::Joined(PathId id, char separator) const {
  size_t at = 0;
  for (PathId up = id; up != root(); up = paths_[up].parent) at += paths_[up].name.size() + 1;
  std::string text(at, '.');
  for (; id != root(); id = paths_[id].parent) {
    const Path& path = paths_[id];
    at -= path.name.size();
    path.name.copy(&text[at], path.name.size());
    --at;
    if (!is_joined(id)) text[at] = separator;
  }
  return text;
}

}  // namespace onnx_hier
