// SPDX-License-Identifier: Apache-2.0
#include "lib/names/joined_names.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "lib/names/derived_name.h"
#include "lib/names/number.h"

namespace onnx_hier {
namespace {

// Fewer can be called so by chance.
constexpr size_t kFewest = 4;

// Calls `visit` with each place where an operator may end in a component, and the next name begin:
// behind "Relu" and "Relu_1" of "Relu_1_net".
template <class Visit>
void ForEachEnd(absl::string_view component, const Visit& visit) {
  if (!BeginsWithCapital(component)) return;
  const size_t first = component.find('_');
  if (first == absl::string_view::npos) return;
  visit(first);
  const size_t second = component.find('_', first + 1);
  if (second == absl::string_view::npos) return;
  if (IsNumber(component.substr(first + 1, second - first - 1))) visit(second);
}

// The underscores between names that were joined.
std::vector<size_t> Seams(absl::string_view name,
                          const absl::flat_hash_set<absl::string_view>& tops) {
  std::vector<size_t> seams;
  size_t begin = name.find('/');
  while (begin != absl::string_view::npos) {
    ++begin;
    const size_t end = name.find('/', begin);
    // What a name ends with is no scope.
    if (end == absl::string_view::npos) break;
    const absl::string_view component = name.substr(begin, end - begin);
    ForEachEnd(component, [&](size_t at) {
      if (tops.contains(component.substr(at + 1))) seams.push_back(begin + at);
    });
    begin = end;
  }
  return seams;
}

}  // namespace

JoinedNames::JoinedNames(const Graph& graph) : graph_(graph) {
  for (NodeId id : graph.node_ids()) {
    const absl::string_view name = graph.node(id).name;
    const size_t slash = name.find('/');
    if (slash != absl::string_view::npos && slash > 0) tops_.insert(name.substr(0, slash));
  }
  if (tops_.empty()) return;
  size_t count = 0;
  for (NodeId id : graph.node_ids()) count += Seams(graph.node(id).name, tops_).empty() ? 0 : 1;
  any_ = count >= kFewest;
}

absl::string_view JoinedNames::Part(absl::string_view name, std::string& text) const {
  const std::vector<size_t> seams = Seams(name, tops_);
  if (seams.empty()) return name;
  text = std::string(name);
  for (size_t seam : seams) text[seam] = ';';
  return text;
}

}  // namespace onnx_hier
