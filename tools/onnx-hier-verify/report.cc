// SPDX-License-Identifier: Apache-2.0
#include "tools/onnx-hier-verify/report.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "nlohmann/json.hpp"
#include "onnx_hier_program/text.h"
#include "tools/onnx-hier-verify/difference.h"

namespace onnx_hier::verify {
namespace {

using Json = nlohmann::ordered_json;

void AppendQuoted(std::string* out, absl::string_view name) { absl::StrAppend(out, Quoted(name)); }

std::string RelationText(const Figures& in, const Result& result) {
  const Figures& out = result.figures;
  std::string nodes = Counted(out.all.nodes, "node");
  switch (result.verdict.relation) {
    case Relation::kSame:
      return nodes;
    case Relation::kTags:
      return absl::StrCat(nodes, ", the same but for doc_strings (",
                          WithThousands(in.all.doc_strings), " in IN, ",
                          WithThousands(out.all.doc_strings), " in OUT)");
    case Relation::kNamed:
      return absl::StrCat(nodes, ", the same but for names of nodes that had none (",
                          WithThousands(in.all.nameless - out.all.nameless),
                          ") and for doc_strings");
    case Relation::kProbe:
      return absl::StrCat(nodes, ", the same but for more graph outputs: ",
                          absl::StrJoin(result.verdict.probes, ", ", AppendQuoted));
    case Relation::kPart:
      return absl::StrCat(WithThousands(out.main_nodes), " of ", Counted(in.main_nodes, "node"),
                          ", ", Counted(out.inputs, "graph input"), ", ",
                          Counted(out.outputs, "graph output"));
    case Relation::kFolded:
      return absl::StrCat(Counted(in.main_nodes, "node"), " in a main graph of ",
                          WithThousands(out.main_nodes), " and ",
                          Counted(out.functions, "function"));
    case Relation::kDifferent:
      break;
  }
  return "";
}

Json ModelJson(const Figures& figures) {
  return {{"file", figures.file},
          {"nodes", figures.all.nodes},
          {"doc_strings", figures.all.doc_strings},
          {"nameless", figures.all.nameless},
          {"main_graph_nodes", figures.main_nodes},
          {"functions", figures.functions}};
}

Json CheckJson(const CheckResult& check) {
  constexpr const char* kNames[] = {"passed", "refused", "impossible"};
  return {{"result", kNames[check.kind]}, {"text", check.text.empty() ? Json() : Json(check.text)}};
}

Json ResultJson(const Result& result) {
  if (!result.error.empty()) {
    return {{"file", result.figures.file},
            {"relation", nullptr},
            {"holds", false},
            {"difference", nullptr},
            {"error", result.error}};
  }
  const Verdict& verdict = result.verdict;
  Json json = ModelJson(result.figures);
  json["relation"] = RelationName(verdict.relation);
  json["holds"] = verdict.holds;
  json["difference"] = verdict.difference.empty() ? Json() : Json(verdict.difference);
  json["error"] = nullptr;
  json["metadata"] = verdict.metadata;
  json["probes"] = verdict.probes;
  if (result.check.has_value()) json["check"] = CheckJson(*result.check);
  return json;
}

}  // namespace

Figures FiguresOf(const ModelFile& file) {
  const onnx::ModelProto& model = file.model();
  return {file.path(),
          CountNodes(model),
          model.graph().node_size(),
          model.functions_size(),
          model.graph().input_size(),
          model.graph().output_size()};
}

std::string ResultLine(const Figures& in, const Result& result, std::optional<Relation> required) {
  const Verdict& verdict = result.verdict;
  std::string line =
      absl::StrCat(SafeForTerminal(result.figures.file), ": ", RelationName(verdict.relation));
  if (verdict.holds) {
    absl::StrAppend(&line, ": ", RelationText(in, result));
  } else {
    // What it is instead, where it is anything.
    if (verdict.relation != Relation::kDifferent && required.has_value()) {
      absl::StrAppend(&line, ", not ", RelationName(*required));
    }
    absl::StrAppend(&line, ": ", verdict.difference);
  }
  if (verdict.relation != Relation::kDifferent && !verdict.metadata.empty()) {
    absl::StrAppend(&line, "; metadata ", absl::StrJoin(verdict.metadata, ", ", AppendQuoted));
  }
  if (result.check.has_value() && result.check->kind == CheckResult::kPassed) {
    absl::StrAppend(&line, "; checked");
  }
  return line + "\n";
}

std::string ResultsJson(const Figures& in, const std::vector<Result>& results) {
  Json json = {{"schema", "onnx-hier/verify"}, {"schema_version", 1}, {"input", ModelJson(in)}};
  json["results"] = Json::array();
  for (const Result& result : results) json["results"].push_back(ResultJson(result));
  // Names in files need not be UTF-8.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace onnx_hier::verify
