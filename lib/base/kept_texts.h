// SPDX-License-Identifier: Apache-2.0

// Texts that stay where they are for as long as anybody needs them.
//
//   KeptTexts texts;
//   absl::string_view a = texts.Add("a");
//   all.Take(std::move(texts));            // `a` lives on
#ifndef ONNX_HIER_LIB_BASE_KEPT_TEXTS_H_
#define ONNX_HIER_LIB_BASE_KEPT_TEXTS_H_

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"

namespace onnx_hier {

class KeptTexts {
 public:
  KeptTexts() = default;
  KeptTexts(KeptTexts&& other) noexcept { *this = std::move(other); }
  KeptTexts& operator=(KeptTexts&& other) noexcept {
    blocks_ = std::move(other.blocks_);
    at_ = std::exchange(other.at_, nullptr);
    left_ = std::exchange(other.left_, 0);
    return *this;
  }

  // The text as it is kept: for as long as this, or what takes it over.
  absl::string_view Add(absl::string_view text) {
    if (text.size() > left_) AddBlock(text.size());
    const absl::string_view kept(at_, text.copy(at_, text.size()));
    at_ += text.size();
    left_ -= text.size();
    return kept;
  }

  // Takes over all of `other`.
  void Take(KeptTexts&& other) {
    if (blocks_.empty()) {
      *this = std::move(other);
      return;
    }
    blocks_.insert(blocks_.end(), std::make_move_iterator(other.blocks_.begin()),
                   std::make_move_iterator(other.blocks_.end()));
    other = KeptTexts();
  }

 private:
  static constexpr size_t kLeast = size_t{1} << 9;
  static constexpr size_t kDoublings = 7;

  void AddBlock(size_t size) {
    left_ = std::max(size, kLeast << std::min(blocks_.size(), kDoublings));
    blocks_.emplace_back(new char[left_]);  // not filled with zeros
    at_ = blocks_.back().get();
  }

  std::vector<std::unique_ptr<char[]>> blocks_;
  char* at_ = nullptr;  // in one of them
  size_t left_ = 0;
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_BASE_KEPT_TEXTS_H_
