// SPDX-License-Identifier: Apache-2.0
#include "onnx_hier/tags.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "lib/base/fit_text.h"
#include "lib/names/scoped_name.h"
#include "onnx_hier_program/json_text.h"

namespace onnx_hier {
namespace {

// The last part of the made-up module in which earlier tools put nodes that they could not place.
constexpr absl::string_view kUnplaced = "AuxiliaryOperations";

// As we and most others write them; then nothing needs to be made fit.
bool IsPlainTag(absl::string_view text) {
  return text.size() > 1 && text.size() <= ModulePaths::kLongest && text.front() == '/' &&
         text.back() != '/' && IsPlainJson(text) && !absl::StrContains(text, "//");
}

// Tools differ in what they do with slashes, and a tag that is as long as the file may be that of
// many nodes.
std::string WithPlainSlashes(absl::string_view text) {
  if (IsPlainTag(text)) return std::string(text);
  constexpr size_t kLeastRoom = 33;  // for a slash and a part that is cut
  std::string tag;
  size_t length = 0;
  for (absl::string_view part : absl::StrSplit(text, '/', absl::SkipEmpty())) {
    // A name, and numbers of members below it: it may be longer than a name, which is made fit
    // when it becomes part of a path.
    const std::string fit = FitText(part, std::max(kLeastRoom, ModulePaths::kLongest - length) - 1);
    length += 1 + WrittenLength(fit);
    if (length > ModulePaths::kLongest) break;
    absl::StrAppend(&tag, "/", fit);
  }
  return tag.empty() ? "/" : tag;
}

}  // namespace

uint32_t Tags::Intern(const std::string& text) {
  const auto [entry, added] = by_text_.emplace(text, static_cast<uint32_t>(spellings_.size()));
  if (added) {
    Spelling spelling;
    spelling.text = WithPlainSlashes(text);
    spelling.unplaced = absl::EndsWith(spelling.text, kUnplaced);
    spellings_.push_back(std::move(spelling));
    if (!spellings_.back().unplaced) spellings_.back().path = Read(entry->second);
  }
  return entry->second;
}

PathId Tags::Read(uint32_t spelling) {
  const absl::string_view text = spellings_[spelling].text;
  PathId path = paths_.root();
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('/', begin), text.size());
    if (end > begin) {
      path = AppendComponent(text.substr(begin, end - begin), path, paths_);
      if (!spelled_.contains(path)) spelled_.resize(paths_.size());
      if (spelled_[path].length == 0) spelled_[path] = {spelling, static_cast<uint32_t>(end)};
    }
    begin = end + 1;
  }
  return path;
}

std::string Tags::Spell(PathId path) const {
  if (path == paths_.root()) return paths_.Tag(path);
  PathId outer = path;
  while (outer != paths_.root() && !(spelled_.contains(outer) && spelled_[outer].length > 0)) {
    outer = paths_.parent(outer);
  }
  if (outer == paths_.root()) return paths_.Tag(path);
  const Prefix& prefix = spelled_[outer];
  return absl::StrCat(absl::string_view(spellings_[prefix.spelling].text).substr(0, prefix.length),
                      absl::string_view(paths_.Tag(path)).substr(paths_.Tag(outer).size()));
}

void Tags::Set(NodeId node, absl::Span<const std::string> texts) {
  NodeTag tag;
  if (!texts.empty() && !texts[0].empty()) {
    tag.spelling = Intern(texts[0]);
    tag.primary = spellings_[tag.spelling].path;
    tag.unplaced = spellings_[tag.spelling].unplaced;
    tag.auxiliary.begin = static_cast<uint32_t>(auxiliary_.size());
    for (const std::string& text : texts.subspan(1)) {
      const PathId path = spellings_[Intern(text)].path;
      if (path.valid() && path != tag.primary) auxiliary_.push_back(path);
    }
    tag.auxiliary.end = static_cast<uint32_t>(auxiliary_.size());
  }
  nodes_[node] = tag;
}

absl::string_view Tags::Text(NodeId node) const { return spellings_[nodes_[node].spelling].text; }

size_t Tags::CountTagged() const {
  size_t count = 0;
  for (const NodeTag& tag : nodes_) count += tag.primary.valid() ? 1 : 0;
  return count;
}

Tags TagsOf(const Annotation& annotation) {
  Tags tags(annotation.assignments.size());
  tags.source = TagSource::kFresh;
  for (NodeId node : IdRange<NodeId>(annotation.assignments.size())) {
    std::vector<std::string> texts = {annotation.paths.Tag(annotation.assignments[node].primary)};
    for (PathId path : annotation.auxiliary_of(node)) texts.push_back(annotation.paths.Tag(path));
    tags.Set(node, texts);
  }
  return tags;
}

}  // namespace onnx_hier
