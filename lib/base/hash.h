// A small 64-bit hash that gives the same value in every run and process.
//
// Hash tables and comparisons of structure need a hash that is fast and deterministic; Abseil's
// is seeded per process on purpose, so anything that orders by it would differ between runs.
#ifndef ONNX_HIER_LIB_BASE_HASH_H_
#define ONNX_HIER_LIB_BASE_HASH_H_

#include <cstdint>
#include <cstring>

#include "absl/strings/string_view.h"

namespace onnx_hier {

// Mixes `value` into `seed`; order matters. The product of both, folded to its two halves (the
// construction that wyhash made known), and the factors once more: where one of them is 0 the
// product alone would forget the other, and names made for that would all collide.
inline uint64_t MixHash(uint64_t seed, uint64_t value) {
  const uint64_t a = seed ^ 0x9E3779B97F4A7C15ull;
  const uint64_t b = value ^ 0xD1B54A32D192ED03ull;
  const unsigned __int128 product = static_cast<unsigned __int128>(a) * b;
  return a ^ b ^ static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

inline uint64_t HashBytes(absl::string_view bytes, uint64_t seed = 0) {
  uint64_t hash = MixHash(seed, bytes.size());
  const char* p = bytes.data();
  size_t n = bytes.size();
  while (n >= 8) {
    uint64_t word;
    std::memcpy(&word, p, 8);
    hash = MixHash(hash, word);
    p += 8;
    n -= 8;
  }
  if (n > 0) {
    uint64_t word = 0;
    std::memcpy(&word, p, n);
    hash = MixHash(hash, word);
  }
  return hash;
}

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_BASE_HASH_H_
