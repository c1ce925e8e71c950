// SPDX-License-Identifier: Apache-2.0

// The whole program: any of its commands, with any flags, on a model and on files made from it
// (scene.h). What must hold of every command does (command_beliefs.h), an output is what the
// command promises, as the judge that reads with protobuf sees it, and what can be undone is.

#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "onnx_hier/folds.h"
#include "onnx_hier/model.h"
#include "tests/fuzz/canonical.h"
#include "tests/fuzz/command_table.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/scene.h"
#include "tests/fuzz/sound_model.h"
#include "tests/fuzz/wire_mutator.h"
#include "tests/support/written_model.h"
#include "tools/cli/program.h"
#include "tools/onnx-hier-verify/model_file.h"
#include "tools/onnx-hier-verify/relation.h"

namespace onnx_hier::fuzz {
namespace {

constexpr int kCommands = 8;

// Whether a command wrote into it before, and that may have been changed: what is left of ours is
// taken out by the next one.
bool HoldsOurs(const std::string& model) { return absl::StrContains(model, "onnx_hier."); }

// Parts are cut from the model with those functions put in that stand for several modules.
std::string WhatIsCut(const Scene& scene, const ChosenCommand& command) {
  std::string path = scene / "in.onnx";
  const verify::Relation promised = command.promise->relation;
  if (promised != verify::Relation::kPart && promised != verify::Relation::kProbe) return path;
  const absl::StatusOr<Model> model = Model::Open(path);
  if (!model.ok()) return path;
  const auto flat = OpenUnfolded(*model, Weights::kCopied);
  if (!flat.ok() || !flat->has_value()) return path;
  path = scene / "flat.onnx";
  std::ofstream(path, std::ios::binary) << testing::WrittenModel((*flat)->model, Edits());
  return path;
}

// Judged where protobuf reads both, and the input is a model that can be judged.
void RequirePromised(const Scene& scene, const ChosenCommand& command) {
  const absl::StatusOr<verify::ModelFile> in = verify::ReadModelFile(WhatIsCut(scene, command));
  if (!in.ok() || !IsSound(in->model()) || HoldsOurs(scene.model())) return;
  const absl::StatusOr<verify::ModelFile> out = verify::ReadModelFile(command.promise->file);
  Require(out.ok(), "protobuf reads what was written");
  const verify::Verdict verdict = verify::Judge(*in, *out, command.promise->relation);
  Require(verdict.holds,
          absl::StrCat(verdict.difference, "\n  ", absl::StrJoin(command.words, " ")));
}

std::string Undone(Scene& scene, const char* command, const std::string& file) {
  const std::string back = scene / "back.onnx";
  const CommandResult result = scene.Run({command, file, "-o", back, "-q", "--no-sync"});
  Require(result.code == cli::kDone, absl::StrCat(command, " takes it back: ", result.err));
  std::string bytes = testing::ReadFile(back);
  std::filesystem::remove(back);
  return bytes;
}

// Byte for byte where the model is written as protobuf writes it, else what it means.
void RequireBack(const std::string& back, const std::string& model, absl::string_view what) {
  const std::optional<std::string> canonical = Canonical(model);
  if (canonical == model) RequireSame(back, model, what);
  if (canonical.has_value()) RequireSame(Canonical(back).value_or("unreadable"), *canonical, what);
}

// What can be undone is undone: a fold, and tags to what `strip` makes of the input.
void RequireUndone(Scene& scene, const ChosenCommand& command) {
  const std::string& out = command.promise->file;
  if (command.words[0] == "fold") {
    RequireBack(Undone(scene, "unfold", out), scene.model(), "what was folded comes back");
  } else if (command.words[0] == "tag" && !HoldsOurs(scene.model())) {
    RequireBack(Undone(scene, "strip", out), Undone(scene, "strip", scene / "in.onnx"),
                "strip undoes tag");
  }
}

void RunOne(Scene& scene, testing::Random& random) {
  ChosenCommand command = ChooseCommand(scene, random);
  if (command.promise.has_value()) command.words.push_back("--no-sync");
  const CommandResult result = scene.Run(command.words);
  if (command.promise.has_value() && result.code != cli::kFailed &&
      std::filesystem::exists(command.promise->file)) {
    RequirePromised(scene, command);
    RequireUndone(scene, command);
  }
  for (const char* output : {"out.onnx", "out.html", "out.json", "outs"}) {
    std::filesystem::remove_all(scene / output);
  }
}

void Run(absl::string_view input) {
  static Scene scene;
  testing::Random random(ModelVersion(input));
  scene.Set(input, random);
  for (int i = 0; i < kCommands; ++i) RunOne(scene, random);
}

}  // namespace
}  // namespace onnx_hier::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  onnx_hier::fuzz::Run(onnx_hier::fuzz::Text(data, size));
  return 0;
}
