// SPDX-License-Identifier: Apache-2.0

// How often modules are called exactly as a file's names are read, where other signs stand for the
// dots and slashes that exporters write.
#ifndef ONNX_HIER_LIB_NAMES_NAME_SURENESS_H_
#define ONNX_HIER_LIB_NAMES_NAME_SURENESS_H_

#include <algorithm>

namespace onnx_hier {

struct NameSureness {
  float all = 1;  // of any module but the root
  // Of a module that no parameter is in, given the one around it: names of parameters have their
  // dots, but "ffn_act" may be "ffn.act".
  float untold = 1;

  // That of several models in a file.
  void Include(const NameSureness& other) {
    all = std::min(all, other.all);
    untold = std::min(untold, other.untold);
  }
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_NAMES_NAME_SURENESS_H_
