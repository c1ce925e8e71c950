#include "lib/match/node_names.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "lib/graph/weight.h"
#include "lib/scope/derived_name.h"

namespace onnx_hier {
namespace {

// Endings that are taken off a name, one after the other.
constexpr int kMostEndings = 6;

// The node of that name, or the one that made the value of that name.
NodeId FindNodeOrMaker(const Graph& from, const NameIndex& names, absl::string_view name) {
  const NodeId node = names.FindNode(name);
  if (node.valid()) return node;
  const ValueId value = names.FindValue(name);
  return value.valid() ? from.value(value).producer : NodeId();
}

bool IsNumber(absl::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(),
                                      [](unsigned char c) { return absl::ascii_isdigit(c); });
}

// Without the last of the words that were put behind it; "" where the last word may be part of a
// name that exporters count up.
absl::string_view WithoutEnding(absl::string_view name) {
  while (absl::ConsumeSuffix(&name, "/")) {
  }
  const size_t at = name.find_last_of("/_");
  if (at == absl::string_view::npos || at == 0) return "";
  const absl::string_view before = name.substr(0, at);
  if (!IsNumber(name.substr(at + 1))) return before;
  return absl::EndsWith(before, "_token") ? before : absl::string_view();
}

NodeId FindByEndings(const Graph& from, const NameIndex& names, absl::string_view name) {
  for (int i = 0; i < kMostEndings && !name.empty(); ++i) {
    const NodeId node = FindNodeOrMaker(from, names, name);
    if (node.valid()) return node;
    name = WithoutEnding(name);
  }
  return NodeId();
}

}  // namespace

NodeId FindNamesake(const Graph& from, const NameIndex& names, const Graph& to, NodeId node) {
  const absl::string_view name = to.node(node).name;
  if (name.empty()) return NodeId();
  const NodeId same = names.FindNode(name);
  if (same.valid()) return same;
  NodeId namesake;
  for (const absl::string_view original : OriginalNames(name)) {
    const NodeId found = FindByEndings(from, names, original);
    if (!found.valid()) continue;
    // Of two that were fused, the one with the weight.
    if (!namesake.valid() || IsWeighted(from.op(found).type)) namesake = found;
  }
  return namesake;
}

}  // namespace onnx_hier
