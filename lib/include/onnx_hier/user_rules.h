// SPDX-License-Identifier: Apache-2.0

// What a user knows better than the file, and what must hold of a model: a file of rules.
//
//   # where nodes are, for whatever annotates
//   owner  /encoder/Mul_3 = encoder.layer.0.attention   # a node's id, name or value, or a pattern
//   boundary encoder.layer.*                            # modules inside are not told apart
//   rename model.block_* = model.blocks.*               # each '*' as it is found
//   major  {embeddings,encoder,pooler}                  # no node that says it is in one leaves it
//   least  encoder = .8                                 # as least_containment, in these modules
//   # what must hold, for a check
//   unchanged encoder.layer.[0-5]                       # against an original
//   bytes  / <= 120 MB                                  # any measure: nodes, parameters, macs, ...
//   no-op  ** NonMaxSuppression
//   precision **.norm float32                           # of all parameters
//   coverage >= .99 at .9                               # of all nodes so many are that sure
//
// Of rules of one kind that mean the same module or node, the first counts. Patterns are those of
// Hierarchy::Match(), but in `rename`, where only '*' stands for something.
#ifndef ONNX_HIER_USER_RULES_H_
#define ONNX_HIER_USER_RULES_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "onnx_hier/annotation.h"
#include "onnx_hier/hierarchy.h"

namespace onnx_hier {

// Where nodes are.
struct UserRule {
  enum class Kind : uint8_t { kOwner, kBoundary, kRename, kMajor, kLeast };
  Kind kind = Kind::kOwner;
  size_t line = 0;      // in the file, from 1
  std::string pattern;  // of kOwner also a node
  std::string module;   // of kOwner and kRename
  float least = 0;      // of kLeast, from 0 to 1
};

// What must hold.
struct Requirement {
  enum class Kind : uint8_t { kUnchanged, kAtMost, kNoOperator, kPrecision, kCoverage };
  Kind kind = Kind::kUnchanged;
  size_t line = 0;
  std::string text;      // the line as it was written
  std::string pattern;   // but for kCoverage
  std::string what;      // a measure's id; an operator's type; a type of elements
  double limit = 0;      // of kAtMost, and the share of kCoverage
  float confidence = 0;  // of kCoverage
};

struct UserRules {
  std::string file;  // for messages
  std::vector<UserRule> rules;
  std::vector<Requirement> requirements;
};

// kInvalidArgument: a line is none; the message names line and column. `file` is for messages.
absl::StatusOr<UserRules> ReadUserRules(absl::string_view text, absl::string_view file);

// What rules mean in a model that was annotated without them.
AppliedRules ApplyRules(const Hierarchy& without, const UserRules& rules);

}  // namespace onnx_hier

#endif  // ONNX_HIER_USER_RULES_H_
