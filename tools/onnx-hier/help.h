// Help and the man page, made from the tables of commands and flags.
#ifndef ONNX_HIER_TOOLS_HELP_H_
#define ONNX_HIER_TOOLS_HELP_H_

#include <string>

#include "tools/onnx-hier/cli.h"

namespace onnx_hier::cli {

std::string ProgramHelp();
std::string CommandHelp(const Command& command);
// In the roff language of man(7).
std::string ManPage();

}  // namespace onnx_hier::cli

#endif  // ONNX_HIER_TOOLS_HELP_H_
