// SPDX-License-Identifier: Apache-2.0
#include "tools/onnx-hier/help.h"

#include "absl/strings/str_cat.h"
#include "tools/cli/help_text.h"

namespace onnx_hier::cli {
namespace {

constexpr char kSummary[] = "which module of my model does this ONNX node belong to?";
constexpr char kExitCodes[] =
    "0  done\n"
    "1  a check or a comparison found something, a selection nothing\n"
    "2  it could not be done: wrong usage, an unreadable or damaged file, no room\n";

// What people want, and how it is done here.
constexpr Example kTasks[] = {
    {"onnx-hier tree bert.onnx --depth 3", "see what the model is made of"},
    {"onnx-hier report bert.onnx", "the same in a browser"},
    {"onnx-hier tag bert.onnx", "write the modules into the model, and beside it as JSON"},
    {"onnx-hier explain bert.onnx NODE", "know why a node is in its module"},
    {"onnx-hier select bert.onnx 'cls.**' --format json", "leave a module out of quantisation"},
    {"onnx-hier profile bert.onnx profile.json", "know where the time goes"},
    {"onnx-hier cost bert.onnx --dim sequence=128",
     "know how much compute and memory modules take"},
    {"onnx-hier extract bert.onnx bert.encoder.layer.3", "run or test one module by itself"},
    {"onnx-hier split bert.onnx --parts 2 --output-dir parts", "run the model on two machines"},
    {"onnx-hier apply bert.onnx bert_optimised.onnx", "keep owners across an optimiser"},
    {"onnx-hier diff old.onnx new.onnx", "know what changed between two exports"},
    {"onnx-hier weights m.onnx --checkpoint m.safetensors", "know what its weights are called"},
    {"onnx-hier check bert.onnx", "find wrong tags, in CI for example"},
    {"onnx-hier fold bert.onnx", "make a viewer show modules as nodes"},
};

// The longest of the commands above, and room behind it.
constexpr size_t kTaskWidth = 57;

HelpPage PageOf(const CommandEntry& command) {
  return {absl::StrCat("onnx-hier ", command.name),
          command.arguments,
          command.summary,
          command.description,
          command.flags,
          command.examples};
}

}  // namespace

std::string ProgramHelp() {
  std::string text =
      absl::StrCat("onnx-hier - ", kSummary, "\n\nUsage: onnx-hier COMMAND ...\n\n", "Commands:\n");
  for (const CommandEntry& command : Commands()) {
    absl::StrAppend(&text, "  ", Padded(command.name, 9), command.summary, "\n");
  }
  text += "\nTasks:\n";
  for (const Example& task : kTasks) {
    absl::StrAppend(&text, "  ", Padded(task.command, kTaskWidth), task.effect, "\n");
  }
  absl::StrAppend(&text,
                  "\n'onnx-hier COMMAND --help' shows a command's options and examples; "
                  "'onnx-hier --version' the version.\n"
                  "'onnx-hier completion SHELL' prints completions for bash, zsh or fish.\n\n"
                  "Exit codes:\n",
                  Indented(kExitCodes));
  return text;
}

std::string CommandHelp(const CommandEntry& command) { return HelpText(PageOf(command)); }

std::string ManPage() {
  std::string text = absl::StrCat(ManHead("onnx-hier", kSummary), ".B ", Roff("onnx-hier"),
                                  "\nCOMMAND ...\n.SH COMMANDS\nEach has a page of its own.\n");
  for (const CommandEntry& command : Commands()) {
    absl::StrAppend(&text, ".TP\n.BR ", Roff(absl::StrCat("onnx-hier-", command.name)), " (1)\n",
                    Roff(command.summary), "\n");
  }
  text += ".SH EXAMPLES\n";
  for (const Example& task : kTasks) {
    absl::StrAppend(&text, ".TP\n.B ", Roff(task.command), "\n", Roff(task.effect), "\n");
  }
  return text + ManExitStatus(kExitCodes);
}

std::string CommandManPage(const CommandEntry& command) {
  const HelpPage page = PageOf(command);
  return absl::StrCat(ManHead(absl::StrCat("onnx-hier-", command.name), command.summary),
                      ManSynopsis(page), ".SH DESCRIPTION\n", Roff(command.description),
                      "\n.SH OPTIONS\n", ManOptions(page), ManExitStatus(kExitCodes),
                      ".SH SEE ALSO\n.BR ", Roff("onnx-hier"), " (1)\n");
}

}  // namespace onnx_hier::cli
