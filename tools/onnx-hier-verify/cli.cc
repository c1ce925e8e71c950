// SPDX-License-Identifier: Apache-2.0
#include "tools/onnx-hier-verify/cli.h"

#include <google/protobuf/stubs/logging.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "onnx_hier/version.h"
#include "tools/cli/flags.h"
#include "tools/cli/help_text.h"
#include "tools/cli/program.h"
#include "tools/cli/terminal.h"
#include "tools/onnx-hier-verify/model_file.h"
#include "tools/onnx-hier-verify/relation.h"
#include "tools/onnx-hier-verify/report.h"

namespace onnx_hier::verify {
namespace {

using cli::Fail;
using cli::PrintOrFail;

constexpr cli::Flag kFlags[] = {
    {"as", 0, "RELATION", "what OUT must be: same, tags, named, probe, part or folded"},
    {"check", 0, nullptr, "ask the checker of the installed onnx about OUT as well"},
    {"json", 0, nullptr, "print the results as JSON"},
    cli::kQuietFlag,
    cli::kHelpFlag,
    {"version", 0, nullptr, "show the version"},
};

constexpr cli::Example kExamples[] = {
    {"onnx-hier-verify bert.onnx bert_tagged.onnx", "says that nothing but doc_strings differs"},
    {"onnx-hier-verify --as same bert.onnx bert_stripped.onnx && rm bert_stripped.onnx",
     "removes a copy that is the same"},
    {"onnx-hier-verify --as part bert.onnx layer0.onnx layer1.onnx", "looks at two extracts"},
    {"onnx-hier-verify --as folded --check --json bert.onnx bert_folded.onnx", "for machines"},
};

constexpr char kDescription[] =
    "Reads the models with protobuf's own parser, which has nothing in common with the reader of\n"
    "onnx-hier, and finds the strongest of these relations of OUT to IN:\n"
    "\n"
    "same    the same message\n"
    "tags    the same but for doc_strings of nodes (and metadata 'onnx_hier.*' of the model)\n"
    "named   the same as that, but for names of nodes that had none, or one that others have, "
    "too,\n"
    "        and have a number behind it now\n"
    "probe   the same, with more graph outputs\n"
    "part    nodes of IN with their weights and functions; what else they read are graph inputs\n"
    "folded  the same once the functions that IN does not have are inlined; names of nodes and\n"
    "        of inner values may differ\n"
    "\n"
    "Otherwise it is different, and the first difference is shown. Any relation is good, if none\n"
    "is asked for; one that is stronger than --as asks for is good as well. Of data in files "
    "beside\n"
    "a model, it is compared where they are said to be; where a part or a probe has them "
    "elsewhere,\n"
    "byte by byte what is there.";

constexpr char kExitCodes[] =
    "0  every OUT is what it should be\n"
    "1  one is different, or the checker refuses it\n"
    "2  it could not be done: wrong usage, an unreadable or damaged file, a model larger than\n"
    "   2 GiB or one newer than the checker\n";

cli::HelpPage Page() {
  return {"onnx-hier-verify",
          "IN.onnx OUT.onnx...",
          "what has become of an ONNX model?",
          kDescription,
          kFlags,
          kExamples};
}

std::string Help() {
  return absl::StrCat(cli::HelpText(Page()), "\nExit codes:\n", cli::Indented(kExitCodes));
}

std::string ManPage() {
  const cli::HelpPage page = Page();
  std::string text = cli::ManHead(page.name, page.summary) + cli::ManSynopsis(page);
  // The relations are a table: its lines stay as they are.
  absl::StrAppend(&text, ".SH DESCRIPTION\n.nf\n", cli::Roff(page.description),
                  "\n.fi\n.SH OPTIONS\n", cli::ManOptions(page));
  return text + cli::ManExitStatus(kExitCodes);
}

int UsageError(absl::string_view text) {
  return Fail(absl::StrCat(text, "; see 'onnx-hier-verify --help'"));
}

Result ResultOf(const ModelFile& in, const std::string& path, std::optional<Relation> required,
                bool check) {
  Result result;
  result.figures.file = path;
  const absl::StatusOr<ModelFile> out = ReadModelFile(path);
  if (!out.ok()) {
    result.error = std::string(out.status().message());
    return result;
  }
  result.figures = FiguresOf(*out);
  result.verdict = Judge(in, *out, required);
  if (check) result.check = CheckModel(*out);
  return result;
}

// The exit code that a result asks for; says on standard error what its line does not.
int CodeOf(const Result& result) {
  if (!result.error.empty()) return Fail(result.error);
  int code = result.verdict.holds ? cli::kDone : cli::kFound;
  if (!result.check.has_value() || result.check->kind == CheckResult::kPassed) return code;
  const bool refused = result.check->kind == CheckResult::kRefused;
  Fail(absl::StrCat(
      result.figures.file, ": ",
      refused ? "onnx's checker refuses it: " : "cannot be checked: ", result.check->text));
  return refused ? std::max<int>(code, cli::kFound) : cli::kFailed;
}

int Verify(const cli::ParsedFlags& flags, std::optional<Relation> required) {
  const std::vector<std::string>& paths = flags.arguments();
  const absl::StatusOr<ModelFile> in = ReadModelFile(paths[0]);
  if (!in.ok()) return Fail(in.status().message());
  const Figures figures = FiguresOf(*in);
  const bool lines = !flags.Has("json") && !flags.Has("quiet");
  int code = cli::kDone;
  std::vector<Result> results;
  for (size_t i = 1; i < paths.size(); ++i) {
    results.push_back(ResultOf(*in, paths[i], required, flags.Has("check")));
    const Result& result = results.back();
    if (lines && result.error.empty() &&
        PrintOrFail(ResultLine(figures, result, required)) != cli::kDone) {
      return cli::kFailed;
    }
    code = std::max(code, CodeOf(result));
  }
  if (flags.Has("json")) code = std::max(code, PrintOrFail(ResultsJson(figures, results)));
  return code;
}

}  // namespace

int Main(int argc, char** argv) {
  cli::OccupyStandardStreams();
  google::protobuf::SetLogHandler(nullptr);  // its lines would double ours
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.size() == 1 && words[0] == "--man") return PrintOrFail(ManPage());
  const absl::StatusOr<cli::ParsedFlags> flags = cli::ParseFlags(kFlags, words);
  if (!flags.ok()) return UsageError(flags.status().message());
  if (flags->Has("help")) return PrintOrFail(Help());
  if (flags->Has("version")) {
    return PrintOrFail(absl::StrCat("onnx-hier-verify ", kVersion, "\n"));
  }
  std::optional<Relation> required;
  if (flags->Has("as")) {
    required = RelationOf(flags->Value("as"));
    if (!required.has_value()) {
      return UsageError(absl::StrCat("--as takes same, tags, named, probe, part or folded, not '",
                                     flags->Value("as"), "'"));
    }
  }
  if (flags->Has("json") && flags->Has("quiet")) {
    return UsageError("--json and --quiet exclude each other");
  }
  if (flags->arguments().size() < 2) return UsageError("name a model and one or more to compare");
  return Verify(*flags, required);
}

}  // namespace onnx_hier::verify
