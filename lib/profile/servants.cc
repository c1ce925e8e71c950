// SPDX-License-Identifier: Apache-2.0
#include "lib/profile/servants.h"

#include <algorithm>

#include "absl/algorithm/container.h"
#include "absl/types/span.h"

namespace onnx_hier {
namespace {

// As many inputs of a node, and readers of a value, are looked at.
constexpr size_t kMostLooked = 64;

template <class T>
absl::Span<const T> FirstOf(absl::Span<const T> all) {
  return all.subspan(0, kMostLooked);
}

bool IsPutIn(const Kernel& kernel) {
  return ServedBy(kernel) != Served::kNone || IsMovedQuantisation(kernel);
}

}  // namespace

Servants::Servants(const Graph& graph, const std::vector<Kernel>& kernels,
                   const std::vector<KernelPlace>& places, const std::vector<NodeId>& ends,
                   const RunOrder& order)
    : graph_(graph),
      kernels_(kernels),
      places_(places),
      ends_(ends),
      order_(order),
      before_(kernels.size()),
      after_(kernels.size()),
      turn_(kernels.size()),
      in_blocks_(kernels.size()) {
  const size_t none = kernels.size();
  bool has_blocks = false;
  for (size_t i = 0, last = none; i < kernels.size(); ++i) {
    before_[i] = last;
    if (i > 0 && IsReordering(kernels[i - 1])) turn_[i] = turn_[i - 1] + 1;
    if (!IsPutIn(kernels[i])) last = i;
    // Elementwise kernels keep their names when they work in blocks.
    in_blocks_[i] =
        WorksInBlocks(kernels[i]) || (has_blocks && PassesBlocksOn(kernels[i]) && ReadsBlocks(i));
    has_blocks = has_blocks || in_blocks_[i];
  }
  for (size_t i = kernels.size(), next = none; i-- > 0;) {
    after_[i] = next;
    if (!IsPutIn(kernels[i])) next = i;
  }
}

ServedNode Servants::Find(size_t servant, Served served) const {
  if (served == Served::kNone) return {};
  const bool is_maker = served == Served::kMaker;
  ServedNode found = {NodeId(), is_maker ? before_[servant] : after_[servant]};
  if (IsReordering(kernels_[servant])) {
    found.node = is_maker ? BlocksTakenApart(servant) : BlocksMadeFor(servant);
  } else if (found.beside < kernels_.size() &&
             MayServe(kernels_[servant], kernels_[found.beside])) {
    found.node = is_maker ? EndOf(found.beside) : NodeOf(found.beside);
  }
  return found;
}

bool Servants::ReadsBlocks(size_t kernel) const {
  const NodeId node = NodeOf(kernel);
  if (turn_[kernel] > 0 || !node.valid()) return false;
  return absl::c_any_of(FirstOf(graph_.inputs(node)), [&](ValueId value) {
    const NodeId maker = value.valid() ? graph_.value(value).producer : NodeId();
    if (!maker.valid()) return false;
    return absl::c_any_of(order_.LastRun(maker), [&](NodeId from) {
      const size_t its = order_.kernel_of(from);
      return its < kernel && in_blocks_[its];
    });
  });
}

NodeId Servants::BlocksMadeFor(size_t servant) const {
  const size_t reader = after_[servant];
  NodeId node;
  ValueId value;
  if (NodeOf(reader).valid() && WorksInBlocks(kernels_[reader])) {
    node = NodeOf(reader);
    if (!graph_.inputs(node).empty()) value = graph_.inputs(node)[0];
  } else if (const NodeId maker = EndOf(before_[servant]);
             maker.valid() && !graph_.outputs(maker).empty()) {
    value = graph_.outputs(maker)[0];
  }
  if (!value.valid()) return node;
  bool has_others = false;
  for (const Use& use : FirstOf(graph_.uses(value))) {
    if (!order_.has_run(use.node) || !WorksInBlocks(kernels_[order_.kernel_of(use.node)])) continue;
    if (!node.valid()) node = use.node;
    has_others |= use.node != node;
  }
  const NodeId maker = graph_.value(value).producer;
  return has_others && maker.valid() ? maker : node;
}

NodeId Servants::BlocksTakenApart(size_t servant) const {
  const size_t before = before_[servant];
  const NodeId maker = before < in_blocks_.size() && in_blocks_[before] ? EndOf(before) : NodeId();
  const NodeId reader = NodeOf(after_[servant]);
  if (!reader.valid()) return maker;
  NodeId last;
  std::vector<NodeId> others;
  for (ValueId value : FirstOf(graph_.inputs(reader))) {
    // The last operators may have been fused with the kernel that makes the blocks; a Pad is fused
    // with what reads it.
    const NodeId read = value.valid() ? graph_.value(value).producer : NodeId();
    if (!read.valid() || graph_.op(read).type == "Pad") continue;
    for (NodeId from : order_.LastRun(read)) {
      const size_t its = order_.kernel_of(from);
      if (from == maker) {
        if (!last.valid()) last = read;
      } else if (its < servant && in_blocks_[its]) {
        others.push_back(read);
      }
    }
  }
  if (!last.valid()) last = maker;
  const size_t turn = turn_[servant];
  if (others.empty() || (turn == 0 && last.valid())) return last;
  return others[std::min(turn > 0 ? turn - 1 : 0, others.size() - 1)];
}

}  // namespace onnx_hier
