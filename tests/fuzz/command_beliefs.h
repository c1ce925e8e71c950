// SPDX-License-Identifier: Apache-2.0

// What must hold of every command, whatever it was given.
#ifndef ONNX_HIER_TESTS_FUZZ_COMMAND_BELIEFS_H_
#define ONNX_HIER_TESTS_FUZZ_COMMAND_BELIEFS_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tests/fuzz/command_line.h"

namespace onnx_hier::fuzz {

class Scene;

// The files of a folder, hidden ones and those of folders in it too, with what they hold.
class FolderState {
 public:
  explicit FolderState(const std::string& folder);

  const std::map<std::string, std::string>& files() const { return files_; }
  uint64_t bytes() const;

 private:
  std::map<std::string, std::string> files_;  // by path
};

// Exit code 0, 1 or 2, and one line of error with 2; nothing that steers a terminal; JSON where
// JSON was asked for; files that were there are as they were; nothing new but the outputs that
// `words` name, and none of them with 2; CPU time and the size of what is written are bounded; and
// what the relation of an output to its input must be. Aborts with the words of the command where
// something does not hold.
void RequireBelieved(Scene& scene, const std::vector<std::string>& words,
                     const CommandResult& result, const FolderState& before);

}  // namespace onnx_hier::fuzz

#endif  // ONNX_HIER_TESTS_FUZZ_COMMAND_BELIEFS_H_
