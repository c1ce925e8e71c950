// SPDX-License-Identifier: Apache-2.0

// What the nodes of a main graph do, independent of their names and of those of inner values, with
// local functions inlined where they are called.
//
// Each node, and each value, gets a number from a table that two models share. Two nodes have the
// same number exactly if they have the same operator and attributes (graphs among these compared in
// the same way) and read values with the same numbers; graph inputs and initializers are known by
// their names. Texts are compared as they are, so no two things are mistaken for each other.
//
//   NumberTable numbers;
//   const Structure flat = StructureOf(in, {}, numbers, kNoLimit);
//   const Structure inlined = StructureOf(out, {"modules:Layer"}, numbers, LimitsOf(flat));
//
// Models made to grow without bound end with an error: the limits are those of the flat model.
#ifndef ONNX_HIER_TOOLS_VERIFY_STRUCTURE_H_
#define ONNX_HIER_TOOLS_VERIFY_STRUCTURE_H_

#include <onnx/onnx_pb.h>

#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "tools/onnx-hier-verify/key_text.h"
#include "tools/onnx-hier-verify/nodes.h"

namespace onnx_hier::verify {

// Of a value that is left out.
constexpr Number kNothing = 0;

// A number for each text; the same text has the same number.
class NumberTable {
 public:
  Number Of(std::string&& text) {
    return numbers_.try_emplace(std::move(text), static_cast<Number>(numbers_.size() + 1))
        .first->second;
  }

 private:
  absl::flat_hash_map<std::string, Number> numbers_;
};

// One run of a node: a node of a function runs once for each call.
struct Run {
  const onnx::NodeProto* node;
  const onnx::FunctionProto* function;  // that it stands in; null: the main graph
  int position;                         // of the node, or of the call, in the main graph
  Number whole;
  Number reads;  // which values it reads
  Number kind;   // its operator and attributes
};

struct Structure {
  std::vector<Run> runs;  // in the order of the file; without those in graphs of attributes
  absl::flat_hash_map<std::string, Number> values;  // of the main graph, by name
  uint64_t nodes = 0;                               // with those in graphs of attributes
  uint64_t work = 0;
  std::string error;  // why the functions cannot be inlined; "": they can
};

struct Limits {
  uint64_t nodes;
  uint64_t work;
};

constexpr Limits kNoLimit = {UINT64_MAX, UINT64_MAX};

// As many nodes, and much more work: for calls, and calls of calls.
Limits LimitsOf(const Structure& flat);

// `inlined` are the functions to inline; other calls count as any node.
Structure StructureOf(const onnx::ModelProto& model, const Functions& inlined, Limits limits,
                      NumberTable& numbers);

}  // namespace onnx_hier::verify

#endif  // ONNX_HIER_TOOLS_VERIFY_STRUCTURE_H_
