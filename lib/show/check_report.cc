// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/base/outgoing_text.h"
#include "lib/show/text_table.h"
#include "onnx_hier_program/json_text.h"
#include "onnx_hier_program/reports.h"
#include "onnx_hier_program/text.h"

namespace onnx_hier {
namespace {

// Nodes of one group that people are shown; --lines and --json show all.
constexpr size_t kShownNodes = 8;

constexpr absl::string_view kSourceNames[] = {"none", "doc_string", "metadata", "sidecar", "fresh"};
static_assert(std::size(kSourceNames) == kTagSourceCount);

absl::string_view SourceName(TagSource source) { return kSourceNames[static_cast<size_t>(source)]; }

std::string WitnessList(const TagWitnesses& witnesses) {
  std::string text;
  for (size_t i = 0; i < kTagWitnessCount; ++i) {
    const auto witness = static_cast<TagWitness>(i);
    if (!witnesses.Has(witness)) continue;
    absl::StrAppend(&text, text.empty() ? "" : ", ", TagWitnessName(witness));
  }
  return text;
}

std::string ProbabilityText(double value) {
  std::string text;
  AppendProbability(value, &text);
  return text;
}

// The atom in which two paths part; "" where one has none there.
std::string AtomAt(const ModulePaths& paths, PathId path, uint32_t depth) {
  if (paths.depth(path) <= depth) return "";
  return std::string(paths.name(paths.AncestorAtDepth(path, depth + 1)));
}

// Findings that part at the same place: "encoder.layer: 1 for 0".
struct Group {
  FindingKind kind;
  std::string parent;
  std::string actual;
  std::string expected;
  std::vector<const Finding*> findings;
};

// In order of first appearance.
std::vector<Group> GroupFindings(const CheckReport& report, const std::vector<Finding>& findings) {
  const ModulePaths& paths = report.tags.paths();
  std::map<std::tuple<FindingKind, PathId, std::string, std::string>, size_t> known;
  std::vector<Group> groups;
  for (const Finding& finding : findings) {
    const PathId parent = paths.AncestorAtDepth(finding.expected, finding.depth);
    const std::string actual = AtomAt(paths, finding.actual, finding.depth);
    const std::string expected = AtomAt(paths, finding.expected, finding.depth);
    const auto [entry, added] =
        known.try_emplace({finding.kind, parent, actual, expected}, groups.size());
    if (added) groups.push_back({finding.kind, report.tags.Spell(parent), actual, expected, {}});
    groups[entry->second].findings.push_back(&finding);
  }
  return groups;
}

size_t CountKind(const std::vector<Finding>& findings, FindingKind kind) {
  return static_cast<size_t>(
      std::count_if(findings.begin(), findings.end(),
                    [kind](const Finding& finding) { return finding.kind == kind; }));
}

void AppendFinding(const CheckReport& report, const Finding& finding, JsonText& json) {
  const ModulePaths& paths = report.tags.paths();
  json.NewLine();
  json.BeginObject();
  json.Key("node").String(report.graph.NodePath(finding.node));
  json.Key("name").String(report.graph.node(finding.node).name);
  json.Key("op_type").String(report.graph.op(finding.node).type);
  json.Key("kind").String(FindingKindName(finding.kind));
  json.Key("actual").String(report.tags.Text(finding.node));
  json.Key("expected").String(report.tags.Spell(finding.expected));
  json.Key("differs").BeginArray();
  json.String(AtomAt(paths, finding.actual, finding.depth));
  json.String(AtomAt(paths, finding.expected, finding.depth));
  json.EndArray();
  json.Key("witnesses").BeginArray();
  for (size_t i = 0; i < kTagWitnessCount; ++i) {
    const auto witness = static_cast<TagWitness>(i);
    if (finding.witnesses.Has(witness)) json.String(TagWitnessName(witness));
  }
  json.EndArray();
  json.Key("confidence").Probability(finding.confidence);
  json.EndObject();
}

void AppendContamination(const CheckReport& report, const std::vector<Finding>& findings,
                         JsonText& json, OutgoingText& out) {
  json.Key("findings").BeginArray();
  for (const Finding& finding : findings) {
    AppendFinding(report, finding, json);
    out.Pass();
  }
  json.NewLine();
  json.EndArray();
  json.NewLine();
  json.Key("groups").BeginArray();
  for (const Group& group : GroupFindings(report, findings)) {
    json.NewLine();
    json.BeginObject();
    json.Key("kind").String(FindingKindName(group.kind));
    json.Key("parent").String(group.parent);
    json.Key("actual").String(group.actual);
    json.Key("expected").String(group.expected);
    json.Key("nodes").Unsigned(group.findings.size());
    json.EndObject();
    out.Pass();
  }
  json.NewLine();
  json.EndArray();
}

std::array<size_t, kGapKindCount> CountGaps(const Coverage& coverage) {
  std::array<size_t, kGapKindCount> counts = {};
  for (const Gap& gap : coverage.gaps) ++counts[static_cast<size_t>(gap.kind)];
  return counts;
}

void AppendCoverage(const CheckReport& report, const Coverage& coverage, JsonText& json,
                    OutgoingText& out) {
  json.Key("coverage").BeginObject();
  json.Key("modules_known").Bool(coverage.modules_known);
  const std::array<size_t, kGapKindCount> counts = CountGaps(coverage);
  for (size_t i = 0; i < kGapKindCount; ++i) {
    json.Key(GapKindName(static_cast<GapKind>(i))).Unsigned(counts[i]);
  }
  json.Key("gaps").BeginArray();
  for (const Gap& gap : coverage.gaps) {
    json.NewLine();
    json.BeginObject();
    json.Key("kind").String(GapKindName(gap.kind));
    json.Key("node").StringOrNull(gap.node.valid() ? report.graph.NodePath(gap.node) : "");
    json.Key("text").String(gap.text);
    json.EndObject();
    out.Pass();
  }
  json.NewLine();
  json.EndArray();
  json.EndObject();
}

// "12 /encoder/Add_3", or without the name if there is none.
std::string ShownNode(const CheckReport& report, NodeId node) {
  const absl::string_view name = report.graph.node(node).name;
  return SafeForTerminal(absl::StrCat(report.graph.NodePath(node), name.empty() ? "" : " ", name));
}

void AppendGroupText(const CheckReport& report, const Group& group, std::string* text) {
  absl::StrAppend(
      text, "\n", SafeForTerminal(group.parent), ": tagged ", SafeForTerminal(group.actual),
      ", belongs to ", SafeForTerminal(group.expected), ": ", group.findings.size(),
      group.kind == FindingKind::kCrossLayer ? " (wrong layer)\n" : " (wrong module)\n");
  for (size_t i = 0; i < group.findings.size() && i < kShownNodes; ++i) {
    const Finding& finding = *group.findings[i];
    absl::StrAppend(text, "  ", ShownNode(report, finding.node), "\n      ",
                    SafeForTerminal(report.tags.Text(finding.node)), " -> ",
                    SafeForTerminal(report.tags.Spell(finding.expected)), "  (",
                    WitnessList(finding.witnesses), "; ", ProbabilityText(finding.confidence),
                    ")\n");
  }
  if (group.findings.size() > kShownNodes) {
    absl::StrAppend(text, "  and ", group.findings.size() - kShownNodes, " more\n");
  }
}

void AppendCoverageText(const CheckReport& report, const Coverage& coverage, std::string* text) {
  const std::array<size_t, kGapKindCount> counts = CountGaps(coverage);
  const std::vector<Gap>& gaps = coverage.gaps;
  for (size_t begin = 0; begin < gaps.size();) {
    const size_t count = counts[static_cast<size_t>(gaps[begin].kind)];
    absl::StrAppend(text, "\n", GapKindName(gaps[begin].kind), ": ", count, "\n");
    for (size_t i = begin; i < begin + std::min(count, kShownNodes); ++i) {
      absl::StrAppend(text, "  ",
                      gaps[i].node.valid() ? ShownNode(report, gaps[i].node) + ": " : "",
                      SafeForTerminal(gaps[i].text), "\n");
    }
    if (count > kShownNodes) absl::StrAppend(text, "  and ", count - kShownNodes, " more\n");
    begin += count;
  }
}

std::string BrokenText(const BrokenRule& broken) {
  return absl::StrCat(broken.module, broken.module.empty() ? "" : " ", broken.what);
}

// As many rows as there is room for; "" for none.
std::string BrokenRulesTable(const std::vector<BrokenRule>& rules, MarkdownRoom& room) {
  if (rules.empty()) return "";
  const TextTable table({Align::kRight, Align::kLeft, Align::kLeft, Align::kLeft},
                        TableFormat::kMarkdown);
  std::string text = "\n";
  table.AppendHead({"line", "broken rule", "module", "what"}, &text);
  for (const BrokenRule& broken : rules) {
    std::string row;
    table.Append(
        {absl::StrCat(broken.line), MarkdownCode(broken.rule),
         broken.module.empty() ? "" : MarkdownCode(broken.module), MarkdownText(broken.what)},
        &row);
    if (room.Takes(row)) text += row;
  }
  return text;
}

// ": 300 of 300 nodes tagged, 2 in a wrong layer, 0 in a wrong module"
std::string CountsText(const CheckReport& report) {
  std::string text = absl::StrCat(": ", WithThousands(report.tags.CountTagged()), " of ",
                                  Counted(report.graph.node_count(), "node"), " tagged");
  if (report.contamination.has_value()) {
    absl::StrAppend(&text, ", ",
                    WithThousands(CountKind(*report.contamination, FindingKind::kCrossLayer)),
                    " in a wrong layer, ",
                    WithThousands(CountKind(*report.contamination, FindingKind::kCrossModule)),
                    " in a wrong module");
  }
  if (report.coverage.has_value()) {
    const size_t gaps = report.coverage->gaps.size();
    absl::StrAppend(&text, ", ", Counted(gaps, "gap"));
  }
  if (report.broken_rules.has_value()) {
    const size_t broken = report.broken_rules->size();
    absl::StrAppend(&text, ", ", Counted(broken, "broken rule"));
  }
  return text;
}

}  // namespace

size_t CheckReport::CountFound() const {
  return (contamination.has_value() ? contamination->size() : 0) +
         (coverage.has_value() ? coverage->gaps.size() : 0) +
         (broken_rules.has_value() ? broken_rules->size() : 0);
}

absl::Status WriteCheckReportJson(const CheckReport& report, ByteSink& sink) {
  OutgoingText out(sink);
  JsonText json(out.text());
  json.BeginDocument("onnx-hier/check-report", 1);
  json.Key("file").String(report.file);
  json.Key("tags").BeginObject();
  json.Key("source").String(SourceName(report.tags.source));
  json.Key("nodes").Unsigned(report.graph.node_count());
  json.Key("tagged").Unsigned(report.tags.CountTagged());
  json.Key("malformed").Unsigned(report.malformed);
  json.EndObject();
  if (report.contamination.has_value()) {
    json.NewLine();
    AppendContamination(report, *report.contamination, json, out);
  }
  if (report.coverage.has_value()) {
    json.NewLine();
    AppendCoverage(report, *report.coverage, json, out);
  }
  if (report.broken_rules.has_value()) {
    json.NewLine();
    json.Key("broken_rules").BeginArray();
    for (const BrokenRule& broken : *report.broken_rules) {
      json.NewLine();
      json.BeginObject();
      json.Key("line").Unsigned(broken.line);
      json.Key("rule").String(broken.rule);
      json.Key("module").StringOrNull(broken.module);
      json.Key("text").String(broken.what);
      json.EndObject();
      out.Pass();
    }
    json.EndArray();
  }
  json.EndObject();
  out.text()->push_back('\n');
  return out.Finish();
}

absl::Status WriteCheckReportText(const CheckReport& report, ByteSink& sink) {
  OutgoingText out(sink);
  std::string* const text = out.text();
  absl::StrAppend(text, SafeForTerminal(report.file), CountsText(report), "\n");
  if (report.contamination.has_value()) {
    for (const Group& group : GroupFindings(report, *report.contamination)) {
      AppendGroupText(report, group, text);
      out.Pass();
    }
  }
  if (report.coverage.has_value()) AppendCoverageText(report, *report.coverage, text);
  if (report.broken_rules.has_value() && !report.broken_rules->empty()) {
    absl::StrAppend(text, "\nbroken rules: ", report.broken_rules->size(), "\n");
    for (const BrokenRule& broken : *report.broken_rules) {
      absl::StrAppend(text, "  line ", broken.line, ": ", SafeForTerminal(broken.rule), ": ",
                      SafeForTerminal(BrokenText(broken)), "\n");
      out.Pass();
    }
  }
  return out.Finish();
}

absl::Status WriteCheckReportMarkdown(const CheckReport& report, ByteSink& sink) {
  OutgoingText out(sink);
  std::string* const text = out.text();
  absl::StrAppend(text, MarkdownCode(report.file), CountsText(report), "\n");
  MarkdownRoom room;
  const auto add = [&room](const TextTable& table, const std::vector<std::string>& cells,
                           std::string& to) {
    std::string row;
    table.Append(cells, &row);
    if (room.Takes(row)) to += row;
  };
  if (report.contamination.has_value() && !report.contamination->empty()) {
    const TextTable groups({Align::kLeft, Align::kLeft, Align::kLeft, Align::kRight, Align::kLeft},
                           TableFormat::kMarkdown);
    *text += "\n";
    groups.AppendHead({"in", "tagged", "belongs to", "nodes", "what"}, text);
    const TextTable nodes({Align::kLeft, Align::kLeft, Align::kLeft, Align::kLeft, Align::kRight},
                          TableFormat::kMarkdown);
    std::string details;
    nodes.AppendHead({"node", "tag", "belongs to", "witnesses", "sure"}, &details);
    const std::vector<Group> found = GroupFindings(report, *report.contamination);
    for (const Group& group : found) {
      add(groups,
          {MarkdownCode(group.parent), MarkdownCode(group.actual), MarkdownCode(group.expected),
           absl::StrCat(group.findings.size()),
           group.kind == FindingKind::kCrossLayer ? "wrong layer" : "wrong module"},
          *text);
    }
    for (const Group& group : found) {
      for (const Finding* finding : group.findings) {
        add(nodes,
            {MarkdownCode(ShownNode(report, finding->node)),
             MarkdownCode(report.tags.Text(finding->node)),
             MarkdownCode(report.tags.Spell(finding->expected)),
             MarkdownText(WitnessList(finding->witnesses)), ProbabilityText(finding->confidence)},
            details);
      }
    }
    *text += MarkdownDetails("Nodes", details);
  }
  if (report.coverage.has_value() && !report.coverage->gaps.empty()) {
    const TextTable gaps({Align::kLeft, Align::kLeft, Align::kLeft}, TableFormat::kMarkdown);
    *text += "\n";
    gaps.AppendHead({"gap", "node", "what"}, text);
    for (const Gap& gap : report.coverage->gaps) {
      add(gaps,
          {MarkdownText(GapKindName(gap.kind)),
           gap.node.valid() ? MarkdownCode(ShownNode(report, gap.node)) : "",
           MarkdownText(gap.text)},
          *text);
    }
  }
  if (report.broken_rules.has_value()) {
    *text += BrokenRulesTable(*report.broken_rules, room);
  }
  *text += room.LeftOut();
  return out.Finish();
}

absl::Status WriteCheckReportLines(const CheckReport& report, ByteSink& sink) {
  OutgoingText out(sink);
  const auto add = [&](absl::string_view node, absl::string_view kind, absl::string_view what) {
    absl::StrAppend(out.text(),
                    SafeForTerminal(absl::StrCat(report.file, ": ", node, node.empty() ? "" : ": ",
                                                 kind, ": ", what)),
                    "\n");
    out.Pass();
  };
  if (report.contamination.has_value()) {
    for (const Finding& finding : *report.contamination) {
      add(report.graph.NodePath(finding.node), FindingKindName(finding.kind),
          absl::StrCat(report.tags.Text(finding.node), ": expected ",
                       report.tags.Spell(finding.expected), " (", WitnessList(finding.witnesses),
                       ", ", ProbabilityText(finding.confidence),
                       "): ", report.graph.node(finding.node).name));
    }
  }
  if (report.coverage.has_value()) {
    for (const Gap& gap : report.coverage->gaps) {
      add(gap.node.valid() ? report.graph.NodePath(gap.node) : "", GapKindName(gap.kind), gap.text);
    }
  }
  if (report.broken_rules.has_value()) {
    for (const BrokenRule& broken : *report.broken_rules) {
      add("", "broken_rule",
          absl::StrCat("line ", broken.line, ": ", broken.rule, ": ", BrokenText(broken)));
    }
  }
  return out.Finish();
}

}  // namespace onnx_hier
