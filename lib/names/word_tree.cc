// SPDX-License-Identifier: Apache-2.0
#include "lib/names/word_tree.h"

#include <algorithm>

#include "lib/names/number.h"

namespace onnx_hier {
namespace {

// Real names have 20.
constexpr size_t kMostWords = 64;

}  // namespace

std::vector<absl::string_view> WordsOf(absl::string_view name) {
  std::vector<absl::string_view> words;
  while (!name.empty()) {
    if (words.size() == kMostWords) return {};
    // Underscores in front, or several, are of the word behind them.
    const size_t begin = std::min(name.find_first_not_of('_'), name.size());
    const size_t end = std::min(name.find('_', begin), name.size());
    words.push_back(name.substr(0, end));
    name.remove_prefix(std::min(end + 1, name.size()));
  }
  return words;
}

absl::string_view TextOf(absl::Span<const absl::string_view> words) {
  const char* const end = words.back().data() + words.back().size();
  return {words.front().data(), static_cast<size_t>(end - words.front().data())};
}

WordPrefixId WordTree::Add(absl::Span<const absl::string_view> words) {
  WordPrefixId at = root();
  for (absl::string_view word : words) {
    const auto [next, is_new] = next_.try_emplace({at, word}, prefixes_.next_id());
    if (is_new) {
      WordPrefix& prefix = prefixes_[at];
      ++prefix.parts;
      if (IsNumber(word)) has_lists_ = ++prefix.numbers > 1 || has_lists_;
      prefixes_.push_back({});
    }
    at = next->second;
  }
  return at;
}

}  // namespace onnx_hier
