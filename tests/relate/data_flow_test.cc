// SPDX-License-Identifier: Apache-2.0

// What a module computes is its data flow: diff sees where it goes another way, and not in which
// order a file lists it.

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "doctest/doctest.h"
#include "onnx_hier/diff.h"
#include "tests/relate/compared.h"
#include "tests/support/random.h"
#include "tests/support/wire.h"

namespace onnx_hier {
namespace {

struct NodeLine {
  std::string op;
  wire::Names inputs;
  wire::Names outputs;
  std::string module;
  std::string attributes;
};

struct FlowNet {
  std::vector<NodeLine> nodes;
  wire::Names inputs = {"x", "y"};
  wire::Names outputs = {"z"};
  std::string weights = "kw";   // names
  std::string contents = "kw";  // of these

  std::string Bytes() const {
    std::string fields;
    for (const std::string& input : inputs) fields += wire::Input(input);
    for (const NodeLine& node : nodes) {
      fields += wire::Node(node.op, node.inputs, node.outputs,
                           absl::StrCat("/", node.module, "/", node.op), node.attributes);
    }
    for (size_t i = 0; i < weights.size(); ++i) {
      fields += wire::Initializer(std::string(1, weights[i]), {1}, std::string(4, contents[i]));
    }
    for (const std::string& output : outputs) fields += wire::Output(output);
    return wire::Model(wire::Graph(fields));
  }
};

ModelDiff FlowDiff(const FlowNet& a, const FlowNet& b) {
  return testing::Compared(a.Bytes(), b.Bytes()).diff;
}

bool Differ(const FlowNet& a, const FlowNet& b) {
  CHECK(FlowDiff(a, a).IsEmpty());
  CHECK(FlowDiff(b, b).IsEmpty());
  const bool differ = !FlowDiff(a, b).IsEmpty();
  CHECK(differ != FlowDiff(b, a).IsEmpty());
  return differ;
}

TEST_CASE("models that are the same node by node differ in what parameters hold, and whose it is") {
  const FlowNet net = {{{"MatMul", {"x", "k"}, {"a"}, "a"}, {"MatMul", {"a", "w"}, {"z"}, "b"}}};
  const auto with = [&](const std::string& weights, const std::string& contents) {
    FlowNet other = net;
    other.weights = weights;
    other.contents = contents;
    return other;
  };
  CHECK(!Differ(net, with("wk", "wk")));
  CHECK(Differ(net, with("kw", "wk")));
  CHECK(Differ(net, with("wk", "kw")));
  const ModelDiff diff = FlowDiff(net, with("kw", "kk"));
  REQUIRE(diff.changed.size() == 1);
  CHECK(diff.changed[0].weights);
  CHECK(!diff.changed[0].wiring);
}

// Of a module with three values, what another one reads.
FlowNet Reading(const std::string& value) {
  return {{{"Relu", {"x"}, {"a1"}, "a"},
           {"Cos", {"a1"}, {"a2"}, "a"},
           {"Sin", {"a1"}, {"a3"}, "a"},
           {"Concat", {"a1", "a2", "a3"}, {"a4"}, "a"},
           {"Exp", {value}, {"b1"}, "b"},
           {"Sub", {"a4", "b1"}, {"z"}, "c"}}};
}

TEST_CASE("another value of the same module, or of the model") {
  for (const char* value : {"a1", "a2", "a3", "x", "y"}) {
    CHECK(Differ(Reading("a4"), Reading(value)));
  }
  CHECK(Differ(Reading("x"), Reading("y")));
  CHECK(Differ(Reading("a2"), Reading("a3")));
  CHECK(!Differ(Reading("a2"), Reading("a2")));
}

TEST_CASE("two inputs that change places") {
  const auto sub = [](const wire::Names& inputs) { return FlowNet{{{"Sub", inputs, {"z"}, "a"}}}; };
  CHECK(Differ(sub({"x", "y"}), sub({"y", "x"})));
  CHECK(Differ(sub({"x", "w"}), sub({"w", "x"})));
  const auto split = [](const wire::Names& inputs) {
    return FlowNet{{{"Split", {"x"}, {"q", "k", "v"}, "qkv"},
                    {"MatMul", inputs, {"m"}, "att"},
                    {"Mul", {"m", "v"}, {"z"}, "out"}}};
  };
  CHECK(Differ(split({"q", "k"}), split({"k", "q"})));
  // Made alike but for the weights, in one module, and read by another.
  const auto twins = [](const wire::Names& inputs) {
    return FlowNet{{{"MatMul", {"x", "w"}, {"q"}, "proj"},
                    {"MatMul", {"x", "k"}, {"p"}, "proj"},
                    {"Sub", inputs, {"z"}, "att"}}};
  };
  CHECK(Differ(twins({"q", "p"}), twins({"p", "q"})));
}

TEST_CASE("the other of two parameters that the module reads anyway") {
  const auto reading = [](const std::string& first, const std::string& second,
                          const std::string& third) {
    return FlowNet{{{"Mul", {"x", first}, {"t"}, "a"},
                    {"Add", {"t", second}, {"u"}, "a"},
                    {"Sub", {"u", third}, {"z"}, "a"}}};
  };
  CHECK(Differ(reading("w", "k", "w"), reading("w", "k", "k")));
  CHECK(Differ(reading("w", "k", "w"), reading("k", "w", "k")));
}

TEST_CASE("parameters of all modules that are used alike, but for one place") {
  const auto reading = [](const std::string& first, const std::string& second) {
    FlowNet net;
    for (const char* module : {"a", "b", "c"}) {
      const bool is_last = *module == 'c';
      const std::string name = module;
      net.nodes.push_back({"Gather", {"x", is_last ? first : "k"}, {name + "1"}, name});
      net.nodes.push_back({"Gather", {"x", is_last ? second : "w"}, {name + "2"}, name});
      net.nodes.push_back({"Concat", {name + "1", name + "2"}, {name + "3"}, name});
    }
    net.outputs = {"a3", "b3", "c3"};
    return net;
  };
  CHECK(Differ(reading("k", "w"), reading("w", "k")));
}

TEST_CASE("outputs of the model that change places, are taken away, are others") {
  const auto giving = [](const wire::Names& outputs) {
    return FlowNet{{{"Relu", {"x"}, {"p"}, "a"}, {"Tanh", {"p"}, {"q"}, "b"}}, {"x", "y"}, outputs};
  };
  CHECK(Differ(giving({"p", "q"}), giving({"q", "p"})));
  CHECK(Differ(giving({"p", "q"}), giving({"q"})));
  CHECK(Differ(giving({"q"}), giving({"p"})));
  // No node makes them.
  CHECK(Differ(giving({"q", "x"}), giving({"q", "y"})));
  CHECK(Differ(giving({"q", "x", "y"}), giving({"q", "y", "x"})));
}

TEST_CASE("what is read inside of a branch") {
  const auto branch = [](const std::string& value) {
    const std::string body = wire::Subgraph(
        "then_branch", wire::Node("Exp", {value}, {"o"}, "/b/Exp") + wire::Output("o"));
    return FlowNet{{{"Relu", {"x"}, {"a1"}, "a"},
                    {"Tanh", {"a1"}, {"a2"}, "a"},
                    {"If", {"y"}, {"z"}, "b", body}}};
  };
  CHECK(Differ(branch("a1"), branch("a2")));
}

TEST_CASE("the order in which a file lists nodes and weights does not matter, nor do names") {
  FlowNet net = Reading("a3");
  net.nodes.push_back({"Mul", {"z", "w"}, {"m"}, "d"});
  net.nodes.push_back({"Add", {"m", "k"}, {"n"}, "d"});
  net.outputs = {"n", "a4"};
  for (uint64_t seed = 0; seed < 50; ++seed) {
    testing::Random random(seed);
    FlowNet other = net;
    for (size_t i = other.nodes.size(); i > 1; --i) {
      std::swap(other.nodes[i - 1], other.nodes[random.Below(i)]);
    }
    if (random.OneIn(2)) {
      std::reverse(other.weights.begin(), other.weights.end());
      std::reverse(other.contents.begin(), other.contents.end());
    }
    for (NodeLine& node : other.nodes) {
      for (wire::Names* names : {&node.inputs, &node.outputs}) {
        for (std::string& name : *names) {
          if (name != "x") name = absl::StrCat(name == "n" || name == "a4" ? "" : "v_", name);
          if (name == "v_w" || name == "v_k") name = name.substr(2);
        }
      }
    }
    CHECK(!Differ(net, other));
  }
}

TEST_CASE("what changed is said where it changed, not behind it") {
  FlowNet other = Reading("a2");
  other.nodes[1].op = "Tan";
  const ModelDiff diff = FlowDiff(Reading("a2"), other);
  REQUIRE(diff.changed.size() == 1);
  CHECK(diff.changed[0].operators);
}

}  // namespace
}  // namespace onnx_hier
