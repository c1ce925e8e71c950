// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "doctest/doctest.h"
#include "lib/names/dialects/tensorflow.h"
#include "lib/names/dialects/torchscript.h"
#include "lib/names/printed_scopes.h"

namespace onnx_hier {
namespace {

constexpr char kNothing[] = "(nothing)";

std::string TagOf(const PrintedScopes& printed, ScopeId scope) {
  return scope.valid() ? printed.paths().Tag(printed.scope(scope).path) : kNothing;
}

std::string OfNode(const ScopeGrammar& grammar, const char* name, const char* op_type) {
  PrintedScopes printed(grammar);
  return TagOf(printed, printed.OfNodeName(name, op_type).scope);
}

std::string OfValue(const ScopeGrammar& grammar, const char* name) {
  PrintedScopes printed(grammar);
  return TagOf(printed, printed.OfValueName(name));
}

struct NodeCase {
  const char* name;
  const char* op_type;
  const char* tag;
};

struct ValueCase {
  const char* name;
  const char* tag;
};

TEST_CASE("nodes as torch names them") {
  const NodeCase cases[] = {
      {"/encoder/layer.1/attention/self/MatMul_2", "MatMul", "/encoder/layer.1/attention/self"},
      {"/encoder/layer.1/Add", "Add", "/encoder/layer.1"},
      {"/conv.0.0/Conv", "Conv", "/conv.0.0"},
      {"/layer1/layer1.0/Conv", "Conv", "/layer1.0"},  // a container that repeats itself
      {"/layer1/layer1.0/conv1/Conv", "Conv", "/layer1.0/conv1"},
      {"/layer1/layer2.0/Conv", "Conv", "/layer1/layer2.0"},
      {"/Constant", "Constant", "/"},  // made by the root
      {"/", "Add", kNothing},
      {"//Add", "Add", "/"},
      {"/a//b/Add", "Add", "/a/b"},
      {"/\xC3\xA4/Add", "Add", "/\xC3\xA4"},
      {"/relu_1/Relu", "Relu", "/relu_1"},  // what repeats is told later
      {"/fc/MatMul/MatMulAddFusion", "Gemm", "/fc"},
      {"/fc/MatMul_Grad/Mul", "Mul", "/fc"},
      {"/conv1/Conv_/bn/Add", "FusedConv", "/"},  // fused of both
      {"fused /pooler/dense/Gemm", "FusedGemm", "/pooler/dense"},
      {"Constant_13", "Constant", kNothing},
      {"", "Add", kNothing},
      {"encoder/layer/MatMul", "MatMul", kNothing},
  };
  for (const NodeCase& c : cases) {
    CAPTURE(c.name);
    CHECK(OfNode(TorchScopes(), c.name, c.op_type) == c.tag);
  }
}

TEST_CASE("values as torch names them") {
  const ValueCase cases[] = {
      {"/encoder/layer.1/MatMul_2_output_0", "/encoder/layer.1"},
      {"/encoder/Split_output_12", "/encoder"},
      {"/Shape_output_0", "/"},
      {"/encoder/x_output_", kNothing},
      {"/encoder/x_output_a", kNothing},
      {"/encoder/MatMul_2", kNothing},
      {"MatMul_2_output_0", kNothing},
      {"_output_0", kNothing},
      {"", kNothing},
  };
  for (const ValueCase& c : cases) {
    CAPTURE(c.name);
    CHECK(OfValue(TorchScopes(), c.name) == c.tag);
  }
}

TEST_CASE("nodes as TensorFlow names them") {
  const NodeCase cases[] = {
      {"model/conv1/Conv2D__17", "Conv", "/model/conv1"},
      {"model/layer.1/add", "Add", "/model/layer.1"},
      {"StatefulPartitionedCall/model/dense/MatMul", "MatMul", "/model/dense"},
      {"model/norm/batchnorm/mul_1", "Mul", "/model/norm"},
      {"model/batchnorm/FusedBatchNormV3", "BatchNormalization", "/model/batchnorm"},
      {"model/norm/moments/mean", "ReduceMean", "/model/norm"},
      {"net/relu/Relu;net/bn/add;net/conv/Conv2D", "Conv", "/net/conv"},
      {"Conv2D;bias", "Conv", "/"},
      {"Conv2D", "Conv", kNothing},
  };
  for (const NodeCase& c : cases) {
    CAPTURE(c.name);
    CHECK(OfNode(TensorflowScopes(), c.name, c.op_type) == c.tag);
  }
}

TEST_CASE("values as TensorFlow names them") {
  const ValueCase cases[] = {
      {"model/conv1/Conv2D:0", "/model/conv1"},
      {"net/relu/Relu;net/bn/add", "/net/relu"},
      {"model/conv1/Conv2D", kNothing},
      {"model/conv1/Conv2D:x", kNothing},
      {"Conv2D:0", kNothing},
  };
  for (const ValueCase& c : cases) {
    CAPTURE(c.name);
    CHECK(OfValue(TensorflowScopes(), c.name) == c.tag);
  }
}

TEST_CASE("names that TensorFlow Lite joined") {
  const char* const name = "net/relu/Relu;net/bn/add;net/conv/Conv2D";
  CHECK(PartOfJoinedName(name, "Conv") == "net/conv/Conv2D");
  CHECK(PartOfJoinedName(name, "Relu") == "net/relu/Relu");
  CHECK(PartOfJoinedName("net/scale/mul", "MatMul") == "net/scale/mul");
  CHECK(PartOfJoinedName("", "MatMul") == "");
}

TEST_CASE("names of any length and depth end at the deepest level") {
  std::string name;
  for (int i = 0; i < 10000; ++i) name += "/m";
  name += "/Add";
  for (const ScopeGrammar* grammar : {&TorchScopes(), &TensorflowScopes()}) {
    PrintedScopes printed(*grammar);
    const ScopeId scope = printed.OfNodeName(name, "Add").scope;
    CHECK(printed.paths().depth(printed.scope(scope).path) == ModulePaths::kDeepest);
  }
}

TEST_CASE("scopes that were read apart are the same, added up in order, as those read in one go") {
  const char* const names[] = {"/a/b/Add",   "/a/c.0/Mul", "/a/c.0/d/Add", "/Add",
                               "/a/b/Add_1", "/a/c.1/Mul", "/e/Add",       "/a/c.0/d/f/Add"};
  PrintedScopes whole(TorchScopes());
  PrintedScopes added(TorchScopes());
  std::vector<ScopeId> expected;
  std::vector<ScopeId> found;
  for (size_t begin = 0; begin < std::size(names); begin += 3) {
    PrintedScopes part(TorchScopes());
    const size_t end = std::min(begin + 3, std::size(names));
    std::vector<ScopeId> own;
    for (size_t i = begin; i < end; ++i) {
      expected.push_back(whole.OfNodeName(names[i], "Add").scope);
      own.push_back(part.OfNodeName(names[i], "Add").scope);
    }
    const IdVector<ScopeId, ScopeId> ids = added.Add(part);
    for (ScopeId id : own) found.push_back(ids[id]);
  }
  CHECK(found == expected);
  REQUIRE(added.size() == whole.size());
  for (ScopeId id : whole.ids()) {
    CHECK(added.scope(id).parent == whole.scope(id).parent);
    CHECK(added.scope(id).path == whole.scope(id).path);
    CHECK(added.scope(id).has_inner == whole.scope(id).has_inner);
  }
}

}  // namespace
}  // namespace onnx_hier
