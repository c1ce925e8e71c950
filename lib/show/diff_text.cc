// SPDX-License-Identifier: Apache-2.0

// What changed between two models, for people: each thing once.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "lib/names/numbered_name.h"
#include "lib/show/amount_figures.h"
#include "lib/show/diff_words.h"
#include "lib/show/text_table.h"
#include "onnx_hier_program/reports.h"
#include "onnx_hier_program/text.h"

namespace onnx_hier {
namespace {

// --- What a comparison says of lists and of modules that only one of two models has, in lines:
// members in a row are one, and so are the same ones of lists in alike modules.
//
//   /encoder/layer.1  inserted: 12 modules, 104 nodes, 8,544 parameters
//   /encoder/layer.[1-10]  are layer.[2-11] now, the same

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

// Whether a path is the member that follows another one.
bool Follows(const ModulePaths& paths, PathId path, PathId before) {
  return paths.parent(path) == paths.parent(before) &&
         NumberedName(paths.name(before)).Precedes(NumberedName(paths.name(path)));
}

// Members in a row, which are told of alike.
struct ListRun {
  PathId first;
  PathId last;
  // "layer.2", "layer.[2-11]"
  std::string Name(const ModulePaths& paths) const {
    const std::string tag = paths.Tag(first);
    std::string last_part = tag.substr(tag.rfind('/') + 1);
    if (first == last) return last_part;
    const NumberedName name(paths.name(first));
    const NumberedName end(paths.name(last));
    return absl::StrCat(last_part.substr(0, last_part.size() - name.size()), name.before(), "[",
                        name.digits(), "-", end.digits(), "]", name.after());
  }
  // "/encoder/"
  std::string Around(const ModulePaths& paths) const {
    const std::string tag = paths.Tag(first);
    return tag.substr(0, tag.rfind('/') + 1);
  }
};

class ModuleLines {
 public:
  explicit ModuleLines(const DiffReport& report) : report_(report) {}

  std::string Text() && {
    AddOnly();
    AddRenumbered();
    std::string text;
    for (const Line& line : lines_) {
      const std::string name = line.count == 1
                                   ? absl::StrCat(line.around, line.name)
                                   : absl::StrCat(WithoutNumbers(line.around), line.name, " x",
                                                  WithThousands(line.count));
      absl::StrAppend(&text, SafeForTerminal(absl::StrCat(name, "  ", line.says)), "\n");
    }
    return text;
  }

 private:
  struct Line {
    std::string around;
    std::string name;
    std::string says;
    size_t count = 1;
  };

  void Add(const ModulePaths& paths, const ListRun& run, std::string says) {
    Line line = {run.Around(paths), run.Name(paths), std::move(says)};
    const std::string key =
        absl::StrCat(WithoutNumbers(line.around), line.name, std::string(1, '\0'), line.says);
    const auto [known, is_new] = known_.emplace(key, lines_.size());
    if (is_new) {
      lines_.push_back(std::move(line));
    } else {
      ++lines_[known->second].count;
    }
  }

  std::string SaysOf(const OnlyInOne& only) const {
    std::string says = !only.is_member  ? only.a.valid() ? "only in A" : "only in B"
                       : only.a.valid() ? "removed"
                                        : "inserted";
    if (only.copy_of.valid()) {
      const PathId copy = only.copy_of;
      absl::StrAppend(&says, ", a copy of ", ListRun{copy, copy}.Name(report_.a.paths));
    }
    return absl::StrCat(says, ": ", FiguresText(only.figures));
  }

  // One module alone is told of with what is in it, unless it is a member of a list.
  void AddOnly() {
    const std::vector<OnlyInOne>& all = report_.diff.only;
    for (size_t i = 0; i < all.size();) {
      const bool is_a = all[i].a.valid();
      const ModulePaths& paths = is_a ? report_.a.paths : report_.b.paths;
      const auto path_of = [is_a](const OnlyInOne& only) { return is_a ? only.a : only.b; };
      const std::string says = SaysOf(all[i]);
      ListRun run = {path_of(all[i]), path_of(all[i])};
      const size_t first = i++;
      if (IsToldAlone(all[first])) continue;
      while (i < all.size() && all[i].a.valid() == is_a && all[first].is_member &&
             all[i].is_member && Follows(paths, path_of(all[i]), run.last) &&
             SaysOf(all[i]) == says) {
        run.last = path_of(all[i++]);
      }
      Add(paths, run, run.first == run.last ? says : absl::StrCat(says, " each"));
    }
  }

  void AddRenumbered() {
    const std::vector<Renumbered>& all = report_.diff.renumbered;
    const ModulePaths& paths_a = report_.a.paths;
    const ModulePaths& paths_b = report_.b.paths;
    for (size_t i = 0; i < all.size();) {
      const Renumbered& first = all[i++];
      ListRun run_a = {first.a, first.a};
      ListRun run_b = {first.b, first.b};
      while (i < all.size() && all[i].moved == first.moved && all[i].same == first.same &&
             Follows(paths_a, all[i].a, run_a.last) && Follows(paths_b, all[i].b, run_b.last)) {
        run_a.last = all[i].a;
        run_b.last = all[i++].b;
      }
      const std::string now = run_b.Name(paths_b);
      Add(paths_a, run_a,
          absl::StrCat(first.moved                 ? absl::StrCat("moved to ", now)
                       : run_a.first == run_a.last ? absl::StrCat("is ", now, " now")
                                                   : absl::StrCat("are ", now, " now"),
                       first.same ? ", the same" : ", changed inside"));
    }
  }

  const DiffReport& report_;
  std::vector<Line> lines_;
  std::map<std::string, size_t> known_;
};

// With a line end each; fit to be shown.
std::string ListLines(const DiffReport& report) { return ModuleLines(report).Text(); }

constexpr size_t kWidestTitle = 40;  // a table may call its columns anything

// Places that a change in many modules is told with.
constexpr size_t kMostPlaces = 8;

// One line, with those below it: modules whose names differ in numbers alone are put together.
struct Entry {
  std::string pattern;
  std::string changes;
  std::string details;
  std::string fact;   // what changed, whatever the shapes; "": nothing that is said more than once
  std::string first;  // the path of the first one
  size_t modules = 0;
  std::optional<WeightDifference> difference;  // none: it is not known of all of them

  std::string Name() const {
    return modules > 1 ? absl::StrCat(pattern, " x", WithThousands(modules)) : first;
  }
};

void AddDifference(const std::optional<WeightDifference>& from,
                   std::optional<WeightDifference>& to) {
  if (!from || !to) {
    to.reset();
    return;
  }
  to->compared += from->compared;
  to->largest = std::max(to->largest, from->largest);
  to->relative = std::max(to->relative, from->relative);
  to->not_finite += from->not_finite;
}

// "4,096 -> 2,048 MACs"; "": it is the same, or of one model only.
std::string ArrowText(const ColumnPair& columns, Amount before, Amount after) {
  if (before == after) return "";
  const AmountFigures figures(columns.a->measure(), std::max(before, after));
  const std::string title = SafeForTerminal(columns.a->measure().title, kWidestTitle);
  return columns.a->measure().unit == MeasureUnit::kCount
             ? absl::StrCat(figures.Text(before), " -> ", figures.Text(after), " ", title)
             : absl::StrCat(title, " ", figures.Whole(before), " -> ", figures.Whole(after));
}

std::string DetailsText(const DiffReport& report, const ModuleDiff& diff) {
  std::string text;
  for (const std::string& line : DetailLines(diff)) absl::StrAppend(&text, "    ", line, "\n");
  for (const ColumnPair& columns : report.columns) {
    const AmountPair amounts = AmountsOf(report, diff, columns);
    if (!amounts.a || !amounts.b) continue;
    const std::string line = ArrowText(columns, *amounts.a, *amounts.b);
    if (!line.empty()) absl::StrAppend(&text, "    ", line, "\n");
  }
  return text;
}

// "float32", 2
std::map<std::string, uint64_t> CountTypes(const std::vector<KindCount>& kinds) {
  std::map<std::string, uint64_t> counts;
  for (const KindCount& kind : kinds) counts[std::string(TypeOfKind(kind.kind))] += kind.count;
  return counts;
}

// "float32 x2, uint8"
std::string TypesText(const std::map<std::string, uint64_t>& counts) {
  std::vector<KindCount> types;
  types.reserve(counts.size());
  for (const auto& [type, count] : counts) types.push_back({type, count});
  return CountsText(types);
}

std::string ArrowText(const std::string& before, const std::string& after) {
  if (before.empty()) return absl::StrCat("+ ", after);
  if (after.empty()) return absl::StrCat("- ", before);
  return absl::StrCat(before, " -> ", after);
}

// "float32 -> uint8, float32 x2", however many they are where all are of another type now; "": no
// types changed.
std::string TypesChangeText(const ModuleDiff& diff) {
  const std::map<std::string, uint64_t> before = CountTypes(diff.parameters_removed);
  const std::map<std::string, uint64_t> after = CountTypes(diff.parameters_added);
  if (before == after) return "";
  if (before.size() == 1 && after.size() == 1 && before.begin()->second == after.begin()->second) {
    return absl::StrCat(before.begin()->first, " -> ", after.begin()->first);
  }
  return ArrowText(TypesText(before), TypesText(after));
}

// "MatMul -> MatMulInteger, Mul; float32 -> uint8": of modules that both models have.
std::string FactOf(const ModuleDiff& diff) {
  if (!diff.a.valid() || !diff.b.valid() || diff.moved) return "";
  std::vector<std::string> parts;
  if (diff.operators) {
    parts.push_back(
        ArrowText(CountsText(diff.operators_removed), CountsText(diff.operators_added)));
  }
  const std::string types = TypesChangeText(diff);
  if (diff.parameters && types.empty()) return "";
  if (!types.empty()) parts.push_back(types);
  for (const AttributeDiff& attribute : diff.attributes) parts.push_back(AttributeText(attribute));
  if (parts.empty()) return "";
  if (diff.wiring) parts.emplace_back("wiring or attributes");
  if (diff.weights) parts.emplace_back("weights");
  return absl::StrJoin(parts, "; ");
}

class EntryLines {
 public:
  explicit EntryLines(const DiffReport& report) : report_(report) {
    for (const ModuleDiff& diff : report.diff.changed) {
      const bool is_only = !diff.a.valid() || !diff.b.valid();
      if (is_only && !IsToldAlone(report.diff.only[diff.outermost])) continue;
      AddEntry(diff);
    }
    for (const Entry& entry : entries_) ++places_[entry.fact];
  }

  std::string Text() const {
    std::string text;
    std::map<std::string, bool> told;
    for (const Entry& entry : entries_) {
      if (entry.fact.empty() || places_.at(entry.fact) == 1) {
        AppendEntry(entry, text);
      } else if (!std::exchange(told[entry.fact], true)) {
        AppendFact(entry.fact, text);
      }
    }
    return text;
  }

 private:
  // "/a/b -> /c/d" where it is not the same below what was compared.
  std::string NameOf(const ModuleDiff& diff) const {
    std::string a = diff.a.valid() ? report_.a.paths.Tag(diff.a) : "";
    const std::string b = diff.b.valid() ? report_.b.paths.Tag(diff.b) : "";
    if (a.empty() || b.empty()) return a.empty() ? b : a;
    const auto below = [](const ModulePaths& paths, PathId root, const std::string& tag) {
      return paths.depth(root) == 0 ? tag
                                    : tag.substr(std::min(tag.size(), paths.Tag(root).size()));
    };
    const std::string below_a = below(report_.a.paths, report_.diff.root_a, a);
    const std::string below_b = below(report_.b.paths, report_.diff.root_b, b);
    const auto same = [](absl::string_view x, absl::string_view y) {
      return x == y || (x.size() <= 1 && y.size() <= 1);
    };
    if (!diff.moved && (a == b || same(below_a, below_b))) return a;
    return absl::StrCat(a, " -> ", b);
  }

  void AddEntry(const ModuleDiff& diff) {
    const std::string name = NameOf(diff);
    Entry entry = {
        WithoutNumbers(name), ChangesText(diff), DetailsText(report_, diff), FactOf(diff), name, 1,
        diff.difference};
    const auto [place, is_new] = known_.emplace(
        std::make_tuple(entry.pattern, entry.changes, entry.details), entries_.size());
    if (is_new) {
      entries_.push_back(std::move(entry));
    } else {
      ++entries_[place->second].modules;
      AddDifference(diff.difference, entries_[place->second].difference);
    }
  }

  static void AppendEntry(const Entry& entry, std::string& text) {
    absl::StrAppend(&text, SafeForTerminal(entry.Name()), "  ", entry.changes);
    if (entry.difference) absl::StrAppend(&text, ": ", DifferenceText(*entry.difference));
    text.push_back('\n');
    for (absl::string_view line : absl::StrSplit(entry.details, '\n', absl::SkipEmpty())) {
      absl::StrAppend(&text, SafeForTerminal(line), "\n");
    }
  }

  // What is the same in modules of several names.
  void AppendFact(const std::string& fact, std::string& text) const {
    size_t modules = 0;
    std::vector<std::string> places;
    std::optional<WeightDifference> difference;
    bool is_structure = false;
    for (const Entry& entry : entries_) {
      if (entry.fact != fact) continue;
      if (modules == 0) {
        difference = entry.difference;
      } else {
        AddDifference(entry.difference, difference);
      }
      modules += entry.modules;
      is_structure |= absl::StrContains(entry.changes, "operators") ||
                      absl::StrContains(entry.changes, "wiring");
      places.push_back(entry.Name());
    }
    absl::StrAppend(&text, SafeForTerminal(fact), " in ", WithThousands(modules), " modules",
                    is_structure ? "" : ", structure the same");
    if (difference) absl::StrAppend(&text, ", ", DifferenceText(*difference));
    text.push_back('\n');
    for (size_t i = 0; i < std::min(places.size(), kMostPlaces); ++i) {
      absl::StrAppend(&text, "    ", SafeForTerminal(places[i]), "\n");
    }
    if (places.size() > kMostPlaces) {
      absl::StrAppend(&text, "    and ", WithThousands(places.size() - kMostPlaces),
                      " more, which --json lists\n");
    }
  }

  const DiffReport& report_;
  std::vector<Entry> entries_;
  std::map<std::tuple<std::string, std::string, std::string>, size_t> known_;
  std::map<std::string, size_t> places_;  // entries of each fact
};

// Where nearly nothing of one model is in the other one, names are to blame.
std::string LostNamesText(const DiffReport& report) {
  constexpr uint64_t kFew = 8;
  uint64_t only_a = 0;
  uint64_t only_b = 0;
  for (const OnlyInOne& only : report.diff.only) {
    (only.a.valid() ? only_a : only_b) += only.figures.modules;
  }
  const auto is_lost = [](uint64_t only, const ModuleFigures& all) {
    return only >= kFew && 10 * only >= 9 * (all.modules - 1);
  };
  const auto text = [](absl::string_view other, uint64_t only, absl::string_view one,
                       const ModuleFigures& all) {
    return absl::StrCat(other, " has no modules of these names: ", WithThousands(only), " of ", one,
                        "'s ", WithThousands(all.modules),
                        " are not in it. Where a tool took names away, 'onnx-hier apply ", one, " ",
                        other, " -o TAGGED' gives them back: compare with TAGGED\n");
  };
  if (is_lost(only_a, report.diff.a)) return text("B", only_a, "A", report.diff.a);
  if (is_lost(only_b, report.diff.b)) return text("A", only_b, "B", report.diff.b);
  return "";
}

std::string TotalsText(const DiffReport& report) {
  const ModuleFigures& a = report.diff.a;
  const ModuleFigures& b = report.diff.b;
  std::vector<std::string> parts;
  const auto add = [&parts](uint64_t before, uint64_t after, absl::string_view what) {
    if (before == after) return;
    parts.push_back(absl::StrCat(WithThousands(before), " -> ", WithThousands(after), what));
  };
  add(a.nodes, b.nodes, " nodes");
  add(a.parameters, b.parameters, " parameters");
  if (a.bytes != b.bytes) {
    parts.push_back(absl::StrCat(HumanBytes(a.bytes), " -> ", HumanBytes(b.bytes)));
  }
  for (const ColumnPair& columns : report.columns) {
    const std::string arrow = ArrowText(columns, columns.a->whole(), columns.b->whole());
    if (!arrow.empty()) parts.push_back(arrow);
  }
  return parts.empty() ? "" : absl::StrCat("in all: ", absl::StrJoin(parts, ", "), "\n");
}

std::string RootsText(const DiffReport& report) {
  const ModelDiff& diff = report.diff;
  if (diff.root_a == report.a.paths.root() && diff.root_b == report.b.paths.root()) return "";
  return absl::StrCat(SafeForTerminal(report.a.paths.Tag(diff.root_a)), " of A is ",
                      SafeForTerminal(report.b.paths.Tag(diff.root_b)), " of B\n");
}

std::string UnreadText(const ModelDiff& diff) {
  std::string text;
  if (diff.unread > 0) {
    absl::StrAppend(&text, "not compared: the contents of ", WithThousands(diff.unread),
                    " parameters, which could not be read\n");
  }
  for (const std::string& warning : diff.warnings) absl::StrAppend(&text, warning, "\n");
  return text;
}

// And what callers must give otherwise.
std::string CountsLines(const ModelDiff& diff) {
  std::string text = absl::StrCat(Counted(diff.same, "module"), " the same, ",
                                  WithThousands(diff.changed.size()), " changed\n");
  const auto add = [&text](absl::string_view what, const PortDiff& port) {
    absl::StrAppend(&text, what, " ", SafeForTerminal(port.name), ": ",
                    port.a.empty() ? "none" : SafeForTerminal(port.a), " -> ",
                    port.b.empty() ? "none" : SafeForTerminal(port.b), "\n");
  };
  for (const PortDiff& input : diff.inputs) add("input", input);
  for (const PortDiff& output : diff.outputs) add("output", output);
  return text;
}

// "+1,234", "-5"
std::string Signed(uint64_t before, uint64_t after, absl::string_view what) {
  const bool is_less = after < before;
  return absl::StrCat(is_less ? "-" : "+", WithThousands(is_less ? before - after : after - before),
                      what);
}

// "+1 layer, 12 modules, +104 nodes"
std::string UnitChanges(const UnitDiff& unit) {
  std::vector<std::string> parts;
  const auto members = [](uint64_t count) { return count == 1 ? " layer" : " layers"; };
  if (unit.members_removed > 0) {
    parts.push_back(absl::StrCat("-", unit.members_removed, members(unit.members_removed)));
  }
  if (unit.members_added > 0) {
    parts.push_back(absl::StrCat("+", unit.members_added, members(unit.members_added)));
  }
  if (unit.members_moved > 0) {
    parts.push_back(absl::StrCat(unit.members_moved, members(unit.members_moved), " moved"));
  } else if (parts.empty() && unit.members_renumbered > 0) {
    // Else the numbers follow from what came or went.
    parts.push_back(
        absl::StrCat(unit.members_renumbered, members(unit.members_renumbered), " renumbered"));
  }
  if (unit.changed > 0) {
    parts.push_back(Counted(unit.changed, "module"));
  }
  if (unit.a.nodes != unit.b.nodes) parts.push_back(Signed(unit.a.nodes, unit.b.nodes, " nodes"));
  if (unit.a.parameters != unit.b.parameters) {
    parts.push_back(Signed(unit.a.parameters, unit.b.parameters, " parameters"));
  }
  if (unit.a.bytes != unit.b.bytes) {
    const bool is_less = unit.b.bytes < unit.a.bytes;
    parts.push_back(absl::StrCat(
        is_less ? "-" : "+",
        HumanBytes(is_less ? unit.a.bytes - unit.b.bytes : unit.b.bytes - unit.a.bytes)));
  }
  return absl::StrJoin(parts, ", ");
}

bool IsChanged(const UnitDiff& unit) { return unit.changed > 0 || unit.members_renumbered > 0; }

}  // namespace

std::string DiffReportText(const DiffReport& report) {
  const ModelDiff& diff = report.diff;
  return absl::StrCat(RootsText(report), CountsLines(diff), LostNamesText(report),
                      ListLines(report), EntryLines(report).Text(), TotalsText(report),
                      UnreadText(diff));
}

std::string DiffStatText(const DiffReport& report) {
  const ModelDiff& diff = report.diff;
  std::string text = absl::StrCat(RootsText(report), CountsLines(diff));
  for (const UnitDiff& unit : diff.units) {
    if (!IsChanged(unit)) continue;
    absl::StrAppend(&text, SafeForTerminal(unit.name), ": ", UnitChanges(unit), "\n");
  }
  return absl::StrCat(text, TotalsText(report), UnreadText(diff));
}

std::string DiffReportMarkdown(const DiffReport& report) {
  const ModelDiff& diff = report.diff;
  std::string text = absl::StrCat(
      MarkdownCode(report.file_a), " -> ", MarkdownCode(report.file_b), "\n\n",
      NoteLines(absl::StrCat(RootsText(report), CountsLines(diff), LostNamesText(report),
                             TotalsText(report), UnreadText(diff)),
                TableFormat::kMarkdown));
  MarkdownRoom room;
  const TextTable table({Align::kLeft, Align::kLeft}, TableFormat::kMarkdown);
  std::string rows;
  for (const UnitDiff& unit : diff.units) {
    if (!IsChanged(unit)) continue;
    std::string row;
    table.Append({MarkdownCode(unit.name), MarkdownText(UnitChanges(unit))}, &row);
    if (room.Takes(row)) rows += row;
  }
  if (!rows.empty()) {
    text += "\n";
    table.AppendHead({"part", "change"}, &text);
    text += rows;
  }
  std::string modules;
  const std::string entries = absl::StrCat(ListLines(report), EntryLines(report).Text());
  for (absl::string_view line : absl::StrSplit(entries, '\n', absl::SkipEmpty())) {
    // No line ends the block that it stands in.
    const std::string row = absl::StrCat(absl::StrReplaceAll(line, {{"`", "'"}}), "\n");
    if (room.Takes(row)) modules += row;
  }
  if (!modules.empty()) {
    text += MarkdownDetails("Modules", absl::StrCat("```text\n", modules, "```\n"));
  }
  return absl::StrCat(text, room.LeftOut());
}

}  // namespace onnx_hier
