// SPDX-License-Identifier: Apache-2.0

// Data of tensors in other files that a part has in a file of its own.
//
//   const MovedData moved(in_file, out_file);
//   moved.settled()      // OUT, whose tensors find their data where IN's do
//   moved.difference()   // of the first tensor that finds other bytes than IN's
#ifndef ONNX_HIER_TOOLS_VERIFY_MOVED_DATA_H_
#define ONNX_HIER_TOOLS_VERIFY_MOVED_DATA_H_

#include <memory>

#include "tools/onnx-hier-verify/difference.h"
#include "tools/onnx-hier-verify/model_file.h"

namespace onnx_hier::verify {

class MovedData {
 public:
  // A tensor whose place is another one than in IN is compared, byte by byte, with that of the same
  // name, or of the same attribute of the node that makes the same value.
  MovedData(const ModelFile& in, const ModelFile& out);

  const onnx::ModelProto& settled() const { return settled_ != nullptr ? *settled_ : out_; }
  const Difference& difference() const { return difference_; }

 private:
  const onnx::ModelProto& out_;
  std::unique_ptr<onnx::ModelProto> settled_;  // null: nothing has moved
  Difference difference_;
};

}  // namespace onnx_hier::verify

#endif  // ONNX_HIER_TOOLS_VERIFY_MOVED_DATA_H_
