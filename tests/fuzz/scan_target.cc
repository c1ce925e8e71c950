// SPDX-License-Identifier: Apache-2.0

// A file's bytes to a graph: never a crash, every error says what is wrong, and what protobuf
// reads we read, and see the same.

#include <optional>
#include <string>

#include "absl/strings/match.h"
#include "lib/files/file_image.h"
#include "lib/onnx/external_data.h"
#include "lib/onnx/scanner.h"
#include "tests/fuzz/canonical.h"
#include "tests/fuzz/fuzz.h"
#include "tests/onnx/model_text.h"

namespace onnx_hier::fuzz {
namespace {

struct Scan {
  std::optional<FileImage> image;
  absl::StatusOr<ScannedModel> model = absl::UnknownError("not scanned");
};

Scan ScanBytes(absl::string_view bytes, MemoryFile& file, const ScanOptions& options = {}) {
  file.Reset(bytes);
  Scan scan;
  absl::StatusOr<FileImage> image = FileImage::Open(file.path());
  Require(image.ok(), "a file in memory can be opened");
  scan.image = *std::move(image);
  scan.model = ScanModel(*scan.image, options);
  return scan;
}

// What is refused although protobuf would read it: files that are something else, on purpose.
bool RefusedOnPurpose(const absl::Status& status) {
  return absl::StrContains(status.message(), "is text") ||
         absl::StrContains(status.message(), "Git LFS") ||
         absl::StrContains(status.message(), "is empty") ||
         absl::StrContains(status.message(), "holds no graph");
}

// Frames nest, come in order and lie inside the file: edits of doc_strings rely on it.
void CheckFrames(const ScannedModel& model, uint64_t size) {
  for (size_t i = 0; i < model.frames.size(); ++i) {
    const Frame& frame = model.frames[i];
    Require(frame.begin <= frame.end && frame.end <= size, "a frame lies inside the file");
    if (frame.parent == kNoFrame) continue;
    Require(frame.parent < i, "a frame comes after the one around it");
    const Frame& outer = model.frames[frame.parent];
    Require(outer.begin < frame.begin && frame.end <= outer.end, "frames nest");
  }
  Require(model.node_frames.size() == model.graph.node_count(), "every node has a frame");
  for (uint32_t frame : model.node_frames) {
    const Frame& node = model.frames[frame];
    Require(node.begin <= node.doc_at && node.doc_at <= node.end,
            "a doc_string goes into its node");
  }
}

// Nodes that were read in one go are as if they had been read field by field.
void CompareWithFields(const Scan& scan, absl::string_view bytes) {
  static MemoryFile file;
  const Scan slow = ScanBytes(bytes, file, {.field_by_field = true});
  RequireSame(scan.model.status().ToString(), slow.model.status().ToString(), "the same status");
  if (!scan.model.ok()) return;
  RequireSame(testing::ModelText(scan.model->graph), testing::ModelText(slow.model->graph),
              "the same model field by field");
  RequireSame(testing::LayoutText(*scan.model), testing::LayoutText(*slow.model),
              "the same places field by field");
}

void Run(absl::string_view bytes) {
  static MemoryFile file;
  const Scan scan = ScanBytes(bytes, file);
  CompareWithFields(scan, bytes);
  std::optional<onnx::ModelProto> theirs = Parse(bytes);
  static MemoryFile again;
  if (!scan.model.ok()) {
    Require(!scan.model.status().message().empty(), "an error says what is wrong");
    if (!theirs.has_value() || RefusedOnPurpose(scan.model.status())) return;
    // An older libonnx passes over fields that we look into, which may be damaged.
    theirs->DiscardUnknownFields();
    const Scan known = ScanBytes(theirs->SerializeAsString(), again);
    Require(known.model.ok() || RefusedOnPurpose(known.model.status()),
            scan.model.status().message());
    return;
  }
  CheckFrames(*scan.model, bytes.size());
  for (NodeId id : scan.model->graph.node_ids()) {
    Require(!scan.model->graph.NodePath(id).empty(), "a node has a place in words");
  }
  LocationsOf(scan.model->external_tensors);
  if (!theirs.has_value()) return;
  // Written anew, so that no field comes twice: there our reading is coarser on purpose.
  const std::string canonical = theirs->SerializeAsString();
  const Scan ours = ScanBytes(canonical, again);
  if (!ours.model.ok()) {
    Require(RefusedOnPurpose(ours.model.status()), ours.model.status().message());
    return;
  }
  Require(ours.model->graph.node_count() == scan.model->graph.node_count(),
          "as many nodes in another encoding");
  RequireSame(testing::ModelText(ours.model->graph), testing::ModelText(*theirs),
              "protobuf sees the same model");
}

}  // namespace
}  // namespace onnx_hier::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  onnx_hier::fuzz::Run(onnx_hier::fuzz::Text(data, size));
  return 0;
}
