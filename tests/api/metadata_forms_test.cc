// SPDX-License-Identifier: Apache-2.0

// Tags in metadata_props, as each reader of these looks for them: what torch writes is read back as
// from torch, and all of it can be taken out again.

#include <string>

#include "absl/strings/str_cat.h"
#include "onnx_hier/onnx_hier.h"
#include "tests/support/status.h"
#include "tests/support/temp_folder.h"
#include "tests/support/wire.h"

namespace onnx_hier {
namespace {

using testing::MemoryFile;
using testing::TempFolder;

std::string Written(const Model& model, const Edits& edits) {
  const TempFolder folder;
  const std::string path = folder.path() + "/out.onnx";
  CHECK(Write(model, edits, Destination::File(path)).ok());
  return testing::ReadFile(path);
}

Model Block() {
  return testing::Value(Model::Open(
      MemoryFile(
          wire::Model(wire::Graph(
              wire::Node("MatMul", {"x", "blocks.0.it's.weight"}, {"h"}, "/blocks.0/it's/MatMul") +
              wire::Node("Relu", {"h"}, {"r"}, "/blocks.0/Relu") +
              wire::Node("Add", {"r", "x"}, {"y"}, "/Add") +
              wire::Initializer("blocks.0.it's.weight", {4, 4}, std::string(64, 'w')) +
              wire::Input("x") + wire::Output("y"))))
          .path()));
}

std::string MetadataOf(const Model& model, size_t node, absl::string_view key) {
  for (const StringPair& pair : model.graph().metadata(NodeId(node))) {
    if (pair.key == key) return std::string(pair.value);
  }
  return "";
}

TEST_CASE("each form is written as its reader wants it") {
  const Model model = Block();
  const Model tagged =
      testing::Value(Model::Open(MemoryFile(Written(model, TagEdits(model, Annotate(model), {},
                                                                    {.metadata = MetadataForms()})))
                                     .path()));
  CHECK(MetadataOf(tagged, 0, "namespace") == "blocks.0/it's");
  CHECK(MetadataOf(tagged, 0, "pkg.torch.onnx.name_scopes") ==
        R"(['', 'blocks.0', 'blocks.0.it\'s', 'MatMul'])");
  CHECK(MetadataOf(tagged, 0, "pkg.torch.onnx.class_hierarchy") == "['', '', '', 'MatMul']");
  CHECK(MetadataOf(tagged, 0, "winml.hierarchy.tag") == "/blocks.0/it's");
  CHECK(MetadataOf(tagged, 0, "winml.hierarchy.depth") == "2");
  CHECK(MetadataOf(tagged, 0, "layer_ann") == "/blocks.0/it's/");
  CHECK(MetadataOf(tagged, 2, "layer_ann") == "/");
  CHECK(MetadataOf(tagged, 2, "pkg.torch.onnx.name_scopes") == "['', 'Add']");
  CHECK(MetadataOf(tagged, 1, "onnx_hier.forms") == "explorer torch winml ort");
}

TEST_CASE("torch's form says the same modules where nothing else does") {
  const Model model = Block();
  const Model tagged = testing::Value(Model::Open(
      MemoryFile(Written(model, TagEdits(model, Annotate(model), {}, {.metadata = {"torch"}})))
          .path()));
  Edits edits;
  for (NodeId node : tagged.graph().node_ids()) {
    edits.SetName(node, absl::StrCat("node_", node.index()));
    edits.RemoveDocString(node);
    for (const char* key : {"path", "method", "confidence", "forms"}) {
      edits.RemoveMetadata(node, absl::StrCat("onnx_hier.", key));
    }
  }
  const Model left = testing::Value(Model::Open(MemoryFile(Written(tagged, edits)).path()));
  const Annotation before = Annotate(model);
  const Annotation after = Annotate(left);
  for (NodeId node : left.graph().node_ids()) {
    CHECK(after.assignments[node].method == Method::kMetadata);
    CHECK(after.paths.Tag(after.assignments[node].primary) ==
          before.paths.Tag(before.assignments[node].primary));
  }
}

TEST_CASE("what was there before is read, and put back") {
  const Model model = Block();
  Edits labels;
  labels.SetMetadata(NodeId(0), "layer_ann", "theirs");
  labels.SetMetadata(NodeId(1), "pkg.torch.onnx.name_scopes", "['', 'blocks', 'relu']");
  const std::string labelled = Written(model, labels);
  const Model theirs = testing::Value(Model::Open(MemoryFile(labelled).path()));
  const Annotation annotation = Annotate(theirs);
  CHECK(annotation.paths.Tag(annotation.assignments[NodeId(1)].primary) == "/blocks");
  const std::string bytes =
      Written(theirs, TagEdits(theirs, annotation, {}, {.metadata = {"torch", "ort"}}));
  const Model tagged = testing::Value(Model::Open(MemoryFile(bytes).path()));
  CHECK(MetadataOf(tagged, 0, "layer_ann") == "/blocks.0/it's/");
  CHECK(MetadataOf(tagged, 0, "onnx_hier.layer_ann") == "theirs");
  const Annotation again = Annotate(tagged);
  CHECK(again.paths.Tag(again.assignments[NodeId(1)].primary) == "/blocks");
  CHECK(Written(tagged, TagEdits(tagged, again)) == bytes);
  CHECK(Written(tagged, StripEdits(tagged)) == labelled);
}

}  // namespace
}  // namespace onnx_hier
