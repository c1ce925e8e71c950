// SPDX-License-Identifier: Apache-2.0

// Files of values as numpy and others write them, made by hand.
#ifndef ONNX_HIER_TESTS_NUMERICS_SAVED_VALUES_H_
#define ONNX_HIER_TESTS_NUMERICS_SAVED_VALUES_H_

#include <zlib.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "tests/support/raw_bytes.h"

namespace onnx_hier::testing {

// "(2, 3)"; `descr` as numpy has it.
inline std::string Npy(absl::string_view descr, absl::string_view shape, absl::string_view data,
                       absl::string_view fortran = "False") {
  const std::string header = absl::StrCat("{'descr': ", descr, ", 'fortran_order': ", fortran,
                                          ", 'shape': ", shape, ", }\n");
  return absl::StrCat("\x93NUMPY", absl::string_view("\x01\x00", 2),
                      Word(static_cast<uint16_t>(header.size())), header, data);
}

inline std::string Floats(const std::vector<float>& numbers) {
  return Npy("'<f4'", absl::StrCat("(", numbers.size(), ",)"), Bytes(numbers));
}

struct Entry {
  std::string name;
  std::string data;
  uint16_t method = 0;  // 8: it is deflated
  uint16_t flags = 0;
  bool is_64 = false;         // sizes and offset stand in an extra field
  bool is_offset_64 = false;  // the offset alone does, and nothing else is in it
};

inline std::string Deflated(const std::string& data) {
  z_stream stream = {};
  deflateInit2(&stream, 9, Z_DEFLATED, -MAX_WBITS, 9, Z_DEFAULT_STRATEGY);
  std::string out(data.size() + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(data.data()));
  stream.avail_in = static_cast<uInt>(data.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

inline std::string Zip(const std::vector<Entry>& entries) {
  std::string bytes;
  std::string list;
  for (const Entry& entry : entries) {
    const std::string stored = entry.method == 8 ? Deflated(entry.data) : entry.data;
    const auto crc = static_cast<uint32_t>(
        crc32_z(0, reinterpret_cast<const Bytef*>(entry.data.data()), entry.data.size()));
    const auto offset = static_cast<uint64_t>(bytes.size());
    const uint32_t far = 0xFFFFFFFF;
    const auto size = [&](uint64_t number) {
      return Word(entry.is_64 ? far : static_cast<uint32_t>(number));
    };
    const std::string extra =
        entry.is_64          ? absl::StrCat(Word<uint16_t>(1), Word<uint16_t>(24),
                                            Word(static_cast<uint64_t>(entry.data.size())),
                                            Word(static_cast<uint64_t>(stored.size())), Word(offset))
        : entry.is_offset_64 ? absl::StrCat(Word<uint16_t>(1), Word<uint16_t>(8), Word(offset))
                             : "";
    const std::string head =
        absl::StrCat(Word<uint16_t>(20), Word(entry.flags), Word(entry.method), Word<uint32_t>(0),
                     Word(crc), size(stored.size()), size(entry.data.size()),
                     Word(static_cast<uint16_t>(entry.name.size())));
    absl::StrAppend(&list, Word<uint32_t>(0x02014b50), Word<uint16_t>(20), head,
                    Word(static_cast<uint16_t>(extra.size())), std::string(10, '\0'),
                    entry.is_offset_64 ? Word(far) : size(offset), entry.name, extra);
    absl::StrAppend(&bytes, Word<uint32_t>(0x04034b50), head, Word<uint16_t>(0), entry.name,
                    stored);
  }
  const auto at = static_cast<uint32_t>(bytes.size());
  const auto count = static_cast<uint16_t>(entries.size());
  return absl::StrCat(bytes, list, Word<uint32_t>(0x06054b50), Word<uint32_t>(0), Word(count),
                      Word(count), Word(static_cast<uint32_t>(list.size())), Word(at),
                      Word<uint16_t>(0));
}

}  // namespace onnx_hier::testing

#endif  // ONNX_HIER_TESTS_NUMERICS_SAVED_VALUES_H_
