// SPDX-License-Identifier: Apache-2.0

// Help and manual pages of programs and their commands, made from tables of flags and examples.
//
//   HelpText({"onnx-hier strip", "IN.onnx", "take the tags out again", "...", kFlags, kExamples})
#ifndef ONNX_HIER_TOOLS_CLI_HELP_TEXT_H_
#define ONNX_HIER_TOOLS_CLI_HELP_TEXT_H_

#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "tools/cli/flags.h"

namespace onnx_hier::cli {

struct Example {
  const char* command;
  const char* effect;
};

// What help says of a program, or of one command of it.
struct HelpPage {
  std::string name;       // "onnx-hier tag"
  const char* arguments;  // "IN.onnx..."
  const char* summary;    // one line
  const char* description;
  absl::Span<const Flag> flags;
  absl::Span<const Example> examples;
};

std::string HelpText(const HelpPage& page);
// `text` with `width` characters at least.
std::string Padded(std::string text, size_t width);
// Every line of `lines`, each with its line end, set in a little.
std::string Indented(absl::string_view lines);

// Parts of a manual page in the roff language of man(7), in their order. The head ends where the
// synopsis starts.
std::string ManHead(absl::string_view program, absl::string_view summary);
std::string ManSynopsis(const HelpPage& page);
// Options and examples.
std::string ManOptions(const HelpPage& page);
std::string ManExitStatus(absl::string_view lines);
// Text for roff: no line may start with a control character, no backslash or hyphen is special.
std::string Roff(absl::string_view text);

}  // namespace onnx_hier::cli

#endif  // ONNX_HIER_TOOLS_CLI_HELP_TEXT_H_
