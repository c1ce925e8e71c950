// SPDX-License-Identifier: Apache-2.0
#include "tools/cli/program.h"
#include "tools/onnx-hier-verify/cli.h"

const char onnx_hier::cli::kProgramName[] = "onnx-hier-verify";

int main(int argc, char** argv) {
  onnx_hier::cli::FailWhenOutOfMemory();
  return onnx_hier::verify::Main(argc, argv);
}
