// SPDX-License-Identifier: Apache-2.0

// Appends to a vector what was not appended before, in order of first mention.
//
//   DistinctTail<PathId> tail(paths);  // what is in `paths` already does not count
//   tail.Add(a), tail.Add(b), tail.Add(a);  // appends a, b
#ifndef ONNX_HIER_LIB_BASE_DISTINCT_TAIL_H_
#define ONNX_HIER_LIB_BASE_DISTINCT_TAIL_H_

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_set.h"

namespace onnx_hier {

template <class T>
class DistinctTail {
 public:
  // `items` must outlive this; nobody else may append meanwhile.
  explicit DistinctTail(std::vector<T>& items) : items_(items), begin_(items.size()) {}

  void Add(T item) {
    if (IsNew(item)) items_.push_back(item);
  }

 private:
  // Nearly always there are few, and looking through them is quickest.
  static constexpr size_t kFew = 16;

  bool IsNew(T item) {
    const auto begin = items_.begin() + static_cast<std::ptrdiff_t>(begin_);
    if (items_.size() - begin_ <= kFew) return std::find(begin, items_.end(), item) == items_.end();
    if (!seen_.has_value()) seen_.emplace(begin, items_.end());
    return seen_->insert(item).second;
  }

  std::vector<T>& items_;
  const size_t begin_;
  std::optional<absl::flat_hash_set<T>> seen_;  // where there are more
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_BASE_DISTINCT_TAIL_H_
