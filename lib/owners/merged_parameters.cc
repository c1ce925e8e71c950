// SPDX-License-Identifier: Apache-2.0
#include "lib/owners/merged_parameters.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "lib/base/rules.h"

namespace onnx_hier {
namespace {

constexpr uint32_t kNone = std::numeric_limits<uint32_t>::max();
constexpr size_t kMostCompared = 32;  // modules of a layer, when it is held against another

class MergeFinder {
 public:
  MergeFinder(const Graph& graph, const IdVector<ValueId, PathId>& owners, const ModulePaths& paths)
      : graph_(graph), owners_(owners), paths_(paths), modules_(paths.size()) {}

  IdSet<ValueId> Find() {
    IdSet<ValueId> merged(graph_.value_count());
    struct Shared {
      ValueId value;
      bool is_vector;
      uint32_t reads;
    };
    std::vector<Shared> shared;
    for (ValueId id : graph_.value_ids()) {
      if (graph_.value(id).kind != ValueKind::kInitializer || !owners_[id].valid()) continue;
      const Reads reads = CountReads(id);
      const bool is_vector = graph_.dims(graph_.value(id).tensor).size() < 2;
      Note(is_vector, reads, modules_[owners_[id]]);
      if (reads.most > 1) shared.push_back({id, is_vector, reads.most});
    }
    if (shared.empty()) return merged;
    AddUp();
    std::vector<ValueId> doubtful;
    for (const auto& [value, is_vector, reads] : shared) {
      const PathId owner = owners_[value];
      if (reads <= CallsOf(is_vector ? owner : AroundOthers(owner))) continue;
      if (is_vector ? IsNeverCalledSoOften(owner) : reads > modules_[owner].fewest_of_matrix) {
        Add(value, merged);
      } else {
        doubtful.push_back(value);
      }
    }
    // Whoever merged some, merged all.
    if (merged.HasAny()) {
      for (ValueId value : doubtful) Add(value, merged);
    }
    return merged;
  }

 private:
  struct Readers {
    OpId op;
    uint32_t count;
  };
  // By one operator: that which reads a parameter most often, and least.
  struct Reads {
    OpId op;
    uint32_t most = 0;
    uint32_t fewest = kNone;
  };
  // Of the parameters in a module and inside it.
  struct Module {
    uint32_t fewest_reads = kNone;
    uint32_t most_reads = 0;
    uint32_t fewest_of_matrix = kNone;
    uint32_t owners = 0;  // modules that have parameters
    std::vector<PathId> children;

    bool is_read_evenly() const { return fewest_reads == most_reads; }
    bool has_parameters() const { return owners > 0; }
  };

  static void Note(bool is_vector, const Reads& reads, Module& owner) {
    owner.fewest_reads = std::min(owner.fewest_reads, reads.fewest);
    owner.most_reads = std::max(owner.most_reads, reads.most);
    owner.owners = 1;
    if (!is_vector) owner.fewest_of_matrix = std::min(owner.fewest_of_matrix, reads.most);
  }

  // What a node makes of a parameter alone is the parameter still.
  bool PassesOn(NodeId node) const {
    const absl::Span<const ValueId> outputs = graph_.outputs(node);
    return outputs.size() == 1 && outputs[0].valid() && owners_[outputs[0]].valid();
  }

  // Exporters copy what they keep under the names of what they leave out: a copy is of another
  // module, even where its name is lost; unless it is known to be the same parameter.
  bool IsCopy(const Use& use, PathId owner) const {
    if (graph_.op(use.node).type != "Identity") return false;
    const absl::Span<const ValueId> outputs = graph_.outputs(use.node);
    return outputs.empty() || !outputs[0].valid() || owners_[outputs[0]] != owner;
  }

  // A module may read its parameter by several operators.
  Reads CountReads(ValueId id) {
    const absl::Span<const Use> uses = graph_.uses(id);
    if (uses.size() == 1 && !PassesOn(uses[0].node)) return {graph_.node(uses[0].node).op, 1, 1};
    const bool is_read = std::any_of(uses.begin(), uses.end(),
                                     [&](const Use& use) { return !IsCopy(use, owners_[id]); });
    std::vector<Readers> readers;
    for (const Use& use : uses) {
      if (is_read && IsCopy(use, owners_[id])) continue;
      if (PassesOn(use.node)) {
        const Reads& of = ReadsOf(graph_.outputs(use.node)[0]);
        readers.push_back({of.op, of.most});
      } else {
        readers.push_back({graph_.node(use.node).op, 1});
      }
    }
    return CountByOperator(readers);
  }

  // Of what many parameters are made into, once.
  const Reads& ReadsOf(ValueId made) {
    const auto [entry, added] = made_.try_emplace(made);
    if (!added) return entry->second;
    std::vector<Readers> readers;
    for (const Use& use : graph_.uses(made)) readers.push_back({graph_.node(use.node).op, 1});
    return entry->second = CountByOperator(readers);
  }

  static Reads CountByOperator(std::vector<Readers>& readers) {
    std::sort(readers.begin(), readers.end(),
              [](const Readers& a, const Readers& b) { return a.op < b.op; });
    Reads reads;
    for (size_t i = 0; i < readers.size();) {
      const OpId op = readers[i].op;
      uint32_t count = 0;
      for (; i < readers.size() && readers[i].op == op; ++i) count += readers[i].count;
      if (count > reads.most) {
        reads.op = op;
        reads.most = count;
      }
      reads.fewest = std::min(reads.fewest, count);
    }
    return reads;
  }

  // Children are made after their parents.
  void AddUp() {
    for (size_t i = paths_.size(); i-- > 1;) {
      const Module& inner = modules_[PathId(i)];
      if (!inner.has_parameters()) continue;
      Module& around = modules_[paths_.parent(PathId(i))];
      around.fewest_reads = std::min(around.fewest_reads, inner.fewest_reads);
      around.most_reads = std::max(around.most_reads, inner.most_reads);
      around.fewest_of_matrix = std::min(around.fewest_of_matrix, inner.fewest_of_matrix);
      around.owners += inner.owners;
      around.children.push_back(PathId(i));
    }
  }

  // How often the module is called by its matrices, or those of what is around it.
  uint32_t CallsOf(PathId module) const {
    while (module.valid() && modules_[module].fewest_of_matrix == kNone) {
      module = paths_.parent(module);
    }
    // The model itself is called once.
    return module.valid() && module != paths_.root() ? modules_[module].fewest_of_matrix : 1;
  }

  // The innermost module around this one that holds parameters of others.
  PathId AroundOthers(PathId owner) const {
    PathId module = owner;
    while (module.valid() && modules_[module].owners <= modules_[owner].owners) {
      module = paths_.parent(module);
    }
    return module;
  }

  // One that is called more often than what is around it has all its parameters read as often, as
  // others have that are called with it; or each layer like its own has one.
  bool IsNeverCalledSoOften(PathId module) const {
    if (!modules_[module].is_read_evenly()) return true;
    PathId layer = paths_.parent(module);
    if (!layer.valid()) return false;  // the model itself
    if (modules_[layer].owners > 1 && modules_[layer].is_read_evenly()) return false;
    for (; layer.valid(); layer = paths_.parent(layer)) {
      if (layer != paths_.root() && paths_.is_number(layer) && OthersLack(module, layer))
        return true;
    }
    return false;
  }

  // Whether there is no other layer, or one that is like the one which holds the module and has
  // none such.
  bool OthersLack(PathId module, PathId layer) const {
    const std::vector<PathId>& layers = modules_[paths_.parent(layer)].children;
    if (layers.size() == 1) return true;
    for (size_t i = 0; i < std::min(layers.size(), kMostCompared); ++i) {
      const PathId other = layers[i];
      if (other == layer || !paths_.is_number(other) || !AreAlike(layer, other)) continue;
      const PathId counterpart = Counterpart(module, layer, other);
      if (!counterpart.valid() || !modules_[counterpart].has_parameters()) return true;
    }
    return false;
  }

  bool AreAlike(PathId a, PathId b) const {
    const std::vector<PathId>& parts = modules_[a].children;
    const auto end = parts.begin() + static_cast<ptrdiff_t>(std::min(parts.size(), kMostCompared));
    return std::any_of(parts.begin(), end, [&](PathId part) {
      const PathId other = paths_.FindChild(b, paths_.name(part));
      return other.valid() && modules_[other].has_parameters();
    });
  }

  PathId Counterpart(PathId module, PathId layer, PathId other) const {
    if (module == layer) return other;
    const PathId around = Counterpart(paths_.parent(module), layer, other);
    return around.valid() ? paths_.FindChild(around, paths_.name(module)) : around;
  }

  void Add(ValueId parameter, IdSet<ValueId>& merged) const {
    merged.Add(parameter);
    for (const Use& use : graph_.uses(parameter)) {
      // By which scale integers are dequantised does not say what they are.
      const bool is_scale = use.slot > 0 && graph_.op(use.node).type == "DequantizeLinear";
      if (is_scale || !PassesOn(use.node)) continue;
      const ValueId made = graph_.outputs(use.node)[0];
      if (owners_[made] == owners_[parameter]) merged.Add(made);
    }
  }

  const Graph& graph_;
  const IdVector<ValueId, PathId>& owners_;
  const ModulePaths& paths_;
  IdVector<PathId, Module> modules_;
  absl::flat_hash_map<ValueId, Reads> made_;
};

}  // namespace

IdSet<ValueId> FindMergedParameters(const Graph& graph,
                                    const IdVector<ValueId, PathId>& value_owners,
                                    const ModulePaths& paths) {
  if (!IsOn(Rule::kMergedParameters)) return IdSet<ValueId>(graph.value_count());
  return MergeFinder(graph, value_owners, paths).Find();
}

}  // namespace onnx_hier
