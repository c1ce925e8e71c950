// SPDX-License-Identifier: Apache-2.0
#include "lib/cost/input_sizes.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "lib/onnx/model_source.h"
#include "lib/onnx/value_types.h"
#include "onnx_hier/cost.h"
#include "onnx_hier/model.h"
#include "tests/support/status.h"
#include "tests/support/wire.h"

namespace onnx_hier {
namespace {

using testing::Value;

// "x:batch,3,?,8": an input of floats with such dimensions; "x" has no shape.
std::string StatedInput(const std::string& text) {
  const size_t colon = text.find(':');
  std::string shape;
  if (colon != std::string::npos) {
    for (absl::string_view dim : absl::StrSplit(text.substr(colon + 1), ',', absl::SkipEmpty())) {
      uint64_t number = 0;
      shape += wire::Bytes(1, dim == "?"                       ? ""
                              : absl::SimpleAtoi(dim, &number) ? wire::Number(1, number)
                                                               : wire::Bytes(2, dim));
    }
    shape = wire::Bytes(2, shape);
  }
  const std::string type = wire::Bytes(1, wire::Number(1, 1) + shape);
  return wire::Bytes(11, wire::Bytes(1, text.substr(0, colon)) + wire::Bytes(2, type));
}

// "2,3 n,4": the shapes that inputs have then; or why not.
std::string Sizes(const std::vector<std::string>& inputs, const CostOptions& options = {},
                  BatchSize batch = BatchSize::kOpen) {
  std::string graph;
  for (const std::string& input : inputs) graph += StatedInput(input);
  const Model model = Value(Model::FromBytes(wire::Model(wire::Graph(graph))));
  const ModelSource& source = ModelAccess::Source(model);
  const ValueTypes types = Value(ValueTypes::Find(source.image, source.scanned));
  const absl::StatusOr<InputSizes> sizes = ReadInputSizes(model.graph(), types, options, batch);
  if (!sizes.ok()) return std::string(sizes.status().message());
  return absl::StrJoin(sizes->shapes, " ", [&](std::string* text, const auto& dims) {
    if (!dims) return absl::StrAppend(text, "-");
    absl::StrAppend(text, absl::StrJoin(*dims, ",", [&](std::string* to, Dim dim) {
                      absl::StrAppend(to, sizes->all.Text(dim));
                    }));
  });
}

CostOptions Open() { return {.symbolic = true}; }
CostOptions WithShape(const std::string& input, const std::string& shape) {
  return {.shapes = {{input, shape}}, .symbolic = true};
}
CostOptions WithSize(const std::string& name, uint64_t size) {
  return {.sizes = {{name, size}}, .symbolic = true};
}

TEST_CASE("shapes as a model states them") {
  CHECK(Sizes({"x:2,3", "y:", "z:4"}) == "2,3  4");
  CHECK(Sizes({"x:n,3", "y"}, Open()) == "n,3 -");
  CHECK(Sizes({"x:?,3"}, Open()) == "x[0],3");
}

TEST_CASE("shapes that somebody gives") {
  CHECK(Sizes({"x:n,3", "y:n,m"}, WithShape("x", "2x3")) == "2,3 2,m");
  CHECK(Sizes({"x:n,3"}, WithShape("x", " 2 , 3 ")) == "2,3");
  CHECK(Sizes({"x:?,3"}, WithShape("x", "0x3")) == "0,3");
  CHECK(Sizes({"x"}, WithShape("x", "5x6")) == "5,6");
  CHECK(Sizes({"x:n"}, WithShape("x", "1073741824")) == "1073741824");
  const std::string none = "the shape of 'x' is to be numbers such as 1x3x224x224, not ";
  for (const char* shape : {"1073741825", "-1", "2.5", "a", "2x", "2xb"}) {
    CAPTURE(shape);
    const std::string said = Sizes({"x:n"}, WithShape("x", shape));
    CHECK(said == (std::string(shape) == "2x" ? "2" : none + "'" + shape + "'"));
  }
  CHECK(Sizes({"x:n,3"}, WithShape("x", "2x3x4")) == "'x' has 2 dimensions, not 3 as in '2x3x4'");
  CHECK(Sizes({"x:n,3"}, WithShape("x", "2x4")) == "'x' is 3 in dimension 1 for good, not 4");
  CHECK(Sizes({"x:n,n"}, WithShape("x", "2x4")) == "the size 'n' is given twice: 2 and 4");
  CHECK(Sizes({"x:n,n"}, WithShape("x", "2x2")) == "2,2");
  CHECK(Sizes({"x:n"}, WithShape("y", "2")) == "there is no input 'y'; there is 'x'");
  CHECK(Sizes({"x:n", "z"}, WithShape("y", "2")) == "there is no input 'y'; there are 'x', 'z'");
}

TEST_CASE("sizes by name") {
  CHECK(Sizes({"x:n,3", "y:n,m"}, WithSize("n", 7)) == "7,3 7,m");
  CHECK(Sizes({"x:?,3"}, WithSize("x[0]", 7)) == "7,3");
  CHECK(Sizes({"x:n + 1,3"}, WithSize("n", 7)) == "8,3");
  CHECK(Sizes({"x:n,3"}, WithSize("m", 7)) == "no input has a size 'm'; there is 'n'");
  CHECK(Sizes({"x:n,k"}, WithSize("m", 7)) == "no input has a size 'm'; there are 'n', 'k'");
  CHECK(Sizes({"x:2"}, WithSize("m", 7)) == "no input has a size 'm': all of them are numbers");
  CostOptions both = WithShape("x", "2");
  both.sizes = {{"n", 3}};
  CHECK(Sizes({"x:n"}, both) == "the size 'n' is given twice: 2 and 3");
  both.sizes = {{"n", 2}};
  CHECK(Sizes({"x:n"}, both) == "2");
}

TEST_CASE("a batch is one if nothing is said") {
  const auto assumed = [](const std::vector<std::string>& inputs) {
    return Sizes(inputs, Open(), BatchSize::kOne);
  };
  CHECK(assumed({"x:n,m"}) == "1,m");
  CHECK(assumed({"x:n,m", "y:m"}) == "1,m m");
  CHECK(assumed({"x:k,my_batch_size"}) == "1,1");
  for (const char* length :
       {"seq", "Length", "time", "tokens", "frames", "num_boxes", "height", "width"}) {
    CAPTURE(length);
    CHECK(assumed({absl::StrCat("x:", length, ",4")}) == absl::StrCat(length, ",4"));
  }
  CHECK(assumed({"x:seq_batch,4"}) == "1,4");
  CHECK(Sizes({"x:n,m"}, Open(), BatchSize::kOpen) == "n,m");
  CHECK(Sizes({"x:n,m"}, WithSize("n", 3), BatchSize::kOne) == "3,m");
}

TEST_CASE("what is left open is asked for") {
  CHECK(Sizes({"x:n,seq", "y:seq"}, {}, BatchSize::kOne) ==
        "the model leaves open how large 'seq' (of 'x', 'y') is");
  CHECK(Sizes({"x:a,b"}) == "the model leaves open how large 'a' (of 'x'), 'b' (of 'x') are");
  CHECK(Sizes({"x:2,3"}) == "2,3");
  CHECK(Sizes({"x"}, {}, BatchSize::kOne) == "the model states no shape of its input 'x'");
}

}  // namespace
}  // namespace onnx_hier
