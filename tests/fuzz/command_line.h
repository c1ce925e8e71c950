// SPDX-License-Identifier: Apache-2.0

// The command line in this process: what `main` calls, with its streams caught. A run costs what
// the command costs, and sanitizers and a fuzzer's coverage see into it.
#ifndef ONNX_HIER_TESTS_FUZZ_COMMAND_LINE_H_
#define ONNX_HIER_TESTS_FUZZ_COMMAND_LINE_H_

#include <string>
#include <vector>

#include "tests/fuzz/fuzz.h"

namespace onnx_hier::fuzz {

struct CommandResult {
  int code = 0;
  std::string out;     // standard output
  std::string err;     // standard error
  double seconds = 0;  // CPU time
};

class CommandLine {
 public:
  CommandLine();

  // `words` are what follows the program's name.
  CommandResult Run(const std::vector<std::string>& words);

 private:
  MemoryFile out_;
  MemoryFile err_;
  int real_out_;
  int real_err_;
};

}  // namespace onnx_hier::fuzz

#endif  // ONNX_HIER_TESTS_FUZZ_COMMAND_LINE_H_
