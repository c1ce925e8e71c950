// SPDX-License-Identifier: Apache-2.0

// Module paths as a tree of names: "encoder.layer.1.attention" is root > encoder > layer > 1 >
// attention.
//
//   ModulePaths paths;
//   PathId query = paths.Parse("encoder.layer.1.attention.query");
//   paths.Tag(query);            // "/encoder/layer.1/attention/query"
//   paths.QualifiedName(query);  // "encoder.layer.1.attention.query"
//
// A number belongs to the container before it: in a tag it is joined to it with a dot, as the
// TorchScript exporter does. Not to a whole model, which programs that join models put into one
// more module: where that is a list itself, "/0" alone is "/encoder/0" there. Ancestors at a depth,
// and common ones, cost the logarithm of the depth, which is bounded. So is the length of paths:
// each is written once for every node in its module, and again for what is inside, so that without
// a bound a file could make outputs that are the square of itself.
#ifndef ONNX_HIER_MODULE_PATHS_H_
#define ONNX_HIER_MODULE_PATHS_H_

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "onnx_hier/ids.h"

namespace onnx_hier {

class ModulePaths {
 public:
  // A path that would be deeper ends here: its nodes belong to the ancestor at this depth.
  static constexpr uint32_t kDeepest = 256;
  // So does one that would take more bytes in JSON. Of 910 models, the longest has 324 (names of
  // layers that a converter joined by semicolons), the next one has 116.
  static constexpr uint32_t kLongest = 512;
  // A longer name is cut, and ends with a hash of the whole. The longest of those models has 48.
  static constexpr uint32_t kLongestName = 256;

  ModulePaths();
  ModulePaths(ModulePaths&&) = default;
  ModulePaths& operator=(ModulePaths&&) = default;
  // The same paths, by the same ids.
  ModulePaths Clone() const;

  PathId root() const { return PathId(0); }
  size_t size() const { return paths_.size(); }
  IdRange<PathId> ids() const { return IdRange<PathId>(paths_.size()); }

  // A name as paths have it: UTF-8, no longer than kLongestName in JSON, no slash at its ends and
  // no doubled one; "" if nothing is left.
  static std::string FitName(absl::string_view name);

  // The child of that name, made fit and made if need be; `parent` itself where paths end, and
  // where nothing is left of the name.
  PathId Child(PathId parent, absl::string_view name);
  // The child of that name, or none.
  PathId FindChild(PathId parent, absl::string_view name) const;
  // From a dotted qualified name; "" is the root.
  PathId Parse(absl::string_view qualified_name);
  // The path of the same names, which may hold dots; made if need be.
  PathId Copy(const ModulePaths& other, PathId path);

  PathId parent(PathId id) const { return paths_[id].parent; }  // of the root: none
  absl::string_view name(PathId id) const { return paths_[id].name; }
  uint32_t depth(PathId id) const { return paths_[id].depth; }
  // Whether the last name is a number, as of a member of a ModuleList.
  bool is_number(PathId id) const { return paths_[id].is_number; }
  // Whether a tag has a dot before the last name, not a slash.
  bool is_joined(PathId id) const {
    return is_number(id) && parent(id) != root() && !paths_[parent(id)].is_model;
  }
  // The path is that of a whole model. The root always is.
  void MarkModel(PathId id) { paths_[id].is_model = true; }
  // That number; saturated. Only where is_number().
  uint64_t number(PathId id) const { return paths_[id].number; }

  PathId AncestorAtDepth(PathId id, uint32_t depth) const;
  PathId CommonAncestor(PathId a, PathId b) const;
  // The same where either may be none: then the other.
  PathId Join(PathId a, PathId b) const {
    if (!a.valid()) return b;
    return b.valid() ? CommonAncestor(a, b) : a;
  }
  // Adds the path, if there is one, and all that is around it, up to what the set has already.
  void AddWithAround(PathId id, IdSet<PathId>& set) const {
    for (; id.valid() && !set.Has(id); id = parent(id)) set.Add(id);
  }
  // Whether `outer` is `inner` or contains it.
  bool Contains(PathId outer, PathId inner) const;

  std::string Tag(PathId id) const;
  std::string QualifiedName(PathId id) const;

 private:
  struct Path {
    PathId parent;
    PathId jump;          // an ancestor further up; the root's is itself
    uint32_t length = 0;  // in JSON
    absl::string_view name;
    uint32_t depth = 0;
    bool is_number = false;
    bool is_model = false;
    uint64_t number = 0;
  };

  PathId Find(PathId parent, absl::string_view name) const;
  // `parent` itself where paths end.
  PathId Add(PathId parent, absl::string_view name, size_t length);
  PathId JumpFrom(PathId parent) const;
  // The names from the root on, each after `separator`, joined ones after a dot.
  std::string Joined(PathId id, char separator) const;

  IdVector<PathId, Path> paths_;
  absl::flat_hash_map<std::pair<PathId, absl::string_view>, PathId> children_;
  std::deque<std::string> names_;  // a deque: the views in paths_ stay valid as it grows
};

// --- module maps

// Modules and their classes as the live network knows them, for users who have it at hand:
//
//   {n: f"{type(m).__module__}.{type(m).__qualname__}" for n, m in model.named_modules()}
//
// written as JSON, or the metadata file of a hierarchy-preserving exporter (nested objects with
// "class_name" and "scope"). A map that has all modules, the root among them, says which other
// modules there are not; one of some modules says that there are these.

struct MappedModule {
  std::string qualified_name;  // "encoder.layer.1", "" is the root
  std::string class_name;      // "transformers.models.bert.modeling_bert.BertLayer"
};

using ModuleMap = std::vector<MappedModule>;

// kInvalidArgument if the file is not JSON of either form.
absl::StatusOr<ModuleMap> ReadModuleMap(const std::string& path);

// The library that a class comes from: "torch.nn" of torch's own modules, else the first part of
// its Python module ("transformers"). "" if it has none, or is the user's own script.
absl::string_view LibraryOf(absl::string_view class_name);

}  // namespace onnx_hier

#endif  // ONNX_HIER_MODULE_PATHS_H_
