// SPDX-License-Identifier: Apache-2.0
#include "lib/graph/name_numbers.h"

#include <algorithm>
#include <utility>

namespace onnx_hier {
namespace {

// Lookups whose waits for memory overlap.
constexpr size_t kTogether = 32;

}  // namespace

void NameNumbers::StartBatch() {
  task_.reset();
  std::swap(batch_, coming_);
  coming_.names.clear();
  coming_.hashes.clear();
  task_.emplace(parallel_, [this] { LookUpBatch(); });
}

void NameNumbers::LookUpBatch() {
  const size_t before = numbers_.size();
  numbers_.resize(before + batch_.names.size());
  uint32_t* number = numbers_.data() + before;
  for (size_t begin = 0; begin < batch_.names.size(); begin += kTogether) {
    const size_t end = std::min(begin + kTogether, batch_.names.size());
    for (size_t i = begin; i < end; ++i) table_.Prefetch(batch_.hashes[i]);
    for (size_t i = begin; i < end; ++i) {
      *number++ = table_.Intern(batch_.names[i], batch_.hashes[i]);
    }
  }
}

void NameNumbers::Finish() {
  task_.reset();
  std::swap(batch_, coming_);
  LookUpBatch();
}

}  // namespace onnx_hier
