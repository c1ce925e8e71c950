// SPDX-License-Identifier: Apache-2.0

// A name that may have a number in it: "3", "block_3", "stage3_conv".
#ifndef ONNX_HIER_LIB_NAMES_NUMBERED_NAME_H_
#define ONNX_HIER_LIB_NAMES_NUMBERED_NAME_H_

#include <cstddef>
#include <cstdint>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/string_view.h"

namespace onnx_hier {

// Views into the name, split at its last number.
class NumberedName {
 public:
  explicit NumberedName(absl::string_view name) : name_(name) {
    while (end_ > 0 && !absl::ascii_isdigit(static_cast<unsigned char>(name[end_ - 1]))) --end_;
    begin_ = end_;
    while (begin_ > 0 && absl::ascii_isdigit(static_cast<unsigned char>(name[begin_ - 1])))
      --begin_;
  }

  size_t size() const { return name_.size(); }
  absl::string_view before() const { return name_.substr(0, begin_); }
  absl::string_view digits() const { return name_.substr(begin_, end_ - begin_); }
  absl::string_view after() const { return name_.substr(end_); }

  // False: there is none, or it is too large.
  bool ReadNumber(uint64_t* number) const { return absl::SimpleAtoi(digits(), number); }

  // Whether `next` is the same but for the number, which is the one that follows.
  bool Precedes(const NumberedName& next) const {
    uint64_t number = 0;
    uint64_t following = 0;
    return before() == next.before() && after() == next.after() && ReadNumber(&number) &&
           next.ReadNumber(&following) && number < following && following - number == 1;
  }

 private:
  absl::string_view name_;
  size_t end_ = name_.size();  // of the number, and where it begins; "" in front if there is none
  size_t begin_ = 0;
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_NAMES_NUMBERED_NAME_H_
