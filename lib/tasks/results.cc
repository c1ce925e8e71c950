// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "absl/container/btree_set.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "absl/types/span.h"
#include "lib/base/status_macros.h"
#include "lib/tree/module_tree.h"
#include "onnx_hier_program/tasks.h"
#include "onnx_hier_program/text.h"

namespace onnx_hier {
namespace {

// At most so many characters, of those that shells and file systems take in good part.
std::string FitForFileName(const std::string& text) {
  constexpr size_t kLongest = 80;
  std::string name = text.substr(0, kLongest);
  for (char& c : name) {
    if (!absl::ascii_isalnum(static_cast<unsigned char>(c)) && c != '.' && c != '-') c = '_';
  }
  return name;
}

std::string PartFile(const std::string& input, const SplitPart& part, size_t index, size_t count) {
  const std::string label = FitForFileName(part.label);
  return absl::StrCat(input == "-" ? "model" : Stem(FileName(input)), "_", FileNumber(index, count),
                      label.empty() ? "" : "_", label, ".onnx");
}

std::string ReentrantWarning(const Hierarchy& hierarchy, const Part& part) {
  constexpr size_t kShown = 3;
  std::vector<std::string> modules;
  for (NodeId node : part.reentrant) {
    std::string tag = TagOf(hierarchy, hierarchy.ModuleOf(node));
    if (std::find(modules.begin(), modules.end(), tag) != modules.end()) continue;
    if (modules.size() == kShown) {
      modules.emplace_back("...");
      break;
    }
    modules.push_back(std::move(tag));
  }
  return absl::StrCat("values leave it and come back through ",
                      Counted(part.reentrant.size(), "node"), " of ", absl::StrJoin(modules, ", "),
                      ": some inputs depend on its outputs");
}

// Of a part that was asked for by its inputs: those that it does not read, and others that it does.
void WarnOfInputs(const Graph& graph, const Part& part, std::vector<std::string>& warnings) {
  const PartRequest& request = part.request;
  constexpr size_t kShown = 8;
  if (request.reach != Reach::kValues || request.inputs.empty()) return;
  const auto warn = [&](const std::vector<ValueId>& values, const std::vector<ValueId>& others,
                        absl::string_view says) {
    const absl::flat_hash_set<ValueId> without(others.begin(), others.end());
    std::vector<std::string> names;
    for (ValueId value : values) {
      if (without.contains(value)) continue;
      names.push_back(QuotedName(graph.value(value).name));
    }
    const size_t more = names.size() - std::min(names.size(), kShown);
    names.resize(names.size() - more);
    if (more > 0) names.push_back(absl::StrCat(more, " more"));
    if (!names.empty()) warnings.push_back(absl::StrCat(says, absl::StrJoin(names, ", ")));
  };
  warn(request.inputs, part.inputs, "not read, or made in the part all the same: ");
  warn(part.inputs, request.inputs, "inputs of the model that it needs as well: ");
}

std::string PassedOverWarning(const Hierarchy& hierarchy, const SplitPlan& plan) {
  const size_t others = plan.passed_over.size() - 1;
  return absl::StrCat(
      TagOf(hierarchy, plan.passed_over.front()),
      others == 0 ? " has" : absl::StrCat(" and ", Counted(others, "other have", "others have")),
      " no nodes in the main graph to cut at");
}

std::string FewerPartsWarning(const Hierarchy& hierarchy, const SplitRequest& request,
                              const SplitPlan& plan) {
  const size_t parts = plan.parts.size();
  return absl::StrCat(
      Counted(parts, "part"), ", not ", request.parts, ": ",
      parts == 1 ? "this is the whole model, as there is no place between modules to cut at"
                 : "there are no more places between modules to cut at",
      "; most is in ", TagOf(hierarchy, plan.largest));
}

// The output's files; nothing of it where it went into a stream.
void NoteFiles(const Written& written, PartResult& result) {
  result.bytes = written.bytes;
  result.data = written.data;
  result.data_bytes = written.data_bytes;
}

// Of a module whose nodes tell of its calls: the first one whose nodes are there; no graph: 0.
uint32_t FirstCallIn(const Hierarchy& hierarchy, ModuleId module, BlockId graph) {
  if (!graph.valid()) return 0;
  uint32_t first = 0xFFFFFFFFu;
  for (NodeId node : hierarchy.Nodes(module)) {
    if (hierarchy.graph().node(node).block != graph) continue;
    const ModuleId own = hierarchy.ModuleOf(node);
    if (own == module) first = std::min(first, hierarchy.annotation().assignments[node].call);
  }
  return first == 0xFFFFFFFFu ? 0 : first;
}

// Nobody can load a model without its data.
void WarnOfMissing(absl::Span<const Written> written, std::vector<std::string>& warnings) {
  absl::btree_set<std::string> missing;
  size_t readers = 0;
  for (const Written& one : written) {
    missing.insert(one.missing.begin(), one.missing.end());
    readers += one.missing.empty() ? 0 : 1;
  }
  if (readers == 0) return;
  const size_t more = missing.size() - 1;
  warnings.push_back(absl::StrCat(
      readers == 1 ? "what was written reads its" : absl::StrCat(readers, " files read their"),
      " data from ", QuotedName(*missing.begin()),
      more == 0 ? "" : absl::StrCat(" and ", Counted(more, "more file")), ", which ",
      more == 0 ? "is" : "are", " not beside ", readers == 1 ? "it" : "them", ": no runtime loads ",
      readers == 1 ? "it" : "them", " like that"));
}

}  // namespace

std::string TagOf(const Hierarchy& hierarchy, ModuleId module) {
  return hierarchy.annotation().Tag(module);
}

PartResult DescribePart(const Graph& graph, const Hierarchy& hierarchy, const Cutter& cutter,
                        const Part& part) {
  const auto values = [&](absl::Span<const ValueId> ids) {
    std::vector<PartResult::PartValue> list;
    for (ValueId id : ids) {
      const NodeId maker = graph.value(id).producer;
      list.push_back({std::string(graph.value(id).name), cutter.TypeOf(part, id),
                      maker.valid() ? TagOf(hierarchy, hierarchy.ModuleOf(maker)) : ""});
    }
    return list;
  };
  PartResult result;
  for (ModuleId module : part.request.modules) result.modules.push_back(TagOf(hierarchy, module));
  for (NodeId node : part.request.nodes) result.node_ids.push_back(graph.NodePath(node));
  result.call = part.request.call;
  result.reach = std::string(ReachName(part.request.reach));
  result.nodes = part.nodes.size();
  result.copied = part.copied;
  result.between = part.between;
  result.parameters = part.parameters;
  result.parameter_bytes = part.parameter_bytes;
  result.inputs = values(part.inputs);
  result.outputs = values(part.outputs);
  for (NodeId node : part.reentrant) result.reentrant.push_back(graph.NodePath(node));
  WarnOfInputs(graph, part, result.warnings);
  const bool is_of_split = part.request.reach == Reach::kSplit;
  if (!part.reentrant.empty() && !is_of_split) {
    result.warnings.push_back(ReentrantWarning(hierarchy, part));
  }
  return result;
}

SplitResult DescribeSplit(const Graph& graph, const Hierarchy& hierarchy, const Cutter& cutter,
                          const SplitRequest& request, const SplitPlan& plan,
                          const std::string& input) {
  SplitResult result;
  result.input = FileName(input);
  for (const SplitPart& part : plan.parts) {
    PartResult described = DescribePart(graph, hierarchy, cutter, part.part);
    described.output = PartFile(input, part, result.parts.size(), plan.parts.size());
    result.parts.push_back(std::move(described));
  }
  for (ValueId value : plan.shared) result.shared.emplace_back(graph.value(value).name);
  result.shared_bytes = plan.shared_bytes;
  if (!plan.passed_over.empty()) result.warnings.push_back(PassedOverWarning(hierarchy, plan));
  if (plan.largest.valid()) {
    result.warnings.push_back(FewerPartsWarning(hierarchy, request, plan));
  }
  return result;
}

void NoteWritten(absl::Span<const Written> written, PartResult& result) {
  if (!result.output.empty()) NoteFiles(written.front(), result);
  if (!result.probe.empty()) {
    result.probe_data = written.back().data;
    result.probe_data_bytes = written.back().data_bytes;
  }
  WarnOfMissing(written, result.warnings);
}

void NoteWritten(absl::Span<const Written> written, SplitResult& result) {
  for (size_t i = 0; i < result.parts.size(); ++i) NoteFiles(written[i], result.parts[i]);
  WarnOfMissing(written, result.warnings);
}

std::string FileNamePart(const Hierarchy& hierarchy, const PartRequest& request) {
  const Annotation& annotation = hierarchy.annotation();
  const Graph& graph = hierarchy.graph();
  const std::vector<ValueId>& values = request.outputs.empty() ? request.inputs : request.outputs;
  std::string name;
  if (!request.modules.empty()) {
    name = annotation.paths.QualifiedName(annotation.modules.module(request.modules[0]).path);
  } else if (!request.nodes.empty()) {
    name = std::string(graph.node(request.nodes[0]).name);
    if (name.empty()) name = graph.NodePath(request.nodes[0]);
  } else if (!values.empty()) {
    name = std::string(graph.value(values[0]).name);
  }
  name = FitForFileName(std::string(absl::StripPrefix(name, "/")));
  if (name.empty()) name = "root";
  const size_t places =
      values.empty() ? request.modules.size() + request.nodes.size() : values.size();
  if (places > 1) absl::StrAppend(&name, "_and_", places - 1);
  if (request.call.has_value()) absl::StrAppend(&name, "_call_", *request.call);
  if (request.reach == Reach::kUpTo) return absl::StrCat("_up_to_", name);
  return absl::StrCat(request.reach == Reach::kFrom ? "_from_" : "_", name);
}

std::vector<BlockId> GraphsInside(const Graph& graph) {
  std::vector<BlockId> blocks;
  for (NodeId node : graph.nodes(graph.main_block())) {
    for (BlockId block : graph.blocks(node)) {
      if (!graph.nodes(block).empty()) blocks.push_back(block);
    }
  }
  return blocks;
}

absl::StatusOr<BlockId> GraphNamed(const Graph& graph, absl::Span<const BlockId> graphs,
                                   absl::string_view name) {
  constexpr size_t kShown = 8;
  std::vector<BlockId> found;
  std::vector<std::string> paths;
  for (BlockId block : graphs) {
    const absl::string_view path = graph.BlockPath(block);
    if (path == name) return block;
    if (graph.block(block).kind == BlockKind::kSubgraph && graph.block(block).attribute == name) {
      found.push_back(block);
    }
    if (paths.size() < kShown && !path.empty()) {
      paths.push_back(SafeForTerminal(path, kLongestShownName));
    }
  }
  if (found.size() == 1) return found[0];
  return absl::InvalidArgumentError(absl::StrCat(
      found.empty() ? "it is in no graph " : "several graphs are called ", QuotedName(name),
      paths.empty() ? "" : absl::StrCat("; there are ", absl::StrJoin(paths, ", "))));
}

absl::StatusOr<Annotation> AnnotationIn(const Graph& graph, const Annotation& annotation,
                                        absl::string_view name) {
  std::vector<BlockId> graphs;
  for (BlockId block : graph.block_ids()) {
    if (graph.block(block).owner.valid() && !graph.nodes(block).empty()) graphs.push_back(block);
  }
  OH_ASSIGN_OR_RETURN(const BlockId block, GraphNamed(graph, graphs, name));
  return OnlyIn(graph, annotation, block);
}

absl::Status ChooseCall(const Hierarchy& hierarchy, const Cutter& cutter, absl::string_view in,
                        PartRequest& request, std::vector<std::string>& warnings) {
  const Graph& graph = hierarchy.graph();
  const std::vector<BlockId> graphs = cutter.GraphsOf(request);
  if (!in.empty()) {
    const absl::StatusOr<BlockId> found = GraphNamed(graph, graphs, in);
    if (!found.ok()) return found.status();
    request.graph = *found;
  }
  if (request.call.has_value()) return absl::OkStatus();
  const std::string what =
      request.modules.size() == 1 ? TagOf(hierarchy, request.modules[0]) : "what is asked for";
  if (request.modules.size() == 1 && hierarchy.modules().module(request.modules[0]).calls > 1) {
    request.call = FirstCallIn(hierarchy, request.modules[0], request.graph);
    warnings.push_back(absl::StrCat(
        what, " runs ", cutter.CallsOf(request.modules[0]), " times: this is its ",
        *request.call == 0 ? "first run" : "first run in there", " (--call ", *request.call, ")"));
    return absl::OkStatus();
  }
  if (graphs.size() > 1 && in.empty()) {
    const auto path = [&](size_t i) { return SafeForTerminal(graph.BlockPath(graphs[i])); };
    warnings.push_back(absl::StrCat(what, " is in ", graphs.size(), " graphs: this is its run in ",
                                    path(0), " (--call 0), the next one is in ", path(1), " (--in ",
                                    path(1), ")"));
    request.graph = graphs[0];
    return absl::OkStatus();
  }
  if (request.modules.size() != 1) return absl::OkStatus();
  const uint32_t calls = cutter.CallsOf(request.modules[0]);
  if (calls <= 1 || !in.empty()) return absl::OkStatus();
  request.call = 0;
  warnings.push_back(
      absl::StrCat(what, " runs ", calls, " times: this is its first run (--call 0)"));
  return absl::OkStatus();
}

FoldResult DescribeFolding(const Hierarchy& hierarchy, const Folding& folding) {
  FoldResult result;
  for (const FoldedFunction& function : folding.functions) {
    result.functions.push_back(
        {function.name, TagOf(hierarchy, function.module), function.calls, function.nodes});
  }
  for (const NotFolded& left : folding.left) {
    result.left.push_back({TagOf(hierarchy, left.module), left.call, left.why});
  }
  result.left_count = folding.left_count;
  result.nodes_before = folding.nodes_before;
  result.nodes_after = folding.nodes_after;
  result.function_nodes = folding.function_nodes;
  result.calls = folding.calls;
  result.table_bytes = folding.table_bytes;
  result.raised_ir_version = folding.raised_ir_version;
  return result;
}

}  // namespace onnx_hier
