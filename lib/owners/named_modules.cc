// SPDX-License-Identifier: Apache-2.0
#include "lib/owners/named_modules.h"

#include <algorithm>

#include "lib/names/numbered_name.h"

namespace onnx_hier {
namespace {

// Of the modules in a module, and of those that hold one of some name, so many are looked at.
constexpr size_t kMostInside = 32;
constexpr size_t kMostHolders = 32;
// Modules that have nothing in common are of two kinds if each holds so many.
constexpr size_t kSeveral = 2;

}  // namespace

void NamedModules::Add(PathId module) { paths_.AddWithAround(module, named_); }

void NamedModules::Finish() {
  inside_.resize(paths_.size());
  for (PathId path : paths_.ids()) {
    const PathId around = paths_.parent(path);
    if (!around.valid() || !named_.Has(path)) continue;
    Inside& inside = inside_[around];
    if (inside.modules.size() < kMostInside) inside.modules.push_back(path);
    if (paths_.is_number(path)) inside.most = std::max(inside.most, paths_.number(path));
    std::vector<PathId>& holders = holders_[paths_.name(path)];
    if (holders.size() < kMostHolders) holders.push_back(around);
  }
}

bool NamedModules::MayBeThere(PathId module) const {
  for (; !Has(module); module = paths_.parent(module)) {
    if (!HasLike(module)) return false;
  }
  return true;
}

bool NamedModules::HasLike(PathId module) const {
  const PathId around = paths_.parent(module);
  // A list that goes on behind it.
  if (paths_.is_number(module) && inside_.contains(around) &&
      inside_[around].most > paths_.number(module)) {
    return true;
  }
  const auto holders = holders_.find(paths_.name(module));
  return holders != holders_.end() &&
         std::any_of(holders->second.begin(), holders->second.end(),
                     [&](PathId other) { return MayBeAlike(around, other); });
}

// Whether they are called alike, and what is known to be in them does not tell them apart.
bool NamedModules::MayBeAlike(PathId module, PathId other) const {
  if (!AreCalledAlike(module, other)) return false;
  if (!inside_.contains(module)) return true;
  const std::vector<PathId>& inside = inside_[module].modules;
  if (inside.size() < kSeveral || inside_[other].modules.size() < kSeveral) return true;
  return std::any_of(inside.begin(), inside.end(), [&](PathId one) {
    const PathId like = paths_.FindChild(other, paths_.name(one));
    return like.valid() && Has(like);
  });
}

// "transition1" is called like "transition2", and "0" like "1".
bool NamedModules::AreCalledAlike(PathId module, PathId other) const {
  const NumberedName name(paths_.name(module));
  const NumberedName others(paths_.name(other));
  return name.before() == others.before() && name.after() == others.after();
}

}  // namespace onnx_hier
