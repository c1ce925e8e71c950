// SPDX-License-Identifier: Apache-2.0
#include "lib/names/path_transfer.h"

#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "lib/base/hash.h"

namespace onnx_hier {
namespace {

constexpr size_t kRemembered = 1 << 14;  // a power of two

}  // namespace

PathTransfer::PathTransfer(const ModulePaths& paths, const ModuleChildren& children,
                           ModulePaths* added_to, size_t most_added)
    : paths_(paths),
      children_(children),
      added_to_(added_to),
      most_paths_(2 * paths.size() + most_added),
      remembered_(kRemembered) {}

PathId PathTransfer::Carry(PathId from, PathId twin_from, PathId twin_to) {
  if (twin_from == twin_to) return from;
  if (twin_from == from) return twin_to;
  const uint64_t hash = MixHash(MixHash(from.index(), twin_from.index()), twin_to.index());
  Way& way = remembered_[hash & (kRemembered - 1)];
  if (way.from != from || way.twin_from != twin_from || way.twin_to != twin_to) {
    const PathId to = CarryAnew(from, twin_from, twin_to);
    // A later node may find it there.
    if (deferred_ && !to.valid()) return to;
    way = {from, twin_from, twin_to, to};
  }
  return way.to;
}

// None: it is not there and may not be added.
PathId PathTransfer::Child(PathId parent, absl::string_view name) {
  if (added_to_ != nullptr) return added_to_->Child(parent, name);
  if (paths_.depth(parent) >= ModulePaths::kDeepest) return parent;
  const PathId child = paths_.FindChild(parent, name);
  deferred_ |= !child.valid();
  return child;
}

// Goes from `from` the way that leads from `twin_from` to `twin_to`. Where that way steps from one
// number to another, the difference counts: the next layer, whatever its number.
PathId PathTransfer::CarryAnew(PathId from, PathId twin_from, PathId twin_to) {
  if (paths_.size() >= most_paths_) return PathId();
  const PathId top = paths_.CommonAncestor(twin_from, twin_to);
  const uint32_t up = paths_.depth(twin_from) - paths_.depth(top);
  if (up > paths_.depth(from)) return PathId();
  const uint32_t base_depth = paths_.depth(from) - up;
  PathId to = paths_.AncestorAtDepth(from, base_depth);
  absl::InlinedVector<PathId, 16> down;
  for (PathId at = twin_to; at != top; at = paths_.parent(at)) down.push_back(at);
  if (up > 0 && !down.empty()) {
    const PathId left = paths_.AncestorAtDepth(twin_from, paths_.depth(top) + 1);
    const PathId entered = down.back();
    if (paths_.is_number(left) && paths_.is_number(entered)) {
      const PathId own = paths_.AncestorAtDepth(from, base_depth + 1);
      if (!paths_.is_number(own)) return PathId();
      // Unsigned arithmetic wraps: a number before 0 comes out far beyond any real one.
      const uint64_t number = paths_.number(own) + paths_.number(entered) - paths_.number(left);
      constexpr uint64_t kLargest = 1u << 30;
      if (number > kLargest) return PathId();
      to = Child(to, absl::StrCat(number));
      down.pop_back();
    }
  }
  for (; !down.empty() && to.valid(); down.pop_back()) {
    // The members of a list of layers are numbers: where the way leads elsewhere, it is no way
    // here.
    if (children_.is_list(to) && !paths_.is_number(down.back())) return PathId();
    to = Child(to, paths_.name(down.back()));
  }
  return to;
}

}  // namespace onnx_hier
