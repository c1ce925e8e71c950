// SPDX-License-Identifier: Apache-2.0

// Strings to dense numbers: the first distinct string is 0, the next 1, and so on.
//
// Hashes are keyed anew for each table, so that no file can be made whose names all collide; the
// numbers do not depend on them.
#ifndef ONNX_HIER_LIB_BASE_INTERNER_H_
#define ONNX_HIER_LIB_BASE_INTERNER_H_

#include <cstdint>
#include <vector>

#include "absl/strings/string_view.h"
#include "lib/base/hash.h"
#include "lib/base/number_table.h"
#include "lib/base/random_hash_key.h"

namespace onnx_hier {

// The hashes of one table: any thread may have a copy, and hash texts ahead.
class TextHasher {
 public:
  uint32_t operator()(absl::string_view text) const {
    const uint64_t hash = HashName(text, key_);
    return static_cast<uint32_t>(hash ^ (hash >> 32));
  }

 private:
  HashKey key_ = RandomHashKey();
};

// Holds views: the strings must outlive it.
class Interner {
 public:
  static constexpr uint32_t kNone = NumberTable<uint32_t>::kNone;

  const TextHasher& hasher() const { return hash_; }

  // The number of `text`, new if it was not seen before.
  uint32_t Intern(absl::string_view text) { return Intern(text, hash_(text)); }
  // For a caller with many texts: the table is larger than the processor's caches, and slots that
  // are asked for ahead arrive side by side.
  void Prefetch(uint32_t hash) const { table_.Prefetch(hash); }
  uint32_t Intern(absl::string_view text, uint32_t hash) {
    const size_t known = texts_.size();
    const uint32_t number =
        table_.FindOrAdd(hash, known, [&](uint32_t other) { return texts_[other] == text; });
    if (number == known) texts_.push_back(text);
    return number;
  }

  // The number of `text`, or kNone.
  uint32_t Find(absl::string_view text) const {
    return table_.Find(hash_(text), [&](uint32_t other) { return texts_[other] == text; });
  }

  absl::string_view text(uint32_t number) const { return texts_[number]; }
  size_t size() const { return texts_.size(); }

 private:
  const TextHasher hash_ = TextHasher();
  NumberTable<uint32_t> table_;
  std::vector<absl::string_view> texts_;
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_BASE_INTERNER_H_
