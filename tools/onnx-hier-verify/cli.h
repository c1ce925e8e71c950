// SPDX-License-Identifier: Apache-2.0

// The command line of onnx-hier-verify: its table of flags, and a run over the files that it names.
#ifndef ONNX_HIER_TOOLS_VERIFY_CLI_H_
#define ONNX_HIER_TOOLS_VERIFY_CLI_H_

namespace onnx_hier::verify {

// The whole program. Returns its exit code.
int Main(int argc, char** argv);

}  // namespace onnx_hier::verify

#endif  // ONNX_HIER_TOOLS_VERIFY_CLI_H_
