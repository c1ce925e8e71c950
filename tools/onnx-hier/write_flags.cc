// SPDX-License-Identifier: Apache-2.0
#include "tools/onnx-hier/write_flags.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include "absl/strings/str_cat.h"
#include "onnx_hier_program/missing_file.h"
#include "onnx_hier_program/tasks.h"
#include "tools/cli/terminal.h"
#include "tools/onnx-hier/cli.h"
#include "tools/onnx-hier/files_read.h"

namespace onnx_hier::cli {
namespace {

constexpr uint64_t kTextPiece = 64 << 10;
constexpr uint64_t kLargestTextPiece = 1 << 30;

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

std::string CheckNoTerminal(const std::string& output) {
  if (output == "-" && isatty(STDOUT_FILENO) != 0) {
    return "a model is not for a terminal: send standard output to a file or a program";
  }
  return "";
}

// Whether the functions of a model that is not folded are too much to be put in. Then says so.
bool CountsBodiesOnce(const Model& model, const std::string& path, const absl::Status& status) {
  if (!absl::IsResourceExhausted(status) || IsFolded(model)) return false;
  Warn(absl::StrCat(InputName(path),
                    ": nodes of functions are told of once, not in each call: ", status.message()));
  return true;
}

}  // namespace

WriteOptions WriteOptionsOf(const ParsedFlags& flags) {
  WriteOptions options;
  // An output that is there and not left out is older than its model.
  options.replace = flags.Has("force") || flags.Has("skip-existing");
  options.allow_over_2gib = flags.Has("force");
  options.in_place = flags.Has("in-place");
  options.sync = !flags.Has("no-sync");
  options.external_data = flags.Value("external-data") == "copy"   ? ExternalData::kCopy
                          : flags.Value("external-data") == "keep" ? ExternalData::kKeep
                                                                   : ExternalData::kRefuse;
  options.cancel = CatchInterrupts();
  options.also_read = FilesRead();
  return options;
}

WriteOptions PartWriteOptionsOf(const ParsedFlags& flags) {
  WriteOptions options = WriteOptionsOf(flags);
  options.offers_in_place = false;
  if (!flags.Has("external-data")) options.external_data = ExternalData::kCutElsewhere;
  if (flags.Value("external-data") == "cut") options.external_data = ExternalData::kCut;
  return options;
}

bool IsStream(const std::string& path) {
  struct stat status;
  return path == "-" || (stat(path.c_str(), &status) == 0 &&
                         (S_ISCHR(status.st_mode) || S_ISFIFO(status.st_mode)));
}

Destination To(const std::string& path) {
  if (path == "-") return Destination::Stream(STDOUT_FILENO);
  // Open until the program ends: one that cannot be opened is told of as a file.
  const int stream = IsStream(path) ? open(path.c_str(), O_WRONLY | O_NOCTTY | O_CLOEXEC) : -1;
  return stream >= 0 ? Destination::Stream(stream) : Destination::File(path);
}

Destination To(const std::string& path, const JobFiles& job) {
  return path == "-" || job.replaces ? To(path) : Destination::File(path);
}

std::string CheckWriteFlags(const ParsedFlags& flags, const std::string& output) {
  const std::string external = flags.Value("external-data");
  if (flags.Has("external-data") && external != "copy" && external != "keep") {
    return absl::StrCat("--external-data takes copy or keep, not '", external, "'");
  }
  return CheckNoTerminal(output);
}

std::string CheckPartWriteFlags(const ParsedFlags& flags, const std::string& output) {
  const std::string external = flags.Value("external-data");
  if (flags.Has("external-data") && external != "cut" && external != "copy" && external != "keep") {
    return absl::StrCat("--external-data takes cut, copy or keep, not '", external, "'");
  }
  return CheckNoTerminal(output);
}
std::string CheckSidecarOnly(const ParsedFlags& flags) {
  if (flags.Has("sidecar-only") && (flags.Has("output") || flags.Has("in-place"))) {
    return "--sidecar-only writes no model, which --output or --in-place would name; --sidecar "
           "FILE "
           "says where the sidecar goes";
  }
  return "";
}

std::string CheckStreams(const ParsedFlags& flags, std::initializer_list<const char*> names) {
  auto streams = std::count(flags.arguments().begin(), flags.arguments().end(), "-");
  for (const char* name : names) streams += flags.Value(name) == "-" ? 1 : 0;
  return streams > 1 ? "only one of the files can be standard input" : "";
}

absl::Status WriteDocument(const Model& model, const Document& document, const std::string& output,
                           const ParsedFlags& flags) {
  std::vector<std::string> warnings;
  WriteOptions options = WriteOptionsOf(flags);
  options.warnings = &warnings;
  options.offers_in_place = false;
  absl::Status status = Write(model, {{document, To(output)}}, options);
  if (!status.ok()) return Named(OutputName(output), status);
  WarnOf(warnings, flags);
  return status;
}

absl::StatusOr<Model> OpenModel(const std::string& path, int threads) {
  const OpenOptions options = {.threads = threads};
  if (path != "-") return Model::Open(path, options);
  absl::StatusOr<Model> model = Model::FromStream(STDIN_FILENO, options);
  if (!model.ok()) return Named(InputName(path), model.status());
  return model;
}

absl::StatusOr<Annotation> AnnotateModel(const Model& model, const std::string& path,
                                         const AnnotateOptions& options) {
  Annotation annotation = Annotate(model, options);
  if (CountsBodiesOnce(model, path, annotation.unfolding)) return annotation;
  if (!annotation.unfolding.ok()) return Named(InputName(path), annotation.unfolding);
  return annotation;
}

absl::StatusOr<Model> OpenFlatModel(const std::string& path, Weights weights, int threads) {
  absl::StatusOr<Model> model = OpenModel(path, threads);
  if (!model.ok()) return model;
  NoteRead(*model);
  absl::StatusOr<std::optional<UnfoldedModel>> opened = UnfoldModel(*model, path, weights);
  if (!opened.ok()) return opened.status();
  std::optional<UnfoldedModel> flat = *std::move(opened);
  if (!flat.has_value()) return model;
  return std::move(flat->model);
}

absl::StatusOr<std::optional<UnfoldedModel>> UnfoldModel(const Model& model,
                                                         const std::string& path, Weights weights) {
  absl::StatusOr<std::optional<UnfoldedModel>> flat = OpenUnfolded(model, weights, {});
  if (CountsBodiesOnce(model, path, flat.status())) return std::nullopt;
  if (!flat.ok()) return Named(InputName(path), flat.status());
  return flat;
}

absl::Status CheckOutput(const Model& model, const std::string& input, const std::string& output,
                         const ParsedFlags& flags, absl::Span<const TextFile> texts) {
  JobFiles job = {.input = input,
                  .model = output,
                  .sidecar = "",
                  .data = model.external_locations(),
                  .copies_data = flags.Value("external-data") == "copy"};
  return CheckJobFiles({&job, 1}, texts);
}

void WarnOf(const std::vector<std::string>& warnings, const ParsedFlags& flags) {
  if (flags.Has("quiet")) return;
  for (const std::string& warning : warnings) Warn(warning);
}

absl::StatusOr<std::string> ReadText(const std::string& path) {
  NoteRead(path);
  const std::unique_ptr<std::FILE, CloseFile> opened(path == "-" ? nullptr
                                                                 : std::fopen(path.c_str(), "rb"));
  std::FILE* file = path == "-" ? stdin : opened.get();
  std::string text;
  if (file != nullptr) {
    // A file is read whole at once; what has no size, in pieces as large as what was read before.
    struct stat status;
    const bool has_size = fstat(fileno(file), &status) == 0 && S_ISREG(status.st_mode);
    const uint64_t size = has_size ? static_cast<uint64_t>(status.st_size) : 0;
    size_t wanted = std::min(size, kLargestTextPiece) + kTextPiece;
    for (size_t read = 0;; wanted = 2 * read + kTextPiece) {
      text.resize(wanted);
      read += std::fread(&text[read], 1, wanted - read, file);
      if (read < wanted) {
        text.resize(read);
        break;
      }
    }
  }
  if (file == nullptr) return Named(InputName(path), CannotOpen(path, "cannot be read", errno));
  if (std::ferror(file) != 0) {
    return Named(InputName(path),
                 absl::NotFoundError(absl::StrCat("cannot be read: ", std::strerror(errno))));
  }
  return text;
}

absl::Status Named(absl::string_view name, const absl::Status& status) {
  return absl::Status(status.code(), absl::StrCat(name, ": ", status.message()));
}

std::string InputName(const std::string& path) { return path == "-" ? "standard input" : path; }
std::string ShownFileName(const std::string& path) { return InputName(FileName(path)); }
std::string OutputName(const std::string& path) { return path == "-" ? "standard output" : path; }

}  // namespace onnx_hier::cli
