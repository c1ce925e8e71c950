// SPDX-License-Identifier: Apache-2.0
#include "lib/show/tree_rows.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/hash.h"
#include "lib/names/numbered_name.h"
#include "lib/show/text_table.h"
#include "onnx_hier_program/text.h"

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

std::string MarkdownLabel(const TreeRow& row) {
  return absl::StrCat(MarkdownCode(row.path), row.count > 1 ? absl::StrCat(" x", row.count) : "");
}

TreeRows::TreeRows(const Annotation& annotation, const TreeTextOptions& options, bool with_paths)
    : annotation_(annotation),
      tree_(annotation.modules),
      options_(options),
      with_paths_(with_paths),
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
  uint64_t hash = MixHash(module.operators, module.total_parameters);
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
    if (!label.empty()) label += paths.is_joined(chain[i]) ? '.' : '/';
    absl::StrAppend(&label, paths.name(chain[i]));
  }
  return label;
}

// Members of a list, or modules with others in them that are called alike but for a number.
bool TreeRows::Continues(ModuleId last, ModuleId next) const {
  const ModulePaths& paths = annotation_.paths;
  const PathId a = tree_.module(last).path;
  const PathId b = tree_.module(next).path;
  if (paths.parent(a) != paths.parent(b) || shape_[last] != shape_[next]) return false;
  if (paths.is_number(a) && paths.is_number(b)) {
    return paths.number(a) < paths.number(b) && paths.number(b) - paths.number(a) == 1;
  }
  if (children_[last].empty()) return false;
  const NumberedName before(paths.name(a));
  const NumberedName after(paths.name(b));
  return before.Precedes(after);
}

size_t TreeRows::CountMembers(Children children) const {
  const ModulePaths& paths = annotation_.paths;
  const PathId list = paths.parent(tree_.module(children[0]).path);
  if (list == tree_.module(tree_.module(children[0]).parent).path) return 1;
  const auto is_other = [&](ModuleId id) {
    const PathId path = tree_.module(id).path;
    return !paths.is_number(path) || paths.parent(path) != list;
  };
  return static_cast<size_t>(std::find_if(children.begin(), children.end(), is_other) -
                             children.begin());
}

size_t TreeRows::CountAlike(Children children) const {
  size_t count = 1;
  while (count < children.size() && Continues(children[count - 1], children[count])) ++count;
  return count;
}

std::vector<int64_t> TreeRows::AlikeNeighbours() const {
  std::vector<int64_t> alike(tree_.size(), 0);
  alike[tree_.root().index()] = 1;
  for (const std::vector<ModuleId>& children : children_) {
    for (size_t i = 0, count = 0; i < children.size(); i += count) {
      count = CountAlike(absl::MakeConstSpan(children).subspan(i));
      alike[children[i].index()] = static_cast<int64_t>(count);
    }
  }
  return alike;
}

TreeRow TreeRows::RowOf(const std::vector<ModuleId>& around, Children children) const {
  TreeRow row;
  row.count = children.size();
  // What is built alike has its modules in the same places.
  for (ModuleId holder : around) {
    const uint32_t shift = holder.index() - around.front().index();
    for (ModuleId id : children) row.modules.emplace_back(id.index() + shift);
  }
  return row;
}

void TreeRows::AddRows(Children children, bool in_list, Level& level) const {
  // What holds nothing but a list has the list's sum in its own line.
  const Module& module = tree_.module(level.around.front());
  const bool is_list = module.nodes == 0 && module.parameters == 0 && !children.empty() &&
                       CountMembers(children) == children.size();
  const bool has_lists = options_.lists && !in_list && !is_list;
  while (!children.empty()) {
    size_t count = options_.with_nodes == nullptr ? CountAlike(children) : 1;
    const size_t members = has_lists ? CountMembers(children) : 1;
    if (members > count) {
      level.rows.push_back(RowOf(level.around, children.first(members)));
      level.rows.back().count = 1;
      level.rows.back().members = members;
      count = members;
    } else {
      level.rows.push_back(RowOf(level.around, children.first(count)));
    }
    children.remove_prefix(count);
  }
  Sort(level.rows);
}

TreeRows::Level TreeRows::Below(const TreeRow& parent, std::string indent) const {
  Level level;
  level.above = tree_.module(parent.module()).path;
  level.path = parent.path;
  level.indent = std::move(indent);
  level.around = parent.modules;
  AddRows(children_[parent.module()], /*in_list=*/false, level);
  if (options_.with_nodes == nullptr) return level;
  std::vector<TreeRow> nodes;
  for (NodeId node : options_.with_nodes->OwnNodes(parent.module())) {
    nodes.push_back({{parent.module()}, 1, node});
  }
  level.rows.insert(level.rows.begin(), nodes.begin(), nodes.end());
  return level;
}

TreeRows::Level TreeRows::Members(const Level& level, const TreeRow& list,
                                  std::string indent) const {
  Level members;
  members.above = level.above;
  members.path = level.path;
  members.indent = std::move(indent);
  members.depth = level.depth;
  members.around = level.around;
  AddRows(list.one(), /*in_list=*/true, members);
  return members;
}

// The largest first, those of the same size as in the model.
void TreeRows::Sort(std::vector<TreeRow>& rows) const {
  if (options_.sort_by == nullptr) return;
  std::stable_sort(rows.begin(), rows.end(),
                   [this](const TreeRow& a, const TreeRow& b) { return SizeOf(b) < SizeOf(a); });
}

Amount TreeRows::SizeOf(const TreeRow& row) const {
  return FigureOf(*options_.sort_by, row.modules).total;
}

// "12 MatMul '/encoder/MatMul'"
std::string TreeRows::NameOf(NodeId id) const {
  const Graph& graph = options_.with_nodes->graph();
  const absl::string_view name = graph.node(id).name;
  return absl::StrCat(graph.NodePath(id), " ", graph.op(id).type,
                      name.empty() ? "" : absl::StrCat(" '", name, "'"));
}

std::string TreeRows::NameOf(const TreeRow& row, PathId below) const {
  std::string name = Label(row.module(), below);
  const size_t range = std::max<size_t>(row.count, row.members);
  if (range > 1) {
    const NumberedName first(annotation_.paths.name(tree_.module(row.module()).path));
    const NumberedName last(annotation_.paths.name(tree_.module(row.modules[range - 1]).path));
    name.resize(name.size() - first.size());
    absl::StrAppend(&name, first.before(), "[", first.digits(), "-", last.digits(), "]",
                    first.after());
  }
  return name;
}

absl::string_view TreeRows::Separator(const TreeRow& row, PathId below) const {
  const ModulePaths& paths = annotation_.paths;
  if (below == paths.root()) return "";
  PathId at = tree_.module(row.module()).path;
  while (paths.parent(at) != below) at = paths.parent(at);
  return paths.is_joined(at) ? "." : "/";
}

void TreeRows::ForEach(Visit visit) const {
  if (options_.modules.empty()) ForEachFrom(tree_.root(), visit);
  for (ModuleId module : options_.modules) ForEachFrom(module, visit);
}

// With a stack of its own: paths may be deep.
void TreeRows::ForEachFrom(ModuleId root, Visit visit) const {
  const std::string tag = annotation_.paths.Tag(tree_.module(root).path);
  TreeRow top = {{root}, 1, NodeId()};
  top.path = tag;
  top.is_opened = options_.depth > 0 && !children_[root].empty();
  visit(top, SafeForTerminal(tag, kWidestName));
  std::vector<Level> levels;
  if (options_.depth > 0) levels.push_back(Below(top, ""));
  while (!levels.empty()) {
    Level& level = levels.back();
    if (level.next == level.rows.size()) {
      levels.pop_back();
      continue;
    }
    TreeRow row = std::move(level.rows[level.next++]);
    const bool last = level.next == level.rows.size();
    std::string indent = level.indent + (last ? "   " : "│  ");
    if (row.count > 1) row.inside = Branches(indent, "");
    const bool has_room = level.depth + 1 < options_.depth && !row.node.valid();
    std::string name = row.node.valid() ? NameOf(row.node) : NameOf(row, level.above);
    row.is_opened = row.members > 0 || (has_room && !children_[row.module()].empty());
    if (with_paths_ && !row.node.valid())
      row.path = absl::StrCat(level.path, Separator(row, level.above), name);
    if (row.count > 1) absl::StrAppend(&name, " x", row.count);
    visit(row, Branches(level.indent, last ? "└─ " : "├─ ") + SafeForTerminal(name, kWidestName));
    if (row.members > 0) {
      levels.push_back(Members(level, row, std::move(indent)));
    } else if (has_room) {
      const uint32_t depth = level.depth + 1;
      levels.push_back(Below(row, std::move(indent)));
      levels.back().depth = depth;
    }
  }
}

}  // namespace onnx_hier
