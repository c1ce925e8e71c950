// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/base/status_macros.h"
#include "lib/onnx/value_type.h"
#include "lib/show/amount_figures.h"
#include "onnx_hier/diff.h"
#include "onnx_hier/user_rules.h"
#include "onnx_hier_program/tasks.h"

namespace onnx_hier {
namespace {

class RequirementChecker {
 public:
  RequirementChecker(const Model& model, const Hierarchy& hierarchy, const CostOptions& costs,
                     const ComparedOriginal* original)
      : model_(model),
        hierarchy_(hierarchy),
        annotation_(hierarchy.annotation()),
        cost_options_(costs),
        original_(original),
        columns_(hierarchy) {}

  absl::Status Check(const UserRules& rules) {
    std::vector<std::string> ids;
    for (const Requirement& must : rules.requirements) {
      if (must.kind == Requirement::Kind::kAtMost) ids.push_back(must.what);
    }
    OH_ASSIGN_OR_RETURN(costs_,
                        AddCosts(model_, hierarchy_, cost_options_, ids, nullptr, columns_));
    for (const Requirement& must : rules.requirements) {
      const absl::Status status = Check(must);
      if (!status.ok()) {
        return absl::Status(status.code(),
                            absl::StrCat("line ", must.line, ": ", status.message()));
      }
    }
    return absl::OkStatus();
  }

  std::vector<BrokenRule> Take() { return std::move(broken_); }

 private:
  void Add(const Requirement& must, absl::string_view module, std::string what) {
    broken_.push_back({must.line, must.text, std::string(module), std::move(what)});
  }

  absl::Status Check(const Requirement& must) {
    if (must.kind == Requirement::Kind::kCoverage) return CheckCoverage(must);
    OH_ASSIGN_OR_RETURN(const std::vector<ModuleId> modules, hierarchy_.Match(must.pattern));
    if (must.kind == Requirement::Kind::kUnchanged) return CheckUnchanged(must, modules);
    // A rule that has become idle is found, not passed over.
    if (modules.empty()) {
      Add(must, "", absl::StrCat("no module is meant", NearestModules(hierarchy_, must.pattern)));
    }
    switch (must.kind) {
      case Requirement::Kind::kAtMost:
        return CheckAtMost(must, modules);
      case Requirement::Kind::kNoOperator:
        CheckOperators(must, modules);
        break;
      default:
        return CheckPrecision(must, modules);
    }
    return absl::OkStatus();
  }

  absl::Status CheckAtMost(const Requirement& must, const std::vector<ModuleId>& modules) {
    OH_ASSIGN_OR_RETURN(const Column* const column, columns_.Find(must.what));
    const AmountFigures figures(*column);
    for (ModuleId module : modules) {
      const Figure& figure = column->figure(module);
      const bool is_more = figure.total.real() > must.limit;
      if (!is_more && figure.unknown == 0) continue;
      // What is not known may be more.
      Add(must, annotation_.Tag(module),
          is_more ? absl::StrCat("has ", figure.unknown > 0 ? "at least " : "",
                                 figures.Whole(figure.total))
                  : absl::StrCat("has at least ", figures.Whole(figure.total), ": of ",
                                 Counted(figure.unknown, "node"), " it is not known"));
    }
    return absl::OkStatus();
  }

  // Of modules of which none lies in another one.
  std::vector<ModuleId> Outermost(const std::vector<ModuleId>& modules) const {
    return WithoutInner(hierarchy_, modules);
  }

  void CheckOperators(const Requirement& must, const std::vector<ModuleId>& modules) {
    const Graph& graph = hierarchy_.graph();
    for (ModuleId module : Outermost(modules)) {
      std::vector<NodeId> found;
      for (NodeId node : hierarchy_.Nodes(module)) {
        if (graph.op(node).type == must.what) found.push_back(node);
      }
      if (found.empty()) continue;
      Add(must, annotation_.Tag(module),
          absl::StrCat("has ", Counted(found.size(), "node"), " ", must.what, ", such as ",
                       graph.NodePath(found[0]), " ", graph.node(found[0]).name));
    }
  }

  absl::Status CheckPrecision(const Requirement& must, const std::vector<ModuleId>& modules) {
    const Graph& graph = hierarchy_.graph();
    const bool is_floating = absl::StrContains(must.what, "float");
    for (ModuleId module : Outermost(modules)) {
      std::vector<ValueId> others;
      std::string type;
      for (ValueId value : hierarchy_.Parameters(module)) {
        const TensorId tensor = TensorOf(value);
        if (!tensor.valid()) continue;
        std::string its = TypeText(TensorType(graph.tensor(tensor).data_type));
        // Scales and biases of quantised weights have types of their own.
        const bool counts =
            is_floating ? absl::StrContains(its, "float") : graph.dims(tensor).size() > 1;
        if (!counts || its == must.what) continue;
        if (others.empty()) type = std::move(its);
        others.push_back(value);
      }
      if (others.empty()) continue;
      Add(must, annotation_.Tag(module),
          absl::StrCat("has ", Counted(others.size(), "parameter"), " of another type, such as ",
                       graph.value(others[0]).name, " of ", type));
    }
    return absl::OkStatus();
  }
  TensorId TensorOf(ValueId value) const {
    const auto found = std::lower_bound(
        annotation_.parameters.begin(), annotation_.parameters.end(), value,
        [](const OwnedParameter& parameter, ValueId id) { return parameter.value < id; });
    const bool is_there = found != annotation_.parameters.end() && found->value == value;
    return is_there ? found->tensor : TensorId();
  }

  absl::Status CheckCoverage(const Requirement& must) {
    size_t sure = 0;
    const size_t nodes = annotation_.assignments.size();
    for (const Assignment& owner : annotation_.assignments) {
      sure += owner.confidence >= must.confidence ? 1 : 0;
    }
    if (static_cast<double>(sure) >= must.limit * static_cast<double>(nodes)) {
      return absl::OkStatus();
    }
    Add(must, "", absl::StrCat(sure, " of ", Counted(nodes, "node"), " are that sure"));
    return absl::OkStatus();
  }

  absl::Status CheckUnchanged(const Requirement& must, const std::vector<ModuleId>& modules) {
    if (original_ == nullptr) {
      return absl::InvalidArgumentError("'unchanged' needs the model that was before: --original");
    }
    const Hierarchy& before = original_->hierarchy;
    OH_ASSIGN_OR_RETURN(const std::vector<ModuleId> were, before.Match(must.pattern));
    if (modules.empty() && were.empty()) {
      Add(must, "", absl::StrCat("no module is meant", NearestModules(hierarchy_, must.pattern)));
    }
    const IdSet<ModuleId> now_meant = Inside(hierarchy_, modules);
    const IdSet<ModuleId> then_meant = Inside(before, were);
    for (const ModuleDiff& diff : original_->diff.changed) {
      const ModuleId now = diff.b.valid() ? hierarchy_.modules().Find(diff.b) : ModuleId();
      const ModuleId then = diff.a.valid() ? before.modules().Find(diff.a) : ModuleId();
      const bool is_meant =
          (now.valid() && now_meant.Has(now)) || (then.valid() && then_meant.Has(then));
      const std::string what = ChangeOf(diff);
      if (is_meant && !what.empty()) {
        Add(must, now.valid() ? annotation_.Tag(now) : before.annotation().Tag(then), what);
      }
    }
    return absl::OkStatus();
  }
  static IdSet<ModuleId> Inside(const Hierarchy& hierarchy, const std::vector<ModuleId>& modules) {
    IdSet<ModuleId> inside(hierarchy.modules().size());
    for (ModuleId module : modules) {
      const ModuleId end = hierarchy.modules().subtree_end(module);
      for (ModuleId id = module; id != end; id = ModuleId(id.index() + 1)) inside.Add(id);
    }
    return inside;
  }
  static std::string ChangeOf(const ModuleDiff& diff) {
    if (!diff.a.valid()) return "is new";
    if (!diff.b.valid()) return "is gone";
    std::vector<absl::string_view> what;
    if (diff.operators) what.push_back("operators");
    if (diff.wiring) what.push_back("wiring");
    if (diff.parameters) what.push_back("parameters");
    if (diff.weights) what.push_back("weights");
    return what.empty() ? "" : absl::StrCat("has other ", absl::StrJoin(what, ", "));
  }

  const Model& model_;
  const Hierarchy& hierarchy_;
  const Annotation& annotation_;
  const CostOptions& cost_options_;
  const ComparedOriginal* const original_;  // null: there is none
  std::unique_ptr<Costs> costs_;            // before the columns that point at it
  ColumnSet columns_;
  std::vector<BrokenRule> broken_;
};

}  // namespace

absl::StatusOr<std::vector<BrokenRule>> CheckRequirements(const Model& model,
                                                          const Hierarchy& hierarchy,
                                                          const UserRules& rules,
                                                          const CostOptions& costs,
                                                          const ComparedOriginal* original) {
  RequirementChecker checker(model, hierarchy, costs, original);
  OH_RETURN_IF_ERROR(checker.Check(rules));
  return checker.Take();
}

}  // namespace onnx_hier
