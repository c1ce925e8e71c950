// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "onnx_hier/hierarchy.h"
#include "onnx_hier/onnx_hier.h"
#include "onnx_hier_program/reports.h"
#include "onnx_hier_program/tasks.h"
#include "tools/onnx-hier/commands.h"
#include "tools/onnx-hier/meant_nodes.h"
#include "tools/onnx-hier/one_input.h"
#include "tools/onnx-hier/write_flags.h"

namespace onnx_hier::cli {
namespace {

constexpr Flag kFlags[] = {
    {"format", 0, "F",
     "lines, nul, csv, json, trtexec, polygraphy, regex, or ids: places in the file, as in the "
     "sidecar (default: lines)"},
    {"op", 0, "TYPE,...", "only nodes of these operators"},
    {"not", 0, "PATTERN", "without the nodes of these modules; may be given several times",
     /*repeatable=*/true},
    {"own", 0, nullptr, "only the modules' own nodes, not those of modules inside them"},
    {"in", 0, "GRAPH",
     "only nodes in this branch of an If, or body of a loop: then_branch, or 1045/then_branch"},
    {"below", 0, "P", "only nodes whose module is less than P sure (0 to 1)"},
    {"values", 0, "WHICH",
     "names of values instead: inputs (read, not made by the nodes), outputs (that others read) or "
     "all (that the nodes make)"},
    {"precision", 0, "TYPE", "what trtexec and polygraphy are told of each name (default: fp32)"},
    {"strict", 0, nullptr, "exit with 1 if a node cannot be named, or a pattern means no module"},
    kModuleMapFlag,
    kQuietFlag,
    kHelpFlag,
};

constexpr Example kExamples[] = {
    {"onnx-hier select bert.onnx 'bert.encoder.layer.[0-3]' --op MatMul,Gemm --format json",
     "for a quantiser's nodes_to_exclude"},
    {"onnx-hier select bert.onnx '**.LayerNorm' --format trtexec --precision fp16",
     "for trtexec --layerPrecisions"},
    {"onnx-hier select bert.onnx /bert/encoder/layer.1 --values outputs",
     "the values that the layer hands on"},
    {"onnx-hier select bert.onnx --below 0.5 --format ids", "nodes whose module is a guess"},
    {"onnx-hier select bert.onnx '**' '!**.attention.**'", "everything but attention"},
};

// What is listed of the nodes, and what of them could not be.
struct Listing {
  std::vector<absl::string_view> names;
  std::vector<std::string> texts;  // that `names` point into
  size_t nameless = 0;
  size_t doubled = 0;  // names that other nodes have as well
};

std::string FormatOf(const ParsedFlags& flags) {
  return flags.Has("format") ? flags.Value("format") : "lines";
}

void ListIds(const Graph& graph, const Selection& selection, Listing& listing) {
  listing.texts.reserve(selection.nodes.size());
  for (NodeId node : selection.nodes) {
    listing.texts.push_back(graph.NodePath(node));
    listing.names.push_back(listing.texts.back());
  }
}

void ListNodes(const Graph& graph, const Selection& selection, Listing& listing) {
  absl::flat_hash_map<absl::string_view, uint32_t> bearers;
  for (NodeId node : graph.node_ids()) ++bearers[graph.node(node).name];
  for (NodeId node : selection.nodes) {
    const absl::string_view name = graph.node(node).name;
    if (name.empty()) {
      ++listing.nameless;
      continue;
    }
    uint32_t& count = bearers[name];
    if (count == 0) continue;  // listed
    if (count > 1) ++listing.doubled;
    count = 0;
    listing.names.push_back(name);
  }
}

void ListValues(const Graph& graph, const Selection& selection, absl::string_view which,
                Listing& listing) {
  const SelectedValues values = ValuesOf(graph, selection.nodes);
  for (ValueId value : which == "inputs"    ? values.inputs
                       : which == "outputs" ? values.outputs
                                            : values.all) {
    listing.names.push_back(graph.value(value).name);
  }
}

Listing List(const Graph& graph, const Selection& selection, const ParsedFlags& flags) {
  Listing listing;
  if (FormatOf(flags) == "ids") {
    ListIds(graph, selection, listing);
  } else if (flags.Has("values")) {
    ListValues(graph, selection, flags.Value("values"), listing);
  } else {
    ListNodes(graph, selection, listing);
  }
  return listing;
}

// Whether nothing is amiss.
bool WarnOf(const Listing& listing, const Selection& selection, const ParsedFlags& flags) {
  if (flags.Has("quiet")) return listing.nameless == 0 && listing.doubled == 0;
  if (listing.nameless > 0) {
    Warn(absl::StrCat(listing.nameless, " of ", selection.nodes.size(),
                      " nodes have no name and are left out; 'onnx-hier tag --name-nodes' gives "
                      "them names, --format ids lists their places"));
  }
  if (listing.doubled > 0) {
    Warn(absl::StrCat(listing.doubled, listing.doubled == 1 ? " name is" : " names are",
                      " borne by several nodes, of which not all may be meant"));
  }
  return listing.nameless == 0 && listing.doubled == 0;
}

std::string WrongFlags(const ParsedFlags& flags) {
  const std::string values = flags.Value("values");
  if (flags.Has("values") && values != "inputs" && values != "outputs" && values != "all") {
    return absl::StrCat("--values takes inputs, outputs or all, not '", values, "'");
  }

  const std::string format = FormatOf(flags);
  if (format == "ids" && flags.Has("values")) return "--values have no --format ids";
  if (format != "ids" && !ListFormatNamed(format).has_value()) {
    return absl::StrCat(
        "--format takes lines, nul, csv, json, trtexec, polygraphy, regex or ids, not '", format,
        "'");
  }
  if (flags.Has("precision") && format != "trtexec" && format != "polygraphy") {
    return "--precision is for --format trtexec and polygraphy";
  }
  return "";
}

absl::StatusOr<SelectOptions> ReadChosen(const ParsedFlags& flags) {
  SelectOptions options;
  options.patterns.assign(flags.arguments().begin() + 1, flags.arguments().end());
  for (const std::string& pattern : flags.Values("not")) {
    options.patterns.push_back(absl::StrCat("!", pattern));
  }
  options.own = flags.Has("own");
  const absl::Status status = ReadOpAndBelow(flags, options);
  if (!status.ok()) return status;
  return options;
}

class SelectNodes final : public OneInput {
 public:
  using OneInput::OneInput;

  absl::Status Setup() override {
    if (flags().arguments().empty()) return Misused("name one model");
    if (std::string wrong = WrongFlags(flags()); !wrong.empty()) return Misused(wrong);
    absl::StatusOr<SelectOptions> chosen = ReadChosen(flags());
    if (!chosen.ok()) return chosen.status();
    chosen_ = *std::move(chosen);
    return absl::OkStatus();
  }

  absl::StatusOr<int> Run() override {
    absl::Status status = OpenAsItIs();
    if (status.ok()) status = Place();
    if (!status.ok()) return status;
    if (flags().Has("in")) {
      const absl::StatusOr<BlockId> found =
          GraphNamed(model().graph(), GraphsInside(model().graph()), flags().Value("in"));
      if (!found.ok()) return About(found.status());
      chosen_.graph = *found;
    }
    const absl::StatusOr<Selection> selection = Select(hierarchy(), chosen_);
    if (!selection.ok()) return Misused(selection.status().message());
    WarnOfUnmet(*selection);
    if (selection->nodes.empty()) return kFound;
    const Listing listing = List(model().graph(), *selection, flags());
    const bool good = WarnOf(listing, *selection, flags()) && selection->unmet.empty();
    const ListFormat format = ListFormatNamed(FormatOf(flags())).value_or(ListFormat::kLines);
    const std::string precision = flags().Has("precision") ? flags().Value("precision") : "fp32";
    const int code = PrintOrFail(
        [&](ByteSink& sink) { return WriteNameList(listing.names, format, precision, sink); });
    const bool is_found = listing.names.empty() || (flags().Has("strict") && !good);
    return code == kDone && is_found ? kFound : code;
  }

 private:
  void WarnOfUnmet(const Selection& selection) const {
    const auto warn = [this](absl::string_view text) {
      Warn(absl::StrCat(InputName(path()), ": ", text));
    };
    for (const std::string& pattern : selection.unmet) warn(NoSuchModule(hierarchy(), pattern));
    if (!selection.nodes.empty()) return;
    const std::string unmet = UnmetOperator(model().graph(), chosen_.op_types);
    if (!unmet.empty()) warn(unmet);
    if (selection.unmet.empty() && unmet.empty()) warn("no node is meant");
  }

  SelectOptions chosen_;
};

}  // namespace

CommandEntry SelectCommand() {
  return {
      "select",
      "IN.onnx PATTERN...",
      "list the nodes of modules, in the form that other tools take",
      "Prints the names of the nodes that modules hold, everything inside them included, in the\n"
      "order of the graph. A pattern is the path of a module (/encoder/layer.1 or\n"
      "encoder.layer.1), in which '*' stands for any part of one name, '**' for any number of\n"
      "names, [2-5] for a number, {a,b} for either, and @Name for a module of that class; one "
      "that\n"
      "begins with '!' takes away. Without a pattern all modules are meant. Exits with 1 if no\n"
      "node is meant. Names that a format cannot hold are refused. '-' is standard input.",
      kFlags,
      kExamples,
      Make<SelectNodes>};
}

}  // namespace onnx_hier::cli
