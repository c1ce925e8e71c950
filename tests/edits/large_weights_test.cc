// SPDX-License-Identifier: Apache-2.0

// Weights so long that a file system may share them: where they stand in outputs.

#include <algorithm>
#include <string>
#include <vector>

#include "onnx_hier/apply.h"
#include "onnx_hier/onnx_hier.h"
#include "tests/support/status.h"
#include "tests/support/temp_folder.h"
#include "tests/support/wire.h"

namespace onnx_hier {
namespace {

using testing::MemoryFile;
using testing::ReadFile;
using testing::TempFolder;
using testing::Value;

constexpr size_t kBlock = 4096;
constexpr size_t kLong = 16 << 20;
constexpr char kStart[] = "the weights begin here";

// `names` of the two nodes in front of the weights are their fields.
std::string ModelWith(size_t weights, const std::vector<std::string>& names) {
  std::string data = kStart;
  data.resize(weights);
  return wire::Model(wire::Graph(wire::Node("MatMul", {"x", "w"}, {"h"}, "", names[0]) +
                                 wire::Node("Neg", {"h"}, {"i"}, "", names[1]) +
                                 wire::Initializer("w", {4}, data) + wire::Input("x") +
                                 wire::Node("Neg", {"i"}, {"y"}, "")));
}

std::string ModelWith(size_t weights) {
  std::string data = kStart;
  data.resize(weights);
  return wire::Model(
      wire::Graph(
          wire::Node("MatMul", {"x", "w"}, {"h"}, "/encoder/MatMul", wire::Doc("was here")) +
          wire::Node("Neg", {"h"}, {"i"}, "/encoder/act/Neg") + wire::Initializer("w", {4}, data) +
          wire::Input("x") + wire::Node("Neg", {"i"}, {"y"}, "/decoder/Neg")) +
      wire::Function("d", "F", {}, {}, wire::FunctionNode("Exp", {}, {}, "/F/Exp")));
}

// How far the weights are from their place in `from`.
size_t Shift(const std::string& to, const std::string& from) {
  return to.find(kStart) - from.find(kStart);
}

class Writer {
 public:
  std::string Tag(const std::string& bytes) {
    const Model model = Open(bytes);
    WriteOptions options;
    options.sync = false;
    options.replace = true;
    REQUIRE_OK(Write(model, TagEdits(model, Annotate(model)), Destination::File(folder_ / "out"),
                     options));
    return ReadFile(folder_ / "out");
  }
  std::string TagWithNames(const std::string& bytes) {
    const Model model = Open(bytes);
    const GivenNames names(model.graph());
    return Streamed(model, TagEdits(model, Annotate(model), names));
  }
  std::string TagToStream(const std::string& bytes) {
    const Model model = Open(bytes);
    return Streamed(model, TagEdits(model, Annotate(model)));
  }
  std::string Strip(const std::string& bytes) {
    const Model model = Open(bytes);
    return Streamed(model, StripEdits(model));
  }
  // Gives one node a tag.
  std::string Give(const std::string& bytes, size_t node, const std::string& tag) {
    const Model model = Open(bytes);
    return Streamed(model, GivenTagEdits(model, {{NodeId(node), {tag}}}, {}));
  }
  std::string DocOf(const std::string& bytes, size_t node) {
    return std::string(Open(bytes).graph().doc_string(NodeId(node)));
  }

 private:
  static std::string Streamed(const Model& model, const Edits& edits) {
    const MemoryFile out("");
    REQUIRE_OK(Write(model, edits, Destination::Stream(out.fd())));
    return out.Read();
  }
  Model Open(const std::string& bytes) {
    return Value(Model::Open(folder_.Write("in.onnx", bytes)));
  }

  const TempFolder folder_;
};

TEST_CASE("they move by whole blocks, and back again") {
  Writer writer;
  const std::string plain = ModelWith(kLong);
  const std::string tagged = writer.Tag(plain);
  CHECK(Shift(tagged, plain) > 0);
  CHECK(Shift(tagged, plain) % kBlock == 0);
  CHECK((writer.TagToStream(plain) == tagged));
  CHECK((writer.Tag(tagged) == tagged));
  CHECK((writer.Strip(tagged) == plain));
  // The text in front of them has the spaces.
  CHECK(writer.DocOf(tagged, 0).back() == '}');
  CHECK(writer.DocOf(tagged, 1).back() == ' ');
  CHECK(writer.DocOf(tagged, 2).back() == '}');
}

TEST_CASE("so they do where nodes are given names") {
  Writer writer;
  const std::string no_name = wire::Bytes(3, "");
  for (const std::string& name : {std::string(), no_name, wire::Bytes(3, "a name")}) {
    CAPTURE(name);
    const std::string plain = ModelWith(kLong, {name, no_name});
    const std::string named = writer.TagWithNames(plain);
    CHECK(Shift(named, plain) > 0);
    CHECK(Shift(named, plain) % kBlock == 0);
    CHECK(named.find("Neg_1") != std::string::npos);
    CHECK((writer.Tag(named) == named));
    CHECK((writer.TagWithNames(named) == named));
    CHECK((writer.TagWithNames(writer.Tag(plain)) == named));
    CHECK((writer.Strip(named) == plain));
  }
}

TEST_CASE("short ones are left where they come to stand") {
  Writer writer;
  const std::string plain = ModelWith(kLong - 1000);
  const std::string tagged = writer.Tag(plain);
  for (size_t node = 0; node < 4; ++node) CHECK(writer.DocOf(tagged, node).back() == '}');
  CHECK(Shift(tagged, plain) < kBlock);
}

TEST_CASE("tags of single nodes, one after the other, in any order") {
  Writer writer;
  const std::string plain = ModelWith(kLong);
  std::vector<size_t> order = {0, 1, 2};
  const std::string tagged_by_itself = writer.Tag(plain);
  std::string all;
  do {
    std::string tagged = plain;
    for (size_t node : order) {
      tagged = writer.Give(tagged, node, "/" + std::string(10 * (node + 1), 'm'));
      // There must be a text in front of the weights to be padded.
      const bool in_front = node < 2 || Shift(tagged, plain) > 8;
      if (in_front) CHECK(Shift(tagged, plain) % kBlock == 0);
    }
    if (all.empty()) all = tagged;
    CHECK((tagged == all));
    CHECK((writer.Strip(tagged) == plain));
    CHECK((writer.Tag(tagged) == tagged_by_itself));
  } while (std::next_permutation(order.begin(), order.end()));
}

}  // namespace
}  // namespace onnx_hier
