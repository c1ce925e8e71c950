// SPDX-License-Identifier: Apache-2.0
#include "lib/base/hash.h"

#include <set>
#include <string>

#include "doctest/doctest.h"

namespace onnx_hier {
namespace {

TEST_CASE("a hash is the same in every run") {
  CHECK(HashBytes("") == HashBytes(absl::string_view()));
  CHECK(HashBytes("encoder.layer.1") == HashBytes(std::string("encoder.layer.") + "1"));
}

TEST_CASE("length, order and every byte count") {
  std::set<uint64_t> seen;
  for (size_t length = 0; length < 40; ++length) {
    CHECK(seen.insert(HashBytes(std::string(length, '\0'))).second);
    for (size_t at = 0; at < length; ++at) {
      std::string text(length, '\0');
      text[at] = 1;
      CHECK(seen.insert(HashBytes(text)).second);
    }
  }
  CHECK(MixHash(1, 2) != MixHash(2, 1));
}

TEST_CASE("of a name, too, length, order and every byte count, and the key") {
  const HashKey key;
  std::set<uint64_t> seen;
  for (size_t length = 0; length < 70; ++length) {
    CHECK(seen.insert(HashName(std::string(length, '\0'), key)).second);
    for (size_t at = 0; at < length; ++at) {
      std::string text(length, '\0');
      text[at] = 1;
      CHECK(seen.insert(HashName(text, key)).second);
    }
  }
  CHECK(HashName("/encoder/layer.0/MatMul", key) != HashName("/encoder/layer.0/MatMul", {1, 2}));
}

// A factor that becomes 0 must not wipe out what was hashed before it: names made for that would
// all be equal, and a table of them quadratic.
TEST_CASE("no word forgets what came before it") {
  std::set<uint64_t> seen;
  const auto word = [](uint64_t value) {
    return std::string(reinterpret_cast<const char*>(&value), sizeof(value));
  };
  for (uint64_t i = 0; i < 1000; ++i) {
    seen.insert(HashBytes(word(i) + word(0xD1B54A32D192ED03ull)));
    seen.insert(MixHash(0x9E3779B97F4A7C15ull, i));
  }
  CHECK(seen.size() == 2000);
}

}  // namespace
}  // namespace onnx_hier
