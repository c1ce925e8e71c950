// SPDX-License-Identifier: Apache-2.0

// What an archive holds, as numpy.savez and savez_compressed write it: stored or deflated, of any
// size (ZIP64). Sources: PKWARE's APPNOTE 6.3, sections 4.3 to 4.5.
#ifndef ONNX_HIER_LIB_NUMERICS_ZIP_FILE_H_
#define ONNX_HIER_LIB_NUMERICS_ZIP_FILE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/numerics/byte_input.h"

namespace onnx_hier {

struct ZipEntry {
  std::string name;
  bool is_deflated = false;
  uint32_t crc = 0;
  uint64_t offset = 0;  // of its bytes
  uint64_t stored = 0;  // how many these are
  uint64_t size = 0;    // of what they stand for
};

// In the order of the archive's list. kInvalidArgument names the entry and the byte: it is none, or
// damaged; entries share bytes, or have one name; one is encrypted or packed in some other way.
absl::StatusOr<std::vector<ZipEntry>> ReadZip(int fd, uint64_t file_size);

std::unique_ptr<ByteInput> Open(int fd, const ZipEntry& entry);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_NUMERICS_ZIP_FILE_H_
