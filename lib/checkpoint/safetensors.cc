// SPDX-License-Identifier: Apache-2.0
#include "lib/checkpoint/safetensors.h"

#include <algorithm>
#include <array>
#include <optional>

#include "absl/strings/str_cat.h"
#include "lib/base/hash.h"
#include "lib/base/json_scanner.h"
#include "lib/base/load_word.h"
#include "lib/base/status_macros.h"
#include "lib/files/posix_io.h"
#include "lib/graph/data_type.h"
#include "onnx_hier_program/text.h"

namespace onnx_hier {
namespace {

// As the format's own reader has it.
constexpr uint64_t kLongestHeader = 100'000'000;
constexpr uint64_t kLengthBytes = 8;

constexpr std::array<StoredType, 16> kSafetensorsTypes = {{
    {"F32", 1, 4, data_type::kFloat},
    {"F16", 1, 2, data_type::kFloat16},
    {"BF16", 1, 2, data_type::kBfloat16},
    {"F64", 1, 8, data_type::kDouble},
    {"I64", 1, 8, data_type::kInt64},
    {"I32", 1, 4, data_type::kInt32},
    {"I16", 1, 2, data_type::kInt16},
    {"I8", 1, 1, data_type::kInt8},
    {"U64", 1, 8, data_type::kUint64},
    {"U32", 1, 4, data_type::kUint32},
    {"U16", 1, 2, data_type::kUint16},
    {"U8", 1, 1, data_type::kUint8},
    {"BOOL", 1, 1, data_type::kBool},
    {"F8_E4M3", 1, 1, 0},
    {"F8_E5M2", 1, 1, 0},
    {"F8_E8M0", 1, 1, 0},
}};

// The header, which is an object of objects.
class HeaderReader {
 public:
  HeaderReader(absl::string_view text, uint64_t data_begin) : json_(text), begin_(data_begin) {}

  absl::StatusOr<std::vector<TensorLayout>> Read() {
    if (!json_.Next() || json_.event() != JsonEvent::kObject) return Wrong();
    while (json_.NextKey()) {
      if (json_.text() == "__metadata__") {
        if (!json_.Next()) return Wrong();
        json_.Skip();
        continue;
      }
      if (tensors_.size() == kMostTensors) return absl::InvalidArgumentError("too many tensors");
      tensors_.emplace_back().name = std::string(json_.text());
      OH_RETURN_IF_ERROR(ReadTensor(tensors_.back()));
    }
    if (!json_.Finish()) return Wrong();
    return std::move(tensors_);
  }

 private:
  absl::Status Wrong() const {
    return absl::InvalidArgumentError(absl::StrCat("byte ", kLengthBytes + json_.position(),
                                                   ": the header is not that of safetensors"));
  }
  absl::Status Wrong(const TensorLayout& tensor, absl::string_view what) const {
    return absl::InvalidArgumentError(absl::StrCat("byte ", kLengthBytes + json_.position(), ": ",
                                                   QuotedName(tensor.name), " ", what));
  }

  absl::Status ReadTensor(TensorLayout& tensor) {
    if (!json_.Next() || json_.event() != JsonEvent::kObject) return Wrong();
    std::vector<uint64_t> offsets;
    bool has_shape = false;
    while (json_.NextKey()) {
      const std::string key(json_.text());
      if (!json_.Next()) return Wrong();
      if (key == "dtype" && json_.IsString()) {
        const auto* const found =
            std::find_if(kSafetensorsTypes.begin(), kSafetensorsTypes.end(),
                         [&](const auto& type) { return type.name == json_.text(); });
        if (found == kSafetensorsTypes.end()) {
          return Wrong(tensor, absl::StrCat("is of a type that is not known, ",
                                            SafeForTerminal(json_.text(), kLongestShownName)));
        }
        tensor.type = &*found;
      } else if (key == "shape") {
        OH_RETURN_IF_ERROR(ReadNumbers(tensor, kMostLayoutDims, tensor.dims));
        has_shape = true;
      } else if (key == "data_offsets") {
        OH_RETURN_IF_ERROR(ReadNumbers(tensor, 2, offsets));
      } else {
        json_.Skip();
      }
    }
    if (json_.error() != JsonError::kNone) return Wrong();
    if (tensor.type == nullptr || !has_shape || offsets.size() != 2 || offsets[1] < offsets[0]) {
      return Wrong(tensor, "lacks its dtype, shape or data_offsets");
    }
    OH_RETURN_IF_ERROR(MeasureLayout(tensor));
    if (offsets[1] - offsets[0] != tensor.bytes ||
        __builtin_add_overflow(begin_, offsets[0], &tensor.begin)) {
      return Wrong(tensor, "takes other bytes than its dtype and shape do");
    }
    return absl::OkStatus();
  }

  absl::Status ReadNumbers(const TensorLayout& tensor, size_t most, std::vector<uint64_t>& to) {
    if (json_.event() != JsonEvent::kArray) return Wrong();
    to.clear();
    while (json_.NextItem()) {
      const std::optional<uint64_t> number = json_.IsNumber() ? json_.Unsigned() : std::nullopt;
      if (!number || to.size() == most) return Wrong(tensor, "has no such numbers");
      to.push_back(*number);
    }
    return json_.error() == JsonError::kNone ? absl::OkStatus() : Wrong();
  }

  JsonScanner json_;
  const uint64_t begin_;
  std::vector<TensorLayout> tensors_;
};

}  // namespace

bool LooksLikeSafetensors(absl::string_view beginning, uint64_t file_size) {
  if (beginning.size() <= kLengthBytes || beginning[kLengthBytes] != '{') return false;
  const auto length = LoadWord<uint64_t>(beginning.data());
  return length <= kLongestHeader && length > 1 && file_size >= kLengthBytes;
}

absl::StatusOr<TensorHeader> ReadSafetensors(int fd, uint64_t file_size) {
  char word[kLengthBytes];
  OH_RETURN_IF_ERROR(ReadFully(fd, word, kLengthBytes, 0));
  const auto length = LoadWord<uint64_t>(word);
  if (length > kLongestHeader || length > file_size - kLengthBytes) {
    return absl::InvalidArgumentError(absl::StrCat("byte 0: a header of ", length,
                                                   " bytes is longer than the file: it was cut "
                                                   "short"));
  }
  std::string text(length, '\0');
  OH_RETURN_IF_ERROR(ReadFully(fd, text.data(), length, kLengthBytes));
  TensorHeader header;
  header.hash = HashBytes(text);
  OH_ASSIGN_OR_RETURN(header.tensors, HeaderReader(text, kLengthBytes + length).Read());
  OH_RETURN_IF_ERROR(CheckLayouts(header.tensors, file_size));
  return header;
}

absl::StatusOr<std::vector<std::pair<std::string, std::string>>> ReadSafetensorsIndex(
    absl::string_view text) {
  std::vector<std::pair<std::string, std::string>> places;
  JsonScanner json(text);
  bool is_there = false;
  const bool is_object = json.Next() && json.event() == JsonEvent::kObject;
  while (is_object && json.NextKey()) {
    const bool is_map = json.text() == "weight_map";
    if (!json.Next()) break;
    if (!is_map || json.event() != JsonEvent::kObject) {
      json.Skip();
      continue;
    }
    is_there = true;
    while (json.NextKey()) {
      std::string name(json.text());
      if (!json.Next() || !json.IsString() || places.size() == kMostTensors) break;
      places.emplace_back(std::move(name), std::string(json.text()));
    }
    if (json.event() != JsonEvent::kObjectEnd) break;
  }
  if (!is_there || !json.Finish()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "byte ", json.position(), R"(: an index has {"weight_map": {TENSOR: FILE, ...}})"));
  }
  return places;
}

}  // namespace onnx_hier
