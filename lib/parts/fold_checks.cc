// SPDX-License-Identifier: Apache-2.0
#include "lib/parts/fold_checks.h"

#include <cstddef>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "onnx_hier_program/safe_text.h"

namespace onnx_hier {
namespace {

uint32_t ChecksumOf(const Graph& graph, BlockId function, const NodeMessages& messages) {
  FunctionChecksum checksum;
  checksum.Add(graph.block(function).name);
  for (ValueId value : graph.inputs(function)) {
    checksum.Add(value.valid() ? graph.value(value).name : "");
  }
  for (ValueId value : graph.outputs(function)) {
    checksum.Add(value.valid() ? graph.value(value).name : "");
  }
  for (NodeId node : graph.nodes(function)) checksum.Add(messages[node]);
  return checksum.value();
}

}  // namespace

bool PutInPositions(const std::vector<uint32_t>& positions, std::vector<PlacedNode>& nodes) {
  std::vector<PlacedNode> sorted(nodes.size());
  std::vector<bool> taken(nodes.size(), false);
  size_t next = 0;
  for (PlacedNode& node : nodes) {
    if (node.stays) continue;
    if (next == positions.size() || positions[next] >= nodes.size()) return false;
    const uint32_t position = positions[next++];
    if (taken[position]) return false;
    taken[position] = true;
    sorted[position] = std::move(node);
  }
  if (next != positions.size()) return false;
  size_t position = 0;
  for (PlacedNode& node : nodes) {
    if (!node.stays) continue;
    while (taken[position]) ++position;
    taken[position] = true;
    sorted[position] = std::move(node);
  }
  nodes = std::move(sorted);
  return true;
}

bool IsWhatWasFolded(const FoldTable& table, const std::vector<PlacedNode>& nodes) {
  NodesChecksum checksum(table);
  for (const PlacedNode& node : nodes) {
    if (node.stays) {
      checksum.AddStaying();
    } else {
      checksum.Add(node.bytes);
    }
  }
  return checksum.value() == table.checksum;
}

std::string WhatWasChanged(const Graph& graph, const NodeMessages& messages,
                           const FoldTable& table) {
  if (table.form == kFirstFoldForm) return "its functions, its main graph or its table of names";
  const absl::flat_hash_set<uint32_t> written(table.functions.begin(), table.functions.end());
  size_t count = 0;
  for (BlockId id : graph.block_ids()) {
    const Block& block = graph.block(id);
    if (block.kind != BlockKind::kFunction || block.domain != kFoldDomain) continue;
    ++count;
    if (written.contains(ChecksumOf(graph, id, messages))) continue;
    return absl::StrCat("function '", SafeForTerminal(block.name, kLongestShownName), "'");
  }
  if (count != table.functions.size()) {
    return absl::StrCat("its functions, of which it has ", count, " and had ",
                        table.functions.size());
  }
  return "its main graph or its table of names";
}

}  // namespace onnx_hier
