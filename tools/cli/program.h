// SPDX-License-Identifier: Apache-2.0

// How a program of this project ends: exit codes, and what it says when something is wrong.
//
//   if (!model.ok()) return Fail(model.status().message());   // "onnx-hier: in.onnx: no such file"
#ifndef ONNX_HIER_TOOLS_CLI_PROGRAM_H_
#define ONNX_HIER_TOOLS_CLI_PROGRAM_H_

#include <functional>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "onnx_hier/bytes.h"

namespace onnx_hier::cli {

enum ExitCode { kDone = 0, kFound = 1, kFailed = 2 };

// "onnx-hier", the beginning of all that it says. Each program's main.cc defines it.
extern const char kProgramName[];

// "NAME: TEXT" on standard error, one line whatever names it quotes; returns kFailed.
int Fail(absl::string_view text);
// The same for something that is no failure.
void Warn(absl::string_view text);
// Standard output; Fail() with the reason if that cannot be written.
int PrintOrFail(absl::string_view text);
// The same for what `write` puts into a sink.
int PrintOrFail(const std::function<absl::Status(ByteSink&)>& write);

// Where memory ends, so does the run: as a failure that says why, not as a crash.
void FailWhenOutOfMemory();

}  // namespace onnx_hier::cli

#endif  // ONNX_HIER_TOOLS_CLI_PROGRAM_H_
