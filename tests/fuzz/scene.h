// SPDX-License-Identifier: Apache-2.0

// A folder with all that a command may be given: a model, another one, a sidecar, a profile, a
// module map, a file of rules, a list of files. What they are follows from the model and a seed.
#ifndef ONNX_HIER_TESTS_FUZZ_SCENE_H_
#define ONNX_HIER_TESTS_FUZZ_SCENE_H_

#include <map>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "tests/fuzz/command_line.h"
#include "tests/support/random.h"
#include "tests/support/temp_folder.h"

namespace onnx_hier::fuzz {

class Scene {
 public:
  // Clears the folder and fills it. One in four models is folded or tagged first, and changed then.
  void Set(absl::string_view model, testing::Random& random);

  // Runs a command there: what must hold of each is checked (command_beliefs.h).
  CommandResult Run(const std::vector<std::string>& words);

  std::string operator/(absl::string_view name) const { return folder_ / name; }
  const std::string& folder() const { return folder_.path(); }
  // What in.onnx holds.
  const std::string& model() const { return model_; }
  // Paths of modules, ids of nodes, names of nodes: as the model's own sidecar has them, if there
  // is one.
  const std::vector<std::string>& modules() const { return modules_; }
  const std::vector<std::string>& nodes() const { return nodes_; }

 private:
  void WriteModel(absl::string_view model, testing::Random& random);
  void ReadSidecar(const std::string& text);
  void WriteTexts(std::string sidecar, testing::Random& random);
  std::string ProfileText(testing::Random& random) const;
  std::string ModuleMapText(testing::Random& random) const;
  std::string RulesText(testing::Random& random) const;

  testing::TempFolder folder_;
  CommandLine command_line_;
  std::string model_;
  std::vector<std::string> modules_;
  std::vector<std::string> nodes_;
};

}  // namespace onnx_hier::fuzz

#endif  // ONNX_HIER_TESTS_FUZZ_SCENE_H_
