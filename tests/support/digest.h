// SPDX-License-Identifier: Apache-2.0

// A number for much that is not to change unseen: in whatever order it is added.
#ifndef ONNX_HIER_TESTS_SUPPORT_DIGEST_H_
#define ONNX_HIER_TESTS_SUPPORT_DIGEST_H_

#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "lib/base/hash.h"

namespace onnx_hier::testing {

class Digest {
 public:
  void Add(uint64_t place, uint64_t what) {
    ++count_;
    sum_ += MixHash(place, what);
  }
  // "1234 of 4711": how many were added, and their sum.
  std::string Text() const { return absl::StrCat(count_, " of ", sum_); }

 private:
  uint64_t count_ = 0;
  uint64_t sum_ = 0;
};

// Of a probability, as far as it is told.
inline uint64_t Thousandths(float number) { return static_cast<uint64_t>(1000 * number + 0.5F); }

}  // namespace onnx_hier::testing

#endif  // ONNX_HIER_TESTS_SUPPORT_DIGEST_H_
