#include "lib/report/tree_rows.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/hash.h"
#include "onnx_hier/safe_text.h"

namespace onnx_hier {
namespace {

// Characters of the branches before a name: as for kWidestName.
constexpr size_t kWidestBranches = 60;
constexpr size_t kBranchWidth = 3;

// The branches next to the name; where there are too many, an ellipsis stands for the others.
std::string Branches(const std::string& indent, absl::string_view own) {
  std::string branches = absl::StrCat(indent, own);
  if (CharacterCount(branches) <= kWidestBranches) return branches;
  size_t at = branches.size();
  for (size_t kept = 0; kept < kWidestBranches - kBranchWidth;) {
    if (CharacterCount(branches.substr(--at, 1)) == 1) ++kept;
  }
  return absl::StrCat("…  ", absl::string_view(branches).substr(at));
}

}  // namespace

TreeRows::TreeRows(const Annotation& annotation, const TreeTextOptions& options)
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

uint64_t TreeRows::Shape(ModuleId id) const {
  const Module& module = tree_.module(id);
  uint64_t hash = MixHash(module.nodes, module.total_parameters);
  hash = MixHash(hash, HashBytes(module.class_name));
  for (ModuleId child : children_[id]) {
    hash = MixHash(hash, HashBytes(Label(child, module.path)));
    hash = MixHash(hash, shape_[child]);
  }
  return hash;
}

std::string TreeRows::Label(ModuleId id, PathId below) const {
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

bool TreeRows::Continues(ModuleId last, ModuleId next) const {
  const ModulePaths& paths = annotation_.paths;
  const PathId a = tree_.module(last).path;
  const PathId b = tree_.module(next).path;
  return paths.is_number(a) && paths.is_number(b) && paths.parent(a) == paths.parent(b) &&
         paths.number(a) < paths.number(b) && paths.number(b) - paths.number(a) == 1 &&
         shape_[last] == shape_[next];
}

TreeRow TreeRows::RowOf(const TreeRow& parent, ModuleId first, uint64_t count, ModuleId end) const {
  TreeRow row;
  row.count = count;
  // What is built alike has its modules in the same places.
  for (ModuleId holder : parent.modules) {
    const uint32_t shift = holder.index() - parent.module().index();
    for (ModuleId id = first; id != end; id = tree_.subtree_end(id)) {
      row.modules.emplace_back(id.index() + shift);
    }
  }
  return row;
}

TreeRows::Level TreeRows::Below(const TreeRow& parent, std::string indent) const {
  Level level;
  level.above = tree_.module(parent.module()).path;
  level.indent = std::move(indent);
  if (options_.with_nodes != nullptr) {
    for (NodeId node : options_.with_nodes->OwnNodes(parent.module())) {
      level.rows.push_back({{parent.module()}, 1, node});
    }
  }
  const std::vector<ModuleId>& children = children_[parent.module()];
  for (size_t i = 0; i < children.size();) {
    size_t end = i + 1;
    const bool folds = options_.with_nodes == nullptr;
    while (folds && end < children.size() && Continues(children[end - 1], children[end])) ++end;
    level.rows.push_back(RowOf(parent, children[i], end - i, tree_.subtree_end(children[end - 1])));
    i = end;
  }
  return level;
}

// "12 MatMul '/encoder/MatMul'"
std::string TreeRows::NameOf(NodeId id) const {
  const Graph& graph = options_.with_nodes->graph();
  const absl::string_view name = graph.node(id).name;
  return SafeForTerminal(absl::StrCat(graph.NodePath(id), " ", graph.op(id).type,
                                      name.empty() ? "" : absl::StrCat(" '", name, "'")),
                         kWidestName);
}

std::string TreeRows::NameOf(const TreeRow& row, PathId below) const {
  if (row.node.valid()) return NameOf(row.node);
  std::string name = Label(row.module(), below);
  if (row.count > 1) {
    const absl::string_view first = annotation_.paths.name(tree_.module(row.module()).path);
    const ModuleId end = row.modules[row.count - 1];
    const absl::string_view last = annotation_.paths.name(tree_.module(end).path);
    name.resize(name.size() - first.size());
    absl::StrAppend(&name, "[", first, "-", last, "] x", row.count);
  }
  return SafeForTerminal(name, kWidestName);
}

void TreeRows::ForEach(Visit visit) const {
  if (options_.modules.empty()) ForEachFrom(tree_.root(), visit);
  for (ModuleId module : options_.modules) ForEachFrom(module, visit);
}

// With a stack of its own: paths may be deep.
void TreeRows::ForEachFrom(ModuleId root, Visit visit) const {
  const std::string tag = annotation_.paths.Tag(tree_.module(root).path);
  const TreeRow top = {{root}, 1, NodeId()};
  visit(top, SafeForTerminal(tag, kWidestName));
  std::vector<Level> levels;
  if (options_.depth > 0) levels.push_back(Below(top, ""));
  while (!levels.empty()) {
    Level& level = levels.back();
    if (level.next == level.rows.size()) {
      levels.pop_back();
      continue;
    }
    const TreeRow row = std::move(level.rows[level.next++]);
    const bool last = level.next == level.rows.size();
    std::string indent = level.indent + (last ? "   " : "│  ");
    visit(row, Branches(level.indent, last ? "└─ " : "├─ ") + NameOf(row, level.above));
    if (levels.size() < options_.depth && !row.node.valid()) {
      levels.push_back(Below(row, std::move(indent)));
    }
  }
}

}  // namespace onnx_hier
