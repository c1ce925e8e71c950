// SPDX-License-Identifier: Apache-2.0
#include "lib/relate/data_faults.h"

#include "absl/strings/str_cat.h"
#include "lib/files/file_place.h"
#include "onnx_hier_program/text.h"

namespace onnx_hier {
namespace {

// Columns of a location that are shown.
constexpr size_t kShownLocation = 100;

template <class Stored>
Stored StoredIn(const Model& model) {
  const ModelSource& source = ModelAccess::Source(model);
  const std::string folder = model.path().empty() ? "" : DirectoryOf(model.path());
  return Stored(source.image, source.scanned, folder);
}

}  // namespace

StoredTensorHashes HashesOf(const Model& model) { return StoredIn<StoredTensorHashes>(model); }
StoredTensorValues ValuesOf(const Model& model) { return StoredIn<StoredTensorValues>(model); }

void TellFaults(absl::string_view whose, const std::vector<DataFileReader::Fault>& faults,
                std::vector<std::string>& lines) {
  if (faults.empty()) return;
  std::string line = absl::StrCat("external data of ", whose, " could not be read: '",
                                  SafeForTerminal(faults[0].location, kShownLocation),
                                  "': ", faults[0].status.message());
  const size_t more = faults.size() - 1;
  if (more > 0) absl::StrAppend(&line, ", and ", Counted(more, "more file"));
  lines.push_back(std::move(line));
}

}  // namespace onnx_hier
