// SPDX-License-Identifier: Apache-2.0
#include "lib/relate/path_pairs.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "lib/base/status_macros.h"
#include "lib/names/numbered_name.h"
#include "lib/relate/sequence_alignment.h"

namespace onnx_hier {
namespace {

bool AreBuiltAlike(const std::vector<ListMember>& a, const std::vector<ListMember>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const ListMember& x, const ListMember& y) {
                      return x.number == y.number && x.structure == y.structure;
                    });
}

}  // namespace

PathPairs::PathPairs(const ModuleFlow& a, TensorHashes& hashes_a, const ModuleFlow& b,
                     TensorHashes& hashes_b, bool contents)
    : a_(a.groups()),
      tensors_a_(hashes_a),
      b_(b.groups()),
      tensors_b_(hashes_b),
      contents_(contents),
      hashes_a_(a),
      hashes_b_(b),
      lists_a_(ListsOf(a_, hashes_a_)),
      lists_b_(ListsOf(b_, hashes_b_)),
      a_of_(b_.paths().size()),
      taken_(a_.paths().size()),
      decided_(b_.paths().size()) {
  changes_.removed = IdSet<PathId>(a_.paths().size());
  changes_.inserted = IdSet<PathId>(b_.paths().size());
}

absl::Status PathPairs::Align(PathId root_a, PathId root_b) {
  const ModulePaths& paths = b_.paths();
  if (!decided_.Has(root_b) && !taken_.Has(root_a)) Join(root_a, root_b);
  // What is around a path comes before it.
  for (PathId path : paths.ids()) {
    if (decided_.Has(path) || !hashes_b_.exists(path) || path == paths.root()) continue;
    const PathId around = a_of_[paths.parent(path)];
    if (!around.valid()) continue;
    const NumberedName name(paths.name(path));
    uint64_t number = 0;
    const bool is_member = name.ReadNumber(&number);
    const auto list_b = lists_b_.find({paths.parent(path), name.before(), name.after()});
    const auto list_a = lists_a_.find({around, name.before(), name.after()});
    if (is_member && list_b != lists_b_.end() && list_a != lists_a_.end()) {
      OH_RETURN_IF_ERROR(AlignList(list_a->second, list_b->second));
      continue;
    }
    const PathId same = a_.paths().FindChild(around, paths.name(path));
    if (same.valid() && !taken_.Has(same)) Join(same, path);
  }
  return absl::OkStatus();
}

PathPairs::Lists PathPairs::ListsOf(const ModuleGroups& groups, const ModuleHashes& hashes) {
  const ModulePaths& paths = groups.paths();
  Lists lists;
  for (PathId path : paths.ids()) {
    if (path == paths.root() || !hashes.exists(path)) continue;
    const NumberedName name(paths.name(path));
    ListMember member;
    if (!name.ReadNumber(&member.number)) continue;
    member.path = path;
    member.structure = member.contents = hashes.structure(path);
    lists[{paths.parent(path), name.before(), name.after()}].push_back(member);
  }
  for (auto& [key, members] : lists) {
    std::stable_sort(members.begin(), members.end(),
                     [](const ListMember& x, const ListMember& y) { return x.number < y.number; });
  }
  return lists;
}

absl::Status PathPairs::AlignList(const std::vector<ListMember>& a,
                                  const std::vector<ListMember>& b) {
  std::vector<ListMember> members_a = a;
  std::vector<ListMember> members_b = b;
  if (contents_ || !AreBuiltAlike(a, b)) OH_RETURN_IF_ERROR(ReadContents(members_a, members_b));
  const bool are_numbers = a_.paths().is_number(a.front().path);
  const MemberPairs pairs = AlignMembers(members_a, members_b, are_numbers);
  for (const ListMember& member : b) decided_.Add(member.path);
  for (size_t i = 0; i < a.size(); ++i) {
    if (taken_.Has(a[i].path)) continue;
    if (pairs.b_of[i] == kUnpaired) {
      changes_.removed.Add(a[i].path);
      continue;
    }
    const ListMember& same = b[pairs.b_of[i]];
    Join(a[i].path, same.path);
    const bool moved = pairs.moved[i] != 0;
    if (moved || same.number != a[i].number) {
      changes_.renumbered.push_back({a[i].path, same.path, moved});
    }
  }
  NoteInserted(members_a, members_b);
  return absl::OkStatus();
}

absl::Status PathPairs::ReadContents(std::vector<ListMember>& a, std::vector<ListMember>& b) {
  OH_RETURN_IF_ERROR(hashes_a_.Read(tensors_a_));
  OH_RETURN_IF_ERROR(hashes_b_.Read(tensors_b_));
  const auto fill = [](const ModuleHashes& hashes, std::vector<ListMember>& members) {
    for (ListMember& member : members) {
      member.contents = hashes.contents(member.path);
      member.has_contents = hashes.has_contents(member.path);
    }
  };
  fill(hashes_a_, a);
  fill(hashes_b_, b);
  return absl::OkStatus();
}

void PathPairs::NoteInserted(const std::vector<ListMember>& a, const std::vector<ListMember>& b) {
  absl::flat_hash_map<uint64_t, PathId> first;
  for (const ListMember& member : a) {
    if (member.has_contents) first.try_emplace(member.contents, member.path);
  }
  for (const ListMember& member : b) {
    if (a_of_[member.path].valid()) continue;
    changes_.inserted.Add(member.path);
    const auto same = first.find(member.contents);
    if (same != first.end()) changes_.copy_of[member.path] = same->second;
  }
}

void PathPairs::Join(PathId a, PathId b) {
  a_of_[b] = a;
  taken_.Add(a);
  decided_.Add(b);
}

}  // namespace onnx_hier
