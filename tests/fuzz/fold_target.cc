// SPDX-License-Identifier: Apache-2.0

// Fold, unfold: what was folded comes back byte for byte, the same input gives the same bytes, and
// the folded model is as whole as the flat one. Any model may be unfolded: that is an error, or a
// model.

#include <string>

#include "absl/strings/str_cat.h"
#include "onnx_hier/folds.h"
#include "onnx_hier/hierarchy.h"
#include "onnx_hier/onnx_hier.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/invariants.h"

namespace onnx_hier::fuzz {
namespace {

std::string Written(const Model& model, const Edits& edits) {
  static MemoryFile out;
  const absl::Status status = Write(model, edits, Destination::Stream(out.Reset()));
  Require(status.ok(), absl::StrCat("it can be written: ", status.message()));
  return out.Read();
}

Annotation Judged(const Model& model) {
  Annotation annotation = Annotate(model);
  const std::string broken = IsFolded(model)
                                 ? testing::InvariantsOfFolded(model.graph(), annotation)
                                 : testing::Invariants(model.graph(), annotation);
  Require(broken.empty(), broken);
  return annotation;
}

void UnfoldAll(const Model& model) {
  const absl::StatusOr<Unfolding> unfolding = Unfold(model, {.all = true});
  if (!unfolding.ok()) return;
  static MemoryFile flat;
  flat.Reset(Written(model, unfolding->edits));
  const Model second = OpenWritten(flat);
  const Graph& graph = second.graph();
  Require(graph.nodes(graph.main_block()).size() == unfolding->nodes_after,
          "it has as many nodes as was said");
}

void FoldAndUnfold(absl::string_view input, const Model& model, const FoldRequest& request) {
  const Annotation annotation = Judged(model);
  const Hierarchy hierarchy(model.graph(), annotation);
  const absl::StatusOr<Folding> folding = Fold(model, hierarchy, request);
  if (!folding.ok()) return;
  const std::string bytes = Written(model, folding->edits);
  const absl::StatusOr<Folding> again = Fold(model, hierarchy, request);
  Require(again.ok(), "what can be folded can be folded again");
  RequireSame(bytes, Written(model, again->edits), "the same folded model twice");
  static MemoryFile file;
  file.Reset(bytes);
  const Model folded = OpenWritten(file);
  Judged(folded);
  const absl::StatusOr<Unfolding> unfolding = Unfold(folded, {});
  Require(unfolding.ok(), absl::StrCat("it can be unfolded: ", unfolding.status().message()));
  Require(unfolding->exact || folding->functions.empty(), "it comes back as it was");
  RequireSame(Written(folded, unfolding->edits), input, "it comes back byte for byte");
}

void Run(absl::string_view input) {
  static MemoryFile file;
  file.Reset(input);
  const absl::StatusOr<Model> model = Model::Open(file.path());
  if (!model.ok()) return;
  UnfoldAll(*model);
  FoldAndUnfold(input, *model, {.min_nodes = 1});
  FoldAndUnfold(input, *model, {.repeated = true});
}

}  // namespace
}  // namespace onnx_hier::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  onnx_hier::fuzz::Run(onnx_hier::fuzz::Text(data, size));
  return 0;
}
