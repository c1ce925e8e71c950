// SPDX-License-Identifier: Apache-2.0

// Models and their annotations: opened, made, asked about, freed.
#include <cmath>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "onnx_hier/apply.h"
#include "onnx_hier/bytes.h"
#include "onnx_hier/c.h"
#include "onnx_hier/check.h"
#include "onnx_hier/folds.h"
#include "onnx_hier/weights.h"
#include "onnx_hier_program/json_text.h"
#include "onnx_hier_program/reports.h"
#include "onnx_hier_program/tasks.h"
#include "onnx_hier_program/weights_report.h"
#include "tools/c/ask.h"
#include "tools/c/calls.h"
#include "tools/c/handles.h"
#include "tools/c/options.h"

namespace onnx_hier::c {
namespace {

using Lock = std::lock_guard<std::mutex>;

class CallersSource : public ByteSource {
 public:
  explicit CallersSource(const onnx_hier_source& source) : source_(source) {}
  CallersSource(const CallersSource&) = delete;
  CallersSource& operator=(const CallersSource&) = delete;
  ~CallersSource() override {
    if (source_.close != nullptr) source_.close(source_.context);
  }

  uint64_t size() const override { return source_.size; }

  absl::Status ReadAt(char* out, uint64_t size, uint64_t offset) override {
    const char* const error = source_.read(source_.context, out, size, offset);
    if (error == nullptr) return absl::OkStatus();
    return absl::UnavailableError(absl::StrCat("cannot read at byte ", offset, ": ", error));
  }

 private:
  const onnx_hier_source source_;
};

// Errors of what has no path name it, too.
absl::StatusOr<Model> Named(const char* name, absl::StatusOr<Model> model) {
  if (!model.ok()) return About(name, model.status());
  return model;
}

// `open` opens a model that has this name.
template <class Open>
int Hold(onnx_hier_call* call, const char* name, onnx_hier_model** handle, const Open& open) {
  return Run(call, [=] {
    absl::StatusOr<Model> model = open(OpenOptions{.cancel = &call->cancel});
    if (!model.ok()) return model.status();
    *handle = new onnx_hier_model{std::make_shared<HeldModel>(name, *std::move(model))};
    return absl::OkStatus();
  });
}

// A body that stands for too many nodes is asked about once.
absl::StatusOr<std::optional<UnfoldedModel>> OpenFlat(const Model& model, Weights weights,
                                                      const OpenOptions& options) {
  absl::StatusOr<std::optional<UnfoldedModel>> flat = OpenUnfolded(model, weights, options);
  if (absl::IsResourceExhausted(flat.status()) && !IsFolded(model)) return std::nullopt;
  return flat;
}

absl::StatusOr<ModelPtr> Flatten(const ModelPtr& held, Weights weights,
                                 const std::atomic<bool>& cancel) {
  const Lock lock(held->mutex);
  absl::StatusOr<std::optional<UnfoldedModel>> unfolded =
      OpenFlat(held->model, weights, {.cancel = &cancel});
  if (!unfolded.ok()) return About(held->name, unfolded.status());
  std::optional<UnfoldedModel> flat = *std::move(unfolded);
  if (!flat.has_value()) return held;
  return std::make_shared<HeldModel>(held->name, std::move(flat->model));
}

absl::StatusOr<AnnotatedPtr> AnnotateModel(const ModelPtr& held, AnnotateOptions options) {
  const Lock lock(held->mutex);
  std::vector<std::string> warnings;
  const absl::Status named = NameParameters(held->model, options, warnings);
  if (!named.ok()) return About(held->name, named);
  Annotation annotation = Annotate(held->model, options);
  const bool is_told_once =
      absl::IsResourceExhausted(annotation.unfolding) && !IsFolded(held->model);
  if (!annotation.unfolding.ok() && !is_told_once) return About(held->name, annotation.unfolding);
  if (annotation.rules != nullptr) {
    const std::vector<std::string>& more = annotation.rules->warnings;
    warnings.insert(warnings.end(), more.begin(), more.end());
  }
  return std::make_shared<Annotated>(held, std::move(options), std::move(annotation),
                                     std::move(warnings));
}

absl::StatusOr<AnnotatedPtr> AnnotateByOriginal(const ModelPtr& held, const ModelPtr& original,
                                                AnnotateOptions options, bool any_order) {
  if (held == original) return absl::InvalidArgumentError("a model is no original of itself");
  const std::scoped_lock lock(held->mutex, original->mutex);
  std::vector<std::string> warnings;
  const absl::Status named = NameParameters(held->model, options, warnings);
  if (!named.ok()) return About(held->name, named);
  absl::StatusOr<Annotation> annotation =
      AnnotateFrom(original->model, held->model, options, &warnings);
  if (!annotation.ok()) return About(held->name, annotation.status());
  if (annotation->rules != nullptr) {
    const std::vector<std::string>& more = annotation->rules->warnings;
    warnings.insert(warnings.end(), more.begin(), more.end());
  }
  const absl::Status order = CheckOrder(original->model, held->model);
  if (!order.ok() && !any_order) return About(held->name, order);
  if (!order.ok()) warnings.push_back(absl::StrCat("the model ", order.message()));
  return std::make_shared<Annotated>(held, std::move(options), *std::move(annotation),
                                     std::move(warnings));
}

Answer Facts(HeldModel& held, Options&) {
  const Graph& graph = held.model.graph();
  std::string text;
  JsonText json(&text);
  json.BeginObject();
  json.Key("bytes").Unsigned(held.model.file_size());
  json.Key("nodes").Unsigned(graph.node_count());
  json.Key("tagged").Unsigned(CountTagged(held.model));
  json.Key("folded").Bool(IsFolded(held.model));
  json.Key("nodes_with_graphs").BeginArray();
  for (NodeId id : graph.node_ids()) {
    if (!graph.blocks(id).empty()) json.Unsigned(id.index());
  }
  json.EndArray();
  json.EndObject();
  return text;
}

struct CheckRequest {
  std::optional<std::string> sidecar;  // its text
  bool fresh = false;
  bool contamination = false;
  bool coverage = false;
  AnnotateOptions options;
};

absl::StatusOr<CheckRequest> CheckRequestOf(Options& options) {
  CheckRequest request;
  if (options.Has("sidecar")) request.sidecar = options.Text("sidecar");
  request.fresh = options.Flag("fresh");
  request.contamination = options.Flag("contamination", true);
  request.coverage = options.Flag("coverage");
  absl::StatusOr<AnnotateOptions> annotate = AnnotateOptionsOf(options);
  if (!annotate.ok()) return annotate.status();
  request.options = *std::move(annotate);
  return request;
}

absl::StatusOr<CheckedTags> FindTags(const Model& model, const std::optional<UnfoldedModel>& flat,
                                     const CheckRequest& request, const Annotation& written) {
  absl::StatusOr<CheckedTags> found =
      request.fresh      ? CheckedTags{TagsOf(written), {}, {}}
      : flat.has_value() ? TagsOfFolded(model, *flat, request.sidecar, request.options)
                         : TagsToCheck(model.graph(), request.sidecar);
  if (!found.ok() || found->tags.CountTagged() > 0 || request.coverage ||
      model.graph().node_count() == 0) {
    return found;
  }
  return absl::FailedPreconditionError(
      "has no tags to check: tag it first, give them as a sidecar, or check afresh what would be "
      "written");
}

Answer CheckJson(const HeldModel& held, const CheckRequest& request) {
  AnnotateOptions options = request.options;
  const Weights weights = options.checkpoint == nullptr ? Weights::kZeros : Weights::kCopied;
  absl::StatusOr<std::optional<UnfoldedModel>> unfolded = OpenFlat(held.model, weights, {});
  if (!unfolded.ok()) return unfolded.status();
  const std::optional<UnfoldedModel> flat = *std::move(unfolded);
  const Model& model = flat.has_value() ? flat->model : held.model;
  std::vector<std::string> warnings;
  absl::Status named = NameParameters(model, options, warnings);
  if (!named.ok()) return named;
  const ModuleMap& map = options.module_map;
  const UserRules* const rules = options.rules.get();
  const bool compares = request.fresh || request.coverage || !map.empty() || rules != nullptr;
  const Annotation written = compares ? Annotate(model, options) : Annotation();
  absl::StatusOr<CheckedTags> checked = FindTags(held.model, flat, request, written);
  if (!checked.ok()) return checked.status();
  checked->tags.rules = written.rules.get();
  checked->tags.parameter_names = options.parameter_names;
  CheckReport report = {
      FileName(held.name), model.graph(), checked->tags, checked->malformed.size(), {}, {}, {}};
  if (request.contamination) {
    report.contamination = FindContamination(model.graph(), map, checked->tags);
  }
  if (request.coverage) {
    report.coverage =
        FindGaps(model.graph(), map, written, checked->tags, checked->malformed, checked->sidecar);
  }
  if (rules != nullptr && !rules->requirements.empty()) {
    const Hierarchy hierarchy(model.graph(), written);
    absl::StatusOr<std::vector<BrokenRule>> broken =
        CheckRequirements(model, hierarchy, *rules, {}, nullptr);
    if (!broken.ok()) return broken.status();
    report.broken_rules = *std::move(broken);
  }
  StringSink sink;
  if (absl::Status status = WriteCheckReportJson(report, sink); !status.ok()) return status;
  return sink.text();
}

Answer Check(HeldModel& held, Options& options) {
  const absl::StatusOr<CheckRequest> request = CheckRequestOf(options);
  if (!request.ok()) return request.status();
  Answer answer = CheckJson(held, *request);
  if (!answer.ok()) return About(held.name, answer.status());
  return answer;
}

Answer WeightsJsonOf(const HeldModel& held, AnnotateOptions options,
                     absl::Span<const std::string> required, std::optional<double> tolerance) {
  absl::StatusOr<std::optional<UnfoldedModel>> unfolded =
      OpenFlat(held.model, Weights::kCopied, {});
  if (!unfolded.ok()) return unfolded.status();
  const std::optional<UnfoldedModel> flat = *std::move(unfolded);
  const Model& model = flat.has_value() ? flat->model : held.model;
  const Checkpoint& checkpoint = *options.checkpoint;
  const absl::StatusOr<WeightMatches> matches = MatchWeights(model, checkpoint);
  if (!matches.ok()) return matches.status();
  TakeNames(NamesOf(model, checkpoint, *matches), options);
  const Annotation annotation = Annotate(model, options);
  const Hierarchy hierarchy(model.graph(), annotation);
  WeightsReport report = {.input = FileName(held.name),
                          .hierarchy = hierarchy,
                          .checkpoint = checkpoint,
                          .matches = *matches};
  if (!required.empty()) {
    const absl::StatusOr<std::vector<bool>> asked =
        TensorsMeant(TensorNamesIn(model, checkpoint, *matches), required);
    if (absl::IsNotFound(asked.status())) return NoModuleError(asked.status().message());
    if (!asked.ok()) return asked.status();
    report.is_required = true;
    report.unmet = UnmetTensors(*matches, *asked, tolerance);
  }
  return WeightsJson(report);
}

Answer TellWeights(HeldModel& held, Options& options) {
  absl::StatusOr<AnnotateOptions> annotate = AnnotateOptionsOf(options);
  if (!annotate.ok()) return annotate.status();
  if (annotate->checkpoint == nullptr) {
    return absl::InvalidArgumentError("checkpoint: at least one file is wanted");
  }
  const std::optional<double> tolerance = options.Real("tolerance", HUGE_VAL);
  if (!options.status().ok()) return options.status();
  Answer answer = WeightsJsonOf(held, *std::move(annotate), options.Texts("require"), tolerance);
  if (!answer.ok()) return About(held.name, answer.status());
  return answer;
}

const Question<HeldModel> kModelQuestions[] = {
    {"facts", {}, &Facts},
    {"check",
     {"sidecar", "fresh", "contamination", "coverage", "module_map", "checkpoint", "rules"},
     &Check},
    {"weights", {"checkpoint", "require", "tolerance", "module_map", "rules"}, &TellWeights},
};

}  // namespace
}  // namespace onnx_hier::c

namespace c = onnx_hier::c;

int onnx_hier_open(onnx_hier_call* call, const char* path, onnx_hier_model** model) {
  return c::Hold(call, path, model, [=](const onnx_hier::OpenOptions& options) {
    return onnx_hier::Model::Open(path, options);
  });
}

int onnx_hier_open_bytes(onnx_hier_call* call, const void* bytes, size_t size, const char* name,
                         onnx_hier_model** model) {
  return c::Hold(call, name, model, [=](const onnx_hier::OpenOptions& options) {
    return c::Named(name,
                    onnx_hier::Model::FromMemory({static_cast<const char*>(bytes), size}, options));
  });
}

int onnx_hier_open_source(onnx_hier_call* call, const onnx_hier_source* source, const char* name,
                          onnx_hier_model** model) {
  return c::Hold(call, name, model, [=](const onnx_hier::OpenOptions& options) {
    return c::Named(
        name, onnx_hier::Model::FromSource(std::make_shared<c::CallersSource>(*source), options));
  });
}

int onnx_hier_unfolded(onnx_hier_call* call, onnx_hier_model* model, int weights,
                       onnx_hier_model** flat) {
  return c::Run(call, [=]() -> absl::Status {
    absl::StatusOr<c::ModelPtr> made = c::Flatten(
        model->held, weights != 0 ? onnx_hier::Weights::kCopied : onnx_hier::Weights::kZeros,
        call->cancel);
    if (!made.ok()) return made.status();
    *flat = new onnx_hier_model{*std::move(made)};
    return absl::OkStatus();
  });
}

void onnx_hier_model_free(onnx_hier_model* model) { delete model; }

int onnx_hier_ask_model(onnx_hier_call* call, onnx_hier_model* model, const char* question,
                        const onnx_hier_option* options, size_t count) {
  return c::Run(call, [=] {
    c::HeldModel& held = *model->held;
    return c::Ask(*call, "a model", held, held.mutex, c::kModelQuestions, question, options, count);
  });
}

int onnx_hier_annotate(onnx_hier_call* call, onnx_hier_model* model, onnx_hier_model* original,
                       const onnx_hier_option* options, size_t count,
                       onnx_hier_annotation** annotation) {
  return c::Run(call, [=]() -> absl::Status {
    c::Options given(options, count,
                     {"module_map", "checkpoint", "min_confidence", "any_order", "rules"});
    const bool any_order = given.Flag("any_order");
    absl::StatusOr<onnx_hier::AnnotateOptions> annotate = c::AnnotateOptionsOf(given);
    if (!annotate.ok()) return annotate.status();
    absl::StatusOr<c::AnnotatedPtr> made =
        original == nullptr
            ? c::AnnotateModel(model->held, *std::move(annotate))
            : c::AnnotateByOriginal(model->held, original->held, *std::move(annotate), any_order);
    if (!made.ok()) return made.status();
    *annotation = new onnx_hier_annotation{*std::move(made)};
    return absl::OkStatus();
  });
}

void onnx_hier_annotation_free(onnx_hier_annotation* annotation) { delete annotation; }
