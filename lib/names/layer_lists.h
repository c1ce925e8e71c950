// SPDX-License-Identifier: Apache-2.0

// How two module paths differ, and which modules are layers of one stack.
//
//   truth encoder.layer.0.attention, tag encoder.layer.1.attention   cross-layer, at depth 2
//   truth encoder.layer.0.attention, tag encoder.layer.0.output      cross-module, at depth 3
//   truth encoder.layer.0.attention, tag encoder.layer.0             ancestor: less specific
//
// Layers are siblings that differ in their number: members of a list ("0" and "1"), or
// ("block_1" and "block_2") with the same stem, if there are modules inside both and at least half
// of these have the same names. conv1 and conv2 are not layers but different modules.
//
// Lists are looked for in lists in lists, but not without end: see layer_lists.cc.
#ifndef ONNX_HIER_LIB_NAMES_LAYER_LISTS_H_
#define ONNX_HIER_LIB_NAMES_LAYER_LISTS_H_

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "onnx_hier/ids.h"
#include "onnx_hier/module_paths.h"

namespace onnx_hier {

// What the layers of a list hold, laid upon each other: how many layers have a module
// ".attention.query" is told by reading that name, however many layers there are.
class LayerContents {
 public:
  // What the layers of one list may have in one place; none: no layer has that.
  using Content = Id<struct LayerContentTag>;
  using Children = absl::FunctionRef<absl::Span<const PathId>(PathId)>;

  // `paths` must outlive this.
  explicit LayerContents(const ModulePaths& paths) : paths_(paths) {}

  // Adds a list with all that is inside its layers, and returns these themselves.
  Content AddList(absl::Span<const PathId> layers, Children children);
  // What is called that inside of `around`, which may be none.
  Content Inside(Content around, absl::string_view name) const;
  // How many layers have it.
  uint32_t Count(Content content) const { return content.valid() ? counts_[content] : 0; }

 private:
  const ModulePaths& paths_;
  IdVector<Content, uint32_t> counts_;
  absl::flat_hash_map<std::pair<Content, absl::string_view>, Content> inside_;
};

enum class TagRelation : uint8_t { kSame, kAncestor, kDeeper, kCrossLayer, kCrossModule };

struct TagDifference {
  TagRelation relation = TagRelation::kSame;
  uint32_t depth = 0;  // how many atoms agree: where the paths part

  bool compatible() const { return relation <= TagRelation::kDeeper; }
};

using ListId = Id<struct ListIdTag>;

// A stack of layers: "encoder.layer" with the members 0, 1, 2.
struct LayerList {
  PathId parent;
  std::vector<PathId> layers;  // by number
};

// Which layer of which list a path is, or neither.
struct LayerPlace {
  ListId list;
  uint32_t index = 0;  // in LayerList::layers
};

class LayerLists {
 public:
  // `used` marks the paths that exist, by tag or by name; what is around them exists as well.
  // `paths` may grow later, but must outlive this.
  LayerLists(ModulePaths& paths, const std::vector<PathId>& used);

  TagDifference Compare(PathId truth, PathId tag) const;
  // Whether one path has all steps of the other, in order: "encoder.layers.0.attention" and
  // "encoder.attention", where the container was never called. Numbers go with their containers.
  bool OneSkipsAtoms(PathId a, PathId b) const;
  // Whether `tag` may be what a node at `place` is tagged with: it says the same, or less, or more;
  // or it is spelled the same, for a tag does not show which of its slashes are parts of names.
  bool Vouches(PathId place, PathId tag) const;

  IdRange<ListId> lists() const { return IdRange<ListId>(lists_.size()); }
  size_t list_count() const { return lists_.size(); }
  const LayerList& list(ListId id) const { return lists_[id]; }
  LayerPlace place(PathId path) const {
    return places_.contains(path) ? places_[path] : LayerPlace();
  }
  // The layer of `list` that `path` is in; none if it is in none. `path` may be none.
  PathId LayerOf(PathId path, ListId list) const;

  // `layer` followed by what comes after `depth` atoms in `path`, as far as that exists, or should:
  // a module that several layers of a list have, or all but this one, is missing here only because
  // tags are wrong. So is one that the like layers of other lists have. Such a path is added.
  PathId Transplant(PathId layer, PathId path, uint32_t depth) const;
  bool exists(PathId path) const { return used_.Contains(path); }

 private:
  // A module that a layer has not: where it would be in the other layers of its list, and in those
  // of its name in the lists beside that ("layer1.0" and "layer3.0" for "layer2.0").
  struct Missing {
    LayerContents::Content in_list;
    LayerContents::Content in_cousins;
  };

  absl::Span<const PathId> children(PathId path) const;
  bool Alike(PathId a, PathId b) const;
  bool AreLayers(PathId a, PathId b) const;
  void FindLists();
  void FindListsIn(PathId parent);
  // The layers of a list in `contents_`. Entered when first asked for: in most lists nothing is
  // missing.
  LayerContents::Content LayersOf(ListId list) const;
  Missing FromLayer(PathId layer) const;
  void Enter(absl::string_view name, Missing& missing) const;
  // `levels`: how far below the layer it would be.
  bool ShouldExist(PathId layer, const Missing& missing, uint32_t levels) const;

  ModulePaths& paths_;
  IdSet<PathId> used_;
  std::vector<PathId> children_;            // sorted by name within each parent
  IdVector<PathId, uint32_t> first_child_;  // one more than there are paths
  IdVector<ListId, LayerList> lists_;
  IdVector<PathId, LayerPlace> places_;
  mutable LayerContents contents_;
  mutable IdVector<ListId, LayerContents::Content> entered_;
};

// Whether two atoms name one module: equal, or one is a later call of the other ("relu_1").
bool SameAtom(absl::string_view a, absl::string_view b);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_NAMES_LAYER_LISTS_H_
