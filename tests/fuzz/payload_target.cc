// SPDX-License-Identifier: Apache-2.0

// Doc_strings, one on each line, in a graph of alike layers: what was there before comes back, and
// tags of any writer are read, judged and put right.

#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "lib/tags/doc_string.h"
#include "nlohmann/json.hpp"
#include "onnx_hier/tags.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/judging.h"
#include "tests/support/own_text_oracle.h"
#include "tests/support/place.h"
#include "tests/support/test_graph.h"

namespace onnx_hier::fuzz {
namespace {

constexpr size_t kMostDocs = 32;
constexpr const char* kOps[] = {"MatMul", "Add", "Relu", "Add"};
constexpr size_t kLayer = std::size(kOps);

// A chain of layers with a doc_string in each node. Every third node has a name that tells its
// module, every layer a parameter.
void AddLayers(const std::vector<absl::string_view>& docs, testing::TestGraph& model) {
  std::string previous = "x";
  for (size_t i = 0; i < docs.size(); ++i) {
    const std::string module = absl::StrCat("/layer.", i / kLayer, "/part.", i % kLayer);
    const std::string weight = absl::StrCat("layer.", i / kLayer, ".part.0.weight");
    const bool first = i % kLayer == 0;
    if (first) model.Initializer(weight, {2, 2});
    const std::string output = absl::StrCat("v", i);
    const NodeId id = model.Node(kOps[i % kLayer], {previous, first ? weight : "x"}, {output},
                                 i % 3 == 0 ? absl::StrCat(module, "/", kOps[i % kLayer]) : "");
    model.builder().SetDocString(id, docs[i]);
    previous = output;
  }
}

// What tagging puts around a text comes off again.
void CheckKept(absl::string_view doc) {
  testing::TestGraph model;
  const NodeId node = model.Node("Relu", {"x"}, {"y"});
  const Annotation annotation = testing::Place(model.Build(), {"fc"});
  const TagTexts tags(annotation.paths);
  DocStringWriter writer(annotation, tags);
  const absl::string_view tagged = writer.Text(node, doc);
  Require(nlohmann::json::accept(tagged.begin(), tagged.end()), "a tagged doc_string is JSON");
  const OriginalDoc original = ReadOriginalDoc(tagged);
  Require(original.written_by_us && original.present, "our own text is known again");
  RequireSame(original.text, doc, "what stood there before");
}

// What is read without a parser, a parser reads alike.
void CheckOwnText(absl::string_view doc) {
  const std::optional<OwnText> own = ReadOwnText(doc);
  if (own.has_value()) RequireSame(testing::DifferenceFromParser(*own, doc), "", "our own text");
}

void Run(absl::string_view text) {
  std::vector<absl::string_view> docs = absl::StrSplit(text, '\n');
  if (docs.size() > kMostDocs) docs.resize(kMostDocs);
  for (absl::string_view doc : docs) {
    ReadOriginalDoc(doc);
    CheckKept(doc);
    CheckOwnText(doc);
  }
  testing::TestGraph model;
  AddLayers(docs, model);
  const Graph& graph = model.Build();
  ReadTagsResult read = ReadTags(graph);
  Judge(graph, {}, read.malformed, {}, std::move(read.tags));
}

}  // namespace
}  // namespace onnx_hier::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  onnx_hier::fuzz::Run(onnx_hier::fuzz::Text(data, size));
  return 0;
}
