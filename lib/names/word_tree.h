// SPDX-License-Identifier: Apache-2.0

// Names as words, and which words follow which.
#ifndef ONNX_HIER_LIB_NAMES_WORD_TREE_H_
#define ONNX_HIER_LIB_NAMES_WORD_TREE_H_

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "onnx_hier/ids.h"

namespace onnx_hier {

// The words of a name, with underscores between them; of several the others are of the word behind
// them. Views into it; none if there are too many for a name.
std::vector<absl::string_view> WordsOf(absl::string_view name);
// What such words, of which there are some, are of their name.
absl::string_view TextOf(absl::Span<const absl::string_view> words);

// Words that some names begin with.
using WordPrefixId = Id<struct WordPrefixTag>;

struct WordPrefix {
  uint32_t parts = 0;           // how many different words follow
  uint32_t numbers = 0;         // of these
  bool is_module = false;       // as far as names of nodes tell
  bool has_parameters = false;  // it has some itself
};

class WordTree {
 public:
  WordTree() { prefixes_.push_back({}); }

  static WordPrefixId root() { return WordPrefixId(0); }
  size_t size() const { return prefixes_.size(); }
  // Whether several numbers follow somewhere, as in lists.
  bool has_lists() const { return has_lists_; }
  WordPrefix& operator[](WordPrefixId id) { return prefixes_[id]; }
  const WordPrefix& operator[](WordPrefixId id) const { return prefixes_[id]; }

  // What all of `words` are; invalid if no name that was added begins so.
  WordPrefixId Next(WordPrefixId at, absl::string_view word) const {
    const auto next = next_.find({at, word});
    return next == next_.end() ? WordPrefixId() : next->second;
  }
  // The words must outlive this.
  WordPrefixId Add(absl::Span<const absl::string_view> words);

 private:
  IdVector<WordPrefixId, WordPrefix> prefixes_;
  bool has_lists_ = false;
  absl::flat_hash_map<std::pair<WordPrefixId, absl::string_view>, WordPrefixId> next_;
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_NAMES_WORD_TREE_H_
