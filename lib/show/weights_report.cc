// SPDX-License-Identifier: Apache-2.0
#include "onnx_hier_program/weights_report.h"

#include <algorithm>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "lib/base/status_macros.h"
#include "lib/graph/parameter_parts.h"
#include "lib/show/chosen_modules.h"
#include "lib/show/text_table.h"
#include "lib/tags/sidecar.h"
#include "lib/tree/module_pattern.h"
#include "onnx_hier_program/json_text.h"
#include "onnx_hier_program/text.h"

namespace onnx_hier {
namespace {

constexpr absl::string_view kClueNames[] = {"contents", "likeness", "module", "name"};
constexpr absl::string_view kLayoutNames[] = {"stored", "transposed", "rearranged"};

// Whether its numbers are neither those of the tensor nor what a tool made of them.
bool IsChanged(const WeightMatch& match) {
  switch (match.by) {
    case WeightClue::kContents:
      return false;
    case WeightClue::kLikeness:
      return !match.is_quantised && !match.is_scaled && !match.is_cast;
    case WeightClue::kModule:
      return match.error >= 1;
    case WeightClue::kName:
      return true;
  }
  return true;
}

// A line of the table: a weight and what it is, or what nothing explains.
struct Row {
  const WeightMatch* match = nullptr;  // null: of a weight without a tensor
  ValueId value;
};

std::vector<Row> WeightRows(const WeightsReport& report) {
  const ChosenModules chosen(report.hierarchy, report.modules);
  const Annotation& annotation = report.hierarchy.annotation();
  absl::flat_hash_map<ValueId, ModuleId> owners;
  for (const OwnedParameter& parameter : annotation.parameters) {
    owners[parameter.value] = annotation.modules.Find(parameter.owner);
  }
  const auto is_meant = [&](ValueId value) {
    const auto found = owners.find(value);
    return report.modules.empty() || (found != owners.end() && chosen.Has(found->second));
  };
  std::vector<Row> rows;
  for (const WeightMatch& match : report.matches.matches) {
    if (is_meant(match.value)) rows.push_back({&match, match.value});
  }
  for (const ValueId value : report.matches.unexplained) {
    if (is_meant(value)) rows.push_back({nullptr, value});
  }
  absl::c_stable_sort(rows, [](const Row& a, const Row& b) { return a.value < b.value; });
  const auto key = [&](const Row& row) {
    if (row.match == nullptr) return -2.0;
    return report.order == WeightOrder::kError ? -row.match->error : row.match->probability;
  };
  if (report.order != WeightOrder::kModel) {
    absl::c_stable_sort(rows, [&](const Row& a, const Row& b) { return key(a) < key(b); });
  }
  return rows;
}

std::string How(const WeightsReport& report, const WeightMatch& match) {
  std::vector<std::string> words;
  if (match.is_tie) words.emplace_back("one of several equal ones");
  if (match.tensors.size() > 1) words.emplace_back("put together");
  if (match.is_part) words.emplace_back("a part");
  if (match.layout == WeightLayout::kTransposed) words.emplace_back("transposed");
  if (match.layout == WeightLayout::kRearranged && match.tensors.size() == 1 && !match.is_part) {
    words.emplace_back("rearranged");
  }
  if (match.is_cast) words.emplace_back("cast");
  if (match.is_quantised) words.emplace_back("quantised");
  if (!match.folded.empty()) {
    const absl::string_view tensor = report.checkpoint.tensors()[match.folded.front()].name;
    const absl::string_view norm = ModuleOfParameterName(tensor);
    words.push_back(absl::StrCat("scaled by ", norm.empty() ? tensor : norm));
  } else if (match.is_scaled) {
    words.emplace_back("scaled");
  }
  if (IsChanged(match)) {
    words.emplace_back(match.by == WeightClue::kLikeness ? "other numbers, alike"
                                                         : "other numbers");
  }
  if (match.by == WeightClue::kModule) words.emplace_back("by what is around it");
  return words.empty() ? "the same" : absl::StrJoin(words, ", ");
}

std::string TensorsText(const WeightsReport& report, const WeightMatch& match) {
  return absl::StrJoin(match.tensors, ", ", [&](std::string* text, uint32_t tensor) {
    absl::StrAppend(text, report.checkpoint.tensors()[tensor].name);
  });
}

std::string FilesText(const WeightsReport& report) {
  const absl::Span<const Checkpoint::File> files = report.checkpoint.files();
  if (files.size() > 1) return absl::StrCat(files.size(), " files");
  const std::string& path = files[0].path;
  return path.substr(path.rfind('/') + 1);
}

std::string WeightErrorText(double error) {
  if (error == 0) return "-";
  return error >= 1 ? "all" : absl::StrFormat("%.2g %%", 100 * error);
}

struct Counts {
  size_t found = 0;
  size_t folded = 0;
  size_t missing = 0;
};

Counts CountsOf(const WeightMatches& matches) {
  Counts counts;
  for (const TensorFate fate : matches.fates) {
    counts.found += fate == TensorFate::kFound ? 1 : 0;
    counts.folded += fate == TensorFate::kFolded ? 1 : 0;
    counts.missing += fate == TensorFate::kMissing ? 1 : 0;
  }
  return counts;
}

std::string SummaryText(const WeightsReport& report) {
  const WeightMatches& matches = report.matches;
  const Counts counts = CountsOf(matches);
  const size_t weights = matches.matches.size() + matches.unexplained.size();
  std::string text = absl::StrCat(
      report.input, ": ", WithThousands(matches.matches.size()), " of ",
      Counted(weights, "weight is", "weights are"), " of ", FilesText(report), "; of its ",
      Counted(matches.fates.size(), "tensor"), " ", Counted(counts.found, "is found", "are found"));
  if (counts.folded > 0) {
    absl::StrAppend(&text, ", ", WithThousands(counts.folded), " folded into others");
  }
  return absl::StrCat(text, ", ", WithThousands(counts.missing), " missing");
}

std::vector<uint32_t> MissingTensors(const WeightMatches& matches) {
  std::vector<uint32_t> missing;
  for (uint32_t i = 0; i < matches.fates.size(); ++i) {
    if (matches.fates[i] == TensorFate::kMissing) missing.push_back(i);
  }
  return missing;
}

// Some of them, one a line.
void AppendTensors(const WeightsReport& report, absl::string_view title,
                   const std::vector<uint32_t>& tensors, TableFormat format, std::string& text) {
  if (tensors.empty()) return;
  const bool is_markdown = format == TableFormat::kMarkdown;
  absl::StrAppend(&text, "\n", title, "\n", is_markdown ? "\n" : "");
  for (size_t i = 0; i < tensors.size(); ++i) {
    if (i == report.most_rows) {
      absl::StrAppend(&text, is_markdown ? "- " : "  ", "and ", WithThousands(tensors.size() - i),
                      " more\n");
      break;
    }
    const CheckpointTensor& tensor = report.checkpoint.tensors()[tensors[i]];
    const std::string what = absl::StrCat(tensor.type, "[", absl::StrJoin(tensor.dims, ","), "]");
    absl::StrAppend(&text, is_markdown ? "- " : "  ",
                    is_markdown ? MarkdownCode(tensor.name) : SafeForTerminal(tensor.name), " ",
                    what, "\n");
  }
}

std::string TableOf(const WeightsReport& report, TableFormat format) {
  const bool is_markdown = format == TableFormat::kMarkdown;
  const Graph& graph = report.hierarchy.graph();
  std::vector<Row> rows = WeightRows(report);
  const size_t left_out = rows.size() - std::min(rows.size(), report.most_rows);
  rows.resize(rows.size() - left_out);
  std::string text = NoteLines(SummaryText(report), format);
  std::vector<std::vector<std::string>> cells = {{"weight", "tensor", "how", "error", "sure"}};
  const auto code = [&](absl::string_view name) {
    return is_markdown ? MarkdownCode(name) : SafeForTerminal(name);
  };
  for (const Row& row : rows) {
    std::vector<std::string> line = {code(graph.value(row.value).name)};
    if (row.match == nullptr) {
      line.insert(line.end(), {"-", "nothing is like it", "", ""});
    } else {
      line.push_back(code(TensorsText(report, *row.match)));
      const std::string how = How(report, *row.match);
      line.push_back(is_markdown ? MarkdownText(how) : SafeForTerminal(how));
      line.push_back(WeightErrorText(row.match->error));
      line.push_back(absl::StrFormat("%.4g %%", 100 * row.match->probability));
    }
    cells.push_back(std::move(line));
  }
  const std::vector<Align> columns = {Align::kLeft, Align::kLeft, Align::kLeft, Align::kRight,
                                      Align::kRight};
  absl::StrAppend(&text, WholeTable(TextTable(columns, format), cells, left_out, format));
  AppendTensors(report, "not in the model:", MissingTensors(report.matches), format, text);
  AppendTensors(report, "should be in the model as they are, and are not:", report.unmet, format,
                text);
  return text;
}

void AppendNames(absl::string_view key, const Checkpoint& checkpoint,
                 const std::vector<uint32_t>& tensors, JsonText& json) {
  json.Key(key).BeginArray();
  for (const uint32_t tensor : tensors) json.String(checkpoint.tensors()[tensor].name);
  json.EndArray();
}

void AppendMatch(const WeightsReport& report, const Row& row, JsonText& json) {
  const WeightMatch& match = *row.match;
  AppendNames("tensors", report.checkpoint, match.tensors, json);
  AppendNames("folded", report.checkpoint, match.folded, json);
  json.Key("by").String(kClueNames[static_cast<size_t>(match.by)]);
  json.Key("layout").String(kLayoutNames[static_cast<size_t>(match.layout)]);
  json.Key("part").Bool(match.is_part);
  json.Key("cast").Bool(match.is_cast);
  json.Key("quantised").Bool(match.is_quantised);
  json.Key("scaled").Bool(match.is_scaled);
  json.Key("changed").Bool(IsChanged(match));
  json.Key("tie").Bool(match.is_tie);
  json.Key("error").Real(match.error);
  json.Key("probability").Real(match.probability);
}

}  // namespace

absl::StatusOr<std::vector<bool>> TensorsMeant(absl::Span<const std::string> names,
                                               absl::Span<const std::string> words) {
  std::vector<bool> meant(names.size(), false);
  for (const std::string& word : words) {
    if (word == "all") {
      meant.assign(meant.size(), true);
      continue;
    }
    OH_ASSIGN_OR_RETURN(const ModulePattern pattern, ModulePattern::Parse(word));
    bool means_any = false;
    for (size_t i = 0; i < names.size(); ++i) {
      ModulePattern::State state = pattern.Start();
      bool is_inside = pattern.Accepts(state);
      const absl::string_view module = ModuleOfParameterName(names[i]);
      for (absl::string_view part : absl::StrSplit(module, '.', absl::SkipEmpty())) {
        state = pattern.Enter(state, part, "", "");
        is_inside = is_inside || pattern.Accepts(state);
      }
      if (!is_inside) continue;
      meant[i] = true;
      means_any = true;
    }
    if (!means_any) {
      return absl::NotFoundError(
          absl::StrCat("no tensor of the checkpoint is in a module meant by '", word, "'"));
    }
  }
  return meant;
}

std::vector<uint32_t> UnmetTensors(const WeightMatches& matches, const std::vector<bool>& asked,
                                   std::optional<double> tolerance) {
  // What no weight is said to be is folded into others, or equal to another tensor that one is.
  std::vector<bool> is_held(matches.fates.size(), false);
  for (size_t i = 0; i < is_held.size(); ++i) is_held[i] = matches.fates[i] != TensorFate::kMissing;
  for (const WeightMatch& match : matches.matches) {
    for (const uint32_t tensor : match.tensors) is_held[tensor] = false;
  }
  for (const WeightMatch& match : matches.matches) {
    if (tolerance.has_value() ? match.error > *tolerance : IsChanged(match)) continue;
    for (const uint32_t tensor : match.tensors) is_held[tensor] = true;
  }
  std::vector<uint32_t> unmet;
  for (uint32_t i = 0; i < is_held.size(); ++i) {
    if (asked[i] && !is_held[i]) unmet.push_back(i);
  }
  return unmet;
}

std::string WeightsText(const WeightsReport& report) { return TableOf(report, TableFormat::kText); }

std::string WeightsMarkdown(const WeightsReport& report) {
  return TableOf(report, TableFormat::kMarkdown);
}

std::string WeightsCsv(const WeightsReport& report) {
  std::string text = "weight,tensor,how,error,probability\n";
  std::vector<Row> rows = WeightRows(report);
  rows.resize(std::min(rows.size(), report.most_rows));
  for (const Row& row : rows) {
    absl::StrAppend(&text, CsvField(report.hierarchy.graph().value(row.value).name), ",");
    if (row.match == nullptr) {
      text += ",,,\n";
      continue;
    }
    absl::StrAppend(&text, CsvField(TensorsText(report, *row.match)), ",",
                    CsvField(How(report, *row.match)), ",", row.match->error, ",",
                    row.match->probability, "\n");
  }
  for (const uint32_t tensor : MissingTensors(report.matches)) {
    absl::StrAppend(&text, ",", CsvField(report.checkpoint.tensors()[tensor].name), ",missing,,\n");
  }
  return text;
}

std::string WeightsJson(const WeightsReport& report) {
  const Graph& graph = report.hierarchy.graph();
  const Counts counts = CountsOf(report.matches);
  std::string text;
  JsonText json(&text);
  json.BeginDocument("onnx-hier/weights", 1);
  json.Key("input").String(report.input);
  AppendCheckpointJson(*report.hierarchy.annotation().parameter_names, json);
  json.Key("tensors").BeginObject();
  json.Key("found").Unsigned(counts.found);
  json.Key("folded").Unsigned(counts.folded);
  json.Key("missing").Unsigned(counts.missing);
  json.EndObject();
  json.Key("weights").BeginArray();
  std::vector<Row> rows = WeightRows(report);
  rows.resize(std::min(rows.size(), report.most_rows));
  for (const Row& row : rows) {
    json.NewLine();
    json.BeginObject();
    json.Key("weight").String(graph.value(row.value).name);
    if (row.match == nullptr) {
      json.Key("tensors").BeginArray();
      json.EndArray();
    } else {
      AppendMatch(report, row, json);
    }
    json.EndObject();
  }
  json.EndArray();
  AppendNames("missing", report.checkpoint, MissingTensors(report.matches), json);
  if (report.is_required) AppendNames("unmet", report.checkpoint, report.unmet, json);
  json.Key("warnings").BeginArray();
  for (const std::string& warning : report.matches.warnings) json.String(warning);
  json.EndArray();
  json.EndObject();
  return text + "\n";
}

}  // namespace onnx_hier
