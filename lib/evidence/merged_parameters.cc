#include "lib/evidence/merged_parameters.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace onnx_hier {
namespace {

constexpr uint32_t kNoMatrix = std::numeric_limits<uint32_t>::max();
constexpr size_t kMostCompared = 32;  // modules of a layer, when it is held against another

class MergeFinder {
 public:
  MergeFinder(const Graph& graph, const IdVector<ValueId, PathId>& owners, const ModulePaths& paths)
      : graph_(graph),
        owners_(owners),
        paths_(paths),
        fewest_reads_(paths.size(), kNoMatrix),
        has_parameters_(paths.size()),
        children_(paths.size()) {}

  IdSet<ValueId> Find() {
    IdSet<ValueId> merged(graph_.value_count());
    std::vector<ValueId> shared;
    for (ValueId id : graph_.value_ids()) {
      if (!IsParameter(id)) continue;
      has_parameters_.Add(owners_[id]);
      const bool is_vector = graph_.dims(graph_.value(id).tensor).size() < 2;
      if (is_vector && CountReads(id) > 1 && IsReadAlike(id)) shared.push_back(id);
      if (is_vector) continue;
      uint32_t& fewest = fewest_reads_[owners_[id]];
      fewest = std::min(fewest, CountReads(id));
    }
    if (shared.empty()) return merged;
    AddUp();
    for (ValueId id : shared) {
      if (IsMerged(id)) merged.Add(id);
    }
    return merged;
  }

 private:
  bool IsParameter(ValueId id) const {
    return graph_.value(id).kind == ValueKind::kInitializer && owners_[id].valid();
  }

  // What a node makes of a parameter alone is the parameter still.
  bool PassesOn(NodeId node) const {
    const absl::Span<const ValueId> outputs = graph_.outputs(node);
    return outputs.size() == 1 && outputs[0].valid() && owners_[outputs[0]].valid();
  }

  uint32_t CountReads(ValueId id) const {
    size_t count = 0;
    for (const Use& use : graph_.uses(id)) {
      count += PassesOn(use.node) ? graph_.uses(graph_.outputs(use.node)[0]).size() : 1;
    }
    return static_cast<uint32_t>(count);
  }

  bool IsReadAlike(ValueId id) const {
    const auto& uses = graph_.uses(id);
    return std::all_of(uses.begin(), uses.end(), [&](const Use& use) {
      return !PassesOn(use.node) && use.slot == uses[0].slot &&
             graph_.node(use.node).op == graph_.node(uses[0].node).op;
    });
  }

  // Children are made after their parents.
  void AddUp() {
    for (size_t i = paths_.size(); i-- > 1;) {
      const PathId path(i);
      const PathId parent = paths_.parent(path);
      fewest_reads_[parent] = std::min(fewest_reads_[parent], fewest_reads_[path]);
      if (has_parameters_.Has(path)) has_parameters_.Add(parent);
      children_[parent].push_back(path);
    }
  }

  bool IsMerged(ValueId id) const {
    const uint32_t reads = CountReads(id);
    const PathId owner = owners_[id];
    PathId around = owner;
    while (around != paths_.root() && fewest_reads_[around] == kNoMatrix) {
      around = paths_.parent(around);
    }
    if (fewest_reads_[around] < kNoMatrix && fewest_reads_[around] >= reads) return false;
    if (around == owner) return true;
    for (PathId layer = paths_.parent(owner); layer.valid(); layer = paths_.parent(layer)) {
      if (layer != paths_.root() && paths_.is_number(layer) && OthersLack(owner, layer))
        return true;
    }
    return false;
  }

  // Whether a layer that is like the one which holds the module has none such.
  bool OthersLack(PathId module, PathId layer) const {
    const std::vector<PathId>& layers = children_[paths_.parent(layer)];
    for (size_t i = 0; i < std::min(layers.size(), kMostCompared); ++i) {
      const PathId other = layers[i];
      if (other == layer || !paths_.is_number(other) || !AreAlike(layer, other)) continue;
      const PathId counterpart = Counterpart(module, layer, other);
      if (!counterpart.valid() || !has_parameters_.Has(counterpart)) return true;
    }
    return false;
  }

  bool AreAlike(PathId a, PathId b) const {
    const std::vector<PathId>& parts = children_[a];
    const auto end = parts.begin() + static_cast<ptrdiff_t>(std::min(parts.size(), kMostCompared));
    return std::any_of(parts.begin(), end, [&](PathId part) {
      const PathId other = paths_.FindChild(b, paths_.name(part));
      return other.valid() && has_parameters_.Has(part) && has_parameters_.Has(other);
    });
  }

  PathId Counterpart(PathId module, PathId layer, PathId other) const {
    if (module == layer) return other;
    const PathId around = Counterpart(paths_.parent(module), layer, other);
    return around.valid() ? paths_.FindChild(around, paths_.name(module)) : around;
  }

  const Graph& graph_;
  const IdVector<ValueId, PathId>& owners_;
  const ModulePaths& paths_;
  IdVector<PathId, uint32_t> fewest_reads_;  // of a matrix in the module
  IdSet<PathId> has_parameters_;
  IdVector<PathId, std::vector<PathId>> children_;
};

}  // namespace

IdSet<ValueId> FindMergedParameters(const Graph& graph,
                                    const IdVector<ValueId, PathId>& value_owners,
                                    const ModulePaths& paths) {
  return MergeFinder(graph, value_owners, paths).Find();
}

}  // namespace onnx_hier
