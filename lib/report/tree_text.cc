#include "lib/report/tree_text.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "lib/base/hash.h"
#include "lib/base/safe_text.h"

namespace onnx_hier {
namespace {

// A line of the picture: one module, or a run of alike members of a list.
struct Row {
  ModuleId module;  // the first of the run
  uint64_t count = 1;
  std::string label;  // with the branch drawn before it
};

class TreeDrawing {
 public:
  TreeDrawing(const Annotation& annotation, const TreeTextOptions& options)
      : annotation_(annotation),
        tree_(annotation.modules),
        options_(options),
        children_(tree_.size()),
        shape_(tree_.size(), 0) {
    for (ModuleId id : tree_.ids()) {
      if (tree_.module(id).parent.valid()) children_[tree_.module(id).parent].push_back(id);
    }
    // Children come after their parent: backwards, their shapes are known first.
    for (size_t i = tree_.size(); i-- > 0;) shape_[ModuleId(i)] = Shape(ModuleId(i));
  }

  std::string Draw() {
    rows_.push_back({tree_.root(), 1, "/"});
    DrawChildren();
    return Print();
  }

 private:
  struct Level {
    std::vector<Row> rows;
    size_t next = 0;
    std::string indent;
  };

  // Equal for modules that hold the same things under the same names.
  uint64_t Shape(ModuleId id) const {
    const Module& module = tree_.module(id);
    uint64_t hash = MixHash(module.nodes, module.total_parameters);
    hash = MixHash(hash, HashBytes(module.class_name));
    for (ModuleId child : children_[id]) {
      hash = MixHash(hash, HashBytes(Label(child, module.path)));
      hash = MixHash(hash, shape_[child]);
    }
    return hash;
  }

  // The path of a module below the one it is drawn under.
  std::string Label(ModuleId id, PathId below) const {
    const ModulePaths& paths = annotation_.paths;
    std::vector<PathId> chain;
    for (PathId at = tree_.module(id).path; at.valid() && at != below; at = paths.parent(at)) {
      chain.push_back(at);
    }
    std::string label;
    for (size_t i = chain.size(); i-- > 0;) {
      if (!label.empty()) label += paths.is_number(chain[i]) ? '.' : '/';
      absl::StrAppend(&label, paths.name(chain[i]));
    }
    return label;
  }

  // Whether `next` continues a run that ends with `last`.
  bool Continues(ModuleId last, ModuleId next) const {
    const ModulePaths& paths = annotation_.paths;
    const PathId a = tree_.module(last).path;
    const PathId b = tree_.module(next).path;
    return paths.is_number(a) && paths.is_number(b) && paths.parent(a) == paths.parent(b) &&
           paths.number(a) < paths.number(b) && paths.number(b) - paths.number(a) == 1 &&
           shape_[last] == shape_[next];
  }

  Level Fold(ModuleId parent, std::string indent) const {
    Level level;
    level.indent = std::move(indent);
    const std::vector<ModuleId>& children = children_[parent];
    for (size_t i = 0; i < children.size();) {
      size_t end = i + 1;
      while (end < children.size() && Continues(children[end - 1], children[end])) ++end;
      Row row{children[i], end - i, Label(children[i], tree_.module(parent).path)};
      if (row.count > 1) {
        const absl::string_view first = annotation_.paths.name(tree_.module(children[i]).path);
        const absl::string_view last = annotation_.paths.name(tree_.module(children[end - 1]).path);
        row.label.resize(row.label.size() - first.size());
        absl::StrAppend(&row.label, "[", first, "-", last, "] x", row.count);
      }
      level.rows.push_back(std::move(row));
      i = end;
    }
    return level;
  }

  // Depth first with a stack of its own: paths may be deep.
  void DrawChildren() {
    std::vector<Level> levels;
    if (options_.depth > 0) levels.push_back(Fold(tree_.root(), ""));
    while (!levels.empty()) {
      Level& level = levels.back();
      if (level.next == level.rows.size()) {
        levels.pop_back();
        continue;
      }
      Row row = level.rows[level.next++];
      const bool last = level.next == level.rows.size();
      const std::string indent = level.indent + (last ? "   " : "│  ");
      row.label = absl::StrCat(level.indent, last ? "└─ " : "├─ ", SafeForTerminal(row.label));
      rows_.push_back(row);
      if (levels.size() < options_.depth) levels.push_back(Fold(row.module, indent));
    }
  }

  // Columns as wide as they need to be.
  std::string Print() const {
    std::vector<std::vector<std::string>> table = {{"module", "nodes", "parameters", "size"}};
    if (options_.classes) table[0].push_back("class");
    bool folded = false;
    for (const Row& row : rows_) {
      const Module& module = tree_.module(row.module);
      folded |= row.count > 1;
      table.push_back({row.label, WithThousands(module.total_nodes),
                       WithThousands(module.total_parameters),
                       HumanBytes(module.total_parameter_bytes)});
      if (options_.classes) table.back().push_back(SafeForTerminal(module.class_name));
    }
    std::vector<size_t> widths(table[0].size(), 0);
    for (const auto& cells : table) {
      for (size_t i = 0; i < cells.size(); ++i) widths[i] = std::max(widths[i], Width(cells[i]));
    }
    std::string text;
    for (const auto& cells : table) {
      std::string line;
      for (size_t i = 0; i < cells.size(); ++i) {
        const std::string padding(widths[i] - Width(cells[i]), ' ');
        const bool left = i == 0 || i == 4;
        absl::StrAppend(&line, i == 0 ? "" : "  ", left ? "" : padding, cells[i],
                        left ? padding : "");
      }
      line.resize(line.find_last_not_of(' ') + 1);
      absl::StrAppend(&text, line, "\n");
    }
    if (folded) text += "xN: N modules built alike; the figures are those of one.\n";
    return text;
  }

  // Characters, not bytes. Wide characters count as one: alignment is a courtesy.
  static size_t Width(const std::string& text) {
    return static_cast<size_t>(std::count_if(
        text.begin(), text.end(), [](char c) { return (static_cast<uint8_t>(c) & 0xC0) != 0x80; }));
  }

  const Annotation& annotation_;
  const ModuleTree& tree_;
  const TreeTextOptions& options_;
  IdVector<ModuleId, std::vector<ModuleId>> children_;
  IdVector<ModuleId, uint64_t> shape_;
  std::vector<Row> rows_;
};

}  // namespace

std::string TreeText(const Annotation& annotation, const TreeTextOptions& options) {
  return TreeDrawing(annotation, options).Draw();
}

std::string WithThousands(uint64_t number) {
  std::string digits = absl::StrCat(number);
  for (size_t i = digits.size(); i > 3;) {
    i -= 3;
    digits.insert(i, ",");
  }
  return digits;
}

std::string HumanBytes(uint64_t bytes) {
  constexpr absl::string_view kUnits[] = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};
  if (bytes < 1000) return absl::StrCat(bytes, " B");
  double value = static_cast<double>(bytes);
  size_t unit = 0;
  while (value >= 999.95 && unit + 1 < std::size(kUnits)) {
    value /= 1000;
    ++unit;
  }
  return absl::StrFormat("%.1f %s", value, kUnits[unit]);
}

}  // namespace onnx_hier
