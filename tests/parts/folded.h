// SPDX-License-Identifier: Apache-2.0

// A small model, its modules, and what becomes of it when it is folded, as one line.
#ifndef ONNX_HIER_TESTS_PARTS_FOLDED_H_
#define ONNX_HIER_TESTS_PARTS_FOLDED_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/parts/contraction.h"
#include "lib/parts/repeatable.h"
#include "lib/parts/runs.h"
#include "lib/parts/units.h"
#include "onnx_hier/hierarchy.h"
#include "tests/support/place.h"
#include "tests/support/test_graph.h"

namespace onnx_hier::testing {

class Folded {
 public:
  // By node, the module's dotted name; "" is the root.
  Folded(TestGraph& model, const std::vector<std::string>& owners)
      : Folded(model.Build(), owners) {}
  Folded(const Graph& model, const std::vector<std::string>& owners)
      : graph(model),
        annotation(Place(graph, owners)),
        hierarchy((BuildModules(graph, annotation), graph), annotation),
        units(graph, graph.main_block()),
        runs(units, hierarchy, [](ModuleId) { return true; }) {
    const Repeatable repeatable(units);
    traits.cheap.Resize(units.size());
    traits.pinned.Resize(units.size());
    traits.untouched.Resize(units.size());
    for (Unit unit : units.ids()) {
      if (repeatable.Has(unit)) traits.cheap.Add(unit);
    }
    choices.skipped.Resize(runs.size());
    choices.lending.Resize(runs.size());
  }

  Contraction Contract() const { return onnx_hier::Contract(units, runs, traits, choices); }

  // "before encoder(a b) behind": names of units, and of calls the modules with what is in them.
  std::string Text(const Contraction& contraction) const {
    return Text(contraction, contraction.top);
  }
  std::string ModuleName(FoldRunId run) const {
    return annotation.paths.QualifiedName(annotation.modules.module(runs.run(run).module).path);
  }

  const Graph& graph;
  Annotation annotation;
  const Hierarchy hierarchy;
  const Units units;
  const FoldRuns runs;
  FoldTraits traits;
  RunChoices choices;

 private:
  std::string Text(const Contraction& contraction, const std::vector<ItemId>& items) const {
    std::string text;
    for (ItemId id : items) {
      const FoldItem& item = contraction.items[id];
      absl::StrAppend(&text, text.empty() ? "" : " ");
      if (item.unit.valid()) {
        absl::StrAppend(&text, graph.node(units.node(item.unit)).name);
      } else {
        absl::StrAppend(&text, ModuleName(item.run), "(", Text(contraction, item.items), ")");
      }
    }
    return text;
  }
};

}  // namespace onnx_hier::testing

#endif  // ONNX_HIER_TESTS_PARTS_FOLDED_H_
