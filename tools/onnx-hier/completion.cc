// SPDX-License-Identifier: Apache-2.0
#include "tools/onnx-hier/completion.h"

#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "tools/onnx-hier/cli.h"

namespace onnx_hier::cli {
namespace {

// What else than a command may come first.
constexpr char kOtherWords[] = "help --help --version completion";
constexpr char kShells[] = "bash zsh fish";

// What an option's value may be, by its name in the table.
enum class FlagValue { kNone, kText, kFile, kFolder, kChoice, kModule };

FlagValue ValueOf(const Flag& flag) {
  if (flag.value_name == nullptr) return FlagValue::kNone;
  const absl::string_view name = flag.value_name;
  if (flag.choices != nullptr || absl::StrContains(name, '|')) return FlagValue::kChoice;
  if (name == "DIR") return FlagValue::kFolder;
  if (absl::StartsWith(name, "PATTERN")) return FlagValue::kModule;
  constexpr absl::string_view kFiles[] = {"FILE",     "LIST",   "PROFILE",
                                          "PROFILE2", "VALUES", "ASSIGNMENT"};
  const bool is_file = absl::c_linear_search(kFiles, name) || absl::StrContains(name, '.');
  return is_file ? FlagValue::kFile : FlagValue::kText;
}

// "copy|keep" as words.
std::string Choices(const Flag& flag) {
  if (flag.choices != nullptr) return flag.choices;
  return absl::StrReplaceAll(flag.value_name, {{"|", " "}});
}

// Text between single quotes, of shells in which none can stand there.
std::string Quoted(absl::string_view text) {
  return absl::StrCat("'", absl::StrReplaceAll(text, {{"'", "'\\''"}}), "'");
}

std::string CommandNames() {
  return absl::StrJoin(Commands(), " ", [](std::string* text, const CommandEntry& command) {
    absl::StrAppend(text, command.name);
  });
}

// --- bash

std::string BashOptions(const CommandEntry& command) {
  std::vector<std::string> options;
  for (const Flag& flag : command.flags) {
    options.push_back(absl::StrCat("--", flag.name));
    if (flag.letter != 0) options.push_back(absl::StrCat("-", std::string(1, flag.letter)));
  }
  return absl::StrJoin(options, " ");
}

// What follows an option with a value; files where nothing is said.
std::string BashValues(const CommandEntry& command) {
  std::string text;
  for (const Flag& flag : command.flags) {
    std::string then;
    if (ValueOf(flag) == FlagValue::kChoice) {
      then = absl::StrCat("words=", Quoted(Choices(flag)));
    } else if (ValueOf(flag) == FlagValue::kModule) {
      then = "words=$(_onnx_hier_modules)";
    } else if (ValueOf(flag) == FlagValue::kFolder) {
      then = "compopt -o dirnames";
    } else if (ValueOf(flag) == FlagValue::kText) {
      then = "compopt +o default";
    } else {
      continue;
    }
    const std::string letter =
        flag.letter == 0 ? "" : absl::StrCat("|-", std::string(1, flag.letter));
    absl::StrAppend(&text, "        --", flag.name, letter, ") ", then, " ;;\n");
  }
  return text;
}

std::string BashCompletion() {
  std::string text = absl::StrCat(
      "# Made by 'onnx-hier completion bash'.\n"
      // Of the first model of the line.
      "_onnx_hier_modules() {\n"
      "  local word\n"
      "  for word in \"${COMP_WORDS[@]:2}\"; do\n"
      "    [[ $word == *.onnx && -f $word ]] || continue\n"
      "    \"${COMP_WORDS[0]}\" tree \"$word\" --format csv 2> /dev/null | cut -d, -f1 | tr / . |\n"
      "      sed 's/^[.]//'\n"
      "    return\n"
      "  done\n"
      "}\n"
      "_onnx_hier() {\n"
      "  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}\n"
      "  local command=${COMP_WORDS[1]} options='' words=''\n"
      "  if ((COMP_CWORD == 1)); then command='' words=",
      Quoted(absl::StrCat(CommandNames(), " ", kOtherWords)), "; fi\n  case $command in\n");
  for (const CommandEntry& command : Commands()) {
    absl::StrAppend(&text, "    ", command.name, ")\n      options=", Quoted(BashOptions(command)),
                    "\n");
    const std::string values = BashValues(command);
    if (!values.empty())
      absl::StrAppend(&text, "      case $previous in\n", values, "      esac\n");
    // Behind a model come modules, where a command takes them so.
    if (absl::StrContains(command.arguments, "PATTERN")) {
      text +=
          "      if [[ $previous != -* && $words == '' ]]; then words=$(_onnx_hier_modules); fi\n";
    }
    text += "      ;;\n";
  }
  absl::StrAppend(&text, "    help) words=", Quoted(CommandNames()),
                  " ;;\n    completion) words=", Quoted(kShells),
                  " ;;\n  esac\n"
                  "  if [[ $current == -* ]]; then words+=\" $options\"; fi\n"
                  "  mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\")\n"
                  "}\n"
                  "complete -o default -F _onnx_hier onnx-hier\n");
  return text;
}

// --- zsh

// Of a description that stands between brackets or before a colon.
std::string ZshText(absl::string_view text) {
  return absl::StrReplaceAll(
      text, {{"\\", "\\\\"}, {"[", "\\["}, {"]", "\\]"}, {":", "\\:"}, {"'", "'\\''"}});
}

std::string ZshValue(const Flag& flag) {
  switch (ValueOf(flag)) {
    case FlagValue::kNone:
      return "";
    case FlagValue::kText:
    case FlagValue::kModule:
      return absl::StrCat(":", ZshText(flag.value_name), ": ");
    case FlagValue::kFile:
      return absl::StrCat(":", ZshText(flag.value_name), ":_files");
    case FlagValue::kFolder:
      return absl::StrCat(":", ZshText(flag.value_name), ":_files -/");
    case FlagValue::kChoice:
      return absl::StrCat(":", ZshText(flag.value_name), ":(", Choices(flag), ")");
  }
  return "";
}

std::string ZshOption(const Flag& flag) {
  const std::string told = absl::StrCat("[", ZshText(flag.help), "]", ZshValue(flag), "'");
  const std::string name = absl::StrCat("--", flag.name);
  if (flag.repeatable) return absl::StrCat("'*", name, told);
  if (flag.letter == 0) return absl::StrCat("'", name, told);
  const std::string letter = absl::StrCat("-", std::string(1, flag.letter));
  return absl::StrCat("'(", letter, " ", name, ")'{", letter, ",", name, "}'", told);
}

std::string ZshCompletion() {
  std::string text =
      "#compdef onnx-hier\n"
      "# Made by 'onnx-hier completion zsh'.\n"
      "_onnx_hier() {\n"
      "  local -a commands=(\n";
  for (const CommandEntry& command : Commands()) {
    absl::StrAppend(&text, "    '", command.name, ":", ZshText(command.summary), "'\n");
  }
  absl::StrAppend(&text, "  )\n  if ((CURRENT == 2)); then\n    _describe command commands\n",
                  "    compadd -- ", kOtherWords,
                  "\n    return\n  fi\n  local command=$words[2]\n"
                  "  shift words\n  ((CURRENT--))\n  case $command in\n");
  for (const CommandEntry& command : Commands()) {
    absl::StrAppend(&text, "    ", command.name, ")\n      _arguments -s \\\n");
    for (const Flag& flag : command.flags) {
      absl::StrAppend(&text, "        ", ZshOption(flag), " \\\n");
    }
    text += "        '*:file:_files'\n      ;;\n";
  }
  absl::StrAppend(&text, "    help) _describe command commands ;;\n    completion) compadd ",
                  kShells, " ;;\n  esac\n}\n_onnx_hier \"$@\"\n");
  return text;
}

// --- fish

std::string FishText(absl::string_view text) {
  return absl::StrCat("'", absl::StrReplaceAll(text, {{"\\", "\\\\"}, {"'", "\\'"}}), "'");
}

std::string FishValue(const Flag& flag) {
  switch (ValueOf(flag)) {
    case FlagValue::kNone:
      return "";
    case FlagValue::kText:
    case FlagValue::kModule:
      return " -x";
    case FlagValue::kFile:
      return " -r -F";
    case FlagValue::kFolder:
      return " -x -a '(__fish_complete_directories)'";
    case FlagValue::kChoice:
      return absl::StrCat(" -x -a ", FishText(Choices(flag)));
  }
  return "";
}

std::string FishCompletion() {
  std::string text = absl::StrCat(
      "# Made by 'onnx-hier completion fish'.\n"
      "complete -c onnx-hier -n __fish_use_subcommand -f -a ",
      FishText(kOtherWords), "\n");
  for (const CommandEntry& command : Commands()) {
    absl::StrAppend(&text, "complete -c onnx-hier -n __fish_use_subcommand -f -a ", command.name,
                    " -d ", FishText(command.summary), "\n");
    for (const Flag& flag : command.flags) {
      absl::StrAppend(&text, "complete -c onnx-hier -n '__fish_seen_subcommand_from ", command.name,
                      "' -l ", flag.name,
                      flag.letter == 0 ? "" : absl::StrCat(" -s ", std::string(1, flag.letter)),
                      FishValue(flag), " -d ", FishText(flag.help), "\n");
    }
  }
  absl::StrAppend(&text, "complete -c onnx-hier -n '__fish_seen_subcommand_from help' -f -a ",
                  FishText(CommandNames()),
                  "\ncomplete -c onnx-hier -n '__fish_seen_subcommand_from completion' -f -a ",
                  FishText(kShells), "\n");
  return text;
}

}  // namespace

std::string CompletionFor(absl::string_view shell) {
  if (shell == "bash") return BashCompletion();
  if (shell == "zsh") return ZshCompletion();
  return shell == "fish" ? FishCompletion() : "";
}

}  // namespace onnx_hier::cli
