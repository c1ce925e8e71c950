// SPDX-License-Identifier: Apache-2.0

// Keeps weights where they are within the blocks of a disk, so that a tagged file can share them
// with the file that it was made from (block_sharing.h).
//
//   before:  [node] [node] | weights .......... |       at byte 5,100
//   after:   [node doc] [node doc____] | weights .......... |       at byte 9,196: 4,096 further
//
// A file system shares whole blocks only, so what stands in front of a long span must grow by a
// multiple of a block. The last text in front of it is padded with spaces, which mean nothing in
// JSON. How many depends on the model and its tags alone: not on the file system, and not on what
// an earlier run had written.
#ifndef ONNX_HIER_LIB_EDITS_LONG_SPANS_H_
#define ONNX_HIER_LIB_EDITS_LONG_SPANS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "lib/base/kept_texts.h"
#include "lib/edits/splices.h"
#include "lib/files/block_sharing.h"
#include "lib/onnx/scanner.h"

namespace onnx_hier {

// Where each span of at least `shortest` bytes begins in which no doc_string and no length of a
// message with nodes stands or may come to stand; in file order. `file_size` is the model's. The
// same spans are found whatever the doc_strings are (at most one in a node, as serializers write).
std::vector<uint64_t> LongSpans(const ScannedModel& model, uint64_t file_size, uint64_t shortest);

// What names of nodes are to be, once in `untagged` and once in `edits` of AlignSpans.
struct NameChanges {
  std::vector<Change> untagged;
  std::vector<Change> edits;
};

// The name of a node becomes `name`, or goes. All that counts here is that it stands in front of
// the node's attributes; it is taken to be written as serializers write it.
Change NameChange(const ScannedModel& model, NodeId node, bool present, absl::string_view name);

// Pads texts of `edits`, so that each of `spans` comes to stand a multiple of kDiskBlock from where
// it is when the doc_strings are those of `untagged`. A span without an edit between it and the one
// before has nothing to be padded. Both lists are in ascending node order; new texts go to `texts`.
void AlignSpans(const ScannedModel& model, const std::vector<uint64_t>& spans,
                const std::vector<DocEdit>& untagged, std::vector<DocEdit>& edits, KeptTexts& texts,
                const NameChanges& names = {});

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_EDITS_LONG_SPANS_H_
