// SPDX-License-Identifier: Apache-2.0
#include "lib/checkpoint/gguf.h"

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/onnx/stored_tensor_values.h"
#include "tests/checkpoint/saved_tensors.h"
#include "tests/support/random.h"
#include "tests/support/status.h"
#include "tests/support/temp_folder.h"

namespace onnx_hier {
namespace {

using testing::GgufHead;
using testing::GgufTensor;
using testing::GgufText;
using testing::MemoryFile;
using testing::Padded;
using testing::Word;

absl::StatusOr<TensorHeader> GgufHeaderOf(const std::string& bytes) {
  const MemoryFile file(bytes);
  return ReadGguf(file.fd(), bytes.size());
}

TEST_CASE("a header says names, types, shapes and places") {
  const std::string head =
      Padded(absl::StrCat(GgufHead(3, 2), GgufTensor("token_embd.weight", {32, 2}, 8, 0),
                          GgufTensor("norm.weight", {4}, 0, 96)));
  const std::string bytes = head + std::string(96 + 16, 'x');
  const TensorHeader header = testing::Value(GgufHeaderOf(bytes));
  REQUIRE(header.tensors.size() == 2);
  CHECK(header.tensors[0].name == "token_embd.weight");
  CHECK(header.tensors[0].type->name == "Q8_0");
  CHECK(header.tensors[0].dims == std::vector<uint64_t>{2, 32});
  CHECK(header.tensors[0].begin == head.size());
  CHECK(header.tensors[0].bytes == 68);
  CHECK(header.tensors[1].begin == head.size() + 96);
}

TEST_CASE("the alignment is the file's own") {
  const std::string bytes =
      Padded(absl::StrCat("GGUF", Word(uint32_t{2}), Word(uint64_t{1}), Word(uint64_t{1}),
                          GgufText("general.alignment"), Word(uint32_t{4}), Word(uint32_t{128}),
                          GgufTensor("a", {1}, 0, 0)),
             128) +
      "1234";
  CHECK(testing::Value(GgufHeaderOf(bytes)).tensors[0].begin == bytes.size() - 4);
}

TEST_CASE("damaged headers are refused, with their place") {
  CHECK_ERROR(GgufHeaderOf(GgufHead(1, 0)), kInvalidArgument, "GGUF of version 1");
  CHECK_ERROR(GgufHeaderOf(GgufHead(3, uint64_t{1} << 60)), kInvalidArgument, "more than the file");
  CHECK_ERROR(GgufHeaderOf(GgufHead(3, 1)), kInvalidArgument, "ends early");
  CHECK_ERROR(GgufHeaderOf(GgufHead(3, 1) + GgufTensor("a", {31}, 8, 0)), kInvalidArgument,
              "of no size that Q8_0 can have");
  CHECK_ERROR(GgufHeaderOf(GgufHead(3, 1) + GgufTensor("a", {32}, 99, 0)), kInvalidArgument,
              "number 99");
  CHECK_ERROR(GgufHeaderOf(GgufHead(3, 1) + GgufTensor("a", {32}, 0, ~uint64_t{0} - 8)),
              kInvalidArgument, "beyond the file's end");
  CHECK_ERROR(GgufHeaderOf(GgufHead(3, 1) + GgufTensor("a", std::vector<uint64_t>(17, 1), 0, 0)),
              kInvalidArgument, "too many dimensions");
  const std::string key =
      absl::StrCat("GGUF", Word(uint32_t{3}), Word(uint64_t{0}), Word(uint64_t{1}), GgufText("k"));
  CHECK_ERROR(GgufHeaderOf(key + Word(uint32_t{77}) + "12345678"), kInvalidArgument,
              "no such type");
  CHECK_ERROR(GgufHeaderOf(absl::StrCat(key, Word(uint32_t{8}), Word(~uint64_t{0}))),
              kInvalidArgument, "longer than the file");
  CHECK_ERROR(
      GgufHeaderOf(absl::StrCat(key, Word(uint32_t{9}), Word(uint32_t{9}), Word(uint64_t{1}))),
      kInvalidArgument, "no such type of an array");
  CHECK_ERROR(
      GgufHeaderOf(absl::StrCat(key, Word(uint32_t{9}), Word(uint32_t{5}), Word(~uint64_t{0}))),
      kInvalidArgument, "longer than the file");
}

// --- Blocks, against ggml's loops as its documentation has them: one number after the other, with
// pointers that move.

const StoredType& TypeOf(uint32_t number, uint64_t block) {
  const std::string bytes =
      Padded(GgufHead(3, 1) + GgufTensor("a", {block}, number, 0)) + std::string(512, 'x');
  return *testing::Value(GgufHeaderOf(bytes)).tensors[0].type;
}

using Bytes = const unsigned char*;
double HalfAt(Bytes at) { return FromHalf(static_cast<uint16_t>(at[0] | at[1] << 8)); }

void ScaleAndMin(int j, Bytes q, int* d, int* m) {
  if (j < 4) {
    *d = q[j] & 63;
    *m = q[j + 4] & 63;
  } else {
    *d = (q[j + 4] & 0xF) | ((q[j - 4] >> 6) << 4);
    *m = (q[j + 4] >> 4) | ((q[j] >> 6) << 4);
  }
}

std::vector<double> Q2K(Bytes b) {
  std::vector<double> y;
  const double d = HalfAt(b + 80);
  const double min = HalfAt(b + 82);
  Bytes q = b + 16;
  int is = 0;
  for (int n = 0; n < 256; n += 128, q += 32) {
    for (int shift = 0; shift < 8; shift += 2) {
      for (int half = 0; half < 32; half += 16) {
        const int sc = b[is++];
        for (int l = 0; l < 16; ++l) {
          y.push_back(d * (sc & 0xF) * ((q[half + l] >> shift) & 3) - min * (sc >> 4));
        }
      }
    }
  }
  return y;
}

std::vector<double> Q3K(Bytes b) {
  std::vector<double> y;
  int scales[16];
  for (int i = 0; i < 4; ++i) {
    const int t = b[96 + 8 + i];
    scales[i] = (b[96 + i] & 0xF) | ((t & 3) << 4);
    scales[4 + i] = (b[96 + 4 + i] & 0xF) | (((t >> 2) & 3) << 4);
    scales[8 + i] = (b[96 + i] >> 4) | (((t >> 4) & 3) << 4);
    scales[12 + i] = (b[96 + 4 + i] >> 4) | (((t >> 6) & 3) << 4);
  }
  const double d = HalfAt(b + 108);
  Bytes q = b + 32;
  int is = 0;
  int m = 1;
  for (int n = 0; n < 256; n += 128, q += 32) {
    for (int shift = 0; shift < 8; shift += 2, m <<= 1) {
      for (int half = 0; half < 32; half += 16) {
        const double dl = d * (scales[is++] - 32);
        for (int l = half; l < half + 16; ++l) {
          y.push_back(dl * (((q[l] >> shift) & 3) - ((b[l] & m) != 0 ? 0 : 4)));
        }
      }
    }
  }
  return y;
}

std::vector<double> Q45K(Bytes b, bool has_fifth) {
  std::vector<double> y;
  const double d = HalfAt(b);
  const double min = HalfAt(b + 2);
  Bytes qh = b + 16;
  Bytes ql = b + (has_fifth ? 48 : 16);
  int u = 1;
  for (int is = 0; is < 8; is += 2, ql += 32) {
    for (int half = 0; half < 2; ++half, u <<= 1) {
      int sc = 0;
      int m = 0;
      ScaleAndMin(is + half, b + 4, &sc, &m);
      for (int l = 0; l < 32; ++l) {
        const int low = half == 0 ? ql[l] & 0xF : ql[l] >> 4;
        const int more = has_fifth && (qh[l] & u) != 0 ? 16 : 0;
        y.push_back(d * sc * (low + more) - min * m);
      }
    }
  }
  return y;
}

std::vector<double> Q6K(Bytes b) {
  std::vector<double> y(256);
  const double d = HalfAt(b + 208);
  Bytes ql = b;
  Bytes qh = b + 128;
  Bytes sc = b + 192;
  for (size_t n = 0; n < 256; n += 128, ql += 64, qh += 32, sc += 8) {
    for (size_t l = 0; l < 32; ++l) {
      const int q[4] = {
          (ql[l] & 0xF) | (((qh[l] >> 0) & 3) << 4), (ql[l + 32] & 0xF) | (((qh[l] >> 2) & 3) << 4),
          (ql[l] >> 4) | (((qh[l] >> 4) & 3) << 4), (ql[l + 32] >> 4) | (((qh[l] >> 6) & 3) << 4)};
      for (size_t k = 0; k < 4; ++k) {
        y[n + l + 32 * k] = d * static_cast<signed char>(sc[l / 16 + 2 * k]) * (q[k] - 32);
      }
    }
  }
  return y;
}

void CheckBlocks(uint32_t number, size_t size, size_t bytes,
                 const std::function<std::vector<double>(Bytes)>& reference) {
  const StoredType& type = TypeOf(number, size);
  CAPTURE(std::string(type.name));
  REQUIRE(type.block == size);
  REQUIRE(type.bytes == bytes);
  testing::Random random(number);
  for (int round = 0; round < 20; ++round) {
    std::string block(bytes, '\0');
    for (char& byte : block) byte = static_cast<char>(random.Below(256));
    std::vector<double> numbers(size);
    type.decode(block.data(), absl::MakeSpan(numbers));
    const std::vector<double> expected =
        reference(reinterpret_cast<const unsigned char*>(block.data()));
    REQUIRE(expected.size() == size);
    for (size_t i = 0; i < size; ++i) {
      const bool same =
          numbers[i] == expected[i] || (std::isnan(numbers[i]) && std::isnan(expected[i]));
      CAPTURE(i);
      REQUIRE(same);
    }
  }
}

TEST_CASE("blocks stand for the numbers that ggml makes of them") {
  const auto halves = [](Bytes q, const std::function<double(int, size_t)>& number) {
    std::vector<double> y(32);
    for (size_t j = 0; j < 16; ++j) {
      y[j] = number(q[j] & 0xF, j);
      y[j + 16] = number(q[j] >> 4, j + 16);
    }
    return y;
  };
  const auto fifth = [](Bytes at, size_t i) { return (at[i / 8] >> (i % 8) & 1) << 4; };
  CheckBlocks(2, 32, 18, [&](Bytes b) {
    return halves(b + 2, [b](int q, size_t) { return HalfAt(b) * (q - 8); });
  });
  CheckBlocks(3, 32, 20, [&](Bytes b) {
    return halves(b + 4, [b](int q, size_t) { return HalfAt(b) * q + HalfAt(b + 2); });
  });
  CheckBlocks(6, 32, 22, [&](Bytes b) {
    return halves(b + 6,
                  [&, b](int q, size_t i) { return HalfAt(b) * ((q | fifth(b + 2, i)) - 16); });
  });
  CheckBlocks(7, 32, 24, [&](Bytes b) {
    return halves(b + 8, [&, b](int q, size_t i) {
      return HalfAt(b) * (q | fifth(b + 4, i)) + HalfAt(b + 2);
    });
  });
  CheckBlocks(8, 32, 34, [](Bytes b) {
    std::vector<double> y;
    for (int i = 0; i < 32; ++i) y.push_back(HalfAt(b) * static_cast<signed char>(b[2 + i]));
    return y;
  });
  CheckBlocks(10, 256, 84, Q2K);
  CheckBlocks(11, 256, 110, Q3K);
  CheckBlocks(12, 256, 144, [](Bytes b) { return Q45K(b, false); });
  CheckBlocks(13, 256, 176, [](Bytes b) { return Q45K(b, true); });
  CheckBlocks(14, 256, 210, Q6K);
}

}  // namespace
}  // namespace onnx_hier
