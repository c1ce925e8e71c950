// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "doctest/doctest.h"
#include "lib/tree/module_tree.h"
#include "onnx_hier/hierarchy.h"
#include "onnx_hier/profile.h"
#include "tests/support/place.h"
#include "tests/support/test_graph.h"

namespace onnx_hier {
namespace {

using testing::TestGraph;

Kernel Named(std::string name, std::string op_type = "", std::optional<uint32_t> index = {}) {
  Kernel kernel;
  kernel.name = std::move(name);
  kernel.op_type = std::move(op_type);
  kernel.index = index;
  kernel.amount = Amount(uint64_t{10});
  kernel.calls = 1;
  return kernel;
}

// Where each kernel is, and how that is known: "/a name".
std::vector<std::string> Places(const Graph& graph, const std::vector<std::string>& owners,
                                std::vector<Kernel> kernels,
                                ProfileKind kind = ProfileKind::kTimes) {
  const Annotation annotation = testing::Place(graph, owners);
  const Hierarchy hierarchy(graph, annotation);
  Profile profile;
  profile.kind = kind;
  profile.kernels = std::move(kernels);
  const PlacedProfile placed = PlaceProfile(hierarchy, profile);
  std::vector<std::string> places;
  const Column& column = placed.amounts;
  Amount own = column.unplaced().own;
  for (ModuleId id : hierarchy.modules().ids()) own += column.figure(id).own;
  CHECK(own == column.whole());
  Amount all = column.figure(ModuleId(0)).total;
  CHECK((all += column.unplaced().total) == column.whole());
  for (const KernelPlace& place : placed.places) {
    places.push_back(absl::StrCat(
        place.module.valid() ? annotation.paths.Tag(hierarchy.modules().module(place.module).path)
                             : "-",
        " ", PlacedByName(place.by)));
  }
  return places;
}
using Texts = std::vector<std::string>;

TEST_CASE("kernels of one graph alone") {
  TestGraph model;
  const NodeId choose = model.Node("If", {"c"}, {"y"}, "choose");
  const BlockId then_branch = model.Subgraph(choose, "then_branch");
  const BlockId else_branch = model.Subgraph(choose, "else_branch");
  model.In(then_branch).Node("Add", {"x"}, {"p"}, "/a/Add");
  model.In(then_branch).Node("Mul", {"p"}, {"r"}, "/a/Mul");
  model.In(else_branch).Node("Mul", {"x"}, {"q"}, "/a/Mul");
  const Graph& graph = model.Build();
  const Annotation annotation =
      OnlyIn(graph, testing::Place(graph, {"", "a", "a", "a"}), else_branch);
  const Hierarchy hierarchy(graph, annotation);
  Profile profile;
  profile.kernels = {Named("choose"), Named("/a/Add"), Named("odd"), Named("/a/Mul")};
  for (uint32_t i : {1, 0, 3}) profile.last_run.push_back({i, 0, i, 1});
  PlacedProfile placed = PlaceProfile(hierarchy, profile);
  LeaveOutOthers(hierarchy, profile, placed);
  REQUIRE(profile.kernels.size() == 2);
  CHECK(profile.kernels[0].name == "odd");
  CHECK(profile.kernels[1].name == "/a/Mul");
  REQUIRE(profile.last_run.size() == 1);
  CHECK(profile.last_run[0].kernel == 1);
  CHECK(placed.places.size() == 2);
  CHECK(placed.amounts.whole() == Amount(uint64_t{20}));
  CHECK(placed.amounts.unplaced().total == Amount(uint64_t{10}));
}

TEST_CASE("by name and by output") {
  TestGraph model;
  model.Node("Add", {"x"}, {"y"}, "/a/Add");
  model.Node("Mul", {"y"}, {"z"}, "/b/Mul");
  const Graph& graph = model.Build();
  CHECK(Places(graph, {"a", "b"}, {Named("/a/Add"), Named("z"), Named("other"), Named("")}) ==
        Texts{"/a name", "/b output", "- none", "- none"});
}

TEST_CASE("a name that several nodes have") {
  TestGraph model;
  model.Node("Add", {"x"}, {"y"}, "same");
  model.Node("Mul", {"y"}, {"z"}, "same");
  model.Node("Add", {"y"}, {"w"}, "same");
  const Graph& graph = model.Build();
  // The operator tells them apart, or what holds all of them is meant.
  CHECK(Places(graph, {"e.a", "e.b", "e.c"}, {Named("same", "Mul"), Named("same", "Add")}) ==
        Texts{"/e/b name", "/e name"});
}

TEST_CASE("names that an optimiser added to") {
  TestGraph model;
  model.Node("MatMul", {"x"}, {"y"}, "/a/MatMul");
  model.Node("Relu", {"y"}, {"/b/Relu_output_0"}, "/b/Relu");
  const Graph& graph = model.Build();
  CHECK(Places(graph, {"a", "b"},
               {Named("/a/MatMul/MatMulScaleFusion/", "FusedMatMul"),
                Named("/b/Relu_output_0_nchwc", "Relu"), Named("fused /a/MatMul", "FusedGemm"),
                Named("/a/MatMul_token_12")}) ==
        Texts{"/a parts", "/b parts", "/a parts", "/a parts"});
}

TEST_CASE("a convolution that bears the name of what it was fused with") {
  TestGraph model;
  model.Initializer("small", {8, 8});
  model.Initializer("large", {64, 64});
  model.Node("Conv", {"x", "small"}, {"y"}, "/skip/Conv");
  model.Node("Relu", {"x"}, {"r"}, "/before/Relu");
  model.Node("Conv", {"r", "large"}, {"z"}, "/conv/Conv");
  model.Node("Add", {"y", "z"}, {"s"}, "/Add");
  model.Node("Relu", {"s"}, {"out"}, "/relu/Relu");
  const Graph& graph = model.Build();
  const Texts owners = {"skip", "before", "conv", "", "relu"};
  CHECK(Places(graph, owners, {Named("out_nchwc", "Conv")}) == Texts{"/ parts"});
  // What another kernel has is not meant, and the size tells which it is.
  CHECK(Places(graph, owners, {Named("out_nchwc", "Conv"), Named("/skip/Conv", "Conv")}) ==
        Texts{"/conv parts", "/skip name"});
  Kernel sized = Named("out_nchwc", "Conv");
  sized.parameter_bytes = 64 * 64 * 4 + 256;
  CHECK(Places(graph, owners, {sized}) == Texts{"/conv parts"});
  sized.parameter_bytes = 8 * 8 * 4;
  CHECK(Places(graph, owners, {sized}) == Texts{"/skip parts"});
}

TEST_CASE("layers that TensorRT fused") {
  TestGraph model;
  model.Initializer("w", {4, 4});
  model.Node("Conv", {"x", "w"}, {"a"}, "/e/conv/Conv");
  model.Node("Relu", {"a"}, {"b"}, "/e/relu/Relu");
  model.Node("Add", {"b"}, {"c"}, "/e/add/Add");
  model.Node("Mul", {"c"}, {"d"}, "/f/Mul");
  const Graph& graph = model.Build();
  const Texts owners = {"e.conv", "e.relu", "e.add", "f"};
  Kernel detailed = Named("__myl_AddMul");
  detailed.nodes = {"/e/relu/Relu", "/e/add/Add"};
  CHECK(Places(graph, owners,
               {Named("/e/conv/Conv + /e/relu/Relu"), Named("PWN(/e/relu/Relu, /e/add/Add)"),
                Named("{ForeignNode[w.../e/add/Add]}"), Named("{ForeignNode[a.../f/Mul]}"),
                Named("Reformatting CopyNode for Input Tensor 0 to /f/Mul"), detailed}) ==
        Texts{"/e/conv parts", "/e parts", "/e parts", "/ parts", "/f parts", "/e parts"});
}

TEST_CASE("nameless nodes, by number and by turn") {
  TestGraph model;
  model.Node("Constant", {}, {"c"});
  model.Node("Add", {"x"}, {"y"});
  model.Node("Mul", {"y"}, {"z"});
  model.Node("Add", {"z"}, {"w"});
  const Graph& graph = model.Build();
  const Texts owners = {"k", "a", "b", "c"};
  CHECK(Places(graph, owners,
               {Named("Add_0", "Add", 0), Named("Add_2", "Add", 2), Named("Mul_1", "Mul", 1)}) ==
        Texts{"/a number", "/c number", "/b number"});
  // Numbers of another order: nodes of the file stand in the order in which they run.
  CHECK(Places(graph, owners,
               {Named("Add_7", "Add", 7), Named("Mul_0", "Mul", 0), Named("Add_3", "Add", 3)}) ==
        Texts{"/a number", "/b number", "/c number"});
  CHECK(Places(graph, owners, {Named("Mul_0", "Mul", 0), Named("Add_3", "Add", 3)}) ==
        Texts{"/b number", "- none"});
}

TEST_CASE("by what ran before and after, where enough kernels are known") {
  TestGraph model;
  model.Node("Add", {"x"}, {"a"}, "/e/a/Add");
  model.Node("Add", {"a"}, {"b"}, "/e/b/Add");
  model.Node("Add", {"b"}, {"c"}, "/f/Add");
  const Graph& graph = model.Build();
  const Texts owners = {"e.a", "e.b", "f"};
  const std::vector<Kernel> kernels = {Named("/e/a/Add"), Named("new"),    Named("/e/b/Add"),
                                       Named("newer"),    Named("/f/Add"), Named("newest")};
  CHECK(Places(graph, owners, kernels, ProfileKind::kOnnxRuntime) ==
        Texts{"/e/a name", "/e sequence", "/e/b name", "/ sequence", "/f name", "/ sequence"});
  // Rows of a table stand in any order.
  CHECK(Places(graph, owners, kernels)[1] == "- none");
  std::vector<Kernel> others(8, Named("new"));
  others.push_back(Named("/f/Add"));
  CHECK(Places(graph, owners, others, ProfileKind::kOnnxRuntime)[0] == "- none");
}

TEST_CASE("by operator and order, where names are made up") {
  TestGraph model;
  model.Initializer("w", {4, 4});
  model.Node("MatMul", {"x", "w"}, {"a"}, "/e/fc/MatMul");
  model.Node("ReduceMean", {"a"}, {"m"}, "/e/ln/ReduceMean");
  model.Node("Add", {"m", "eps"}, {"v"}, "/e/ln/Add");
  model.Node("Sqrt", {"v"}, {"s"}, "/e/ln/Sqrt");
  model.Node("Div", {"a", "s"}, {"n"}, "/e/ln/Div");
  model.Node("MatMul", {"n", "w"}, {"b"}, "/f/fc/MatMul");
  model.Node("Erf", {"b"}, {"g"}, "/f/act/Erf");
  model.Node("MatMul", {"g", "w"}, {"c"}, "/g/MatMul");
  const Graph& graph = model.Build();
  const Texts owners = {"e.fc", "e.ln", "e.ln", "e.ln", "e.ln", "f.fc", "f.act", "g"};
  CHECK(Places(graph, owners,
               {Named("gemm_input_reshape", "Reshape"), Named("/e/fc/MatMul", "Gemm"),
                Named("gemm_output_reshape_token_5", "Reshape"),
                Named("SkipLayerNormalization_token_9", "SkipLayerNormalization"),
                Named("/f/fc/MatMul", "Gemm"), Named("Gelu", "BiasGelu"),
                Named("/g/MatMul", "MatMul")},
               ProfileKind::kOnnxRuntime) == Texts{"/e/fc order", "/e/fc name", "/e/fc order",
                                                   "/e/ln order", "/f/fc name", "/f/act order",
                                                   "/g name"});
}

TEST_CASE("by order, where several nodes can be meant") {
  TestGraph model;
  model.Node("Mul", {"x"}, {"a"}, "/a/Mul");
  model.Node("Erf", {"a"}, {"b"}, "/b/Erf");
  model.Node("Erf", {"a"}, {"c"}, "/c/Erf");
  model.Node("Add", {"b", "c"}, {"d"}, "/d/Add");
  const Graph& graph = model.Build();
  // The likeliest is taken, and not said to be the only one.
  CHECK(Places(graph, {"a", "b", "c", "d"},
               {Named("/a/Mul", "Mul"), Named("Gelu", "Gelu"), Named("Gelu_token_1", "Gelu"),
                Named("/d/Add", "Add")},
               ProfileKind::kOnnxRuntime) ==
        Texts{"/a name", "/b sequence", "/c sequence", "/d name"});
}

TEST_CASE("blocks of channels, put together and taken apart") {
  TestGraph model;
  model.Initializer("w", {4, 4, 1, 1});
  model.Node("Mul", {"x"}, {"m"}, "/m/Mul");
  model.Node("Conv", {"m", "w"}, {"a"}, "/a/Conv");
  model.Node("Conv", {"a", "w"}, {"b"}, "/b/Conv");
  model.Node("Relu", {"b"}, {"r"}, "/r/Relu");
  model.Node("Softmax", {"r"}, {"y"}, "/y/Softmax");
  const Graph& graph = model.Build();
  // The Relu was fused with the Conv: what is taken apart is what it makes.
  CHECK(Places(graph, {"m", "a", "b", "r", "y"},
               {Named("/m/Mul", "Mul"), Named("ReorderInput", "ReorderInput"),
                Named("a_nchwc", "Conv"), Named("b_nchwc", "Conv"),
                Named("ReorderOutput_token_3", "ReorderOutput"), Named("/y/Softmax", "Softmax")},
               ProfileKind::kOnnxRuntime) ==
        Texts{"/m name", "/a order", "/a parts", "/b parts", "/r order", "/y name"});
}

TEST_CASE("blocks of channels are those of the kernel that makes or reads them") {
  TestGraph model;
  model.Initializer("w", {4, 4, 1, 1});
  model.Node("Mul", {"x"}, {"m"}, "/m/Mul");
  model.Node("Conv", {"m", "w"}, {"a"}, "/a/Conv");
  model.Node("Relu", {"a"}, {"r"}, "/r/Relu");
  model.Node("Conv", {"x", "w"}, {"b"}, "/b/Conv");
  model.Node("Pad", {"r"}, {"p"}, "/pool/Pad");
  model.Node("AveragePool", {"p"}, {"q"}, "/pool/AveragePool");
  model.Node("Concat", {"q", "m", "b"}, {"y"}, "/y/Concat");
  const Graph& graph = model.Build();
  // The Mul is read by others too, but in blocks by one alone; Relu works in them as well; the Pad
  // went into the AveragePool. Of two in a row the second is of what else is read.
  CHECK(Places(graph, {"m", "a", "r", "b", "pool", "pool", "y"},
               {Named("b_nchwc", "Conv"), Named("/m/Mul", "Mul"),
                Named("ReorderInput", "ReorderInput"), Named("a_nchwc", "Conv"),
                Named("/r/Relu", "Relu"), Named("ReorderOutput_token_3", "ReorderOutput"),
                Named("/pool/AveragePool", "AveragePool"), Named("/a/Conv_nchwc", "Conv"),
                Named("ReorderOutput_token_4", "ReorderOutput"),
                Named("ReorderOutput_token_5", "ReorderOutput"), Named("/y/Concat", "Concat")},
               ProfileKind::kOnnxRuntime) == Texts{"/b parts", "/m name", "/a order", "/a parts",
                                                   "/r name", "/r order", "/pool name", "/a parts",
                                                   "/a order", "/b order", "/y name"});
}

TEST_CASE("what is left of operators that were written out or joined") {
  TestGraph model;
  model.Initializer("w", {4, 4});
  model.Node("MatMul", {"x", "w"}, {"a"}, "/a/MatMul");
  model.Node("HardSwish", {"a"}, {"h"}, "/h/HardSwish");
  model.Node("MatMul", {"h", "w"}, {"b"}, "/b/MatMul");
  model.Node("MatMul", {"b", "w"}, {"c"}, "/c/MatMul");
  const Graph& graph = model.Build();
  CHECK(Places(graph, {"a", "h", "b", "c"},
               {Named("/a/MatMul", "Gemm"), Named("HardSigmoid_9", "HardSigmoid"),
                Named("Mul_10", "Mul"),
                Named("InsertedPrecisionFreeCast_gemm_input_reshape_arg", "Cast"),
                Named("/b/MatMul", "Gemm"), Named("gemm_output_reshape_new_reshape", "Reshape"),
                Named("/c/MatMul", "Gemm")},
               ProfileKind::kOnnxRuntime) ==
        Texts{"/a name", "/h order", "/h order", "/b order", "/b name", "/c order", "/c name"});
}

TEST_CASE("nodes in bodies and in functions") {
  TestGraph model;
  const NodeId choose = model.Node("If", {"c"}, {"y"}, "/If");
  model.In(model.Subgraph(choose, "then_branch")).Node("Add", {"x"}, {"t"}, "/a/Add");
  model.In(model.Function("here", "Self_Attn")).Node("Mul", {"p"}, {"q"}, "Mul_3");
  const Graph& graph = model.Build();
  CHECK(Places(graph, {"", "a", "attn"},
               {Named("/a/Add"), Named("_inlfunc_Self_Attn_Mul_3", "Mul"),
                Named("_inlfunc_Self_Attn_token_4_Mul_3/MatMulScaleFusion/", "Mul"),
                Named("_inlfunc_Other_Mul_3", "Mul")}) ==
        Texts{"/a name", "/attn parts", "/attn parts", "- none"});
}

TEST_CASE("each call of a function has its module, by numbers that onnxruntime counts up") {
  TestGraph model;
  model.Node("Block", {"x"}, {"y"}, "/l.0", "here");
  model.Node("Block", {"y"}, {"z"}, "/l.1", "here");
  model.In(model.Function("here", "Block")).Node("Relu", {"i"}, {"r"}, "Relu_0");
  model.Node("Norm", {"r"}, {"o"}, "norm", "here");
  model.In(model.Function("here", "Norm")).Node("LayerNormalization", {"j"}, {"n"}, "ln");
  const Graph& graph = model.Build();
  const Texts owners = {"l.0", "l.1", "l.1", "l.1", "l.1"};
  const Kernel first = Named("_inlfunc_Block_Relu_0", "Relu");
  const Kernel second = Named("_inlfunc_Block_token_4_Relu_0/Fusion", "Relu");
  const Kernel fused = Named("SkipLayerNormalization_token_9", "SkipLayerNormalization");
  // A name of its own is known by the calls around it.
  CHECK(Places(graph, owners, {first, fused, second, fused}, ProfileKind::kOnnxRuntime) ==
        Texts{"/l.0 parts", "/l.0 sequence", "/l.1 parts", "/l.1 sequence"});
  // Of which calls these two are, nothing says.
  CHECK(Places(graph, owners, {Named("_inlfunc_Norm_token_2_ln", "LayerNormalization")}) ==
        Texts{"/l.1 parts"});
}

}  // namespace
}  // namespace onnx_hier
