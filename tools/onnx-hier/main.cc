// SPDX-License-Identifier: Apache-2.0
#include "tools/onnx-hier/cli.h"

const char onnx_hier::cli::kProgramName[] = "onnx-hier";

int main(int argc, char** argv) {
  onnx_hier::cli::FailWhenOutOfMemory();
  return onnx_hier::cli::Run(argc, argv);
}
