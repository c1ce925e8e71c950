// SPDX-License-Identifier: Apache-2.0

// What a feature says, in English.
#ifndef ONNX_HIER_LIB_SHOW_FEATURE_TEXT_H_
#define ONNX_HIER_LIB_SHOW_FEATURE_TEXT_H_

#include <string>

#include "absl/strings/string_view.h"
#include "lib/owners/features.h"

namespace onnx_hier {

// `candidate` is what the module is called that has the feature:
//   FeatureText(id, "/encoder") == "the known node before it in the file is in /encoder"
std::string FeatureText(FeatureId id, absl::string_view candidate);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_SHOW_FEATURE_TEXT_H_
