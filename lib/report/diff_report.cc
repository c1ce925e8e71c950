#include <map>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "lib/base/json_text.h"
#include "lib/report/diff_words.h"
#include "lib/report/figures.h"
#include "onnx_hier/reports.h"
#include "onnx_hier/safe_text.h"

namespace onnx_hier {
namespace {

std::string TagOrNone(const ModulePaths& paths, PathId path) {
  return path.valid() ? paths.Tag(path) : "";
}

// "/layer.*/norm*": of members of lists, what they have in common.
std::string WithoutNumbers(absl::string_view tag) {
  std::string text;
  bool after_separator = false;
  for (size_t i = 0; i < tag.size(); ++i) {
    const auto is_digit = [&tag](size_t at) {
      return at < tag.size() && tag[at] >= '0' && tag[at] <= '9';
    };
    size_t end = i;
    while (after_separator && is_digit(end)) ++end;
    if (end > i && (end == tag.size() || tag[end] == '.' || tag[end] == '/')) {
      text.push_back('*');
      i = end - 1;
      after_separator = false;
      continue;
    }
    text.push_back(tag[i]);
    after_separator = tag[i] == '.' || tag[i] == '/';
  }
  return text;
}

// One line of text, with those below it: modules with the same are put together.
struct Entry {
  std::string pattern;
  std::string changes;
  std::string details;
  std::string first;  // the path of the first one
  size_t modules = 0;
};

std::string DetailsText(const ModuleDiff& diff) {
  std::string text;
  for (const std::string& line : DetailLines(diff)) absl::StrAppend(&text, "    ", line, "\n");
  return text;
}

std::vector<Entry> EntriesOf(const DiffReport& report) {
  std::vector<Entry> entries;
  std::map<std::tuple<std::string, std::string, std::string>, size_t> known;
  for (const ModuleDiff& diff : report.diff.changed) {
    const std::string a = TagOrNone(report.a.paths, diff.a);
    const std::string b = TagOrNone(report.b.paths, diff.b);
    const std::string shown = diff.moved ? absl::StrCat(a, " -> ", b) : a.empty() ? b : a;
    Entry entry = {WithoutNumbers(shown), ChangesText(diff), DetailsText(diff), shown, 1};
    const auto [place, is_new] =
        known.emplace(std::make_tuple(entry.pattern, entry.changes, entry.details), entries.size());
    if (is_new) {
      entries.push_back(std::move(entry));
    } else {
      ++entries[place->second].modules;
    }
  }
  return entries;
}

void AppendCounts(absl::string_view key, const std::vector<KindCount>& counts, JsonText& json) {
  json.Key(key).BeginObject();
  for (const KindCount& count : counts) json.Key(count.kind).Unsigned(count.count);
  json.EndObject();
}

void AppendModule(const DiffReport& report, const ModuleDiff& diff, JsonText& json) {
  json.NewLine();
  json.BeginObject();
  json.Key("a").StringOrNull(TagOrNone(report.a.paths, diff.a));
  json.Key("b").StringOrNull(TagOrNone(report.b.paths, diff.b));
  json.Key("changes").BeginArray();
  if (!diff.b.valid()) json.String("only_in_a");
  if (!diff.a.valid()) json.String("only_in_b");
  if (diff.moved) json.String("moved");
  if (diff.operators) json.String("operators");
  if (diff.wiring) json.String("wiring");
  if (diff.parameters) json.String("parameters");
  if (diff.weights) json.String("weights");
  json.EndArray();
  AppendCounts("operators_removed", diff.operators_removed, json);
  AppendCounts("operators_added", diff.operators_added, json);
  AppendCounts("parameters_removed", diff.parameters_removed, json);
  AppendCounts("parameters_added", diff.parameters_added, json);
  json.EndObject();
}

}  // namespace

std::string DiffReportText(const DiffReport& report) {
  const ModelDiff& diff = report.diff;
  std::string text;
  if (diff.root_a != report.a.paths.root() || diff.root_b != report.b.paths.root()) {
    absl::StrAppend(&text, SafeForTerminal(report.a.paths.Tag(diff.root_a)), " of A is ",
                    SafeForTerminal(report.b.paths.Tag(diff.root_b)), " of B\n");
  }
  absl::StrAppend(&text, WithThousands(diff.same), diff.same == 1 ? " module" : " modules",
                  " the same, ", WithThousands(diff.changed.size()), " changed\n");
  for (const Entry& entry : EntriesOf(report)) {
    const std::string name = entry.modules > 1
                                 ? absl::StrCat(entry.pattern, " x", WithThousands(entry.modules))
                                 : entry.first;
    absl::StrAppend(&text, SafeForTerminal(name), "  ", entry.changes, "\n");
    for (absl::string_view line : absl::StrSplit(entry.details, '\n', absl::SkipEmpty())) {
      absl::StrAppend(&text, SafeForTerminal(line), "\n");
    }
  }
  if (diff.unread > 0) {
    absl::StrAppend(&text, "not compared: the contents of ", WithThousands(diff.unread),
                    " parameters, which could not be read\n");
  }
  for (const std::string& warning : diff.warnings) absl::StrAppend(&text, warning, "\n");
  return text;
}

std::string DiffReportJson(const DiffReport& report) {
  std::string text;
  JsonText json(&text);
  json.BeginDocument("onnx-hier/diff", 1);
  json.Key("a").String(report.file_a);
  json.Key("b").String(report.file_b);
  json.Key("root_a").String(report.a.paths.Tag(report.diff.root_a));
  json.Key("root_b").String(report.b.paths.Tag(report.diff.root_b));
  json.Key("same").Unsigned(report.diff.same);
  json.Key("unread").Unsigned(report.diff.unread);
  json.Key("warnings").BeginArray();
  for (const std::string& warning : report.diff.warnings) json.String(warning);
  json.EndArray();
  json.NewLine();
  json.Key("changed").BeginArray();
  for (const ModuleDiff& diff : report.diff.changed) AppendModule(report, diff, json);
  json.EndArray();
  json.EndObject();
  text.push_back('\n');
  return text;
}

}  // namespace onnx_hier
