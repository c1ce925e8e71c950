// SPDX-License-Identifier: Apache-2.0
#include "lib/graph/name_numbers.h"

#include <algorithm>
#include <array>

namespace onnx_hier {
namespace {

// Lookups whose waits for memory overlap.
constexpr size_t kTogether = 32;

}  // namespace

void NameNumbers::StartBatch() {
  task_.reset();
  batch_.swap(coming_);
  coming_.clear();
  task_.emplace(parallel_, [this] { LookUpBatch(); });
}

void NameNumbers::LookUpBatch() {
  std::array<uint32_t, kTogether> hashes;
  const size_t before = numbers_.size();
  numbers_.resize(before + batch_.size());
  uint32_t* number = numbers_.data() + before;
  for (size_t begin = 0; begin < batch_.size(); begin += kTogether) {
    const size_t count = std::min(kTogether, batch_.size() - begin);
    const absl::string_view* const names = batch_.data() + begin;
    for (size_t i = 0; i < count; ++i) hashes[i] = table_.Prefetch(names[i]);
    for (size_t i = 0; i < count; ++i) *number++ = table_.Intern(names[i], hashes[i]);
  }
}

void NameNumbers::Finish() {
  task_.reset();
  batch_.swap(coming_);
  LookUpBatch();
}

}  // namespace onnx_hier
