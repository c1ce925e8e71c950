// SPDX-License-Identifier: Apache-2.0

// Numbers as people read them.
#ifndef ONNX_HIER_LIB_SHOW_FIGURES_H_
#define ONNX_HIER_LIB_SHOW_FIGURES_H_

#include <cstdint>
#include <string>

namespace onnx_hier {

// "1,234,567"
std::string WithThousands(uint64_t number);
// "17.5 MB": bytes in powers of 1000.
std::string HumanBytes(uint64_t bytes);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_SHOW_FIGURES_H_
