// SPDX-License-Identifier: Apache-2.0

// Which member of a list is which, where others were inserted, removed or moved: numbers alone
// would make every member behind them another one.
#ifndef ONNX_HIER_LIB_RELATE_LIST_ALIGNMENT_H_
#define ONNX_HIER_LIB_RELATE_LIST_ALIGNMENT_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "onnx_hier/ids.h"

namespace onnx_hier {

struct ListMember {
  PathId path;
  uint64_t number = 0;        // in its name
  uint64_t structure = 0;     // hash of its operators, wiring and parameters, with all inside it
  uint64_t contents = 0;      // ... and of what the parameters hold
  bool has_contents = false;  // it has parameters, and it is known what they hold
};

struct MemberPairs {
  std::vector<uint32_t> b_of;  // by A's members: B's; kUnpaired: removed
  std::vector<char> moved;     // by A's: past others
};

// Both by number. Members that hold the same are the same ones, in order as far as they can be;
// between them go those that are built alike, then those of the same number, or if `are_numbers`
// (no names with numbers in them) and as many, at the same place. Where order pairs no more of them
// than place and number, these decide. n log n.
MemberPairs AlignMembers(absl::Span<const ListMember> a, absl::Span<const ListMember> b,
                         bool are_numbers);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_RELATE_LIST_ALIGNMENT_H_
