// SPDX-License-Identifier: Apache-2.0
#include "tools/onnx-hier-verify/structure.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "tools/onnx-hier-verify/difference.h"
#include "tools/onnx-hier-verify/key_text.h"
#include "tools/onnx-hier-verify/newer_fields.h"
#include "tools/onnx-hier-verify/run_order.h"

namespace onnx_hier::verify {
namespace {

// Calls in calls and graphs in graphs. Real models have a few dozen; each takes some of the stack.
constexpr int kMostNested = 400;
// Bytes of names that are as much work as a node.
constexpr uint64_t kBytesPerWork = 64;

// Names of values that a main graph, a function's body or a graph in an attribute gives, and what
// the body knows of the call.
struct Scope {
  absl::flat_hash_map<absl::string_view, Number> values;
  const Scope* around = nullptr;  // of a graph in an attribute: where its node stands
  const absl::flat_hash_map<std::string, Number>* attributes = nullptr;  // that the call gives
  const onnx::FunctionProto* function = nullptr;
  Number level = 0;  // how many graphs of attributes lie around
  int nested = 0;    // the same, and calls
};

// What is the same in every run of a node.
struct Prepared {
  const onnx::FunctionProto* called = nullptr;  // null: it is no call, or one that stays
  Number operator_number = 0;
  std::vector<const onnx::AttributeProto*> attributes;  // by name
  uint64_t work = 1;
};

struct Body {
  std::vector<onnx::AttributeProto> defaults;
  uint64_t work = 1;
  bool running = false;
};

class Reader {
 public:
  Reader(const Functions& inlined, Limits limits, NumberTable& numbers)
      : inlined_(inlined), limits_(limits), numbers_(numbers) {}

  Structure Read(const onnx::GraphProto& graph);

 private:
  void RunAll(const Nodes& nodes, Scope& scope, std::vector<Run>& runs);
  void RunNode(const onnx::NodeProto& node, const Prepared& prepared, Scope& scope,
               std::vector<Run>& runs);
  void RunCall(const onnx::NodeProto& call, const Prepared& prepared, Scope& scope,
               std::vector<Run>& runs);
  bool MayCall(const onnx::NodeProto& call, const onnx::FunctionProto& function, const Body& body,
               const Scope& scope);
  bool MaySpend(uint64_t work);

  // kNothing for one that the call does not give.
  Number OfAttribute(const onnx::AttributeProto& attribute, const Scope& scope);
  Number OfPlainAttribute(const onnx::AttributeProto& attribute);
  Number OfGraph(const onnx::GraphProto& graph, const Scope& around);
  Number OfTensor(const onnx::TensorProto& tensor);
  Number OfSparseTensor(const onnx::SparseTensorProto& tensor);
  Number OfType(const onnx::ValueInfoProto& value);
  Number OfValue(absl::string_view name, const Scope& scope);
  Number OfText(char kind, absl::string_view text) {
    return numbers_.Of(KeyText(kind).Add(text).Take());
  }

  const Prepared& Prepare(const onnx::NodeProto& node);
  Body& BodyOf(const onnx::FunctionProto& function);
  void Fail(std::string text) {
    if (structure_.error.empty()) structure_.error = std::move(text);
  }
  bool failed() const { return !structure_.error.empty(); }

  const Functions& inlined_;
  const Limits limits_;
  NumberTable& numbers_;
  Structure structure_;
  int position_ = 0;  // in the main graph
  // What was worked out once; pointers, because calls of calls come back to it meanwhile.
  absl::flat_hash_map<const onnx::NodeProto*, std::unique_ptr<Prepared>> prepared_;
  absl::flat_hash_map<const onnx::FunctionProto*, std::unique_ptr<Body>> bodies_;
  absl::flat_hash_map<const void*, Number> known_;
  absl::flat_hash_map<const Nodes*, std::vector<int>> orders_;
};

std::string NameOfFunction(const onnx::FunctionProto& function) {
  return absl::StrCat("function ", Quoted(KeyOf(function)));
}

// What a graph costs in each run, without its nodes.
uint64_t WorkOf(const onnx::GraphProto& graph) {
  uint64_t bytes = kBytesPerWork;
  for (const auto* values : {&graph.input(), &graph.output()}) {
    for (const onnx::ValueInfoProto& value : *values) bytes += value.name().size() + kBytesPerWork;
  }
  for (const onnx::TensorProto& tensor : graph.initializer()) {
    bytes += tensor.name().size() + kBytesPerWork;
  }
  for (const onnx::SparseTensorProto& tensor : graph.sparse_initializer()) {
    bytes += tensor.values().name().size() + kBytesPerWork;
  }
  return bytes / kBytesPerWork;
}

// Without those that are left out at the end, which need not be written.
std::vector<Number> WithoutEnd(std::vector<Number> numbers) {
  while (!numbers.empty() && numbers.back() == kNothing) numbers.pop_back();
  return numbers;
}

bool Reader::MaySpend(uint64_t work) {
  structure_.work += work;
  if (structure_.nodes > limits_.nodes) {
    Fail(absl::StrCat("with its functions inlined it has more than the ", limits_.nodes,
                      " nodes of IN's main graph"));
  } else if (structure_.work > limits_.work) {
    Fail("its functions call each other far more often than IN has nodes");
  }
  return !failed();
}

const Prepared& Reader::Prepare(const onnx::NodeProto& node) {
  std::unique_ptr<Prepared>& slot = prepared_[&node];
  if (slot != nullptr) return *slot;
  slot = std::make_unique<Prepared>();
  const auto function = inlined_.find(CalledKey(node));
  if (function != inlined_.end()) slot->called = function->second;
  slot->operator_number = numbers_.Of(KeyText('O')
                                          .Add(node.op_type())
                                          .Add(PlainDomain(node.domain()))
                                          .Add(OverloadOf(node))
                                          .Add(OtherFieldsOf(node))
                                          .Take());
  uint64_t bytes = 0;
  for (const std::string& name : node.input()) bytes += name.size() + kBytesPerWork;
  for (const std::string& name : node.output()) bytes += name.size() + kBytesPerWork;
  for (const onnx::AttributeProto& attribute : node.attribute()) {
    bytes += attribute.name().size() + attribute.ref_attr_name().size() + kBytesPerWork;
    slot->attributes.push_back(&attribute);
  }
  slot->work += bytes / kBytesPerWork;
  std::sort(slot->attributes.begin(), slot->attributes.end(),
            [](const auto* a, const auto* b) { return a->name() < b->name(); });
  return *slot;
}

Body& Reader::BodyOf(const onnx::FunctionProto& function) {
  std::unique_ptr<Body>& slot = bodies_[&function];
  if (slot != nullptr) return *slot;
  slot = std::make_unique<Body>();
  slot->defaults = DefaultsOf(function);
  uint64_t bytes = slot->defaults.size() * kBytesPerWork;
  for (const std::string& name : function.input()) bytes += name.size() + kBytesPerWork;
  for (const std::string& name : function.output()) bytes += name.size() + kBytesPerWork;
  slot->work += bytes / kBytesPerWork;
  return *slot;
}

Number Reader::OfValue(absl::string_view name, const Scope& scope) {
  if (name.empty()) return kNothing;
  for (const Scope* at = &scope; at != nullptr; at = at->around) {
    const auto found = at->values.find(name);
    if (found != at->values.end()) return found->second;
  }
  // Nothing makes it, or something behind.
  return OfText('?', name);
}

Number Reader::OfTensor(const onnx::TensorProto& tensor) {
  const auto known = known_.find(&tensor);
  if (known != known_.end()) return known->second;
  onnx::TensorProto bare = tensor;
  bare.clear_name();
  bare.clear_doc_string();
  return known_[&tensor] = OfText('T', bare.SerializePartialAsString());
}

Number Reader::OfSparseTensor(const onnx::SparseTensorProto& tensor) {
  const auto known = known_.find(&tensor);
  if (known != known_.end()) return known->second;
  onnx::SparseTensorProto bare = tensor;
  bare.mutable_values()->clear_name();
  return known_[&tensor] = OfText('S', bare.SerializePartialAsString());
}

Number Reader::OfType(const onnx::ValueInfoProto& value) {
  const auto known = known_.find(&value);
  if (known != known_.end()) return known->second;
  return known_[&value] = OfText('Y', value.type().SerializePartialAsString());
}

Number Reader::OfPlainAttribute(const onnx::AttributeProto& attribute) {
  const auto known = known_.find(&attribute);
  if (known != known_.end()) return known->second;
  onnx::AttributeProto bare = attribute;
  bare.clear_name();
  bare.clear_doc_string();
  if (bare.has_t()) {
    bare.mutable_t()->clear_name();
    bare.mutable_t()->clear_doc_string();
  }
  return known_[&attribute] = OfText('A', bare.SerializePartialAsString());
}

Number Reader::OfAttribute(const onnx::AttributeProto& attribute, const Scope& scope) {
  if (!attribute.ref_attr_name().empty() && scope.attributes != nullptr) {
    const auto given = scope.attributes->find(attribute.ref_attr_name());
    return given == scope.attributes->end() ? kNothing : given->second;
  }
  if (!attribute.has_g() && attribute.graphs().empty()) return OfPlainAttribute(attribute);
  std::vector<Number> graphs;
  if (attribute.has_g()) graphs.push_back(OfGraph(attribute.g(), scope));
  for (const onnx::GraphProto& graph : attribute.graphs()) {
    graphs.push_back(OfGraph(graph, scope));
  }
  return numbers_.Of(KeyText('G').Add(attribute.has_g() ? 1 : 0).Add(graphs).Take());
}

Number Reader::OfGraph(const onnx::GraphProto& graph, const Scope& around) {
  if (!MaySpend(WorkOf(graph))) return kNothing;
  if (around.nested >= kMostNested) {
    Fail(absl::StrCat("graphs and calls lie more than ", kMostNested, " deep in each other"));
    return kNothing;
  }
  Scope scope = {
      {}, &around, around.attributes, around.function, around.level + 1, around.nested + 1};
  std::vector<Number> weights;
  for (const onnx::TensorProto& tensor : graph.initializer()) {
    weights.push_back(scope.values[tensor.name()] = OfTensor(tensor));
  }
  for (const onnx::SparseTensorProto& tensor : graph.sparse_initializer()) {
    weights.push_back(scope.values[tensor.values().name()] = OfSparseTensor(tensor));
  }
  KeyText key('B');
  for (int i = 0; i < graph.input_size(); ++i) {
    const onnx::ValueInfoProto& input = graph.input(i);
    scope.values[input.name()] =
        numbers_.Of(KeyText('I').Add(scope.level).Add(static_cast<Number>(i)).Take());
    key.Add(OfType(input));
  }
  std::vector<Run> runs;
  RunAll(graph.node(), scope, runs);
  std::vector<Number> inside;
  inside.reserve(runs.size());
  for (const Run& run : runs) inside.push_back(run.whole);
  std::sort(weights.begin(), weights.end());
  std::sort(inside.begin(), inside.end());
  key.Add(weights).Add(inside);
  for (const onnx::ValueInfoProto& output : graph.output()) {
    key.Add(OfValue(output.name(), scope)).Add(OfType(output));
  }
  return numbers_.Of(key.Take());
}

void Reader::RunNode(const onnx::NodeProto& node, const Prepared& prepared, Scope& scope,
                     std::vector<Run>& runs) {
  std::vector<Number> reads, outputs;
  for (const std::string& input : node.input()) reads.push_back(OfValue(input, scope));
  for (const std::string& output : node.output()) outputs.push_back(output.empty() ? 0 : 1);
  KeyText kind('K');
  kind.Add(prepared.operator_number).Add(WithoutEnd(std::move(outputs)));
  for (const onnx::AttributeProto* attribute : prepared.attributes) {
    const Number value = OfAttribute(*attribute, scope);
    if (value != kNothing) kind.Add(attribute->name()).Add(value);
  }
  Run run = {&node, scope.function, position_, 0, 0, numbers_.Of(kind.Take())};
  run.reads = numbers_.Of(KeyText('R').Add(WithoutEnd(std::move(reads))).Take());
  run.whole = numbers_.Of(KeyText('N').Add(run.kind).Add(run.reads).Take());
  runs.push_back(run);
  for (int i = 0; i < node.output_size(); ++i) {
    if (node.output(i).empty()) continue;
    scope.values[node.output(i)] =
        numbers_.Of(KeyText('V').Add(run.whole).Add(static_cast<Number>(i)).Take());
  }
}

bool Reader::MayCall(const onnx::NodeProto& call, const onnx::FunctionProto& function,
                     const Body& body, const Scope& scope) {
  const std::string name = NameOfFunction(function);
  if (body.running) Fail(absl::StrCat(name, " calls itself"));
  if (scope.nested >= kMostNested) {
    Fail(absl::StrCat("graphs and calls lie more than ", kMostNested, " deep in each other"));
  }
  if (call.input_size() > function.input_size()) {
    Fail(absl::StrCat(name, " is called with ", call.input_size(), " inputs, it has ",
                      function.input_size()));
  }
  if (call.output_size() > function.output_size()) {
    Fail(absl::StrCat(name, " is called for ", call.output_size(), " outputs, it has ",
                      function.output_size()));
  }
  return !failed() && MaySpend(body.work);
}

void Reader::RunCall(const onnx::NodeProto& call, const Prepared& prepared, Scope& scope,
                     std::vector<Run>& runs) {
  const onnx::FunctionProto& function = *prepared.called;
  Body& body = BodyOf(function);
  if (!MayCall(call, function, body, scope)) return;
  absl::flat_hash_map<std::string, Number> given;
  for (const onnx::AttributeProto& attribute : body.defaults) {
    given[attribute.name()] = OfAttribute(attribute, scope);
  }
  for (const onnx::AttributeProto* attribute : prepared.attributes) {
    const Number value = OfAttribute(*attribute, scope);
    if (value != kNothing) given[attribute->name()] = value;
  }
  Scope inside = {{}, nullptr, &given, &function, scope.level, scope.nested + 1};
  for (int i = 0; i < function.input_size(); ++i) {
    inside.values[function.input(i)] =
        i < call.input_size() ? OfValue(call.input(i), scope) : kNothing;
  }
  body.running = true;
  RunAll(function.node(), inside, runs);
  body.running = false;
  for (int i = 0; i < call.output_size(); ++i) {
    if (!call.output(i).empty()) {
      scope.values[call.output(i)] = OfValue(function.output(i), inside);
    }
  }
}

void Reader::RunAll(const Nodes& nodes, Scope& scope, std::vector<Run>& runs) {
  std::vector<int>& order = orders_[&nodes];
  if (order.empty()) order = RunOrder(nodes);
  // It stays where it is when calls of calls make the table grow.
  const absl::Span<const int> indices = order;
  for (const int index : indices) {
    const onnx::NodeProto& node = nodes[index];
    if (scope.nested == 0) position_ = index;
    const Prepared& prepared = Prepare(node);
    if (prepared.called == nullptr) ++structure_.nodes;
    if (!MaySpend(prepared.work)) return;
    if (prepared.called == nullptr) {
      RunNode(node, prepared, scope, runs);
    } else {
      RunCall(node, prepared, scope, runs);
    }
    if (failed()) return;
  }
}

Structure Reader::Read(const onnx::GraphProto& graph) {
  Scope scope;
  for (const onnx::TensorProto& tensor : graph.initializer()) {
    scope.values[tensor.name()] = OfText('M', tensor.name());
  }
  for (const onnx::SparseTensorProto& tensor : graph.sparse_initializer()) {
    scope.values[tensor.values().name()] = OfText('M', tensor.values().name());
  }
  for (const onnx::ValueInfoProto& input : graph.input()) {
    scope.values[input.name()] = OfText('M', input.name());
  }
  RunAll(graph.node(), scope, structure_.runs);
  for (const auto& [name, number] : scope.values) structure_.values.emplace(name, number);
  return std::move(structure_);
}

}  // namespace

Limits LimitsOf(const Structure& flat) { return {flat.nodes, 1'000'000 + 100 * flat.work}; }

Structure StructureOf(const onnx::ModelProto& model, const Functions& inlined, Limits limits,
                      NumberTable& numbers) {
  return Reader(inlined, limits, numbers).Read(model.graph());
}

}  // namespace onnx_hier::verify
