#include "tools/onnx-hier/cli.h"

int main(int argc, char** argv) { return onnx_hier::cli::Run(argc, argv); }
