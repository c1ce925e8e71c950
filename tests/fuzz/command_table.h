// SPDX-License-Identifier: Apache-2.0

// Commands to be run in a scene, chosen and filled in at random.
#ifndef ONNX_HIER_TESTS_FUZZ_COMMAND_TABLE_H_
#define ONNX_HIER_TESTS_FUZZ_COMMAND_TABLE_H_

#include <optional>
#include <string>
#include <vector>

#include "tests/fuzz/scene.h"
#include "tests/support/random.h"
#include "tools/onnx-hier-verify/relation.h"

namespace onnx_hier::fuzz {

// What an output is to the model that the command read.
struct Promise {
  std::string file;
  verify::Relation relation;
};

struct ChosenCommand {
  std::vector<std::string> words;
  std::optional<Promise> promise;
};

ChosenCommand ChooseCommand(const Scene& scene, testing::Random& random);

}  // namespace onnx_hier::fuzz

#endif  // ONNX_HIER_TESTS_FUZZ_COMMAND_TABLE_H_
