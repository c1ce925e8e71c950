// SPDX-License-Identifier: Apache-2.0

// The lines of a picture of a module tree: one for each module, with branches before its name, and
// one for neighbouring members of a list that are built alike.
//
//   const TreeRows rows(annotation, options);
//   rows.ForEach([&](const TreeRow& row, const std::string& label) { ... });
//
//   /
//   ├─ embeddings
//   ├─ encoder
//   │  └─ layer.[0-1] x2
//   └─ blocks.[0-2]
//      ├─ blocks.0
//      └─ blocks.[1-2] x2
//
// Labels are made as they are asked for; of names that are too wide for a terminal, the end is left
// out, and of branches too many for one, the outer ones.
#ifndef ONNX_HIER_LIB_SHOW_TREE_ROWS_H_
#define ONNX_HIER_LIB_SHOW_TREE_ROWS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "onnx_hier/annotation.h"
#include "onnx_hier/measures.h"
#include "onnx_hier_program/reports.h"

namespace onnx_hier {

// Characters of a name: they fit most terminals, and hold all of 909 of the 910 models that were
// looked at.
constexpr size_t kWidestName = 100;

struct TreeRow {
  // All that the line stands for, in the tree's order: members of a list, and what is in each of
  // them at this place. Of a node, its module.
  std::vector<ModuleId> modules;
  uint64_t count = 1;  // members of the list that is drawn once in this line
  NodeId node;
  // Of a list whose members follow in lines of their own: how many there are. `modules` has those
  // of each list that the line stands for.
  size_t members = 0;
  // Of a line that stands for several: what a line about one of them begins with.
  std::string inside;
  bool is_opened = false;  // modules inside it, or members, follow in lines of their own
  std::string path;        // "/encoder/layer.[0-1]": of a module or list, where it was asked for

  ModuleId module() const { return modules.front(); }
  // What figures of one are of: a module, or all members of one list.
  absl::Span<const ModuleId> one() const {
    return absl::MakeConstSpan(modules).subspan(0, std::max<size_t>(members, 1));
  }
  // How many of them the line stands for.
  size_t alike() const { return modules.size() / one().size(); }
};

// "`/encoder/layer.[0-1]` x2", of a row with its path.
std::string MarkdownLabel(const TreeRow& row);

class TreeRows {
 public:
  using Visit = absl::FunctionRef<void(const TreeRow& row, const std::string& label)>;

  // Both must outlive this. `with_paths`: rows have theirs.
  TreeRows(const Annotation& annotation, const TreeTextOptions& options, bool with_paths = false);

  // Depth first.
  void ForEach(Visit visit) const;
  // Of each module: how many siblings from it on are built alike and make one line; 0: it is in the
  // line of one before it.
  std::vector<int64_t> AlikeNeighbours() const;

 private:
  struct Level {
    PathId above;
    std::vector<TreeRow> rows;
    size_t next = 0;
    std::string indent;
    std::string path;              // of the row that they are below
    uint32_t depth = 0;            // modules around the rows
    std::vector<ModuleId> around;  // the modules that they lie in, in the tree's order
  };
  // Of a module's children.
  using Children = absl::Span<const ModuleId>;

  // Equal for modules that hold the same things under the same names.
  uint64_t Shape(ModuleId id) const;
  // The path of a module below the one it is drawn under.
  std::string Label(ModuleId id, PathId below) const;
  // Whether `next` continues a run that ends with `last`.
  bool Continues(ModuleId last, ModuleId next) const;
  // How many of the first children are members of one list that is no module, and how many are
  // drawn in one line.
  size_t CountMembers(Children children) const;
  size_t CountAlike(Children children) const;
  Level Below(const TreeRow& parent, std::string indent) const;
  // The members of a list.
  Level Members(const Level& level, const TreeRow& list, std::string indent) const;
  void AddRows(Children children, bool in_list, Level& level) const;
  // Children of one module that make a line, in each of the modules `around`.
  TreeRow RowOf(const std::vector<ModuleId>& around, Children children) const;
  void Sort(std::vector<TreeRow>& rows) const;
  Amount SizeOf(const TreeRow& row) const;
  std::string NameOf(NodeId id) const;
  // Without the number of those drawn in one line.
  std::string NameOf(const TreeRow& row, PathId below) const;
  // What stands between a module's path and that of one below it.
  absl::string_view Separator(const TreeRow& row, PathId below) const;
  void ForEachFrom(ModuleId root, Visit visit) const;

  const Annotation& annotation_;
  const ModuleTree& tree_;
  const TreeTextOptions& options_;
  const bool with_paths_;
  IdVector<ModuleId, std::vector<ModuleId>> children_;
  IdVector<ModuleId, uint64_t> shape_;
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_SHOW_TREE_ROWS_H_
