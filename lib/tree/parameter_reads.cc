// SPDX-License-Identifier: Apache-2.0
#include "lib/tree/parameter_reads.h"

#include <algorithm>
#include <tuple>

#include "lib/base/hash.h"
#include "lib/graph/weight.h"
#include "lib/names/parameter_name.h"

namespace onnx_hier {
namespace {

class ReadFinder {
 public:
  ReadFinder(const Flow& flow, const Evidence& evidence,
             absl::FunctionRef<bool(PathId, Rank)> is_reader)
      : flow_(flow),
        graph_(flow.graph()),
        evidence_(evidence),
        is_reader_(is_reader),
        operands_(graph_.node_count()) {}

  // Whether the value is a parameter, or a copy of one under its own name.
  bool IsParameter(ValueId value) const {
    if (!evidence_.value_owners[value].valid()) return false;
    const Value& about = graph_.value(value);
    if (about.kind == ValueKind::kInitializer) return true;
    return IsNamedParameter(value) && !(about.producer.valid() && IsOneWithSource(about.producer));
  }

  // The readers of a parameter by kind, then rank.
  void Collect(ValueId parameter) {
    reads_.clear();
    pending_.assign(1, {parameter, 0});
    while (!pending_.empty()) {
      const Form form = pending_.back();
      pending_.pop_back();
      for (const Use& use : graph_.uses(form.value)) {
        AddRead(evidence_.value_owners[parameter], form, use);
      }
    }
    std::sort(reads_.begin(), reads_.end(), [](const Read& a, const Read& b) {
      return std::tie(a.kind, a.rank) < std::tie(b.kind, b.rank);
    });
  }

  // What only ever makes constants prepares parameters.
  void Report(PathId owner, absl::FunctionRef<void(PathId, absl::Span<const Rank>)> report) {
    for (size_t begin = 0; begin < reads_.size();) {
      ranks_.clear();
      bool computes = false;
      size_t end = begin;
      for (; end < reads_.size() && reads_[end].kind == reads_[begin].kind; ++end) {
        ranks_.push_back(reads_[end].rank);
        computes |= !flow_.is_constant(reads_[end].rank);
      }
      if (computes) report(owner, ranks_);
      begin = end;
    }
  }

 private:
  struct Form {
    ValueId value;
    uint64_t kind = 0;  // how it was reshaped
  };
  // What tells whether a node reshapes one of its inputs.
  struct Operands {
    static constexpr uint32_t kNone = 0xFFFFFFFFu;
    bool known = false;
    uint32_t made = 0;  // slots with what another node computed
    uint32_t first_made = kNone;
    uint32_t first_owned = kNone;  // the first slot with a parameter
  };
  struct Read {
    uint64_t kind = 0;
    Rank rank;
  };

  bool IsNamedParameter(ValueId value) const {
    return !OwnerInParameterName(graph_.value(value).name).empty();
  }

  // Whether a copy is known to be the parameter itself: see NamedParameters.
  bool IsOneWithSource(NodeId node) const {
    const ValueId source = CopiedValue(graph_, node);
    return source.valid() &&
           graph_.value(source).name == graph_.value(graph_.outputs(node)[0]).name;
  }

  // Whether the node only gives the parameter in `slot` another form: transposes, casts, slices or
  // dequantises it.
  bool Reshapes(Rank rank, uint32_t slot) {
    const NodeId node = flow_.node(rank);
    const absl::Span<const ValueId> outputs = graph_.outputs(node);
    if (!flow_.is_constant(rank) || outputs.size() != 1 || !outputs[0].valid() ||
        graph_.value(outputs[0]).producer != node || IsNamedParameter(outputs[0])) {
      return false;
    }
    const Operands& operands = OperandsOf(node);
    const bool alone = operands.made == 0 || (operands.made == 1 && operands.first_made == slot);
    return alone && slot <= operands.first_owned;
  }

  // Read once for each node: one may read a parameter in any number of slots.
  const Operands& OperandsOf(NodeId node) {
    Operands& operands = operands_[node];
    if (operands.known) return operands;
    operands.known = true;
    const absl::Span<const ValueId> inputs = graph_.inputs(node);
    for (uint32_t i = 0; i < inputs.size(); ++i) {
      if (!inputs[i].valid()) continue;
      const NodeId producer = graph_.value(inputs[i]).producer;
      if (producer.valid() && !graph_.inputs(producer).empty() && operands.made++ == 0) {
        operands.first_made = i;
      }
      const bool is_owned = evidence_.value_owners[inputs[i]].valid();
      if (is_owned) operands.first_owned = std::min(operands.first_owned, i);
    }
    return operands;
  }

  // Another slice is another form, the same slice the same.
  uint64_t FormAfter(uint64_t kind, NodeId node, uint32_t slot) const {
    kind = MixHash(kind, graph_.node(node).attribute_hash);
    const absl::Span<const ValueId> inputs = graph_.inputs(node);
    for (uint32_t i = 0; i < inputs.size(); ++i) {
      if (i != slot) kind = MixHash(kind, inputs[i].index());
    }
    return kind;
  }

  void AddRead(PathId owner, const Form& form, const Use& use) {
    const Rank rank = flow_.rank(use.node);
    const Node& node = graph_.node(use.node);
    const uint64_t kind = MixHash(MixHash(form.kind, node.op.index()), use.slot);
    // In a ring, which no order has, a form would come back to where it was.
    const NodeId maker = graph_.value(form.value).producer;
    const bool goes_on = !maker.valid() || flow_.rank(maker) < rank;
    if (goes_on && IsOneWithSource(use.node)) {
      pending_.push_back({graph_.outputs(use.node)[0], form.kind});
    } else if (goes_on && Reshapes(rank, use.slot)) {
      pending_.push_back({graph_.outputs(use.node)[0], FormAfter(kind, use.node, use.slot)});
    } else if (node.block == graph_.main_block() && is_reader_(owner, rank)) {
      reads_.push_back({kind, rank});
    }
  }

  const Flow& flow_;
  const Graph& graph_;
  const Evidence& evidence_;
  absl::FunctionRef<bool(PathId, Rank)> is_reader_;
  std::vector<Form> pending_;
  std::vector<Read> reads_;
  std::vector<Rank> ranks_;
  IdVector<NodeId, Operands> operands_;
};

}  // namespace

void FindParameterReads(const Flow& flow, const Evidence& evidence,
                        absl::FunctionRef<bool(PathId, Rank)> is_reader,
                        absl::FunctionRef<void(PathId, absl::Span<const Rank>)> report) {
  ReadFinder reader(flow, evidence, is_reader);
  for (ValueId value : flow.graph().value_ids()) {
    if (!reader.IsParameter(value)) continue;
    reader.Collect(value);
    reader.Report(evidence.value_owners[value], report);
  }
}

}  // namespace onnx_hier
