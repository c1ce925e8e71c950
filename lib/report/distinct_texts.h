// Texts to dense numbers, each text held once.
//
//   DistinctTexts texts;
//   texts.Add("Add"), texts.Add("Mul"), texts.Add("Add");  // 0, 1, 0
#ifndef ONNX_HIER_LIB_REPORT_DISTINCT_TEXTS_H_
#define ONNX_HIER_LIB_REPORT_DISTINCT_TEXTS_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <utility>

#include "lib/base/interner.h"

namespace onnx_hier {

class DistinctTexts {
 public:
  uint32_t Add(std::string text) {
    const uint32_t known = table_.Find(text);
    if (known != Interner::kNone) return known;
    bytes_ += text.size();
    texts_.push_back(std::move(text));
    return table_.Intern(texts_.back());
  }

  const std::deque<std::string>& texts() const { return texts_; }
  size_t bytes() const { return bytes_; }

 private:
  std::deque<std::string> texts_;  // a deque: views of them stay valid as it grows
  Interner table_;
  size_t bytes_ = 0;
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_REPORT_DISTINCT_TEXTS_H_
