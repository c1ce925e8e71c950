// SPDX-License-Identifier: Apache-2.0

// Walks down trees of names by texts that come one after the other: what a text has in common with
// the one before is not looked up again.
//
//   PrefixSteps<PathId> steps;
//   steps.Walk("encoder/layer/query", '/', paths.root(), child_of);  // asks for three children
//   steps.Walk("encoder/layer/key", '/', paths.root(), child_of);    // for one
#ifndef ONNX_HIER_LIB_BASE_PREFIX_STEPS_H_
#define ONNX_HIER_LIB_BASE_PREFIX_STEPS_H_

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

#include "absl/strings/string_view.h"
#include "lib/base/common_prefix.h"

namespace onnx_hier {

template <class T>
class PrefixSteps {
 public:
  // Where `next(around, part)` leads part by part, from `top` on; empty parts count for nothing.
  // nullopt: the text ends there. `text` must live until the next call; separator, top and what
  // `next` does are the same for all.
  template <class Next>
  T Walk(absl::string_view text, char separator, T top, const Next& next) {
    const size_t shared = CommonPrefix(text, last_);
    const auto is_shared = [&](size_t end) {
      return end <= shared && (end == text.size() || text[end] == separator);
    };
    while (!steps_.empty() && !is_shared(steps_.back().end)) steps_.pop_back();
    last_ = text;
    T at = steps_.empty() ? top : steps_.back().at;
    for (size_t begin = steps_.empty() ? 0 : steps_.back().end + 1; begin < text.size();) {
      const size_t end = std::min(text.find(separator, begin), text.size());
      if (end > begin) {
        const std::optional<T> further = next(at, text.substr(begin, end - begin));
        if (!further.has_value()) break;
        at = *further;
        steps_.push_back({end, at});
      }
      begin = end + 1;
    }
    return at;
  }

 private:
  struct Step {
    size_t end = 0;  // of a part in last_
    T at;            // up to there
  };

  absl::string_view last_;
  std::vector<Step> steps_;
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_BASE_PREFIX_STEPS_H_
