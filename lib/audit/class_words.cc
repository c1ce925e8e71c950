// SPDX-License-Identifier: Apache-2.0
#include "lib/audit/class_words.h"

#include <algorithm>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_replace.h"

namespace onnx_hier {
namespace {

// Shorter words are parts of many others.
constexpr size_t kShortestWord = 4;
// Models have a dozen classes at a place, and three or four levels below a layer.
constexpr size_t kMostClasses = 64;
constexpr size_t kMostLevels = 8;

std::string LowerCase(absl::string_view text) {
  return absl::AsciiStrToLower(absl::StrReplaceAll(text, {{"_", ""}}));
}

// Whether the class is named like the module: BertSelfAttention like `self_attention`.
bool IsNamedLike(absl::string_view lower_case_class, absl::string_view lower_case_word) {
  return lower_case_word.size() >= kShortestWord &&
         absl::StrContains(lower_case_class, lower_case_word);
}

// The names below that depth, outermost first.
std::vector<PathId> Below(const ModulePaths& paths, PathId path, uint32_t depth) {
  std::vector<PathId> below;
  for (; paths.depth(path) > depth; path = paths.parent(path)) below.push_back(path);
  std::reverse(below.begin(), below.end());
  return below;
}

}  // namespace

ClassWords::ClassWords(const std::vector<ScopeAndTag>& cases, Skeletons& skeletons)
    : skeletons_(skeletons) {
  absl::flat_hash_set<PathId> seen;
  for (const ScopeAndTag& c : cases) {
    const ModulePaths& tree = skeletons.paths();
    for (PathId at = skeletons.Of(c.tag); at != tree.root() && seen.insert(at).second;
         at = tree.parent(at)) {
      classes_[tree.parent(at)].push_back({at, LowerCase(tree.name(at))});
    }
  }
}

PathId ClassWords::OnlyClass(PathId place, absl::string_view word) const {
  PathId only;
  const auto found = classes_.find(place);
  if (found == classes_.end() || found->second.size() > kMostClasses) return only;
  const std::string lower_case = LowerCase(word);
  for (const Class& inside : found->second) {
    if (!IsNamedLike(inside.lower_case, lower_case)) continue;
    if (only.valid()) return PathId();
    only = inside.skeleton;
  }
  return only;
}

ClassWords::Answer ClassWords::Judge(PathId scope, PathId tag, ModulePaths& paths) const {
  Answer answer;
  const Numbers in_scope = skeletons_.NumbersIn(scope);
  const Numbers in_tag = skeletons_.NumbersIn(tag);
  if (in_tag.empty() || in_scope.size() != in_tag.size()) return answer;
  const std::vector<PathId> words = Below(paths, scope, in_scope.back().depth);
  const std::vector<PathId> classes = Below(paths, tag, in_tag.back().depth);
  const size_t both = std::min({words.size(), classes.size(), kMostLevels});
  PathId place = in_tag.back().skeleton;
  for (size_t i = 0; i < both; ++i) {
    const absl::string_view word = paths.name(words[i]);
    const absl::string_view own = paths.name(classes[i]);
    const PathId only = OnlyClass(place, word);
    if (only.valid() && skeletons_.paths().name(only) != own) {
      answer.tag = paths.AncestorAtDepth(tag, paths.depth(classes[i]) - 1);
      answer.tag =
          Extend(answer.tag, place, absl::MakeConstSpan(words).subspan(i, kMostLevels), paths);
      return answer;
    }
    if (!IsNamedLike(LowerCase(own), LowerCase(word))) break;
    answer.fits = true;
    place = skeletons_.paths().FindChild(place, own);
  }
  return answer;
}

PathId ClassWords::Extend(PathId tag, PathId place, absl::Span<const PathId> words,
                          ModulePaths& paths) const {
  for (PathId word : words) {
    place = OnlyClass(place, paths.name(word));
    if (!place.valid()) break;
    tag = paths.Child(tag, std::string(skeletons_.paths().name(place)));
  }
  return tag;
}

}  // namespace onnx_hier
