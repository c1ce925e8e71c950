// SPDX-License-Identifier: Apache-2.0

// Names of every dialect: what is read out of one lies inside it, paths can be spelled and read
// back, and a graph with any names gets a whole annotation, the same every time.

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "lib/api/annotate.h"
#include "lib/graph/parameter_parts.h"
#include "lib/names/derived_name.h"
#include "lib/names/dialects/tensorflow.h"
#include "lib/names/dialects/torchscript.h"
#include "lib/names/metadata_scope.h"
#include "lib/names/parameter_name.h"
#include "lib/names/printed_scopes.h"
#include "lib/names/python_list.h"
#include "lib/names/scoped_name.h"
#include "lib/tags/doc_string.h"
#include "onnx_hier_program/reports.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/text_graph.h"
#include "tests/support/invariants.h"

namespace onnx_hier::fuzz {
namespace {

void RequireInside(absl::string_view part, absl::string_view whole) {
  Require(part.empty() || (part.data() >= whole.data() &&
                           part.data() + part.size() <= whole.data() + whole.size()),
          "what is read out of a name is a part of it");
}

void ReadName(absl::string_view name, absl::string_view op_type) {
  const auto originals = OriginalNames(name);
  Require(!originals.empty(), "a name was made from a name");
  for (absl::string_view original : originals) RequireInside(original, name);
  bool is_value = false;
  RequireInside(NodeOfValueName(name, &is_value), name);
  RequireInside(WithoutInlinePrefix(name), name);
  RequireInside(WithoutCounter(name), name);
  RequireInside(LeafOfParameterName(name), name);
  RequireInside(OwnerInParameterName(name), name);
  RequireInside(PartOfJoinedName(name, op_type), name);

  ModulePaths paths;
  for (PathId path : {AppendComponents(name, paths.root(), paths), PathOfTag(name, paths),
                      paths.Parse(OwnerInParameterName(name)), paths.Parse(name)}) {
    Require(paths.depth(path) <= ModulePaths::kDeepest, "no path is deeper than the deepest");
    Require(paths.Contains(paths.root(), path), "the root contains every path");
    Require(absl::StartsWith(paths.Tag(path), "/"), "a tag begins with a slash");
    paths.QualifiedName(path);
  }
  for (const ScopeGrammar* grammar : {&TorchScopes(), &TensorflowScopes()}) {
    PrintedScopes printed(*grammar);
    for (ScopeId scope : {printed.OfNodeName(name, op_type).scope, printed.OfValueName(name),
                          printed.Intern(name)}) {
      if (!scope.valid()) continue;
      Require(printed.CommonAncestor(scope, printed.root()) == printed.root(),
              "the root is around every scope");
    }
  }
}

void ReadList(absl::string_view text) {
  std::vector<std::string> items;
  ParsePythonList(text, &items);
  for (absl::string_view key :
       {"namespace", "pkg.torch.onnx.name_scopes", "pkg.onnxscript.name_scopes"}) {
    const StringPair pair = {key, text};
    const auto scope = ReadMetadataScope(absl::MakeConstSpan(&pair, 1));
    Require(!scope.has_value() || !scope->modules.empty(), "a scope names a module");
  }
}

std::string AllTexts(const Graph& graph, const Annotation& annotation) {
  std::string text = annotation.dialect;
  const TagTexts tags(annotation.paths);
  DocStringWriter writer(annotation, tags);
  for (NodeId id : graph.node_ids()) {
    absl::StrAppend(&text, "\n", writer.Text(id, graph.node(id).name));
  }
  return text;
}

void Run(absl::string_view text) {
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    const std::vector<absl::string_view> parts = absl::StrSplit(line, '\t');
    const absl::string_view op_type = parts.size() > 1 ? parts[1] : absl::string_view();
    for (absl::string_view part : parts) ReadName(part, op_type);
    ReadList(parts.back());
  }
  testing::TestGraph model;
  AddTextGraph(text, model);
  const Graph& graph = model.Build();
  const auto annotate = [&graph] { return AnnotateGraph(graph, nullptr, {}); };
  const Annotation annotation = annotate();
  const std::string broken = testing::Invariants(graph, annotation);
  Require(broken.empty(), broken);
  RequireSame(AllTexts(graph, annotation), AllTexts(graph, annotate()), "the same twice");
}

}  // namespace
}  // namespace onnx_hier::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  onnx_hier::fuzz::Run(onnx_hier::fuzz::Text(data, size));
  return 0;
}
