// SPDX-License-Identifier: Apache-2.0
#include "lib/audit/list_passes.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "lib/graph/weight.h"

namespace onnx_hier {
namespace {

// What runs more often is an unrolled recurrence, of a cell and not of layers.
constexpr size_t kMostPasses = 64;

class PassSplitter {
 public:
  PassSplitter(const TagAudit& audit, const Flow& flow, const ListNodes& list)
      : audit_(audit), graph_(audit.graph), flow_(flow), list_(list), number_(list.nodes.size()) {}

  // Whether there are several.
  bool Number() {
    passes_ = CountPasses();
    if (passes_ < 2) return false;
    size_t done = 0;  // nodes whose pass is known
    for (size_t i = 0; i < list_.nodes.size(); ++i) {
      const Readers readers = ReadersWith(list_.nodes[i]);
      if (readers.size() != passes_) continue;
      const auto pass = static_cast<size_t>(absl::c_count_if(
          readers, [&](Rank reader) { return reader < flow_.rank(list_.nodes[i]); }));
      const size_t before = done > 0 ? number_[done - 1] : pass;
      if (pass < before) return false;
      const size_t border = pass == before ? i : BorderIn(done, i);
      for (size_t at = done; at <= i; ++at) number_[at] = at < border ? before : pass;
      done = i + 1;
    }
    for (size_t at = done; at < number_.size(); ++at) number_[at] = number_[done - 1];
    return true;
  }

  std::vector<ListNodes> Split() const {
    std::vector<ListNodes> split(passes_);
    for (size_t i = 0; i < number_.size(); ++i) {
      split[number_[i]].nodes.push_back(list_.nodes[i]);
      split[number_[i]].layers.push_back(list_.layers[i]);
    }
    std::erase_if(split, [](const ListNodes& pass) { return pass.nodes.empty(); });
    return split;
  }

 private:
  using Readers = absl::InlinedVector<Rank, 4>;

  // Of the first parameter that a node reads, itself or the copy that exporters make for each pass
  // (Identity), all that do so. None: it reads none, or most of them have other tags, as of a
  // parameter that is shared or was merged with equal ones.
  Readers ReadersWith(NodeId node) const {
    for (ValueId value : graph_.inputs(node)) {
      if (!value.valid()) continue;
      const NodeId maker = graph_.value(value).producer;
      const ValueId parameter = maker.valid() && IsCopy(maker) ? graph_.inputs(maker)[0] : value;
      if (!parameter.valid() || !graph_.value(parameter).tensor.valid() ||
          !IsWeight(graph_.tensor(graph_.value(parameter).tensor))) {
        continue;
      }
      Readers readers;
      size_t alike = 0;
      const auto add = [&](NodeId reader) {
        readers.push_back(flow_.rank(reader));
        alike += audit_.tags[reader] == audit_.tags[node] ? 1 : 0;
      };
      if (graph_.uses(parameter).size() > kMostPasses) continue;
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

  bool IsCopy(NodeId node) const {
    return graph_.op(node).type == "Identity" && graph_.inputs(node).size() == 1 &&
           graph_.outputs(node).size() == 1 && graph_.outputs(node)[0].valid();
  }

  // As most nodes say that read a parameter.
  size_t CountPasses() const {
    absl::flat_hash_map<size_t, size_t> counts;
    size_t all = 0;
    for (NodeId node : list_.nodes) {
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

  // Where the layer before `begin` ends and that of `end` begins.
  size_t BorderIn(size_t begin, size_t end) const {
    const uint32_t before = list_.layers[begin - 1];
    const uint32_t behind = list_.layers[end];
    size_t border = begin;
    int gain = 0;
    int most = 0;
    for (size_t i = begin; i < end; ++i) {
      gain += (list_.layers[i] == before ? 1 : 0) - (list_.layers[i] == behind ? 1 : 0);
      if (gain <= most) continue;
      most = gain;
      border = i + 1;
    }
    return border;
  }

  const TagAudit& audit_;
  const Graph& graph_;
  const Flow& flow_;
  const ListNodes& list_;
  size_t passes_ = 1;
  std::vector<size_t> number_;  // of each node's pass
};

}  // namespace

std::vector<ListNodes> SplitPasses(const TagAudit& audit, const Flow& flow, ListNodes list) {
  PassSplitter splitter(audit, flow, list);
  if (splitter.Number()) return splitter.Split();
  std::vector<ListNodes> whole;
  whole.push_back(std::move(list));
  return whole;
}

}  // namespace onnx_hier
