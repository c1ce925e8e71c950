// SPDX-License-Identifier: Apache-2.0
#include "lib/numerics/npy.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "lib/base/load_word.h"
#include "lib/base/status_macros.h"
#include "lib/graph/data_type.h"
#include "onnx_hier_program/text.h"

namespace onnx_hier {
namespace {

constexpr absl::string_view kMagic = "\x93NUMPY";
constexpr uint32_t kLongestHeader = 1 << 16;

struct NumpyType {
  absl::string_view name;  // behind the order of bytes
  int32_t type;
};
constexpr NumpyType kTypes[] = {{"f4", data_type::kFloat},
                                {"f2", data_type::kFloat16},
                                {"f8", data_type::kDouble},
                                {"b1", data_type::kBool},
                                {"i1", data_type::kInt8},
                                {"u1", data_type::kUint8},
                                {"i2", data_type::kInt16},
                                {"u2", data_type::kUint16},
                                {"i4", data_type::kInt32},
                                {"u4", data_type::kUint32},
                                {"i8", data_type::kInt64},
                                {"u8", data_type::kUint64},
                                // As ml_dtypes has numpy save it.
                                {"V2", data_type::kBfloat16}};

// What stands behind a key of the header: a Python dictionary as numpy prints it.
absl::string_view ValueOf(absl::string_view header, absl::string_view key) {
  size_t at = header.find(absl::StrCat("'", key, "'"));
  if (at == absl::string_view::npos) return "";
  at = header.find(':', at);
  if (at == absl::string_view::npos) return "";
  return absl::StripLeadingAsciiWhitespace(header.substr(at + 1));
}

absl::StatusOr<int32_t> TypeIn(absl::string_view header) {
  const absl::string_view value = ValueOf(header, "descr");
  const size_t end =
      value.empty() || value[0] != '\'' ? absl::string_view::npos : value.find('\'', 1);
  if (end == absl::string_view::npos) {
    return absl::InvalidArgumentError("its numbers are of no plain type");
  }
  const absl::string_view name = value.substr(1, end - 1);
  if (absl::StartsWith(name, ">") && name != ">i1" && name != ">u1") {
    return absl::InvalidArgumentError(absl::StrCat("its numbers have the other order of bytes (",
                                                   name,
                                                   "): save x.astype(x.dtype.newbyteorder('<'))"));
  }
  for (const NumpyType& one : kTypes) {
    if (!name.empty() && name.substr(1) == one.name) return one.type;
  }
  return absl::InvalidArgumentError(
      absl::StrCat("numbers of the type ", QuotedName(name), " cannot be compared"));
}

absl::StatusOr<std::vector<uint64_t>> ShapeIn(absl::string_view header) {
  absl::string_view value = ValueOf(header, "shape");
  const size_t end = value.find(')');
  if (value.empty() || value[0] != '(' || end == absl::string_view::npos) {
    return absl::InvalidArgumentError("its header has no shape");
  }
  std::vector<uint64_t> shape;
  for (absl::string_view text : absl::StrSplit(value.substr(1, end - 1), ',')) {
    text = absl::StripAsciiWhitespace(text);
    if (text.empty()) continue;
    uint64_t size = 0;
    if (!absl::SimpleAtoi(text, &size)) {
      return absl::InvalidArgumentError("a dimension in its header is no number");
    }
    shape.push_back(size);
  }
  return shape;
}

}  // namespace

absl::StatusOr<ValueNumbers> ReadNpy(std::unique_ptr<ByteInput> bytes) {
  char start[12];
  OH_RETURN_IF_ERROR(ReadAll(*bytes, start, 10));
  if (absl::string_view(start, kMagic.size()) != kMagic) {
    return absl::InvalidArgumentError("it does not begin as numpy's arrays do");
  }
  const auto version = static_cast<unsigned char>(start[6]);
  if (version < 1 || version > 3) {
    return absl::InvalidArgumentError(
        absl::StrCat("it is of version ", int{version}, " of numpy's format"));
  }
  uint32_t length = LoadWord<uint16_t>(start + 8);
  if (version > 1) {
    OH_RETURN_IF_ERROR(ReadAll(*bytes, start + 10, 2));
    length = LoadWord<uint32_t>(start + 8);
  }
  if (length > kLongestHeader) return absl::InvalidArgumentError("its header is too long");
  std::string header(length, '\0');
  OH_RETURN_IF_ERROR(ReadAll(*bytes, header.data(), length));
  OH_ASSIGN_OR_RETURN(const int32_t type, TypeIn(header));
  OH_ASSIGN_OR_RETURN(std::vector<uint64_t> shape, ShapeIn(header));
  const bool is_fortran = absl::StartsWith(ValueOf(header, "fortran_order"), "True");
  if (is_fortran && shape.size() > 1) {
    return absl::InvalidArgumentError(
        "its elements are in Fortran's order: save numpy.ascontiguousarray(x)");
  }
  return ValueNumbers(std::move(bytes), type, std::move(shape));
}

}  // namespace onnx_hier
