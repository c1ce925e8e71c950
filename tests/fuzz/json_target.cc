// SPDX-License-Identifier: Apache-2.0

// A JSON file that somebody gives to us: as a sidecar or another tool's tags (apply, check --tags),
// and as a module map (--module-map).

#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/api/annotate.h"
#include "lib/api/given_annotation.h"
#include "lib/names/module_map_json.h"
#include "lib/tags/doc_string.h"
#include "onnx_hier/tags.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/judging.h"
#include "tests/support/invariants.h"
#include "tests/support/json_events.h"
#include "tests/support/test_graph.h"

namespace onnx_hier::fuzz {
namespace {

// Three layers, as an exporter writes them.
const Graph& Model() {
  static const Graph* const graph = [] {
    auto* model = new testing::TestGraph();
    std::string previous = "x";
    for (const char* layer : {"0", "1", "2"}) {
      const std::string name = absl::StrCat("/encoder/layer.", layer);
      const std::string weight = absl::StrCat("encoder.layer.", layer, ".fc.weight");
      model->Initializer(weight, {4, 4});
      model->Node("MatMul", {previous, weight}, {name + "/fc/MatMul_output_0"},
                  name + "/fc/MatMul");
      model->Node("Relu", {name + "/fc/MatMul_output_0"}, {name + "/r"}, name + "/act/Relu");
      model->Node("Add", {name + "/r", previous}, {name + "/y"});
      previous = name + "/y";
    }
    return &model->Build();
  }();
  return *graph;
}

void ReadAsTags(absl::string_view text) {
  const Graph& graph = Model();
  const absl::StatusOr<TagFile> file = ParseTagFile(text);
  if (!file.ok()) return Require(!file.status().message().empty(), "an error says what is wrong");
  const TagMatches matches = MatchTags(graph, *file);
  Require(matches.nodes.size() == file->entries.size(), "each entry has a node or none");
  std::vector<GivenTag> given;
  for (size_t i = 0; i < matches.nodes.size(); ++i) {
    if (!matches.nodes[i].valid() || file->entries[i].tags.empty()) continue;
    given.push_back({matches.nodes[i], file->entries[i].tags});
    given.back().call = file->entries[i].call;
  }
  const Annotation annotation = AnnotationOf(graph, given, file->classes);
  const TagTexts tags(annotation.paths);
  DocStringWriter writer(annotation, tags);
  for (const GivenTag& tag : given) {
    Require(ReadOriginalDoc(writer.Text(tag.node, std::nullopt)).written_by_us,
            "what is written is known again");
  }
  Judge(graph, file->classes, {}, file->problems, TagsOf(graph, *file, matches));
}

void ReadAsModuleMap(absl::string_view text) {
  const Graph& graph = Model();
  absl::StatusOr<ModuleMap> map = ParseModuleMap(text);
  if (!map.ok()) return Require(!map.status().message().empty(), "an error says what is wrong");
  Require(!map->empty(), "a module map has modules");
  const AnnotateOptions options = {*std::move(map)};
  const Annotation annotation = AnnotateGraph(graph, nullptr, options);
  const std::string broken = testing::Invariants(graph, annotation);
  Require(broken.empty(), broken);
  Judge(graph, options.module_map, {}, {}, TagsOf(annotation));
}

void ReadAsEvents(absl::string_view text) {
  const std::optional<std::string> events = testing::ParsedEvents(text);
  Require(testing::ScannedEvents(text) == events, "JSON is read as others read it");
  Require(testing::ScannedEvents(text, 5) == events, "the same in pieces");
}

}  // namespace
}  // namespace onnx_hier::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const absl::string_view text = onnx_hier::fuzz::Text(data, size);
  onnx_hier::fuzz::ReadAsEvents(text);
  onnx_hier::fuzz::ReadAsTags(text);
  onnx_hier::fuzz::ReadAsModuleMap(text);
  return 0;
}
