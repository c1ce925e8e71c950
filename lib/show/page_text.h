// SPDX-License-Identifier: Apache-2.0

// The page itself, in front of its data and behind them. CMake makes it of the files in page/.
#ifndef ONNX_HIER_LIB_SHOW_PAGE_TEXT_H_
#define ONNX_HIER_LIB_SHOW_PAGE_TEXT_H_

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace onnx_hier {

extern const absl::string_view kPageBeforeData;
extern const absl::Span<const absl::string_view> kPageBehindData;  // in pieces

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_SHOW_PAGE_TEXT_H_
