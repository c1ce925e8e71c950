#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "lib/base/hash.h"
#include "lib/base/outgoing_text.h"
#include "lib/report/figures.h"
#include "onnx_hier/reports.h"
#include "onnx_hier/safe_text.h"
#include "onnx_hier/summary.h"

namespace onnx_hier {
namespace {

// Characters of a name, and of the branches before it: together they fit most terminals, and hold
// all of 909 of the 910 models that were looked at.
constexpr size_t kWidestName = 100;
constexpr size_t kWidestBranches = 60;
constexpr size_t kBranchWidth = 3;

// A line of the picture: one module, or a run of alike members of a list, or one node.
struct Row {
  ModuleId module;  // the first of the run; of a node, its own
  ModuleId last;
  uint64_t count = 1;
  NodeId node;
};

class TreeDrawing {
 public:
  TreeDrawing(const Annotation& annotation, const TreeTextOptions& options)
      : annotation_(annotation),
        tree_(annotation.modules),
        options_(options),
        children_(tree_.size()),
        shape_(tree_.size(), 0),
        unsure_(Summarize(annotation).unsure) {
    for (ModuleId id : tree_.ids()) {
      if (tree_.module(id).parent.valid()) children_[tree_.module(id).parent].push_back(id);
    }
    // Children come after their parent: backwards, their shapes are known first.
    for (size_t i = tree_.size(); i-- > 0;) shape_[ModuleId(i)] = Shape(ModuleId(i));
  }

  // Columns as wide as they need to be: for that, all lines are made twice.
  absl::Status Write(ByteSink& sink) const {
    const Cells titles = {"module", "nodes", "parameters", "size", "class"};
    std::array<size_t, kColumns> widths = {};
    const auto widen = [&](const Cells& cells) {
      for (size_t i = 0; i < kColumns; ++i) {
        widths[i] = std::max(widths[i], CharacterCount(cells[i]));
      }
    };
    bool folded = false;
    widen(titles);
    ForEachRow([&](const Row& row, const std::string& label) {
      folded |= row.count > 1;
      widen(CellsOf(row, label));
    });
    OutgoingText out(sink);
    AppendLine(titles, widths, out.text());
    ForEachRow([&](const Row& row, const std::string& label) {
      AppendLine(CellsOf(row, label), widths, out.text());
      out.Pass();
    });
    if (folded) *out.text() += "xN: N modules built alike; the figures are those of one.\n";
    if (unsure_ > 0) {
      absl::StrAppend(out.text(), unsure_, unsure_ == 1 ? " node is" : " nodes are",
                      " less than 50 % sure: the sidecar says which.\n");
    }
    return out.Finish();
  }

 private:
  static constexpr size_t kColumns = 5;
  using Cells = std::array<std::string, kColumns>;

  struct Level {
    PathId above;
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
    level.above = tree_.module(parent).path;
    level.indent = std::move(indent);
    if (options_.with_nodes != nullptr) {
      for (NodeId node : options_.with_nodes->OwnNodes(parent)) {
        level.rows.push_back({parent, parent, 1, node});
      }
    }
    const std::vector<ModuleId>& children = children_[parent];
    for (size_t i = 0; i < children.size();) {
      size_t end = i + 1;
      const bool folds = options_.with_nodes == nullptr;
      while (folds && end < children.size() && Continues(children[end - 1], children[end])) ++end;
      level.rows.push_back({children[i], children[end - 1], end - i, NodeId()});
      i = end;
    }
    return level;
  }

  // "12 MatMul '/encoder/MatMul'"
  std::string NameOf(NodeId id) const {
    const Graph& graph = options_.with_nodes->graph();
    const absl::string_view name = graph.node(id).name;
    return SafeForTerminal(absl::StrCat(graph.NodePath(id), " ", graph.op(id).type,
                                        name.empty() ? "" : absl::StrCat(" '", name, "'")),
                           kWidestName);
  }

  std::string NameOf(const Row& row, PathId below) const {
    if (row.node.valid()) return NameOf(row.node);
    std::string name = Label(row.module, below);
    if (row.count > 1) {
      const absl::string_view first = annotation_.paths.name(tree_.module(row.module).path);
      const absl::string_view last = annotation_.paths.name(tree_.module(row.last).path);
      name.resize(name.size() - first.size());
      absl::StrAppend(&name, "[", first, "-", last, "] x", row.count);
    }
    return SafeForTerminal(name, kWidestName);
  }

  // The branches next to the name; where there are too many, an ellipsis stands for the others.
  static std::string Branches(const std::string& indent, absl::string_view own) {
    std::string branches = absl::StrCat(indent, own);
    if (CharacterCount(branches) <= kWidestBranches) return branches;
    size_t at = branches.size();
    for (size_t kept = 0; kept < kWidestBranches - kBranchWidth;) {
      if (CharacterCount(branches.substr(--at, 1)) == 1) ++kept;
    }
    return absl::StrCat("…  ", absl::string_view(branches).substr(at));
  }

  // Calls `visit` with each row and its label, branches included. Depth first with a stack of its
  // own: paths may be deep.
  template <class Visit>
  void ForEachRow(const Visit& visit) const {
    if (options_.modules.empty()) ForEachRow(tree_.root(), visit);
    for (ModuleId module : options_.modules) ForEachRow(module, visit);
  }
  template <class Visit>
  void ForEachRow(ModuleId root, const Visit& visit) const {
    const std::string tag = annotation_.paths.Tag(tree_.module(root).path);
    visit(Row{root, root, 1, NodeId()}, SafeForTerminal(tag, kWidestName));
    std::vector<Level> levels;
    if (options_.depth > 0) levels.push_back(Fold(root, ""));
    while (!levels.empty()) {
      Level& level = levels.back();
      if (level.next == level.rows.size()) {
        levels.pop_back();
        continue;
      }
      const Row row = level.rows[level.next++];
      const bool last = level.next == level.rows.size();
      const std::string indent = level.indent + (last ? "   " : "│  ");
      visit(row, Branches(level.indent, last ? "└─ " : "├─ ") + NameOf(row, level.above));
      if (levels.size() < options_.depth && !row.node.valid()) {
        levels.push_back(Fold(row.module, indent));
      }
    }
  }

  Cells CellsOf(const Row& row, const std::string& label) const {
    if (row.node.valid()) return {label};
    const Module& module = tree_.module(row.module);
    return {label, WithThousands(module.total_nodes), WithThousands(module.total_parameters),
            HumanBytes(module.total_parameter_bytes),
            options_.classes ? SafeForTerminal(module.class_name, kWidestName) : ""};
  }

  void AppendLine(const Cells& cells, const std::array<size_t, kColumns>& widths,
                  std::string* text) const {
    std::string line;
    for (size_t i = 0; i < (options_.classes ? kColumns : kColumns - 1); ++i) {
      const std::string padding(widths[i] - CharacterCount(cells[i]), ' ');
      const bool left = i == 0 || i == 4;
      absl::StrAppend(&line, i == 0 ? "" : "  ", left ? "" : padding, cells[i],
                      left ? padding : "");
    }
    line.resize(line.find_last_not_of(' ') + 1);
    absl::StrAppend(text, line, "\n");
  }

  const Annotation& annotation_;
  const ModuleTree& tree_;
  const TreeTextOptions& options_;
  IdVector<ModuleId, std::vector<ModuleId>> children_;
  IdVector<ModuleId, uint64_t> shape_;
  const uint64_t unsure_;  // nodes
};

}  // namespace

absl::Status WriteTreeText(const Annotation& annotation, const TreeTextOptions& options,
                           ByteSink& sink) {
  return TreeDrawing(annotation, options).Write(sink);
}

}  // namespace onnx_hier
