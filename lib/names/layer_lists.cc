// SPDX-License-Identifier: Apache-2.0
#include "lib/names/layer_lists.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "lib/names/derived_name.h"
#include "lib/names/numbered_name.h"

namespace onnx_hier {
namespace {

using Atoms = absl::InlinedVector<PathId, 16>;

// The path and all around it but the root, outermost first.
Atoms AtomsOf(PathId path, const ModulePaths& paths) {
  Atoms atoms;
  for (; path != paths.root(); path = paths.parent(path)) atoms.push_back(path);
  std::reverse(atoms.begin(), atoms.end());
  return atoms;
}

// "block_1" has the stem "block_"; a number alone "".
struct Member {
  absl::string_view stem;
  uint64_t number = 0;
  bool valid = false;
};

Member SplitNumber(absl::string_view text) {
  const NumberedName name(text);
  Member member = {name.before()};
  member.valid = name.after().empty() && name.ReadNumber(&member.number);
  return member;
}

// One past the numbers that follow the name at `begin`: "layer.1" is one step, though two atoms.
size_t EndOfGroup(const Atoms& atoms, size_t begin, const ModulePaths& paths) {
  size_t end = begin + 1;
  while (end < atoms.size() && paths.is_number(atoms[end])) ++end;
  return end;
}

// How far apart in a list two members that are built alike are looked for: lists alternate
// between two or three kinds of members, not more.
constexpr size_t kAlternation = 4;
// Layers that must have a module for another one to be thought to have it.
constexpr size_t kSeveral = 2;
// A list that is inside so many layers already is none: each node is compared in all lists around
// it. Real models have lists in lists in lists.
constexpr uint32_t kMostNested = 8;
// Modules inside a layer, by name, that are compared with those of another; a layer has some ten.
constexpr size_t kMostCompared = 256;

}  // namespace

LayerContents::Content LayerContents::AddList(absl::Span<const PathId> layers, Children children) {
  const Content top = counts_.push_back(static_cast<uint32_t>(layers.size()));
  std::vector<std::pair<PathId, Content>> open;
  for (PathId layer : layers) open.emplace_back(layer, top);
  while (!open.empty()) {
    const auto [path, content] = open.back();
    open.pop_back();
    for (PathId child : children(path)) {
      const auto [entry, added] =
          inside_.try_emplace({content, paths_.name(child)}, counts_.next_id());
      if (added) counts_.push_back(0);
      ++counts_[entry->second];
      open.emplace_back(child, entry->second);
    }
  }
  return top;
}

LayerContents::Content LayerContents::Inside(Content around, absl::string_view name) const {
  if (!around.valid()) return Content();
  const auto found = inside_.find({around, name});
  return found == inside_.end() ? Content() : found->second;
}

bool SameAtom(absl::string_view a, absl::string_view b) {
  return a == b || WithoutCounter(a) == b || a == WithoutCounter(b);
}

LayerLists::LayerLists(ModulePaths& paths, const std::vector<PathId>& used)
    : paths_(paths), used_(paths.size()), places_(paths.size()), contents_(paths) {
  first_child_.resize(paths.size());
  first_child_.push_back(0);
  used_.Add(paths.root());
  for (PathId path : used) paths.AddWithAround(path, used_);
  std::vector<PathId> existing;
  for (PathId path : paths.ids()) {
    if (used_.Has(path) && path != paths.root()) existing.push_back(path);
  }
  std::sort(existing.begin(), existing.end(), [&paths](PathId a, PathId b) {
    if (paths.parent(a) != paths.parent(b)) return paths.parent(a) < paths.parent(b);
    return paths.name(a) < paths.name(b);
  });
  for (PathId path : existing) ++first_child_[PathId(paths.parent(path).index() + 1)];
  for (size_t i = 1; i <= paths.size(); ++i) {
    first_child_[PathId(i)] += first_child_[PathId(i - 1)];
  }
  children_ = std::move(existing);
  FindLists();
  entered_.resize(lists_.size());
}

absl::Span<const PathId> LayerLists::children(PathId path) const {
  const uint32_t begin = first_child_[path];
  return absl::MakeConstSpan(children_).subspan(begin,
                                                first_child_[PathId(path.index() + 1)] - begin);
}

bool LayerLists::Alike(PathId a, PathId b) const {
  const absl::Span<const PathId> first = children(a);
  const absl::Span<const PathId> second = children(b);
  if (first.empty() || second.empty()) return false;
  size_t common = 0;
  size_t i = 0;
  size_t j = 0;
  for (; i < first.size() && j < second.size();) {
    if (i + j >= kMostCompared) return 2 * common >= std::min(i, j);
    const int order = paths_.name(first[i]).compare(paths_.name(second[j]));
    common += order == 0 ? 1 : 0;
    i += order <= 0 ? 1 : 0;
    j += order >= 0 ? 1 : 0;
  }
  return 2 * common >= std::min(first.size(), second.size());
}

bool LayerLists::AreLayers(PathId a, PathId b) const {
  if (paths_.is_number(a) && paths_.is_number(b)) return true;
  const Member first = SplitNumber(paths_.name(a));
  const Member second = SplitNumber(paths_.name(b));
  return first.valid && second.valid && first.stem == second.stem && exists(a) && exists(b) &&
         Alike(a, b);
}

void LayerLists::FindLists() {
  IdVector<PathId, uint32_t> layers_around(used_.size(), 0);
  // Parents are made before their children.
  for (PathId path : paths_.ids()) {
    if (!used_.Has(path)) continue;
    uint32_t& layers = layers_around[path];
    if (path != paths_.root()) layers = layers_around[paths_.parent(path)];
    if (places_[path].list.valid()) ++layers;
    if (layers < kMostNested) FindListsIn(path);
  }
}

void LayerLists::FindListsIn(PathId parent) {
  // By stem, then number: an ordered map, as the order of lists shows in results.
  std::map<absl::string_view, std::vector<std::pair<uint64_t, PathId>>> groups;
  for (PathId child : children(parent)) {
    const Member name = SplitNumber(paths_.name(child));
    if (name.valid) groups[name.stem].emplace_back(name.number, child);
  }
  for (auto& [stem, members] : groups) {
    std::sort(members.begin(), members.end());
    std::vector<char> alike(members.size(), 0);
    for (size_t i = 0; i < members.size(); ++i) {
      for (size_t j = i + 1; j < members.size() && j <= i + kAlternation; ++j) {
        if (!Alike(members[i].second, members[j].second)) continue;
        alike[i] = alike[j] = 1;
      }
    }
    LayerList list;
    list.parent = parent;
    for (size_t i = 0; i < members.size(); ++i) {
      if (alike[i] != 0) list.layers.push_back(members[i].second);
    }
    if (list.layers.size() < 2) continue;
    for (size_t i = 0; i < list.layers.size(); ++i) {
      places_[list.layers[i]] = {lists_.next_id(), static_cast<uint32_t>(i)};
    }
    lists_.push_back(std::move(list));
  }
}

TagDifference LayerLists::Compare(PathId truth, PathId tag) const {
  if (truth == tag) return {TagRelation::kSame, paths_.depth(tag)};
  const Atoms a = AtomsOf(truth, paths_);
  const Atoms b = AtomsOf(tag, paths_);
  const size_t shorter = std::min(a.size(), b.size());
  size_t i = 0;
  while (i < shorter && (a[i] == b[i] || SameAtom(paths_.name(a[i]), paths_.name(b[i])))) ++i;
  const auto depth = static_cast<uint32_t>(i);
  if (i == shorter) {
    const TagRelation relation = a.size() == b.size()  ? TagRelation::kSame
                                 : b.size() < a.size() ? TagRelation::kAncestor
                                                       : TagRelation::kDeeper;
    return {relation, depth};
  }
  return {AreLayers(a[i], b[i]) ? TagRelation::kCrossLayer : TagRelation::kCrossModule, depth};
}

bool LayerLists::OneSkipsAtoms(PathId a, PathId b) const {
  Atoms shorter = AtomsOf(a, paths_);
  Atoms longer = AtomsOf(b, paths_);
  if (shorter.size() > longer.size()) shorter.swap(longer);
  size_t i = 0;
  for (size_t j = 0; j < longer.size() && i < shorter.size();) {
    const size_t end = EndOfGroup(longer, j, paths_);
    const size_t size = EndOfGroup(shorter, i, paths_) - i;
    const bool last = i + size == shorter.size();
    bool same = last ? size <= end - j : size == end - j;
    for (size_t k = 0; same && k < size; ++k) {
      same = SameAtom(paths_.name(shorter[i + k]), paths_.name(longer[j + k]));
    }
    if (same) i += size;
    j = end;
  }
  return i == shorter.size();
}

bool LayerLists::Vouches(PathId place, PathId tag) const {
  return Compare(place, tag).compatible() || OneSkipsAtoms(place, tag) ||
         paths_.Tag(place) == paths_.Tag(tag);
}

PathId LayerLists::LayerOf(PathId path, ListId list) const {
  if (!path.valid()) return PathId();
  const uint32_t depth = paths_.depth(lists_[list].parent) + 1;
  if (paths_.depth(path) < depth) return PathId();
  const PathId layer = paths_.AncestorAtDepth(path, depth);
  return place(layer).list == list ? layer : PathId();
}

LayerContents::Content LayerLists::LayersOf(ListId list) const {
  LayerContents::Content& layers = entered_[list];
  if (!layers.valid()) {
    layers = contents_.AddList(lists_[list].layers, [this](PathId path) { return children(path); });
  }
  return layers;
}

LayerLists::Missing LayerLists::FromLayer(PathId layer) const {
  Missing missing;
  const ListId list = place(layer).list;
  if (!list.valid()) return missing;
  missing.in_list = LayersOf(list);
  const ListId beside = place(paths_.parent(layer)).list;
  if (beside.valid()) {
    missing.in_cousins = contents_.Inside(LayersOf(beside), paths_.name(layer));
  }
  return missing;
}

void LayerLists::Enter(absl::string_view name, Missing& missing) const {
  missing.in_list = contents_.Inside(missing.in_list, name);
  missing.in_cousins = contents_.Inside(missing.in_cousins, name);
}

bool LayerLists::ShouldExist(PathId layer, const Missing& missing, uint32_t levels) const {
  const uint32_t having = contents_.Count(missing.in_list) + contents_.Count(missing.in_cousins);
  if (having >= kSeveral) return true;
  const ListId list = place(layer).list;
  if (!list.valid()) return false;
  const std::vector<PathId>& layers = lists_[list].layers;
  // Two layers, of which the other has one module more: the one that is asked for.
  if (layers.size() != 2 || having != 1 || levels != 1) return false;
  const PathId other = layers[0] == layer ? layers[1] : layers[0];
  return children(layer).size() > 1 && children(layer).size() + 1 == children(other).size() &&
         Alike(layer, other);
}

PathId LayerLists::Transplant(PathId layer, PathId path, uint32_t depth) const {
  const Atoms atoms = AtomsOf(path, paths_);
  PathId result = layer;
  std::optional<Missing> missing;
  for (size_t i = depth; i < atoms.size(); ++i) {
    const absl::string_view name = paths_.name(atoms[i]);
    const PathId next = paths_.FindChild(result, name);
    if (next.valid() && exists(next)) {
      result = next;
      continue;
    }
    if (!missing.has_value()) {
      missing = FromLayer(layer);
      for (size_t k = depth; k < i; ++k) Enter(paths_.name(atoms[k]), *missing);
    }
    Enter(name, *missing);
    if (!ShouldExist(layer, *missing, static_cast<uint32_t>(i + 1 - depth))) break;
    result = paths_.Child(result, std::string(name));
  }
  return result;
}

}  // namespace onnx_hier
