// SPDX-License-Identifier: Apache-2.0

// Names that are all different.
#ifndef ONNX_HIER_LIB_PARTS_DISTINCT_NAMES_H_
#define ONNX_HIER_LIB_PARTS_DISTINCT_NAMES_H_

#include <cstdint>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace onnx_hier {

class DistinctNames {
 public:
  // A number that makes a name new stands behind `separator`; the first one is `first`.
  DistinctNames(absl::string_view separator, uint32_t first)
      : separator_(separator), first_(first) {}

  // Whether nobody had it before.
  bool Claim(absl::string_view name) { return taken_.insert(std::string(name)).second; }

  // `name`, or else it with a number behind it that makes it new.
  std::string Take(const std::string& name) {
    if (Claim(name)) return name;
    uint32_t& next = next_.try_emplace(name, first_).first->second;
    for (;;) {
      std::string numbered = absl::StrCat(name, separator_, next++);
      if (Claim(numbered)) return numbered;
    }
  }

 private:
  const absl::string_view separator_;
  const uint32_t first_;
  absl::flat_hash_set<std::string> taken_;
  absl::flat_hash_map<std::string, uint32_t> next_;
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_PARTS_DISTINCT_NAMES_H_
