// SPDX-License-Identifier: Apache-2.0
#include "lib/checkpoint/gguf.h"

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "lib/base/hash.h"
#include "lib/base/load_word.h"
#include "lib/base/status_macros.h"
#include "lib/files/posix_io.h"
#include "lib/graph/data_type.h"
#include "lib/onnx/stored_tensor_values.h"

namespace onnx_hier {
namespace {

constexpr absl::string_view kMagic = "GGUF";

// --- Blocks. Names of fields are those of ggml-common.h.

double Half(const char* from) { return FromHalf(LoadWord<uint16_t>(from)); }
int Byte(const char* from, size_t at) { return static_cast<unsigned char>(from[at]); }
int Low(int byte) { return byte & 0xF; }
int High(int byte) { return byte >> 4; }

// Sixteen bytes of two numbers each: the low halves come first.
template <class Number>
void DecodeHalves(absl::Span<double> to, Number number) {
  for (size_t i = 0; i < 16; ++i) {
    to[i] = number(i, false);
    to[i + 16] = number(i, true);
  }
}

int HalfOf(const char* qs, size_t i, bool is_high) {
  return is_high ? High(Byte(qs, i)) : Low(Byte(qs, i));
}

void DecodeQ40(const char* from, absl::Span<double> to) {
  const double d = Half(from);
  DecodeHalves(to, [&](size_t i, bool high) { return d * (HalfOf(from + 2, i, high) - 8); });
}

void DecodeQ41(const char* from, absl::Span<double> to) {
  const double d = Half(from);
  const double m = Half(from + 2);
  DecodeHalves(to, [&](size_t i, bool high) { return d * HalfOf(from + 4, i, high) + m; });
}

// The fifth bit of each number.
int Fifth(uint32_t qh, size_t i, bool high) {
  return static_cast<int>(qh >> (high ? i + 16 : i) & 1) << 4;
}

void DecodeQ50(const char* from, absl::Span<double> to) {
  const double d = Half(from);
  const auto qh = LoadWord<uint32_t>(from + 2);
  DecodeHalves(to, [&](size_t i, bool high) {
    return d * ((HalfOf(from + 6, i, high) | Fifth(qh, i, high)) - 16);
  });
}

void DecodeQ51(const char* from, absl::Span<double> to) {
  const double d = Half(from);
  const double m = Half(from + 2);
  const auto qh = LoadWord<uint32_t>(from + 4);
  DecodeHalves(to, [&](size_t i, bool high) {
    return d * (HalfOf(from + 8, i, high) | Fifth(qh, i, high)) + m;
  });
}

void DecodeQ80(const char* from, absl::Span<double> to) {
  const double d = Half(from);
  for (size_t i = 0; i < to.size(); ++i) to[i] = d * static_cast<int8_t>(from[2 + i]);
}

void DecodeQ2K(const char* from, absl::Span<double> to) {
  const char* const scales = from;
  const char* const qs = from + 16;
  const double d = Half(from + 80);
  const double least = Half(from + 82);
  for (size_t i = 0; i < to.size(); ++i) {
    const int scale = Byte(scales, i / 16);
    const int shift = static_cast<int>(i / 32 % 4) * 2;
    const int q = Byte(qs, i / 128 * 32 + i % 32) >> shift & 3;
    to[i] = d * Low(scale) * q - least * High(scale);
  }
}

void DecodeQ3K(const char* from, absl::Span<double> to) {
  const char* const hmask = from;
  const char* const qs = from + 32;
  const char* const scales = from + 96;
  const double d = Half(from + 108);
  for (size_t i = 0; i < to.size(); ++i) {
    const size_t s = i / 16;
    const int low = s < 8 ? Low(Byte(scales, s)) : High(Byte(scales, s - 8));
    const int scale = (low | (Byte(scales, 8 + s % 4) >> (2 * (s / 4)) & 3) << 4) - 32;
    const int shift = static_cast<int>(i / 32 % 4) * 2;
    const int q = Byte(qs, i / 128 * 32 + i % 32) >> shift & 3;
    const bool has_bit = (Byte(hmask, i % 32) >> (i / 32) & 1) != 0;
    to[i] = d * scale * (has_bit ? q : q - 4);
  }
}

// Scale and least number of the j-th eighth of a block, six bits each.
std::pair<int, int> ScaleAndLeast(const char* scales, size_t j) {
  if (j < 4) return {Byte(scales, j) & 63, Byte(scales, j + 4) & 63};
  return {Low(Byte(scales, j + 4)) | (Byte(scales, j - 4) >> 6) << 4,
          High(Byte(scales, j + 4)) | (Byte(scales, j) >> 6) << 4};
}

// Q4_K; and Q5_K, which has a fifth bit of each number in `qh`.
void DecodeByEighths(const char* from, const char* qh, const char* qs, absl::Span<double> to) {
  const double d = Half(from);
  const double least = Half(from + 2);
  for (size_t i = 0; i < to.size(); ++i) {
    const auto [scale, offset] = ScaleAndLeast(from + 4, i / 32);
    int q = HalfOf(qs, i / 64 * 32 + i % 32, i / 32 % 2 == 1);
    if (qh != nullptr) q |= (Byte(qh, i % 32) >> (i / 32) & 1) << 4;
    to[i] = d * scale * q - least * offset;
  }
}

void DecodeQ4K(const char* from, absl::Span<double> to) {
  DecodeByEighths(from, nullptr, from + 16, to);
}

void DecodeQ5K(const char* from, absl::Span<double> to) {
  DecodeByEighths(from, from + 16, from + 48, to);
}

void DecodeQ6K(const char* from, absl::Span<double> to) {
  const char* const scales = from + 192;
  const double d = Half(from + 208);
  for (size_t i = 0; i < to.size(); ++i) {
    const size_t half = i / 128;
    const size_t quarter = i / 32 % 4;
    const int low = HalfOf(from + half * 64, i % 32 + quarter % 2 * 32, quarter >= 2);
    const int high = Byte(from + 128 + half * 32, i % 32) >> (2 * quarter) & 3;
    to[i] = d * static_cast<int8_t>(scales[i / 16]) * ((low | high << 4) - 32);
  }
}

struct NumberedType {
  uint32_t number;
  StoredType type;
};

constexpr std::array<NumberedType, 18> kGgufTypes = {{
    {0, {"F32", 1, 4, data_type::kFloat}},
    {1, {"F16", 1, 2, data_type::kFloat16}},
    {2, {"Q4_0", 32, 18, 0, DecodeQ40}},
    {3, {"Q4_1", 32, 20, 0, DecodeQ41}},
    {6, {"Q5_0", 32, 22, 0, DecodeQ50}},
    {7, {"Q5_1", 32, 24, 0, DecodeQ51}},
    {8, {"Q8_0", 32, 34, 0, DecodeQ80}},
    {10, {"Q2_K", 256, 84, 0, DecodeQ2K}},
    {11, {"Q3_K", 256, 110, 0, DecodeQ3K}},
    {12, {"Q4_K", 256, 144, 0, DecodeQ4K}},
    {13, {"Q5_K", 256, 176, 0, DecodeQ5K}},
    {14, {"Q6_K", 256, 210, 0, DecodeQ6K}},
    {24, {"I8", 1, 1, data_type::kInt8}},
    {25, {"I16", 1, 2, data_type::kInt16}},
    {26, {"I32", 1, 4, data_type::kInt32}},
    {27, {"I64", 1, 8, data_type::kInt64}},
    {28, {"F64", 1, 8, data_type::kDouble}},
    {30, {"BF16", 1, 2, data_type::kBfloat16}},
}};

// --- The header.

constexpr size_t kPiece = 1 << 16;
constexpr uint64_t kLongestKey = 1 << 16;
constexpr uint32_t kString = 8;
constexpr uint32_t kArray = 9;
constexpr uint32_t kUint32 = 4;
// Bytes of a value, by its type; 0: a string or an array.
constexpr std::array<uint8_t, 13> kValueBytes = {1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8};

class GgufReader {
 public:
  GgufReader(int fd, uint64_t size) : fd_(fd), size_(size), piece_(new char[kPiece]) {}

  absl::StatusOr<TensorHeader> Read() {
    TensorHeader header;
    OH_ASSIGN_OR_RETURN(const uint64_t magic, Number(4));
    OH_ASSIGN_OR_RETURN(const uint64_t version, Number(4));
    static_cast<void>(magic);
    if (version != 2 && version != 3) {
      return Wrong(absl::StrCat("GGUF of version ", version, "; 2 and 3 are read"));
    }
    OH_ASSIGN_OR_RETURN(const uint64_t tensors, Number(8));
    OH_ASSIGN_OR_RETURN(const uint64_t keys, Number(8));
    if (tensors > kMostTensors || tensors > size_ || keys > size_) {
      return Wrong("the header says that there is more than the file can hold");
    }
    for (uint64_t i = 0; i < keys; ++i) OH_RETURN_IF_ERROR(ReadKey());
    for (uint64_t i = 0; i < tensors; ++i) {
      OH_RETURN_IF_ERROR(ReadTensor(header.tensors.emplace_back()));
    }
    const uint64_t data = (at_ + alignment_ - 1) / alignment_ * alignment_;
    for (TensorLayout& tensor : header.tensors) {
      if (__builtin_add_overflow(tensor.begin, data, &tensor.begin)) tensor.begin = UINT64_MAX;
    }
    header.hash = hash_;
    OH_RETURN_IF_ERROR(CheckLayouts(header.tensors, size_));
    return header;
  }

 private:
  absl::Status Wrong(absl::string_view what) const {
    return absl::InvalidArgumentError(absl::StrCat("byte ", at_, ": ", what));
  }

  absl::Status Take(char* out, uint64_t size) {
    while (size > 0) {
      if (at_ == end_) {
        if (at_ == size_) return Wrong("the header ends early: the file was cut short");
        const uint64_t count = std::min<uint64_t>(kPiece, size_ - at_);
        OH_RETURN_IF_ERROR(ReadFully(fd_, piece_.get(), count, at_));
        hash_ = HashBytes({piece_.get(), static_cast<size_t>(count)}, hash_);
        begin_ = at_;
        end_ = at_ + count;
      }
      const uint64_t count = std::min(size, end_ - at_);
      if (out != nullptr) out = std::copy_n(piece_.get() + (at_ - begin_), count, out);
      at_ += count;
      size -= count;
    }
    return absl::OkStatus();
  }

  absl::StatusOr<uint64_t> Number(size_t bytes) {
    char word[8] = {};
    OH_RETURN_IF_ERROR(Take(word, bytes));
    return LoadWord<uint64_t>(word);
  }

  absl::StatusOr<std::string> Text() {
    OH_ASSIGN_OR_RETURN(const uint64_t length, Number(8));
    if (length > kLongestKey) return Wrong("a name is too long");
    std::string text(length, '\0');
    OH_RETURN_IF_ERROR(Take(text.data(), length));
    return text;
  }

  absl::Status SkipBytes(uint64_t count, uint64_t bytes) {
    uint64_t all = 0;
    if (__builtin_mul_overflow(count, bytes, &all) || all > size_ - at_) {
      return Wrong("a value is longer than the file");
    }
    return Take(nullptr, all);
  }

  absl::Status SkipText() {
    OH_ASSIGN_OR_RETURN(const uint64_t length, Number(8));
    return SkipBytes(length, 1);
  }

  absl::Status SkipValue(uint64_t type) {
    if (type == kString) return SkipText();
    if (type != kArray) {
      return type < kValueBytes.size() ? SkipBytes(1, kValueBytes[type]) : Wrong("no such type");
    }
    OH_ASSIGN_OR_RETURN(const uint64_t of, Number(4));
    OH_ASSIGN_OR_RETURN(const uint64_t count, Number(8));
    if (of == kString) {
      for (uint64_t i = 0; i < count; ++i) OH_RETURN_IF_ERROR(SkipText());
      return absl::OkStatus();
    }
    if (of >= kValueBytes.size() || of == kArray) return Wrong("no such type of an array");
    return SkipBytes(count, kValueBytes[of]);
  }

  absl::Status ReadKey() {
    OH_ASSIGN_OR_RETURN(const std::string key, Text());
    OH_ASSIGN_OR_RETURN(const uint64_t type, Number(4));
    if (key != "general.alignment" || type != kUint32) return SkipValue(type);
    OH_ASSIGN_OR_RETURN(alignment_, Number(4));
    const bool is_power = alignment_ > 0 && (alignment_ & (alignment_ - 1)) == 0;
    return is_power ? absl::OkStatus() : Wrong("general.alignment is no power of two");
  }

  absl::Status ReadTensor(TensorLayout& tensor) {
    OH_ASSIGN_OR_RETURN(tensor.name, Text());
    OH_ASSIGN_OR_RETURN(const uint64_t dims, Number(4));
    if (dims > kMostLayoutDims) return Wrong("a tensor has too many dimensions");
    tensor.dims.resize(dims);
    for (uint64_t i = dims; i-- > 0;) {
      OH_ASSIGN_OR_RETURN(tensor.dims[i], Number(8));
    }
    OH_ASSIGN_OR_RETURN(const uint64_t type, Number(4));
    const auto* const found = std::find_if(kGgufTypes.begin(), kGgufTypes.end(),
                                           [&](const auto& entry) { return entry.number == type; });
    if (found == kGgufTypes.end()) {
      return Wrong(absl::StrCat("a tensor is of a type that is not read, number ", type));
    }
    tensor.type = &found->type;
    OH_ASSIGN_OR_RETURN(tensor.begin, Number(8));
    return MeasureLayout(tensor);
  }

  const int fd_;
  const uint64_t size_;
  const std::unique_ptr<char[]> piece_;
  uint64_t begin_ = 0;  // of the piece in the file
  uint64_t end_ = 0;
  uint64_t at_ = 0;
  uint64_t hash_ = 0;
  uint64_t alignment_ = 32;
};

}  // namespace

bool LooksLikeGguf(absl::string_view beginning) { return absl::StartsWith(beginning, kMagic); }

absl::StatusOr<TensorHeader> ReadGguf(int fd, uint64_t file_size) {
  return GgufReader(fd, file_size).Read();
}

}  // namespace onnx_hier
