// SPDX-License-Identifier: Apache-2.0
#include "onnx_hier/ids.h"

#include <utility>
#include <vector>

#include "doctest/doctest.h"

namespace onnx_hier {
namespace {

TEST_CASE("a vector counts what it holds, and nothing once it was moved") {
  IdVector<NodeId, int> vector(2, 7);
  CHECK(vector.push_back(8) == NodeId(2));
  CHECK(vector.add() == NodeId(3));
  CHECK(vector[NodeId(3)] == 0);
  CHECK(vector.next_id() == NodeId(4));
  IdVector<NodeId, int> other = std::move(vector);
  CHECK(other.size() == 4);
  CHECK(other[NodeId(2)] == 8);
  CHECK(vector.size() == 0);  // NOLINT(bugprone-use-after-move,hicpp-invalid-access-moved)
  CHECK(!vector.contains(NodeId(0)));
  vector = std::move(other);
  CHECK(vector.size() == 4);
  CHECK(other.size() == 0);  // NOLINT(bugprone-use-after-move,hicpp-invalid-access-moved)
  vector.resize(1);
  CHECK(vector.size() == 1);
  CHECK(!vector.contains(NodeId(1)));
  vector.assign(5, 9);
  CHECK(vector[NodeId(4)] == 9);
}

TEST_CASE("sets of every size") {
  for (size_t size : {0, 1, 63, 64, 65, 128, 200}) {
    CAPTURE(size);
    IdSet<NodeId> set(size);
    CHECK(set.size() == size);
    CHECK(!set.HasAny());
    CHECK(set.HasAll() == (size == 0));
    CHECK(!set.Contains(NodeId(size)));
    CHECK(!set.Contains(NodeId()));
    set.AddAll();
    CHECK(set.HasAll());
    if (size == 0) continue;
    const NodeId last(size - 1);
    set.Remove(last);
    CHECK(!set.HasAll());
    CHECK(!set.Has(last));
    CHECK(set.HasAny() == (size > 1));
    set.Add(last);
    CHECK(set.HasAll());
    // What is taken off does not come back.
    set.Resize(size - 1);
    set.Resize(size);
    CHECK(!set.Has(last));
  }
}

TEST_CASE("items by owner keep their order") {
  const std::vector<std::pair<size_t, int>> pairs = {{2, 1}, {0, 2}, {2, 3}, {3, 4}, {0, 5}};
  const Grouped<NodeId, int> groups(5, [&](const auto& visit) {
    for (const auto& [owner, item] : pairs) visit(NodeId(owner), item);
  });
  const auto of = [&](size_t owner) {
    const absl::Span<const int> items = groups.of(NodeId(owner));
    return std::vector<int>(items.begin(), items.end());
  };
  CHECK(groups.owner_count() == 5);
  CHECK(of(0) == std::vector<int>{2, 5});
  CHECK(of(1).empty());
  CHECK(of(2) == std::vector<int>{1, 3});
  CHECK(of(4).empty());
  const absl::Span<const int> within = groups.Within(NodeId(1), NodeId(4));
  CHECK(std::vector<int>(within.begin(), within.end()) == std::vector<int>{1, 3, 4});
  CHECK(groups.items().size() == 5);
}

TEST_CASE("items owner by owner") {
  Grouped<NodeId, int> groups;
  CHECK(groups.owner_count() == 0);
  groups.Add(1);
  groups.Add(2);
  groups.Close();
  groups.Close();
  groups.Add(3);
  groups.Close();
  CHECK(groups.owner_count() == 3);
  CHECK(groups.of(NodeId(0)).size() == 2);
  CHECK(groups.of(NodeId(1)).empty());
  CHECK(groups.of(NodeId(2))[0] == 3);
  const Grouped<NodeId, int> moved = std::move(groups);
  CHECK(moved.Within(NodeId(0), NodeId(3)).size() == 3);
}

}  // namespace
}  // namespace onnx_hier
