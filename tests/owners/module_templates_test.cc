// SPDX-License-Identifier: Apache-2.0
#include "lib/owners/module_templates.h"

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "doctest/doctest.h"
#include "lib/owners/known_modules.h"
#include "tests/support/test_graph.h"

namespace onnx_hier {
namespace {

using testing::TestGraph;

// "2: inside norm" for each node that is in a template or known to be outside of a module.
std::string TemplateText(TestGraph& model) {
  const GraphAnalysis analysis(model.Build());
  ModulePaths paths;
  const Evidence evidence = CollectEvidence(analysis.flow().graph(), {}, paths);
  const KnownModules known = CollectKnown(analysis.flow(), evidence, paths);
  const Context context(analysis, evidence, known, paths);
  const IdVector<Rank, TemplatePlace> templates = FindTemplatePlaces(context, {}, 1);
  std::string text;
  for (Rank rank : analysis.flow().ranks()) {
    const TemplatePlace& module_template = templates[rank];
    const std::string node = absl::StrCat(analysis.flow().node(rank).index(), ": ");
    if (module_template.inside.valid()) {
      const std::string twin =
          module_template.twin.valid()
              ? absl::StrCat(analysis.flow().node(module_template.twin).index())
              : "-";
      absl::StrAppend(&text, node, module_template.joins ? "joins " : "in ",
                      paths.QualifiedName(module_template.inside), " as ", twin, "\n");
    }
    for (PathId module : module_template.not_in) {
      absl::StrAppend(&text, node, "not in ", paths.QualifiedName(module), "\n");
    }
  }
  return text;
}

class Builder {
 public:
  TestGraph& model() { return model_; }

  // x - mean(x), times a weight: nodes n (mean), n + 1 (difference), n + 2 (the weight is read)
  std::string Norm(const std::string& name, const std::string& x) {
    Parameter(absl::StrCat(name, ".weight"), {4});
    const std::string mean = Make("ReduceMean", {x});
    const std::string difference = Make("Sub", {x, mean});
    return Make("Mul", {difference, absl::StrCat(name, ".weight")});
  }

  std::string Linear(const std::string& name, const std::string& x) {
    Parameter(absl::StrCat(name, ".weight"), {4, 4});
    return Make("Gemm", {x, absl::StrCat(name, ".weight")});
  }

  std::string Make(const std::string& op, const std::vector<std::string>& inputs) {
    const std::string output = absl::StrCat("v", nodes_++);
    model_.Node(op, inputs, {output});
    return output;
  }

  void Parameter(const std::string& name, const std::vector<int64_t>& dims) {
    model_.Initializer(name, dims);
  }

 private:
  TestGraph model_;
  int nodes_ = 0;
};

TEST_CASE("what stands before the weights of all norms is in them") {
  Builder b;
  b.model().Input("x");
  const std::string first = b.Norm("norm1", "x");    // 0 1 2
  const std::string linear = b.Linear("up", first);  // 3
  b.Linear("down", b.Norm("norm2", linear));         // 4 5 6 7
  CHECK(TemplateText(b.model()) ==
        "0: in norm1 as 2\n1: in norm1 as 2\n4: in norm2 as 0\n5: in norm2 as 1\n");
}

TEST_CASE("a weight that nobody owns is in no module whose parameters feed another operator") {
  // As of convolutions whose weights were computed, with norms behind them that were not folded.
  for (const char* op : {"BatchNormalization", "InstanceNormalization", "Mul", "Add"}) {
    CAPTURE(op);
    Builder b;
    b.model().Input("x");
    std::string x = "x";
    for (const char* block : {"a", "b", "c"}) {
      const std::string weight = absl::StrCat("onnx::Conv_", block);
      const std::string parameter = absl::StrCat(block, ".one.weight");
      b.Parameter(weight, {4, 4, 3, 3});
      b.Parameter(parameter, {4});
      x = b.Make(op, {b.Make("Conv", {x, weight}), parameter});
      x = b.Make("Relu", {x});
    }
    const bool is_bias = op == std::string("Add");
    CHECK((TemplateText(b.model()).find("0: in a.one ") != std::string::npos) == is_bias);
  }
}

TEST_CASE("where all stand behind the same, nobody knows whose it is") {
  Builder b;
  b.model().Input("x");
  std::string x = "x";
  for (const char* layer : {"a", "b"}) {
    x = b.Linear(absl::StrCat(layer, ".up"), x);
    x = b.Norm(absl::StrCat(layer, ".norm"), x);
  }
  // The kind of `up` is that of no module behind the same.
  CHECK(TemplateText(b.model()) == "");
}

TEST_CASE("what only some have is in none of them, nor is what passes a value on") {
  Builder b;
  b.model().Input("x");
  std::string x = b.Linear("first", b.Make("Abs", {"x"}));  // 0 1
  x = b.Linear("second", b.Make("Relu", {x}));              // 2 3
  b.Linear("third", b.Make("Relu", {x}));                   // 4 5
  CHECK(TemplateText(b.model()) == "0: not in first\n2: not in second\n4: not in third\n");
}

TEST_CASE("sizes that are read on both sides of the parameters are part of it") {
  Builder b;
  b.model().Input("x");
  std::string x = b.Norm("norm", "x");  // 0 1 2
  for (const char* name : {"up", "down"}) {
    const std::string size = b.Make("Shape", {x});
    const std::string flat = b.Make("Reshape", {x, b.Make("Size", {x})});
    x = b.Make("Reshape", {b.Linear(name, flat), size});
  }
  CHECK(TemplateText(b.model()) ==
        "3: in up as 6\n4: in up as 6\n5: in up as 6\n7: in up as 6\n7: not in down\n"
        "8: in down as 3\n9: in down as 4\n10: in down as 5\n12: in down as 7\n");
}

TEST_CASE("a linear layer may always stand behind the same code") {
  Builder b;
  b.model().Input("x");
  std::string x = b.Make("Neg", {"x"});
  for (const char* layer : {"a.out", "b.out"}) {
    const std::string square = b.Make("MatMul", {x, b.Make("Abs", {x})});
    x = b.Make("Neg", {b.Linear(layer, square)});
  }
  CHECK(TemplateText(b.model()).find(".out") == std::string::npos);
}

TEST_CASE("the weight that nobody owns before a bias is its module's, in one module, too") {
  TestGraph model;
  model.Input("x");
  model.Initializer("onnx::MatMul_7", {4, 4});
  model.Initializer("fc.bias", {4});
  model.Node("MatMul", {"x", "onnx::MatMul_7"}, {"a"});
  model.Node("Add", {"a", "fc.bias"}, {"b"});
  CHECK(TemplateText(model) == "0: in fc as -\n");
}

TEST_CASE("what is done before and undone behind all modules of a kind is theirs") {
  Builder b;
  b.model().Input("x");
  std::string x = "x";
  for (const char* op : {"Abs", "Relu", "Neg"}) {
    const std::string in = b.Make("Reshape", {b.Make(op, {x})});
    x = b.Make("Reshape", {b.Linear(absl::StrCat(op, "_fc"), in)});
  }
  const std::string text = TemplateText(b.model());
  CHECK(text.find("1: in Abs_fc as 2\n") != std::string::npos);
  CHECK(text.find("3: in Abs_fc as 2\n") != std::string::npos);
}

TEST_CASE("the first members of a list may have no parameters") {
  Builder b;
  b.model().Input("x");
  std::string x = b.Linear("first.0", "x");  // 0
  for (const char* block : {"a", "b"}) {
    const std::string act = b.Make("Mul", {x, b.Make("Sigmoid", {x})});       // 1 2, 5 6
    const std::string out = b.Linear(absl::StrCat(block, ".layers.1"), act);  // 3, 7
    x = b.Make("Add", {x, out});                                              // 4, 8
  }
  CHECK(TemplateText(b.model()) ==
        "1: in a.layers as 3\n1: not in a.layers.1\n2: in a.layers as 3\n2: not in a.layers.1\n"
        "5: in b.layers as 1\n5: not in b.layers.1\n6: in b.layers as 2\n6: not in b.layers.1\n");
}

TEST_CASE("what others read as well is no second way into a module") {
  Builder b;
  b.model().Input("x");
  b.model().Input("time");
  const std::string time = b.Make("Exp", {"time"});  // 0
  std::string x = b.Linear("stem", "x");             // 1
  for (const char* block : {"a", "b"}) {
    const std::string up = b.Linear(absl::StrCat(block, ".up"), b.Make("Relu", {x}));  // 2 3, 7 8
    const std::string shift = b.Linear(absl::StrCat(block, ".time"), time);            // 4, 9
    x = b.Linear(absl::StrCat(block, ".down"), b.Make("Add", {up, shift}));            // 5 6, 10 11
  }
  b.Linear("head", b.Make("Mul", {x, time}));
  const std::string text = TemplateText(b.model());
  CHECK(text.find("2: in a as 6\n") != std::string::npos);
  CHECK(text.find("7: in b as 2\n") != std::string::npos);
}

TEST_CASE("what only some modules of a kind have before or behind them is in none of them") {
  Builder b;
  b.model().Input("x");
  std::string x = b.Linear("stem", "x");  // 0
  for (const char* layer : {"layer.0", "layer.1"}) {
    const bool last = layer[6] == '1';
    x = b.Make("Relu", {b.Make(last ? "Abs" : "Neg", {x})});  // 1 2, 7 8
    x = b.Linear(absl::StrCat(layer, ".mlp.up"), x);          // 3, 9
    x = b.Linear(absl::StrCat(layer, ".mlp.down"), x);        // 4, 10
    x = b.Make(last ? "Exp" : "Log", {b.Make("Sqrt", {x})});  // 5 6, 11 12
  }
  b.Linear("head", x);
  const std::string text = TemplateText(b.model());
  CHECK(text.find("8: in layer.1.mlp as 2\n") != std::string::npos);
  CHECK(text.find("7: not in layer.1.mlp\n") != std::string::npos);
  CHECK(text.find("5: in layer.0.mlp as 4\n") != std::string::npos);
  CHECK(text.find("6: not in layer.0.mlp\n") != std::string::npos);
}

TEST_CASE("a list of which only the first member has parameters ends with others") {
  Builder b;
  b.model().Input("x");
  std::string x = "x";
  for (const char* stage : {"a.0", "b.0", "c.0"}) {
    x = b.Make("Relu", {b.Linear(stage, x)});
    if (stage[0] != 'b') x = b.Make("Neg", {x});
  }
  CHECK(TemplateText(b.model()) ==
        "1: in a as 0\n1: not in b.0\n2: not in b.0\n4: in b as 1\n4: not in c.0\n6: in c as 4\n");
}

TEST_CASE("members of a list end with their skip connections") {
  Builder b;
  b.model().Input("x");
  std::string x = b.Linear("stem", "x");  // 0
  for (const char* layer : {"layer.0", "layer.1"}) {
    const std::string up = b.Make("Relu", {b.Linear(absl::StrCat(layer, ".up"), x)});
    x = b.Make("Add", {x, b.Linear(absl::StrCat(layer, ".down"), up)});
  }
  b.Linear("head", x);
  const std::string text = TemplateText(b.model());
  CHECK(text.find("4: joins layer.0 as 3\n") != std::string::npos);
  CHECK(text.find("8: joins layer.1 as 4\n") != std::string::npos);
}

}  // namespace
}  // namespace onnx_hier
