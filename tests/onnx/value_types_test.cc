// SPDX-License-Identifier: Apache-2.0
#include "lib/onnx/value_types.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/graph/data_type.h"
#include "lib/onnx/value_type.h"
#include "tests/onnx/model_text.h"
#include "tests/support/status.h"
#include "tests/support/wire.h"

namespace onnx_hier {
namespace {

using testing::Scan;
using testing::Scanned;
using testing::Value;
using wire::Bytes;
using wire::FunctionNode;
using wire::Graph;
using wire::IntAttribute;
using wire::Model;
using wire::Node;
using wire::Number;
using wire::Subgraph;

// A ValueInfoProto.
std::string Info(const std::string& name, int32_t element) {
  return Bytes(1, name) + Bytes(2, TensorType(element));
}
std::string FloatInput(const std::string& name) { return Bytes(11, Info(name, data_type::kFloat)); }
std::string NamedAttribute(const std::string& name, const std::string& reference) {
  return wire::Attribute(name, Bytes(21, reference) + Number(20, 2));
}

class Found {
 public:
  explicit Found(const std::string& file)
      : scanned_(Value(Scan(file))),
        types_(Value(ValueTypes::Find(scanned_.image, scanned_.model))) {}

  // Of the first value of that name.
  std::string operator[](absl::string_view name) const {
    const ValueId id = Named(name);
    return id.valid() ? TypeText(types_.type(id)) : "no such value";
  }
  std::string stated(absl::string_view name) const {
    return std::string(types_.stated(Named(name)));
  }
  const ValueTypes& types() const { return types_; }
  // The names of such values.
  std::string Names(absl::Span<const ValueId> values) const {
    std::string text;
    for (ValueId id : values) absl::StrAppend(&text, scanned_.model.graph.value(id).name, " ");
    return text;
  }

 private:
  ValueId Named(absl::string_view name) const {
    for (ValueId id : scanned_.model.graph.value_ids()) {
      if (scanned_.model.graph.value(id).name == name) return id;
    }
    return ValueId();
  }

  const Scanned scanned_;
  const ValueTypes types_;
};

TEST_CASE("by the operators' rules, from inputs and parameters on") {
  const Found found(Model(Graph(
      FloatInput("x") + wire::Initializer("half", {1}, "12", data_type::kFloat16) +
      Node("Relu", {"x"}, {"relu"}) + Node("Shape", {"relu"}, {"shape"}) +
      Node("Cast", {"shape"}, {"cast"}, "", IntAttribute("to", data_type::kBool)) +
      Node("Where", {"cast", "half", "half"}, {"where"}) +
      Node("TopK", {"where", "shape"}, {"values", "indices"}) +
      Node("Dropout", {"x"}, {"", "mask"}) + Node("Relu", {"nothing"}, {"lost"}) +
      Node("RandomNormalLike", {"half"}, {"like"}) +
      Node("RandomNormalLike", {"half"}, {"said"}, "", IntAttribute("dtype", data_type::kDouble)) +
      Node("QuantizeLinear", {"x", "scale"}, {"bytes"}) +
      Node("ZipMap", {"x"}, {"map"}, "", wire::Domain("ai.onnx.ml")))));
  CHECK(found["x"] == "float32");
  CHECK(found["half"] == "float16");
  CHECK(found["relu"] == "float32");
  CHECK(found["shape"] == "int64");
  CHECK(found["cast"] == "bool");
  CHECK(found["where"] == "float16");
  CHECK(found["values"] == "float16");
  CHECK(found["indices"] == "int64");
  CHECK(found["mask"] == "bool");
  CHECK(found["lost"] == "unknown");
  CHECK(found["like"] == "float16");
  CHECK(found["said"] == "float64");
  CHECK(found["bytes"] == "uint8");
  CHECK(found["map"] == "unknown");
}

TEST_CASE("constants") {
  const auto constant = [](const std::string& name, const std::string& attribute,
                           const std::string& fields) {
    return Node("Constant", {}, {name}, "", wire::Attribute(attribute, fields));
  };
  const std::string tensor = Number(1, 1) + Number(2, data_type::kInt32) + Bytes(9, "1234");
  const Found found(Model(
      Graph(constant("tensor", "value", Bytes(5, tensor)) + constant("float", "value_float", "") +
            constant("ints", "value_ints", "") + constant("text", "value_string", "") +
            constant("other", "something", "") + Node("ConstantOfShape", {"ints"}, {"zeros"}) +
            Node("ConstantOfShape", {"ints"}, {"filled"}, "",
                 wire::Attribute("value", Bytes(5, tensor))) +
            Node("LabelEncoder", {"ints"}, {"names"}, "",
                 wire::Attribute("keys_int64s", "") + wire::Attribute("values_strings", "")))));
  CHECK(found["tensor"] == "int32");
  CHECK(found["float"] == "float32");
  CHECK(found["ints"] == "int64");
  CHECK(found["text"] == "string");
  CHECK(found["other"] == "unknown");
  CHECK(found["zeros"] == "float32");
  CHECK(found["filled"] == "int32");
  CHECK(found["names"] == "string");
}

TEST_CASE("sequences and optional values") {
  const Found found(Model(Graph(
      FloatInput("x") + Node("SequenceConstruct", {"x", "x"}, {"sequence"}) +
      Node("SequenceInsert", {"sequence", "x"}, {"longer"}) +
      Node("SequenceAt", {"longer", "i"}, {"at"}) + Node("SequenceEmpty", {}, {"empty"}) +
      Node("SequenceEmpty", {}, {"ints"}, "", IntAttribute("dtype", data_type::kInt64)) +
      Node("ConcatFromSequence", {"ints"}, {"joined"}) + Node("Optional", {"ints"}, {"maybe"}) +
      Node("OptionalGetElement", {"maybe"}, {"sure"}) +
      Node("OptionalGetElement", {"x"}, {"always"}) + Node("SplitToSequence", {"x"}, {"split"}) +
      Node("SequenceLength", {"split"}, {"length"}) +
      Node("SequenceMap", {"split"}, {"mapped"}, "",
           Subgraph("body", wire::Input("element") + Node("Shape", {"element"}, {"size"}) +
                                Node("Neg", {"element"}, {"negative"}) + wire::Output("size"))))));
  CHECK(found["sequence"] == "seq(float32)");
  CHECK(found["longer"] == "seq(float32)");
  CHECK(found["at"] == "float32");
  CHECK(found["empty"] == "seq(float32)");
  CHECK(found["ints"] == "seq(int64)");
  CHECK(found["joined"] == "int64");
  CHECK(found["maybe"] == "optional(seq(int64))");
  CHECK(found["sure"] == "seq(int64)");
  CHECK(found["always"] == "float32");
  CHECK(found["split"] == "seq(float32)");
  CHECK(found["length"] == "int64");
  CHECK(found["negative"] == "float32");
  CHECK(found["mapped"] == "seq(int64)");
}

TEST_CASE("through the bodies of If, Loop and Scan") {
  const std::string branch = Node("Shape", {"x"}, {"s"}) + wire::Output("s");
  const std::string body = wire::Input("i") + wire::Input("again") + wire::Input("carried") +
                           Node("Neg", {"carried"}, {"next"}) + Node("Neg", {"i"}, {"number"}) +
                           Node("Not", {"again"}, {"more"}) + wire::Output("more") +
                           wire::Output("next") + wire::Output("number");
  const std::string step =
      wire::Input("state") + wire::Input("row") + Node("Add", {"state", "row"}, {"sum"}) +
      Node("Shape", {"row"}, {"rows"}) + wire::Output("sum") + wire::Output("rows");
  const Found found(
      Model(Graph(FloatInput("x") +
                  // The first branch tells nothing.
                  Node("If", {"c"}, {"chosen"}, "",
                       Subgraph("then_branch", Node("Neg", {"?"}, {"t"}) + wire::Output("t")) +
                           Subgraph("else_branch", branch)) +
                  Node("Loop", {"", "", "x"}, {"last", "numbers"}, "", Subgraph("body", body)) +
                  Node("Scan", {"x", "x"}, {"final", "all"}, "", Subgraph("body", step)))));
  CHECK(found["chosen"] == "int64");
  CHECK(found["carried"] == "float32");
  CHECK(found["more"] == "bool");
  CHECK(found["last"] == "float32");
  CHECK(found["numbers"] == "int64");
  CHECK(found["final"] == "float32");
  CHECK(found["all"] == "int64");
}

// Calls the function "d.F" with a float and an int64: what it gives out of each.
std::string OfTwoCalls(const std::string& body, const std::string& first = "",
                       const std::string& second = "") {
  const std::string call = wire::Domain("d");
  const Found found(Model(Graph(FloatInput("x") + Bytes(11, Info("i", data_type::kInt64)) +
                                Node("F", {"x"}, {"of_x"}, "", call + first) +
                                Node("F", {"i"}, {"of_i"}, "", call + second) +
                                Node("F", {"x"}, {"again"}, "", call + first))) +
                    wire::Function("d", "F", {"p"}, {"q"}, body));
  CHECK(found["again"] == found["of_x"]);
  return absl::StrCat(found["of_x"], " ", found["of_i"]);
}

TEST_CASE("a function is of other types in each call") {
  CHECK(OfTwoCalls(FunctionNode("Neg", {"p"}, {"q"})) == "float32 int64");
  CHECK(OfTwoCalls(FunctionNode("Shape", {"p"}, {"q"})) == "int64 int64");
  // At whatever depth.
  const std::string inner = Node("Neg", {"p"}, {"n"}) + wire::Output("n");
  const std::string outer =
      Node("If", {"c"}, {"m"}, "", Subgraph("then_branch", inner)) + wire::Output("m");
  CHECK(OfTwoCalls(FunctionNode("If", {"c"}, {"q"}, "", Subgraph("then_branch", outer))) ==
        "float32 int64");
}

TEST_CASE("a function's attributes") {
  const std::string to = NamedAttribute("to", "kind");
  CHECK(OfTwoCalls(FunctionNode("Cast", {"p"}, {"q"}, "", to), IntAttribute("kind", 9),
                   IntAttribute("kind", 11)) == "bool float64");
  CHECK(OfTwoCalls(FunctionNode("Cast", {"p"}, {"q"}, "", to)) == "unknown unknown");
  // Whatever the value of a Constant is, its kind is known.
  CHECK(OfTwoCalls(FunctionNode("Constant", {}, {"q"}, "", NamedAttribute("value_float", "v"))) ==
        "float32 float32");
}

TEST_CASE("functions that call functions") {
  const std::string domain = wire::Domain("d");
  const Found found(
      Model(Graph(FloatInput("x") + Node("Outer", {"x"}, {"y"}, "",
                                         domain + IntAttribute("kind", data_type::kInt8)))) +
      wire::Function(
          "d", "Outer", {"a"}, {"b"},
          FunctionNode("Inner", {"a"}, {"b"}, "", domain + NamedAttribute("dtype", "kind"))) +
      wire::Function("d", "Inner", {"a"}, {"b"},
                     FunctionNode("Cast", {"a"}, {"b"}, "", NamedAttribute("to", "dtype"))));
  CHECK(found["y"] == "int8");
}

TEST_CASE("what the model states counts, and its shape is kept") {
  const std::string shape = Bytes(2, Bytes(1, Number(1, 4)));
  const std::string input = Bytes(1, "x") + Bytes(2, Bytes(1, Number(1, 1) + shape));
  const std::string info = Bytes(1, "h") + Bytes(2, Bytes(1, Number(1, 10) + shape));
  const Found found(Model(Graph(Node("Mystery", {"x"}, {"h"}) + Node("Neg", {"h"}, {"y"}) +
                                Node("Neg", {"y"}, {"z"}) + Bytes(11, input) + Bytes(13, info) +
                                Bytes(13, Info("of_nothing", 1)) + Bytes(12, Bytes(1, "z")) +
                                Bytes(14, Bytes(1, "y")))));
  CHECK(found["h"] == "float16");
  CHECK(found["y"] == "float16");
  CHECK(found["z"] == "float16");
  CHECK(found.stated("x") == input);
  CHECK(found.stated("h") == info);
  CHECK(found.stated("y") == "");
  CHECK(found.Names(found.types().described()) == "h ");
  CHECK(found.Names(found.types().annotated()) == "y ");
}

TEST_CASE("what a function states of its values holds in all its calls") {
  const std::string stated = Bytes(12, Info("m", data_type::kInt16));
  CHECK(OfTwoCalls(FunctionNode("Mystery", {"p"}, {"m"}) + FunctionNode("Neg", {"m"}, {"q"}) +
                   stated) == "int16 int16");
}

TEST_CASE("nodes in an order that does not run") {
  const Found found(
      Model(Graph(Node("Neg", {"a"}, {"b"}) + Node("Neg", {"x"}, {"a"}) + FloatInput("x"))));
  CHECK(found["b"] == "float32");
}

TEST_CASE("nodes from the last to the first") {
  std::string nodes;
  for (int i = 20; i > 0; --i) {
    nodes += Node("Relu", {absl::StrCat("v", i - 1)}, {absl::StrCat("v", i)});
  }
  const Found found(Model(Graph(FloatInput("v0") + nodes)));
  CHECK(found["v20"] == "float32");
}

TEST_CASE("an operator that no rule knows makes what its readers need") {
  const auto custom = [](const std::string& output) {
    return Node("Custom", {"text"}, {output}, "", Bytes(7, "my.domain"));
  };
  const Found found(Model(Graph(
      Bytes(11, Info("text", data_type::kString)) + FloatInput("x") +
      wire::Initializer("half", {1}, "12", data_type::kFloat16) + custom("ids") + custom("mask") +
      custom("scale") + custom("open") +
      Node("Custom", {"x"}, {"same"}, "", Bytes(7, "my.domain")) +
      Node("Custom", {"x"}, {"other"}, "", Bytes(7, "my.domain")) +
      Node("Gather", {"half", "ids"}, {"a"}) + Node("Where", {"mask", "half", "half"}, {"b"}) +
      Node("Mul", {"scale", "half"}, {"c"}) + Node("Identity", {"open"}, {"d"}) +
      Node("Relu", {"same"}, {"e"}) + Node("Identity", {"other"}, {"f"}))));
  CHECK(found["ids"] == "int64");
  CHECK(found["mask"] == "bool");
  CHECK(found["scale"] == "float16");
  CHECK(found["same"] == "float32");
  CHECK(found["open"] == "unknown");
  CHECK(found["other"] == "unknown");
}

TEST_CASE("functions that call themselves end") {
  const std::string call = FunctionNode("F", {"p"}, {"q"}, "", wire::Domain("d"));
  CHECK(OfTwoCalls(call) == "unknown unknown");
  // Each with the other, and twice: calls would grow without end.
  std::string file =
      Model(Graph(FloatInput("x") + Node("F0", {"x"}, {"y"}, "", wire::Domain("d"))));
  for (int i = 0; i < 100; ++i) {
    const std::string next = absl::StrCat("F", i + 1);
    file += wire::Function("d", absl::StrCat("F", i), {"p"}, {"q"},
                           FunctionNode(next, {"p"}, {"m"}, "", wire::Domain("d")) +
                               FunctionNode("Shape", {"m"}, {"s"}) +
                               FunctionNode(next, {"s"}, {"q"}, "", wire::Domain("d")));
  }
  CHECK(Found(file)["y"] == "unknown");
}

}  // namespace
}  // namespace onnx_hier
