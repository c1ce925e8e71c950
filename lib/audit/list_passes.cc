// SPDX-License-Identifier: Apache-2.0
#include "lib/audit/list_passes.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "lib/audit/longest_run.h"
#include "lib/graph/weight.h"

namespace onnx_hier {
namespace {

// What runs more often is an unrolled recurrence, of a cell and not of layers.
constexpr size_t kMostPasses = 64;

// Of the nodes that tell, how many must tell of passes one after the other.
constexpr double kLeastOrdered = 0.9;

// Where between nodes `begin` and `end` the layer before ends and that behind begins.
size_t BorderIn(const std::vector<uint32_t>& layers, size_t begin, size_t end) {
  const uint32_t before = layers[begin - 1];
  const uint32_t behind = layers[end];
  size_t border = begin;
  int gain = 0;
  int most = 0;
  for (size_t i = begin; i < end; ++i) {
    gain += (layers[i] == before ? 1 : 0) - (layers[i] == behind ? 1 : 0);
    if (gain <= most) continue;
    most = gain;
    border = i + 1;
  }
  return border;
}

}  // namespace

ListPasses::ListPasses(const TagAudit& audit, const Flow& flow)
    : audit_(audit), graph_(audit.graph), flow_(flow), number_(audit.graph.node_count(), 0) {}

std::vector<ListNodes> ListPasses::Split(ListNodes list) {
  const size_t passes = CountPasses(list);
  if (passes > 1) Number(list, passes);
  uint32_t last = 0;
  for (NodeId node : list.nodes) last = std::max(last, number_[node]);
  std::vector<ListNodes> split(last + 1);
  if (last == 0) {
    split[0] = std::move(list);
    return split;
  }
  for (size_t i = 0; i < list.nodes.size(); ++i) {
    ListNodes& pass = split[number_[list.nodes[i]]];
    pass.nodes.push_back(list.nodes[i]);
    pass.layers.push_back(list.layers[i]);
  }
  std::erase_if(split, [](const ListNodes& pass) { return pass.nodes.empty(); });
  return split;
}

// Of the first parameter that a node reads, itself or the copy that exporters make for each pass
// (Identity), all that do so. None: it reads none, or most of them have other tags, as of a
// parameter that is shared or was merged with equal ones.
ListPasses::Readers ListPasses::ReadersWith(NodeId node) const {
  for (ValueId value : graph_.inputs(node)) {
    if (!value.valid()) continue;
    const NodeId maker = graph_.value(value).producer;
    const ValueId parameter = maker.valid() && IsCopy(maker) ? graph_.inputs(maker)[0] : value;
    if (!parameter.valid() || !graph_.value(parameter).tensor.valid() ||
        !IsWeight(graph_.tensor(graph_.value(parameter).tensor)) ||
        graph_.uses(parameter).size() > kMostPasses) {
      continue;
    }
    Readers readers;
    size_t alike = 0;
    const auto add = [&](NodeId reader) {
      readers.push_back(flow_.rank(reader));
      alike += audit_.tags[reader] == audit_.tags[node] ? 1 : 0;
    };
    for (const Use& use : graph_.uses(parameter)) {
      if (!IsCopy(use.node)) {
        add(use.node);
        continue;
      }
      const absl::Span<const Use> of_copy = graph_.uses(graph_.outputs(use.node)[0]);
      if (of_copy.size() == 1) add(of_copy[0].node);
    }
    if (2 * alike > readers.size()) return readers;
  }
  return {};
}

bool ListPasses::IsCopy(NodeId node) const {
  return graph_.op(node).type == "Identity" && graph_.inputs(node).size() == 1 &&
         graph_.outputs(node).size() == 1 && graph_.outputs(node)[0].valid();
}

// As most nodes say that read a parameter; 1: none, or no such number.
size_t ListPasses::CountPasses(const ListNodes& list) const {
  absl::flat_hash_map<size_t, size_t> counts;
  size_t all = 0;
  for (NodeId node : list.nodes) {
    const Readers readers = ReadersWith(node);
    if (readers.empty()) continue;
    ++counts[readers.size()];
    ++all;
  }
  for (const auto& [passes, nodes] : counts) {
    if (2 * nodes > all) return passes;
  }
  return 1;
}

void ListPasses::Number(const ListNodes& list, size_t passes) {
  std::vector<size_t> places;  // of nodes that tell
  std::vector<uint32_t> told;
  for (size_t i = 0; i < list.nodes.size(); ++i) {
    const Readers readers = ReadersWith(list.nodes[i]);
    if (readers.size() != passes) continue;
    const Rank own = flow_.rank(list.nodes[i]);
    places.push_back(i);
    told.push_back(static_cast<uint32_t>(
        absl::c_count_if(readers, [own](Rank reader) { return reader < own; })));
  }
  const std::vector<char> in_order = LongestRun(told);
  const auto ordered = static_cast<double>(absl::c_count(in_order, 1));
  if (ordered < kLeastOrdered * static_cast<double>(told.size())) return;
  size_t done = 0;
  uint32_t before = 0;
  for (size_t k = 0; k < places.size(); ++k) {
    if (in_order[k] == 0) continue;
    const size_t i = places[k];
    const bool is_next = done > 0 && told[k] != before;
    const size_t border = is_next ? BorderIn(list.layers, done, i) : done;
    for (; done <= i; ++done) number_[list.nodes[done]] = done < border ? before : told[k];
    before = told[k];
  }
  for (; done < list.nodes.size(); ++done) number_[list.nodes[done]] = before;
}

}  // namespace onnx_hier
