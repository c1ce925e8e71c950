// SPDX-License-Identifier: Apache-2.0

// What is made of models: tagged ones, parts, folded ones, and what is told of them.
#include <algorithm>
#include <iterator>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "onnx_hier/apply.h"
#include "onnx_hier/c.h"
#include "onnx_hier/folds.h"
#include "onnx_hier/tags.h"
#include "onnx_hier_program/json_text.h"
#include "onnx_hier_program/model_results.h"
#include "onnx_hier_program/placement.h"
#include "onnx_hier_program/probes.h"
#include "onnx_hier_program/summary.h"
#include "onnx_hier_program/tasks.h"
#include "tools/c/ask.h"
#include "tools/c/calls.h"
#include "tools/c/columns.h"
#include "tools/c/handles.h"
#include "tools/c/options.h"

namespace onnx_hier::c {
namespace {

// A product on its way.
struct Making {
  HeldProduct& product;
  std::string about;   // what errors are of
  std::string answer;  // JSON
};

// --- of a model, which is locked

absl::Status Strip(Making& making, Options&) {
  const Model& model = making.product.held->model;
  if (absl::Status status = CheckTagsMayChange(model); !status.ok()) return status;
  making.product.edits = StripEdits(model);
  return absl::OkStatus();
}

absl::Status UnfoldModel(Making& making, Options& options) {
  const bool all = options.Flag("all");
  if (!options.status().ok()) return options.status();
  absl::StatusOr<Unfolding> unfolding = Unfold(making.product.held->model, {.all = all});
  if (!unfolding.ok()) return unfolding.status();
  JsonText json(&making.answer);
  json.BeginObject();
  json.Key("exact").Bool(unfolding->exact);
  json.Key("was_folded").Bool(unfolding->was_folded);
  json.Key("functions").Unsigned(unfolding->functions);
  json.Key("functions_left").Unsigned(unfolding->functions_left + unfolding->other_opsets);
  json.Key("nodes_before").Unsigned(unfolding->nodes_before);
  json.Key("nodes_after").Unsigned(unfolding->nodes_after);
  json.EndObject();
  making.product.edits = std::move(unfolding->edits);
  return absl::OkStatus();
}

absl::Status ApplySidecar(Making& making, Options& options) {
  const Model& model = making.product.held->model;
  absl::StatusOr<TagFile> file = ParseTagFile(options.Text("sidecar"));
  if (absl::Status status = CheckTagsMayChange(model); !status.ok()) return status;
  making.about = options.Has("name") ? options.Text("name") : "<sidecar>";
  if (!file.ok()) return file.status();
  const TagMatches matches = MatchTags(model.graph(), *file);
  if (absl::Status status = CheckMatches(model.graph(), making.product.held->name, *file, matches);
      !status.ok()) {
    return status;
  }
  making.product.edits =
      GivenTagEdits(model, GivenTagsOf(std::move(file->entries), matches), file->classes);
  JsonText json(&making.answer);
  json.BeginObject();
  json.Key("matched").Unsigned(matches.count());
  json.Key("problems").ExactStrings(matches.problems);
  json.EndObject();
  return absl::OkStatus();
}

// --- of an annotated model, which is locked

absl::Status Tag(Making& making, Options& options) {
  const Annotated& annotated = *making.product.annotated;
  const bool unique_names = options.Flag("unique_names");
  const bool name_nodes = options.Flag("name_nodes") || unique_names;
  if (!options.status().ok()) return options.status();
  if (absl::Status status = CheckTagsMayChange(annotated.held->model); !status.ok()) return status;
  const NamedNodes which = unique_names ? NamedNodes::kUnnamedAndShared : NamedNodes::kUnnamed;
  making.product.sidecar_names = name_nodes ? GivenNames(annotated.graph(), which) : GivenNames();
  making.product.edits =
      TagEdits(annotated.held->model, annotated.annotation, *making.product.sidecar_names);
  making.product.warnings = annotated.warnings;
  absl::StrAppend(&making.answer, "{\"named\":", making.product.sidecar_names->size(), "}");
  return absl::OkStatus();
}

absl::StatusOr<PartRequest> PartAsked(const Hierarchy& hierarchy, Options& options) {
  const std::vector<std::string> inputs = options.Texts("inputs");
  const std::vector<std::string> outputs = options.Texts("outputs");
  const std::vector<std::string> words = options.Texts("pattern");
  const std::vector<uint32_t> modules = options.Numbers("modules", hierarchy.modules().size());
  constexpr Reach kReaches[] = {Reach::kModules, Reach::kUpTo, Reach::kFrom};
  const Reach reach = kReaches[options.Word("reach", {"modules", "up_to", "from"})];
  if (!options.status().ok()) return options.status();
  if (!inputs.empty() || !outputs.empty()) {
    if (words.empty() && modules.empty() && reach == Reach::kModules) {
      return PartBetween(hierarchy, inputs, outputs);
    }
    return absl::InvalidArgumentError(
        "inputs and outputs say what lies between values, without modules and reach");
  }
  if (words.empty() && modules.empty()) {
    return absl::InvalidArgumentError("name at least one module");
  }
  absl::StatusOr<PartRequest> request = PartMeant(hierarchy, reach, words);
  if (!request.ok()) return request;
  std::vector<ModuleId> all(modules.begin(), modules.end());
  absl::c_copy(request->modules, std::back_inserter(all));
  std::sort(all.begin(), all.end());
  request->modules = WithoutInner(hierarchy, all);
  return request;
}

absl::Status Extract(Making& making, Options& options) {
  Annotated& annotated = *making.product.annotated;
  const Hierarchy& hierarchy = annotated.hierarchy;
  absl::StatusOr<PartRequest> meant = PartAsked(hierarchy, options);
  if (absl::IsNotFound(meant.status())) return NoModuleError(meant.status().message());
  if (!meant.ok()) return meant.status();
  PartRequest& request = *meant;
  if (const auto run = options.Number("call")) request.call = static_cast<uint32_t>(*run);
  const std::string in = options.Text("in");
  if (!options.status().ok()) return options.status();
  const absl::StatusOr<Cutter*> cutter = CutterOf(annotated);
  if (!cutter.ok()) return cutter.status();
  absl::Status chosen = ChooseCall(hierarchy, **cutter, in, request, making.product.warnings);
  if (!chosen.ok()) return chosen;
  absl::StatusOr<Part> part = (*cutter)->Cut(request);
  if (!part.ok()) return part.status();
  JsonText json(&making.answer);
  json.BeginObject();
  json.Key("suffix").ExactString(FileNamePart(hierarchy, part->request));
  json.EndObject();
  making.product.parts.push_back({*std::move(part)});
  return absl::OkStatus();
}

// What parts are balanced by: any column.
absl::Status ReadMeasure(const Annotated& annotated, Options& options, SplitRequest& request) {
  const std::string by = options.Has("by") ? options.Text("by") : "bytes";
  request.measure = by == "nodes"        ? SplitRequest::Measure::kNodes
                    : by == "parameters" ? SplitRequest::Measure::kParameters
                                         : SplitRequest::Measure::kBytes;
  if (by == "bytes" || by == "nodes" || by == "parameters") return absl::OkStatus();
  AskedColumns columns(annotated.held->model, annotated.hierarchy);
  absl::Status status = FillColumns(annotated, annotated.hierarchy, options, {by}, columns);
  if (!status.ok()) return status;
  const Column& column = *columns.shown().front();
  if (column.nodes().empty()) {
    return absl::InvalidArgumentError(absl::StrCat("by '", by, "': no node has a number of it"));
  }
  request.measure = SplitRequest::Measure::kAmounts;
  request.amounts = WholeAmounts(column);
  return absl::OkStatus();
}

absl::StatusOr<SplitRequest> SplitRequestOf(const Annotated& annotated, Options& options) {
  const Hierarchy& hierarchy = annotated.hierarchy;
  SplitRequest request;
  const std::vector<uint32_t> modules = options.Numbers("modules", hierarchy.modules().size());
  absl::StatusOr<Places> places = FindPlaces(hierarchy, options.Texts("pattern"));
  if (absl::IsNotFound(places.status())) return NoModuleError(places.status().message());
  if (!places.ok()) return places.status();
  request.modules = std::vector<ModuleId>(modules.begin(), modules.end());
  absl::c_copy(places->modules, std::back_inserter(request.modules));
  request.nodes = std::move(places->nodes);
  request.values = std::move(places->values);
  if (const absl::Status status = ReadMeasure(annotated, options, request); !status.ok()) {
    return status;
  }
  if (const auto parts = options.Number("parts")) {
    request.rule = SplitRequest::Rule::kParts;
    request.parts = static_cast<uint32_t>(*parts);
  }
  if (const auto most = options.Number("max_bytes", UINT64_MAX)) {
    request.rule = SplitRequest::Rule::kMaxBytes;
    request.max_bytes = *most;
  }
  if (!options.status().ok()) return options.status();
  const bool has_modules = !request.modules.empty() || !request.nodes.empty();
  if (has_modules && !request.values.empty()) {
    return absl::InvalidArgumentError("a split is at modules and nodes, or at values, not both");
  }
  if (int{has_modules || !request.values.empty()} + options.Has("parts") +
          options.Has("max_bytes") >
      1) {
    return absl::InvalidArgumentError("modules, parts and max_bytes exclude each other");
  }
  return request;
}

absl::Status Split(Making& making, Options& options) {
  Annotated& annotated = *making.product.annotated;
  absl::StatusOr<SplitRequest> request = SplitRequestOf(annotated, options);
  if (!request.ok()) return request.status();
  const absl::StatusOr<Cutter*> cutter = CutterOf(annotated);
  if (!cutter.ok()) return cutter.status();
  if (request->rule == SplitRequest::Rule::kModules && request->modules.empty() &&
      request->nodes.empty() && request->values.empty()) {
    request->modules = (*cutter)->MainList();
    if (request->modules.empty()) {
      return absl::FailedPreconditionError(
          "there is no list of layers to cut at; name modules with at=..., or use parts=...");
    }
  }
  absl::StatusOr<SplitPlan> plan = (*cutter)->Split(*request);
  if (!plan.ok()) return plan.status();
  for (const SplitPart& part : plan->parts) {
    if (absl::Status told = (*cutter)->CheckTypes(part.part); !told.ok()) return told;
  }
  making.product.split = DescribeSplit(annotated.graph(), annotated.hierarchy, **cutter, *request,
                                       *plan, annotated.held->name);
  for (SplitPart& part : plan->parts) making.product.parts.push_back({std::move(part.part)});
  making.answer = SplitResultJson(*making.product.split);
  return absl::OkStatus();
}

absl::Status FoldModules(Making& making, Options& options) {
  const Annotated& annotated = *making.product.annotated;
  FoldRequest request;
  absl::StatusOr<std::vector<ModuleId>> only = ModulesMeant(annotated.hierarchy, options);
  if (!only.ok()) return only.status();
  if (options.Has("modules") || options.Has("pattern")) request.only = *std::move(only);
  request.repeated = options.Flag("repeated");
  if (const auto least = options.Number("min_nodes")) {
    request.min_nodes = static_cast<uint32_t>(*least);
  }
  if (const auto depth = options.Number("depth")) request.depth = static_cast<uint32_t>(*depth);
  if (!options.status().ok()) return options.status();
  absl::StatusOr<Folding> folding = Fold(annotated.held->model, annotated.hierarchy, request);
  if (!folding.ok()) return folding.status();
  making.product.fold = DescribeFolding(annotated.hierarchy, *folding);
  making.product.fold->input = annotated.held->name;
  making.product.edits = std::move(folding->edits);
  making.answer = "{}";
  return absl::OkStatus();
}

absl::Status LabelModules(Making& making, Options& options) {
  const Annotated& annotated = *making.product.annotated;
  const Hierarchy& hierarchy = annotated.hierarchy;
  const absl::StatusOr<ModulePlan> plan = ReadDevicePlan(options.Texts("rule"));
  if (!plan.ok()) return plan.status();
  if (plan->empty()) return absl::InvalidArgumentError("give a rule, PATTERN=DEVICE");
  const absl::StatusOr<PlannedModules> planned = PlanModules(hierarchy, *plan);
  if (!planned.ok()) return planned.status();
  if (!planned->unmet.empty()) {
    return NoModuleError(NoSuchModule(hierarchy, planned->unmet.front()->pattern));
  }
  Placement placement = PlaceNodes(hierarchy, *planned);
  const std::string output = options.Path("output");
  if (!options.status().ok()) return options.status();
  making.answer = PlacementJson(hierarchy, *plan, *planned, placement, annotated.held->name, output,
                                RuntimeWarnings(annotated.graph(), *plan, *planned, placement));
  making.product.edits = std::move(placement.edits);
  return absl::OkStatus();
}

// `like`: the annotation whose modules are meant.
absl::Status Probe(Making& making, Annotated& like, Options& options) {
  Annotated& annotated = *making.product.annotated;
  const bool is_isolated = options.Flag("isolated");
  const auto depth = static_cast<uint32_t>(options.Number("depth").value_or(0xFFFFFFFFu));
  absl::StatusOr<std::vector<ModuleId>> modules = ModulesMeant(like.hierarchy, options);
  if (!modules.ok()) return modules.status();
  if (modules->empty()) modules->emplace_back(0);
  const absl::StatusOr<Cutter*> cutter = CutterOf(annotated);
  if (!cutter.ok()) return cutter.status();
  const absl::StatusOr<Cutter*> from = CutterOf(like);
  if (!from.ok()) return from.status();
  std::optional<ValuePairs> pairs;
  if (&like != &annotated) {
    absl::StatusOr<ValuePairs> found =
        PairValues(like.held->model, annotated.held->model, &making.product.warnings);
    if (!found.ok()) return found.status();
    pairs = *std::move(found);
  }
  const Probes probes =
      FindProbes(**from, like.hierarchy,
                 ModulesDownTo(like.hierarchy, WithoutInner(like.hierarchy, *modules), depth),
                 annotated.graph(), pairs.has_value() ? &*pairs : nullptr);
  ProbeResult result;
  result.input = annotated.held->name;
  result.like = &like == &annotated ? "" : like.held->name;
  result.warnings = making.product.warnings;
  if (is_isolated) {
    absl::StatusOr<Isolated> isolated = (*cutter)->IsolatedEdits(**from, probes.pairs);
    if (!isolated.ok()) return isolated.status();
    making.product.edits = std::move(isolated->edits);
    result.isolated = std::move(isolated->values);
  } else {
    making.product.edits = (*cutter)->ProbeEdits(**from, probes.pairs);
  }
  making.answer = ProbeResultJson(like.hierarchy, annotated.graph(), probes, result);
  return absl::OkStatus();
}

absl::Status MakeProbe(onnx_hier_call& call, const AnnotatedPtr& annotated,
                       const AnnotatedPtr& like, const onnx_hier_option* given, size_t count,
                       onnx_hier_product** handle) {
  Options options(given, count, {"modules", "pattern", "depth", "isolated"});
  if (!options.status().ok()) return options.status();
  HeldProduct product = {annotated->held, annotated};
  const LockedModels locked(*annotated->held, *like->held);
  Making making = {product, annotated->held->name, ""};
  absl::Status status = Probe(making, *like, options);
  if (IsNoModule(status)) return status;
  if (!status.ok()) return About(making.about, status);
  call.text = std::move(making.answer);
  *handle = new onnx_hier_product{std::move(product)};
  return absl::OkStatus();
}

struct Recipe {
  absl::string_view name;
  bool annotated;  // whether it is made of an annotation
  std::initializer_list<absl::string_view> options;
  absl::Status (*make)(Making&, Options&);
};

absl::Status Make(onnx_hier_call& call, HeldProduct product, absl::string_view what,
                  const onnx_hier_option* given, size_t count, onnx_hier_product** handle) {
  static const Recipe kRecipes[] = {
      {"strip", false, {}, &Strip},
      {"unfold", false, {"all"}, &UnfoldModel},
      {"apply", false, {"sidecar", "name"}, &ApplySidecar},
      {"tag", true, {"name_nodes", "unique_names"}, &Tag},
      {"extract",
       true,
       {"modules", "pattern", "call", "reach", "inputs", "outputs", "in"},
       &Extract},
      {"split",
       true,
       {"modules", "pattern", "parts", "by", "max_bytes", "profile", "key", "value", "adds",
        "shape", "dim", "device"},
       &Split},
      {"fold", true, {"modules", "pattern", "repeated", "min_nodes", "depth"}, &FoldModules},
      {"place", true, {"rule", "output"}, &LabelModules},
  };
  const bool annotated = product.annotated != nullptr;
  std::vector<absl::string_view> names;
  for (const Recipe& recipe : kRecipes) {
    if (recipe.annotated != annotated) continue;
    names.push_back(recipe.name);
    if (recipe.name != what) continue;
    Options options(given, count, recipe.options);
    if (!options.status().ok()) return options.status();
    const std::lock_guard<std::mutex> lock(product.held->mutex);
    Making making = {product, product.held->name, ""};
    absl::Status status = recipe.make(making, options);
    if (IsNoModule(status)) return status;
    if (!status.ok()) return About(making.about, status);
    call.text = std::move(making.answer);
    *handle = new onnx_hier_product{std::move(product)};
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat("'", what, "' is not made of ",
                                                 annotated ? "an annotation" : "a model",
                                                 "; known: ", absl::StrJoin(names, ", ")));
}

// --- what is told of a product

Answer Describe(const HeldProduct& product, Options& options) {
  const std::string output = options.Path("output");
  std::vector<std::string> warnings = product.warnings;
  for (std::string& warning : options.Texts("warning")) warnings.push_back(std::move(warning));
  TagResult tagged;
  tagged.sidecar = options.Path("sidecar");
  tagged.named = options.Number("named", UINT64_MAX);
  tagged.milliseconds = options.Real("milliseconds", 1e18).value_or(0);
  if (!options.status().ok()) return options.status();
  if (product.split.has_value()) return SplitResultJson(*product.split);
  if (product.fold.has_value()) {
    FoldResult result = *product.fold;
    result.output = output;
    result.warnings = std::move(warnings);
    return FoldResultJson(result);
  }
  if (!product.parts.empty()) {
    const Annotated& annotated = *product.annotated;
    const HeldPart& held = product.parts.front();
    PartResult result =
        DescribePart(annotated.graph(), annotated.hierarchy, *annotated.cutter, held.part);
    result.input = annotated.held->name;
    result.output = output;
    if (held.written.has_value()) NoteWritten({&*held.written, 1}, result);
    result.warnings.insert(result.warnings.end(), warnings.begin(), warnings.end());
    return PartResultJson(result);
  }
  if (!product.sidecar_names.has_value()) {
    return absl::InvalidArgumentError("the answer when it was made has all that is told of it");
  }
  tagged.input = product.held->name;
  tagged.output = output;
  tagged.warnings = std::move(warnings);
  tagged.summary = Summarize(product.annotated->annotation);
  return TagResultsJson({&tagged, 1});
}

Answer Texts(const HeldProduct& product, Options&) {
  if (!product.edits.has_value()) {
    return absl::InvalidArgumentError("not only names and doc_strings are other ones");
  }
  std::string text;
  JsonText json(&text);
  json.BeginArray();
  for (const NodeText& each : product.edits->NodeTexts()) {
    json.BeginArray();
    json.Unsigned(each.node.index());
    json.Bool(each.is_name);
    if (each.present) {
      json.ExactString(each.text);
    } else {
      json.Null();
    }
    json.EndArray();
  }
  json.EndArray();
  return text;
}

const Question<const HeldProduct> kProductQuestions[] = {
    {"describe", {"output", "sidecar", "named", "milliseconds", "warning"}, &Describe},
    {"texts", {}, &Texts},
};

}  // namespace
}  // namespace onnx_hier::c

namespace c = onnx_hier::c;

int onnx_hier_make_of_model(onnx_hier_call* call, onnx_hier_model* model, const char* what,
                            const onnx_hier_option* options, size_t count,
                            onnx_hier_product** product) {
  return c::Run(call, [=] {
    c::HeldProduct made;
    made.held = model->held;
    return c::Make(*call, std::move(made), what, options, count, product);
  });
}

int onnx_hier_make(onnx_hier_call* call, onnx_hier_annotation* annotation, const char* what,
                   const onnx_hier_option* options, size_t count, onnx_hier_product** product) {
  return c::Run(call, [=] {
    c::HeldProduct made;
    made.held = annotation->annotated->held;
    made.annotated = annotation->annotated;
    return c::Make(*call, std::move(made), what, options, count, product);
  });
}

int onnx_hier_probe(onnx_hier_call* call, onnx_hier_annotation* annotation,
                    onnx_hier_annotation* like, const onnx_hier_option* options, size_t count,
                    onnx_hier_product** product) {
  return c::Run(call, [=] {
    const c::AnnotatedPtr& own = annotation->annotated;
    return c::MakeProbe(*call, own, like == nullptr ? own : like->annotated, options, count,
                        product);
  });
}

size_t onnx_hier_product_outputs(const onnx_hier_product* product) {
  const c::HeldProduct& made = product->product;
  return size_t{made.edits.has_value()} + made.parts.size() +
         size_t{made.sidecar_names.has_value() || made.split.has_value()};
}

void onnx_hier_product_free(onnx_hier_product* product) { delete product; }

int onnx_hier_ask_product(onnx_hier_call* call, onnx_hier_product* product, const char* question,
                          const onnx_hier_option* options, size_t count) {
  return c::Run(call, [=] {
    const c::HeldProduct& made = product->product;
    return c::Ask(*call, "a product", made, made.held->mutex, c::kProductQuestions, question,
                  options, count);
  });
}
