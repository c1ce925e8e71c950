// SPDX-License-Identifier: Apache-2.0

// Help and the manual, made from the tables of commands and flags.
#ifndef ONNX_HIER_TOOLS_HELP_H_
#define ONNX_HIER_TOOLS_HELP_H_

#include <string>

#include "tools/onnx-hier/cli.h"

namespace onnx_hier::cli {

std::string ProgramHelp();
std::string CommandHelp(const CommandEntry& command);
// Pages of the manual, in the roff language of man(7): onnx-hier(1), and onnx-hier-tag(1) ...
std::string ManPage();
std::string CommandManPage(const CommandEntry& command);

}  // namespace onnx_hier::cli

#endif  // ONNX_HIER_TOOLS_HELP_H_
