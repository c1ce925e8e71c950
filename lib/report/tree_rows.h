// The lines of a picture of a module tree: one for each module, with branches before its name, and
// one for neighbouring members of a list that are built alike.
//
//   const TreeRows rows(annotation, options);
//   rows.ForEach([&](const TreeRow& row, const std::string& label) { ... });
//
//   /
//   ├─ embeddings
//   └─ encoder
//      └─ layer.[0-1] x2
//
// Labels are made as they are asked for; of names that are too wide for a terminal, the end is left
// out, and of branches too many for one, the outer ones.
#ifndef ONNX_HIER_LIB_REPORT_TREE_ROWS_H_
#define ONNX_HIER_LIB_REPORT_TREE_ROWS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "onnx_hier/annotation.h"
#include "onnx_hier/reports.h"

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

  ModuleId module() const { return modules.front(); }
};

class TreeRows {
 public:
  using Visit = absl::FunctionRef<void(const TreeRow& row, const std::string& label)>;

  // Both must outlive this.
  TreeRows(const Annotation& annotation, const TreeTextOptions& options);

  // Depth first.
  void ForEach(Visit visit) const;

 private:
  struct Level {
    PathId above;
    std::vector<TreeRow> rows;
    size_t next = 0;
    std::string indent;
  };

  // Equal for modules that hold the same things under the same names.
  uint64_t Shape(ModuleId id) const;
  // The path of a module below the one it is drawn under.
  std::string Label(ModuleId id, PathId below) const;
  // Whether `next` continues a run that ends with `last`.
  bool Continues(ModuleId last, ModuleId next) const;
  Level Below(const TreeRow& parent, std::string indent) const;
  // Members of a list that are drawn once, in each of the modules that `parent` stands for.
  TreeRow RowOf(const TreeRow& parent, ModuleId first, uint64_t count, ModuleId end) const;
  std::string NameOf(NodeId id) const;
  std::string NameOf(const TreeRow& row, PathId below) const;
  void ForEachFrom(ModuleId root, Visit visit) const;

  const Annotation& annotation_;
  const ModuleTree& tree_;
  const TreeTextOptions& options_;
  IdVector<ModuleId, std::vector<ModuleId>> children_;
  IdVector<ModuleId, uint64_t> shape_;
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_REPORT_TREE_ROWS_H_
