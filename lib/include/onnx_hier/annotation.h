// SPDX-License-Identifier: Apache-2.0

// Which module each node belongs to, how that is known, and what it adds up to.
#ifndef ONNX_HIER_ANNOTATION_H_
#define ONNX_HIER_ANNOTATION_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "onnx_hier/graph.h"
#include "onnx_hier/ids.h"
#include "onnx_hier/module_paths.h"
#include "onnx_hier/parameter_names.h"

namespace onnx_hier {

// The idea that decided a node's module.
enum class Method : uint8_t {
  kMetadata,    // module names in its metadata_props
  kNodeName,    // the scope in its own name
  kValueName,   // the scope in the name of a value it makes
  kParameters,  // the module whose parameters it reads
  kFunction,    // the call of the local function whose body it is in
  kRepetition,  // the place that its twin has in another layer
  kResidual,    // a join over a skip connection: by the branch that is skipped
  kStructure,   // where branches part and join, and what stands around alike operators
  kReaders,     // a constant: the common ancestor of the nodes that read it
  kOrder,       // the known nodes before and behind it in the file
  kLocality,    // the nearest known nodes in the data flow
  kSidecar,     // a sidecar said so, and not how it knew
  kRepaired,    // a check found another tag wrong
  kEarlierTag,  // a tag that the file carried, right where names tell
  kRule,        // a rule of the user's says so: onnx_hier/user_rules.h
  // Of a node whose model was made from another one: the module of what it stands for there,
  kTransferValue,      // which makes values of the same names
  kTransferName,       // which has the name, or one that its name was made from
  kTransferParameter,  // which reads the same parameters
  kTransferRegion,     // which lies between the same values
  kNone,               // nothing is known of it: the root
};
constexpr size_t kMethodCount = static_cast<size_t>(Method::kNone) + 1;

// As in doc_strings and sidecars: "node_name", ...
absl::string_view MethodName(Method method);

// Why a node was given what surely contains it, for want of a module that is surely its own.
enum class Retreat : uint8_t {
  kNone,    // it was not
  kUnsure,  // no module was likely enough: this one holds those that may be right
};

struct Assignment {
  PathId primary;         // the module that owns the node
  Range auxiliary;        // in Annotation::auxiliary: other modules whose values meet in it
  float confidence = 0;   // probability that `primary` is exactly right
  float containment = 0;  // ... that the node lies in it, or deeper inside; never below confidence
  Method method = Method::kNone;
  Retreat retreat = Retreat::kNone;
  // It is in the body of a function that stands for several modules: `auxiliary` are its owners in
  // further calls.
  bool is_by_call = false;
  uint32_t call = 0;  // 0-based, of a module that runs more than once
  NodeId witness;     // where it was not the node's own name: a node that decided; or none
};

using Assignments = IdVector<NodeId, Assignment>;

// One module of the model. "Own" counts leave out the modules inside it, totals include them.
struct Module {
  PathId path;
  ModuleId parent;         // none for the root
  std::string class_name;  // "" where not known
  std::string class_path;  // "/BertModel/BertEncoder/BertLayer.1", "" where not known
  uint32_t calls = 1;      // 0 of one that only a module map tells of
  uint64_t nodes = 0;
  uint64_t total_nodes = 0;
  uint64_t parameters = 0;        // elements of parameter tensors
  uint64_t total_parameters = 0;  // a tensor shared inside the module counts once
  uint64_t total_parameter_bytes = 0;
  // The same for modules whose own nodes, but for Constants, are the same operators with the same
  // attributes, or as many calls of functions.
  uint64_t operators = 0;
  // Nothing computes in it: it was folded away, or is never called. What is only in functions that
  // stand for several modules computes in each of them, whichever one owns their nodes.
  bool is_idle = false;
  PathId read_in;  // of a module that holds parameters and no node: what holds all their readers
};

// Modules in depth-first order, the root first; children in the order in which they begin to
// compute, members of a list by their numbers.
class ModuleTree {
 public:
  IdRange<ModuleId> ids() const { return IdRange<ModuleId>(modules_.size()); }
  size_t size() const { return modules_.size(); }
  ModuleId root() const { return ModuleId(0); }
  const Module& module(ModuleId id) const { return modules_[id]; }
  // None: no module has this path.
  ModuleId Find(PathId path) const { return of_path_.contains(path) ? of_path_[path] : ModuleId(); }
  // One past the last module inside `id`: its subtree is [id, subtree_end).
  ModuleId subtree_end(ModuleId id) const { return subtree_ends_[id]; }
  // Whether no module lies in it.
  bool is_leaf(ModuleId id) const { return subtree_end(id).index() == id.index() + 1; }
  // Whether `inner` is `outer` or lies in it.
  bool Contains(ModuleId outer, ModuleId inner) const {
    return !(inner < outer) && inner < subtree_end(outer);
  }
  // Modules around it: 0 for the root.
  uint32_t DepthOf(ModuleId id) const {
    uint32_t depth = 0;
    for (; module(id).parent.valid(); id = module(id).parent) ++depth;
    return depth;
  }

 private:
  friend class ModuleTreeBuilder;
  IdVector<ModuleId, Module> modules_;
  IdVector<ModuleId, ModuleId> subtree_ends_;
  IdVector<PathId, ModuleId> of_path_;
};

// An initializer, or the output of a Constant that holds weights, and the module that holds it: the
// one that it is named after, else what contains all nodes that read it.
struct OwnedParameter {
  ValueId value;
  TensorId tensor;
  PathId owner;
};

// Nodes that comparisons with other nodes, of other layers above all, found in a wrong module.
struct ContaminationCount {
  uint64_t found = 0;
  uint64_t unresolved = 0;  // of these, as they were in the end
  uint64_t resolved() const { return found - unresolved; }
};

// What a user's rules (onnx_hier/user_rules.h) mean in a model, by tags of modules as they are
// without rules.
struct AppliedRules {
  // Of a node that a rule places.
  struct Place {
    NodeId node;
    std::string module;  // its tag
    size_t line = 0;     // in the file of rules, from 1
  };
  struct Move {
    std::string to;
    size_t line = 0;
  };

  std::string file;           // that they are from, for messages
  std::vector<Place> places;  // in graph order, one a node
  // Modules, and lists, that are called otherwise, with all inside them.
  absl::flat_hash_map<std::string, Move> moves;
  // Modules in which none is told apart, those that no node is moved out of, and how surely some
  // are to hold their nodes (AnnotateOptions::least_containment): these and all inside them.
  absl::flat_hash_map<std::string, size_t> boundaries;  // by their lines
  absl::flat_hash_set<std::string> majors;
  absl::flat_hash_map<std::string, float> least;
  // What means nothing here, or something else than the file's own names, with file and line.
  std::vector<std::string> warnings;
};

// A node that is elsewhere by a rule.
struct RuledNode {
  NodeId node;
  size_t line = 0;
};

struct Annotation {
  std::string dialect;  // how the file's names are written: "torchscript-scoped", ...
  ModulePaths paths;
  Assignments assignments;
  std::vector<PathId> auxiliary;
  std::vector<OwnedParameter> parameters;  // in order of their values
  ModuleTree modules;
  // These and all others that a module map names, which hold nothing of the file: folded away,
  // never called, or containers that stand for their members. Of no size without a map.
  ModuleTree network;
  ContaminationCount contamination;  // before Annotate() was done with it
  // A model of which functions stand for several modules could not be looked at unfolded.
  // kUnavailable: for want of room or descriptors; kResourceExhausted: it would be beyond measure.
  // Its owners are then those of a model with functions like others.
  absl::Status unfolding;
  // Null: there were no rules. Of a model with functions that stand for several modules, places are
  // those of its nodes in each call.
  std::shared_ptr<const AppliedRules> rules;
  std::vector<RuledNode> ruled;  // in graph order; none of such a model
  // What parameters are called elsewhere; null: nothing is known of that.
  std::shared_ptr<const ParameterNames> parameter_names;

  const ModuleTree& all_modules() const { return network.size() > 0 ? network : modules; }
  std::string Tag(ModuleId id) const { return paths.Tag(modules.module(id).path); }
  absl::Span<const PathId> auxiliary_of(NodeId node) const {
    const Range range = assignments[node].auxiliary;
    return absl::MakeConstSpan(auxiliary).subspan(range.begin, range.size());
  }
};

// --- explanations

// Why a node has its tag: who says what of it, what was weighed, what decided.
//
//   const Explanations why = Explain(model, {NodeId(12)});
//   why.nodes[0].opinions;     // {kParameters, /encoder/layer.0}, {kOrder, /encoder}, ...
//   why.nodes[0].candidates;   // {/encoder/layer.0, 0.98}, {/encoder, 0.02}, ...
//   why.nodes[0].grounds;      // {kRepetition, "all look-alike nodes agree on this module", 3.1}
//
// Names, metadata, function calls: a node that says itself where it is was not weighed, and has
// opinions only.

struct Opinion {
  Method method = Method::kNone;  // the idea, or the witness, that says so
  PathId path;
  NodeId node;  // the other node that it goes by; none where there is none
  // What says so: of a parameter, a value, a key of the metadata, a file of rules with the line; or
  // ""
  std::string name;
};

// What one kind of feature did for the most likely candidate against the next.
struct Ground {
  Method method = Method::kNone;  // the idea it belongs to; kNone: what holds of most nodes
  std::string feature;            // of its features the one that counted most, by its own name
  std::string text;               // what that one says, in English
  // Weight times difference in value, summed over the kind: the logarithm of a factor on the odds.
  float contribution = 0;
  NodeId node;  // that it points at; none where there is none
};

struct NodeExplanation {
  NodeId node;
  // The module of another node whose work this one does, too, since an optimiser fused the two.
  PathId fused_with;              // none: it was not fused, or nothing tells with what
  std::vector<Opinion> opinions;  // each on its own, whether it was followed or not
  struct Candidate {
    PathId path;
    float probability = 0;  // before it was calibrated
  };
  std::vector<Candidate> candidates;  // the most likely first; empty: nothing was weighed
  // By idea, then by contribution, the largest first: so the first one decided, and has the
  // assignment's method and witness. Empty: something else decided than the weighing.
  std::vector<Ground> grounds;
};

struct Explanations {
  Annotation annotation;  // of the whole model
  std::vector<NodeExplanation> nodes;
};

// One sentence: why the node has its module, where its own name did not say. "" where it did.
std::string ReasonText(const Graph& graph, const Annotation& annotation, NodeId node);

}  // namespace onnx_hier

#endif  // ONNX_HIER_ANNOTATION_H_
