// SPDX-License-Identifier: Apache-2.0

// Tag, tag again, strip: every node is tagged, the sums agree, tagging twice changes nothing, the
// same input gives the same bytes, and strip undoes what tag did. The same with names for nodes
// that have none.

#include <string>

#include "lib/tags/doc_string.h"
#include "lib/tags/sidecar.h"
#include "nlohmann/json.hpp"
#include "onnx_hier/onnx_hier.h"
#include "onnx_hier_program/json_text.h"
#include "tests/fuzz/canonical.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/invariants.h"

namespace onnx_hier::fuzz {
namespace {

struct Tagged {
  std::string model;
  std::string sidecar;
};

Tagged Tag(const Model& model, const Annotation& annotation, const GivenNames& names = {}) {
  static MemoryFile out;
  Tagged tagged;
  const Edits tags = TagEdits(model, annotation, names);
  Require(Write(model, tags, Destination::Stream(out.Reset())).ok(), "tags can be written");
  tagged.model = out.Read();
  const Document sidecar = SidecarOf(model, annotation, names);
  Require(Write(model, {{sidecar, Destination::Stream(out.Reset())}}).ok(),
          "a sidecar can be written");
  tagged.sidecar = out.Read();
  return tagged;
}

std::string Strip(const Model& model) {
  static MemoryFile out;
  Require(Write(model, StripEdits(model), Destination::Stream(out.Reset())).ok(),
          "tags can be taken out");
  return out.Read();
}

// The part of a sidecar that does not tell of the file itself.
absl::string_view Hierarchy(absl::string_view sidecar) {
  return sidecar.substr(sidecar.find("\"modules\""));
}

void CheckSidecar(const Graph& graph, const std::string& text) {
  const nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
  Require(json.is_object(), "the sidecar is JSON");
  const size_t nodes = graph.node_count();
  Require(json["nodes"].size() == nodes, "the sidecar lists every node");
  Require(json["summary"]["nodes"] == nodes && json["summary"]["tagged"] == nodes,
          "the sidecar's summary counts every node");
}

void CheckStripped(absl::string_view input, const std::string& plain, const std::string& stripped) {
  if (plain == stripped) return;
  // The input is in an encoding that no serializer writes, or protobuf cannot read it.
  const std::optional<std::string> canonical = Canonical(input);
  if (!canonical.has_value()) return;
  RequireSame(Canonical(plain).value_or("unreadable"), Canonical(stripped).value_or("unreadable"),
              "strip(tag(x)) means what strip(x) means");
  Require(*canonical != input, "strip(tag(x)) is strip(x) for an x in canonical encoding");
}

// With names for the nameless, which more of the file must be sound for than for tags alone.
void CheckNamed(absl::string_view input, const Model& model, const Annotation& annotation) {
  const GivenNames names(model.graph());
  if (names.size() == 0 || !Canonical(input).has_value()) return;
  static MemoryFile file;
  const Tagged named = Tag(model, annotation, names);
  file.Reset(named.model);
  const Model second = OpenWritten(file);
  Require(GivenNames(second.graph()).size() == 0, "every node has a name");
  const Tagged again = Tag(second, Annotate(second));
  RequireSame(named.model, again.model, "names stay when the model is tagged again");
  RequireSame(Hierarchy(named.sidecar), Hierarchy(again.sidecar), "names change no tag");
  CheckStripped(input, Strip(model), Strip(second));
}

void Run(absl::string_view input) {
  static MemoryFile file;
  static MemoryFile tagged_file;
  file.Reset(input);
  absl::StatusOr<Model> opened = Model::Open(file.path());
  if (!opened.ok()) return;
  const Model& model = *opened;
  const Annotation annotation = Annotate(model);
  const std::string broken = testing::Invariants(model.graph(), annotation);
  Require(broken.empty(), broken);

  const Tagged tagged = Tag(model, annotation);
  const Tagged repeated = Tag(model, Annotate(model));
  RequireSame(tagged.model, repeated.model, "the same model twice");
  RequireSame(tagged.sidecar, repeated.sidecar, "the same sidecar twice");
  CheckSidecar(model.graph(), tagged.sidecar);

  tagged_file.Reset(tagged.model);
  const Model second = OpenWritten(tagged_file);
  Require(CountTagged(second) == model.graph().node_count(), "every node is tagged");
  const Tagged again = Tag(second, Annotate(second));
  RequireSame(tagged.model, again.model, "tagging twice is tagging once");
  RequireSame(Hierarchy(tagged.sidecar), Hierarchy(again.sidecar), "the hierarchy stays");
  CheckStripped(input, Strip(model), Strip(second));
  CheckNamed(input, model, annotation);
}

}  // namespace
}  // namespace onnx_hier::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  onnx_hier::fuzz::Run(onnx_hier::fuzz::Text(data, size));
  return 0;
}
