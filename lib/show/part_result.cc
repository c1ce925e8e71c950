// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "onnx_hier_program/json_text.h"
#include "onnx_hier_program/reports.h"
#include "onnx_hier_program/text.h"

namespace onnx_hier {
namespace {

// "1 input", "2 inputs"
void AppendValueLine(absl::string_view side, const PartResult::PartValue& value,
                     absl::string_view module, std::string* text) {
  absl::StrAppend(text, "  ", side, "  ", SafeForTerminal(value.name, kLongestShownName), "  ",
                  value.type);
  if (!module.empty()) absl::StrAppend(text, "  from ", SafeForTerminal(module));
  text->push_back('\n');
}

void AppendValues(absl::string_view key, const std::vector<PartResult::PartValue>& values,
                  JsonText& json) {
  json.NewLine();
  json.Key(key).BeginArray();
  for (const PartResult::PartValue& value : values) {
    json.NewLine();
    json.BeginObject();
    json.Key("name").String(value.name);
    json.Key("type").String(value.type);
    json.Key("module").StringOrNull(value.module);
    json.EndObject();
  }
  json.EndArray();
}

void AppendTexts(absl::string_view key, const std::vector<std::string>& texts, JsonText& json) {
  json.Key(key).BeginArray();
  for (const std::string& text : texts) json.String(text);
  json.EndArray();
}

void AppendContents(const PartResult& result, JsonText& json) {
  json.Key("nodes").Unsigned(result.nodes);
  json.Key("copied").Unsigned(result.copied);
  json.Key("parameters").Unsigned(result.parameters);
  json.Key("parameter_bytes").Unsigned(result.parameter_bytes);
  AppendValues("inputs", result.inputs, json);
  AppendValues("outputs", result.outputs, json);
}

// The part's files, with what they take.
void AppendFiles(const PartResult& result, JsonText& json) {
  const auto bytes = [&](absl::string_view key, uint64_t number) {
    json.Key(key);
    if (result.bytes.has_value()) {
      json.Unsigned(number);
    } else {
      json.Null();
    }
  };
  bytes("bytes", result.bytes.value_or(0));
  json.Key("data").StringOrNull(result.data);
  bytes("data_bytes", result.data_bytes);
}

void AppendDataLine(const std::string& file, uint64_t bytes, std::string* text) {
  if (file.empty()) return;
  absl::StrAppend(text, SafeForTerminal(file), ": its data (", HumanBytes(bytes), ")\n");
}

std::string PartLine(const PartResult& result) {
  std::string text =
      absl::StrCat(SafeForTerminal(result.output), ": ", Counted(result.nodes, "node"));
  if (result.copied > 0) absl::StrAppend(&text, " (", WithThousands(result.copied), " copied)");
  if (result.between > 0) {
    absl::StrAppend(&text, ", ", WithThousands(result.between), " of them between the modules");
  }
  absl::StrAppend(&text, ", ", Counted(result.parameters, "parameter"), " (",
                  HumanBytes(result.parameter_bytes), "), ", Counted(result.inputs.size(), "input"),
                  ", ", Counted(result.outputs.size(), "output"), "\n");
  AppendDataLine(result.data, result.data_bytes, &text);
  return text;
}

}  // namespace

std::string PartResultText(const PartResult& result) {
  std::string probe = result.probe.empty()
                          ? ""
                          : absl::StrCat(SafeForTerminal(result.probe), ": the whole model, which ",
                                         "also gives out what the part reads and makes\n");
  AppendDataLine(result.probe_data, result.probe_data_bytes, &probe);
  std::string text = result.output.empty() ? probe : PartLine(result);
  for (const PartResult::PartValue& value : result.inputs) {
    AppendValueLine("in ", value, value.module, &text);
  }
  for (const PartResult::PartValue& value : result.outputs) {
    AppendValueLine("out", value, "", &text);
  }
  return result.output.empty() ? text : absl::StrCat(text, probe);
}

std::string PartResultJson(const PartResult& result) {
  std::string text;
  JsonText json(&text);
  json.BeginDocument("onnx-hier/extract-result", 1);
  json.NewLine();
  json.Key("input").String(result.input);
  json.Key("output").StringOrNull(result.output);
  json.Key("probe").StringOrNull(result.probe);
  json.NewLine();
  AppendFiles(result, json);
  json.Key("probe_data").StringOrNull(result.probe_data);
  json.NewLine();
  AppendTexts("modules", result.modules, json);
  if (!result.node_ids.empty()) AppendTexts("node_ids", result.node_ids, json);
  json.Key("reach").String(result.reach);
  json.Key("call");
  if (result.call.has_value()) {
    json.Unsigned(*result.call);
  } else {
    json.Null();
  }
  json.NewLine();
  json.Key("between").Unsigned(result.between);
  AppendContents(result, json);
  json.NewLine();
  AppendTexts("reentrant", result.reentrant, json);
  json.NewLine();
  AppendTexts("warnings", result.warnings, json);
  json.EndObject();
  text += '\n';
  return text;
}

std::string SplitResultText(const SplitResult& result) {
  std::string text;
  size_t width = 0;
  for (const PartResult& part : result.parts) {
    width = std::max(width, CharacterCount(SafeForTerminal(part.output)));
  }
  for (const PartResult& part : result.parts) {
    const std::string name = SafeForTerminal(part.output);
    absl::StrAppend(&text, name, std::string(width - CharacterCount(name), ' '), "  ",
                    Counted(part.nodes, "node"), ", ", HumanBytes(part.parameter_bytes), ", ",
                    Counted(part.inputs.size(), "input"), ", ",
                    Counted(part.outputs.size(), "output"), "\n");
  }
  uint64_t data_files = 0;
  uint64_t data_bytes = 0;
  for (const PartResult& part : result.parts) {
    data_files += part.data.empty() ? 0 : 1;
    data_bytes += part.data_bytes;
  }
  if (data_files > 0) {
    absl::StrAppend(&text, Counted(data_files, "data file"),
                    " beside them: ", HumanBytes(data_bytes), "\n");
  }
  if (!result.shared.empty()) {
    absl::StrAppend(&text, Counted(result.shared.size(), "parameter"),
                    " in several parts: ", HumanBytes(result.shared_bytes), " more in all\n");
  }
  return text;
}

std::string SplitResultJson(const SplitResult& result) {
  std::string text;
  JsonText json(&text);
  json.BeginDocument("onnx-hier/split", 1);
  json.NewLine();
  json.Key("input").String(result.input);
  json.NewLine();
  json.Key("parts").BeginArray();
  for (const PartResult& part : result.parts) {
    json.NewLine();
    json.BeginObject();
    json.Key("file").String(part.output);
    AppendFiles(part, json);
    AppendTexts("modules", part.modules, json);
    AppendContents(part, json);
    json.EndObject();
  }
  json.NewLine();
  json.EndArray();
  json.NewLine();
  AppendTexts("shared_parameters", result.shared, json);
  json.Key("shared_bytes").Unsigned(result.shared_bytes);
  json.NewLine();
  AppendTexts("warnings", result.warnings, json);
  json.EndObject();
  text += '\n';
  return text;
}

}  // namespace onnx_hier
