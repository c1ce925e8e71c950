// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/strings/str_cat.h"
#include "onnx_hier_program/json_text.h"
#include "onnx_hier_program/reports.h"
#include "onnx_hier_program/text.h"

namespace onnx_hier {
namespace {

void AppendFunctions(const FoldResult& result, JsonText& json) {
  json.NewLine();
  json.Key("functions").BeginArray();
  for (const FoldResult::Function& function : result.functions) {
    json.NewLine();
    json.BeginObject();
    json.Key("name").String(function.name);
    json.Key("module").String(function.module);
    json.Key("calls").Unsigned(function.calls);
    json.Key("nodes").Unsigned(function.nodes);
    json.EndObject();
  }
  json.EndArray();
}

void AppendLeft(const FoldResult& result, JsonText& json) {
  json.NewLine();
  json.Key("not_folded_count").Unsigned(result.left_count);
  json.Key("not_folded").BeginArray();
  for (const FoldResult::Left& left : result.left) {
    json.NewLine();
    json.BeginObject();
    json.Key("module").String(left.module);
    json.Key("call").Unsigned(left.call);
    json.Key("why").String(left.why);
    json.EndObject();
  }
  json.EndArray();
}

// Functions that several calls share, those that save the most nodes first; of equal ones the inner
// ones first, as they come.
void AppendShared(const FoldResult& result, std::string* text) {
  constexpr size_t kShown = 4;
  std::vector<const FoldResult::Function*> shared;
  for (const FoldResult::Function& function : result.functions) {
    if (function.calls > 1) shared.push_back(&function);
  }
  const auto saved = [](const FoldResult::Function* function) {
    return uint64_t{function->calls - 1} * function->nodes;
  };
  std::stable_sort(shared.begin(), shared.end(),
                   [&](const auto* a, const auto* b) { return saved(a) > saved(b); });
  for (size_t i = 0; i < std::min(kShown, shared.size()); ++i) {
    absl::StrAppend(text, "  ", SafeForTerminal(shared[i]->name), ": ",
                    Counted(shared[i]->nodes, "node"), " for ", WithThousands(shared[i]->calls),
                    " calls\n");
  }
}

}  // namespace

std::string FoldResultText(const FoldResult& result) {
  constexpr size_t kShown = 5;
  std::string text = SafeForTerminal(result.output);
  if (result.functions.empty()) {
    absl::StrAppend(&text, ": nothing to fold\n");
  } else {
    absl::StrAppend(&text, ": ", WithThousands(result.nodes_before), " nodes -> ",
                    WithThousands(result.nodes_after), ", and ",
                    WithThousands(result.function_nodes), " in ",
                    Counted(result.functions.size(), "function"), "\n");
  }
  AppendShared(result, &text);
  if (result.raised_ir_version > 0) {
    absl::StrAppend(&text, "  IR version raised to ", result.raised_ir_version,
                    ", the first with functions\n");
  }
  for (size_t i = 0; i < std::min(kShown, result.left.size()); ++i) {
    const FoldResult::Left& left = result.left[i];
    absl::StrAppend(&text, "  not folded: ", SafeForTerminal(left.module), ": ",
                    SafeForTerminal(left.why), "\n");
  }
  if (result.left_count > kShown) {
    absl::StrAppend(&text, "  not folded: ", WithThousands(result.left_count - kShown),
                    " more (--json names them)\n");
  }
  return text;
}

std::string FoldResultJson(const FoldResult& result) {
  std::string text;
  JsonText json(&text);
  json.BeginDocument("onnx-hier/fold-result", 1);
  json.Key("input").String(result.input);
  json.Key("output").String(result.output);
  json.Key("nodes_before").Unsigned(result.nodes_before);
  json.Key("nodes_after").Unsigned(result.nodes_after);
  json.Key("function_nodes").Unsigned(result.function_nodes);
  json.Key("calls").Unsigned(result.calls);
  json.Key("table_bytes").Unsigned(result.table_bytes);
  json.Key("raised_ir_version");
  if (result.raised_ir_version > 0) {
    json.Number(result.raised_ir_version);
  } else {
    json.Null();
  }
  AppendFunctions(result, json);
  AppendLeft(result, json);
  json.Key("warnings").BeginArray();
  for (const std::string& warning : result.warnings) json.String(warning);
  json.EndArray();
  json.EndObject();
  text.push_back('\n');
  return text;
}

}  // namespace onnx_hier
