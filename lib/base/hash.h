// SPDX-License-Identifier: Apache-2.0

// A small 64-bit hash that gives the same value in every run and process.
//
// Hash tables and comparisons of structure need a hash that is fast and deterministic; Abseil's
// is seeded per process on purpose, so anything that orders by it would differ between runs.
#ifndef ONNX_HIER_LIB_BASE_HASH_H_
#define ONNX_HIER_LIB_BASE_HASH_H_

#include <cstdint>

#include "absl/strings/string_view.h"
#include "lib/base/load_word.h"

namespace onnx_hier {

// What a table's hashes depend on besides the bytes: whoever knows it can make names that collide.
struct HashKey {
  uint64_t state = 0x9E3779B97F4A7C15ull;
  uint64_t word = 0xD1B54A32D192ED03ull;
};

// Mixes `value` into `seed`; order matters. The product of both, folded to its two halves (the
// construction that wyhash made known), and the factors once more: where one of them is 0 the
// product alone would forget the other, and names made for that would all collide.
constexpr uint64_t MixHash(uint64_t seed, uint64_t value, const HashKey& key = HashKey()) {
  const uint64_t a = seed ^ key.state;
  const uint64_t b = value ^ key.word;
  __extension__ using Product = unsigned __int128;  // of both compilers, not of ISO C++
  const Product product = static_cast<Product>(a) * b;
  return a ^ b ^ static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

inline uint64_t HashBytes(absl::string_view bytes, uint64_t seed = 0,
                          const HashKey& key = HashKey()) {
  uint64_t hash = MixHash(seed, bytes.size(), key);
  const char* p = bytes.data();
  const char* const end = p + bytes.size();
  // Loads of fixed size that may overlap: half the time of copying an odd rest.
  if (bytes.size() >= 8) {
    for (; end - p > 8; p += 8) hash = MixHash(hash, LoadWord<uint64_t>(p), key);
    return MixHash(hash, LoadWord<uint64_t>(end - 8), key);
  }
  if (bytes.size() >= 4) {
    const uint64_t low = LoadWord<uint32_t>(p);
    return MixHash(hash, low | uint64_t{LoadWord<uint32_t>(end - 4)} << 32, key);
  }
  uint64_t word = 0;
  for (; p != end; ++p) word = word << 8 | static_cast<uint8_t>(*p);
  return MixHash(hash, word, key);
}

// A hash for tables of names, in half the time: sixteen bytes a step, as names are long. The
// numbers are others than those of HashBytes().
inline uint64_t HashName(absl::string_view name, const HashKey& key) {
  const char* p = name.data();
  const char* const end = p + name.size();
  if (name.size() < 16) return HashBytes(name, 0, key);
  uint64_t hash = MixHash(0, name.size(), key);
  for (; end - p > 16; p += 16) {
    hash = MixHash(hash ^ LoadWord<uint64_t>(p), LoadWord<uint64_t>(p + 8), key);
  }
  return MixHash(hash ^ LoadWord<uint64_t>(end - 16), LoadWord<uint64_t>(end - 8), key);
}

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_BASE_HASH_H_
