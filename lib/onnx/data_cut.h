// SPDX-License-Identifier: Apache-2.0

// Ranges of a model's data files, as one file: what a part of the model reads of them.
//
//   w.bin:      [ a ][ b ][ c ][ d ]...        part.data:  [ b ]...[ d ]
//
//   DataCut cut("models", "part.data");
//   cut.Add(place);                  // of each tensor that the part has
//   cut.Lay();                       // finds out where each comes to stand
//   cut.CopyTo(file, {});
//   cut.Find(place);                 // where it stands now
//
// Each range of at least a page begins at a page, so that runtimes can map it; smaller ones begin
// where any element may. What several tensors read is there
// once, so that the file holds no byte twice: ranges that overlap come along as one. A model
// chooses its locations and ranges: DataFileReader keeps to its folder, and a range must lie within
// its file.
#ifndef ONNX_HIER_LIB_ONNX_DATA_CUT_H_
#define ONNX_HIER_LIB_ONNX_DATA_CUT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "lib/files/block_sharing.h"
#include "lib/files/file_copier.h"
#include "lib/files/file_status.h"
#include "lib/files/output_file.h"
#include "lib/onnx/data_file_reader.h"
#include "lib/onnx/leaf_messages.h"

namespace onnx_hier {

class DataCut {
 public:
  struct Range {
    uint64_t offset = 0;
    uint64_t length = 0;
  };

  // Of what is too small to be mapped: a page each would make little data much.
  static constexpr uint64_t kAlignment = 64;

  // The folder of the model's data files, and how the part calls its own.
  DataCut(std::string folder, std::string location)
      : files_(std::move(folder)), location_(std::move(location)) {}

  // `place` names a text that must outlive this.
  void Add(const ExternalPlace& place);
  bool empty() const { return wanted_.empty(); }
  // kPermissionDenied, kNotFound: a data file may not be read, or is not there; kOutOfRange: it is
  // too short; kDataLoss: the model does not say clearly which bytes it reads.
  absl::Status Lay();

  const std::string& location() const { return location_; }
  uint64_t size() const { return size_; }
  // What everybody may do with all of the files that it is made of.
  uint32_t mode() const { return mode_; }
  // None: it was not added.
  std::optional<Range> Find(const ExternalPlace& place) const;

  // Into an empty file, which shares what it can with the data files. An error if one of these was
  // changed since Lay().
  absl::Status CopyTo(OutputFile& out, const CopyOptions& options);

 private:
  // The location's number, the offset, and how long it is said to be.
  using Key = std::tuple<uint32_t, uint64_t, std::optional<uint64_t>>;

  struct Wanted {
    Key key;
    uint64_t offset = 0;
    uint64_t length = 0;
  };
  // Bytes that stay together.
  struct Span {
    uint64_t from = 0;
    uint64_t end = 0;
    uint64_t to = 0;
  };
  struct Source {
    absl::string_view location;
    bool is_clear = true;  // in all that was added
    std::vector<Wanted> wanted;
    FileIdentity identity;
    std::vector<Span> spans;
  };

  static Key KeyOf(uint32_t source, const ExternalPlace& place);
  static bool IsOneWith(const Span& span, uint64_t offset);
  absl::Status LaySource(Source& source);
  absl::Status Measure(Wanted& wanted) const;
  absl::Status Open(const Source& source);
  std::vector<SharedSpan> Share(OutputFile& out);
  absl::Status CopySource(const Source& source, const std::vector<SharedSpan>& shared,
                          OutputFile& out, const ChunkBuffer& buffer, const CopyOptions& options);

  DataFileReader files_;
  const std::string location_;
  std::vector<Source> sources_;  // in the order in which they were met
  absl::flat_hash_map<absl::string_view, uint32_t> source_of_;
  absl::flat_hash_map<Key, Range> wanted_;  // what it became
  uint64_t size_ = 0;
  uint32_t mode_ = 0777;
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_ONNX_DATA_CUT_H_
