// SPDX-License-Identifier: Apache-2.0

// Parts that have the data of their tensors in files of their own.

#include <google/protobuf/text_format.h>
#include <onnx/onnx_pb.h>
#include <sys/stat.h>

#include <map>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "onnx_hier/bytes.h"
#include "onnx_hier/onnx_hier.h"
#include "onnx_hier/parts.h"
#include "tests/onnx/model_text.h"
#include "tests/parts/checked_parts.h"
#include "tests/support/status.h"
#include "tests/support/temp_folder.h"

namespace onnx_hier {
namespace {

using testing::MemoryFile;
using testing::ParseModel;
using testing::ReadFile;
using testing::TempFolder;
using testing::Value;
using testing::Whole;

using List = std::vector<std::string>;

// Of `count` bytes of a data file. Length 0: it is not given.
std::string Tensor(const std::string& name, int count, const std::string& file, int offset,
                   int length, const std::string& more = "") {
  const auto entry = [](const std::string& key, const std::string& value) {
    return absl::StrCat(" external_data { key: '", key, "' value: '", value, "' }");
  };
  return absl::StrCat("{ name: '", name, "' dims: ", count, " data_type: 2 data_location: EXTERNAL",
                      more, entry("location", file), entry("offset", absl::StrCat(offset)),
                      length == 0 ? "" : entry("length", absl::StrCat(length)), "}");
}

std::string Node(const std::string& name, const std::string& in, const std::string& out,
                 const std::string& more = "") {
  return absl::StrCat("node { op_type: 'Max' name: '", name, "' ", in, " output: '", out, "' ",
                      more, "}\n");
}

std::string Constant(const std::string& name, const std::string& out, const std::string& tensor) {
  return absl::StrCat("node { op_type: 'Constant' name: '", name, "' output: '", out,
                      "' attribute { name: 'value' type: TENSOR t ", tensor, "}}\n");
}

std::string Value1(const std::string& name) {
  return absl::StrCat("{ name: '", name,
                      "' type { tensor_type { elem_type: 2 shape { dim { dim_value: 8 } } } } }");
}

// Three layers. The first one has a file of its own. The second one has a weight twice, one whose
// length is not given, and one that is sparse; the third one has data in a Constant, in a graph
// inside of a node, and in a function.
std::string Model3() {
  const std::string checksum = " external_data { key: 'checksum' value: '0123' }";
  const std::string inner = absl::StrCat(
      "attribute { name: 'then_branch' type: GRAPH g { name: 't' initializer ",
      Tensor("inner", 8, "w.bin", 41, 8),
      Constant("/m/l.2/inner/Constant", "k", Tensor("", 8, "w.bin", 49, 8)),
      Node("/m/l.2/inner/Max", "input: 'inner' input: 'k'", "t"), "output { name: 't' } } }");
  const std::string text = absl::StrCat(
      "ir_version: 9 opset_import { version: 17 } opset_import { domain: 'f' version: 1 }\n",
      "graph { name: 'g' input ", Value1("x"), " input { name: 'p' type { tensor_type {",
      " elem_type: 9 shape {} } } } output ", Value1("y"), "\n",
      Node("/m/l.0/Max", "input: 'x' input: 'm.l.0.w'", "a"),
      Node("/m/l.1/Max",
           "input: 'a' input: 'm.l.1.w' input: 'm.l.1.v' input: 'm.l.1.u'"
           " input: 'm.l.1.s'",
           "b"),
      Constant("/m/l.2/Constant", "c", Tensor("", 8, "w.bin", 33, 8)),
      "node { op_type: 'If' name: '/m/l.2/If' input: 'p' output: 'd' ", inner, "}\n",
      "node { op_type: 'F' domain: 'f' name: '/m/l.2/F' input: 'd' output: 'e' }\n",
      Node("/m/l.2/Max", "input: 'b' input: 'c' input: 'e'", "y"), "initializer ",
      Tensor("m.l.0.w", 8, "first/w.bin", 3, 8), "initializer ",
      Tensor("m.l.1.w", 8, "w.bin", 1, 8, checksum), "initializer ",
      Tensor("m.l.1.v", 8, "w.bin", 1, 8), "initializer ", Tensor("m.l.1.u", 8, "w.bin", 65, 0),
      "sparse_initializer { dims: 8 values ", Tensor("m.l.1.s", 2, "w.bin", 9, 2), " indices ",
      "{ dims: 2 data_type: 7 data_location: EXTERNAL",
      " external_data { key: 'location' value: 'w.bin' }",
      " external_data { key: 'offset' value: '16' }",
      " external_data { key: 'length' value: '16' } } }\n", "value_info ", Value1("a"),
      " value_info ", Value1("b"), "}\n",
      "functions { name: 'F' domain: 'f' input: 'i' output: 'o' opset_import { version: 17 }\n",
      Constant("", "fc", Tensor("", 8, "w.bin", 57, 8)), Node("", "input: 'i' input: 'fc'", "o"),
      "}");
  onnx::ModelProto model;
  REQUIRE(google::protobuf::TextFormat::ParseFromString(text, &model));
  return model.SerializeAsString();
}

// All of w.bin: 73 bytes, no two alike.
std::string Data() {
  std::string data;
  for (int i = 0; i < 73; ++i) data += static_cast<char>('!' + i);
  return data;
}

// Tensors in other files, in file order: "name: location, bytes".
class DataOf {
 public:
  DataOf(const TempFolder& folder, const std::string& file) : folder_(folder) {
    const onnx::ModelProto model = ParseModel(ReadFile(folder / file));
    AddGraph(model.graph());
    for (const onnx::FunctionProto& function : model.functions()) AddNodes(function.node());
  }
  const List& list() const { return list_; }

 private:
  void AddGraph(const onnx::GraphProto& graph) {
    for (const onnx::TensorProto& tensor : graph.initializer()) Add(tensor);
    for (const onnx::SparseTensorProto& tensor : graph.sparse_initializer()) {
      Add(tensor.values());
      Add(tensor.indices());
    }
    AddNodes(graph.node());
  }
  void AddNodes(const google::protobuf::RepeatedPtrField<onnx::NodeProto>& nodes) {
    for (const onnx::NodeProto& node : nodes) {
      for (const onnx::AttributeProto& attribute : node.attribute()) {
        Add(attribute.t());
        AddGraph(attribute.g());
      }
    }
  }
  void Add(const onnx::TensorProto& tensor) {
    if (tensor.data_location() != onnx::TensorProto::EXTERNAL) return;
    std::map<std::string, std::string> entries;
    for (const auto& entry : tensor.external_data()) entries[entry.key()] = entry.value();
    CHECK(entries.size() == 3);
    uint64_t offset = 1;
    uint64_t length = 0;
    CHECK(absl::SimpleAtoi(entries["offset"], &offset));
    CHECK(absl::SimpleAtoi(entries["length"], &length));
    list_.push_back(absl::StrCat(tensor.name(), ": ", entries["location"], ", ",
                                 ReadFile(folder_ / entries["location"]).substr(offset, length)));
  }

  const TempFolder& folder_;
  List list_;
};

// The model with its data, but for those of the first layer.
struct InFolder {
  InFolder() : path(folder.Write("m.onnx", Model3())) { folder.Write("w.bin", Data()); }

  TempFolder folder;
  const std::string path;
};

WriteOptions Cutting(ExternalData data = ExternalData::kCutElsewhere) {
  WriteOptions options;
  options.sync = false;
  options.external_data = data;
  return options;
}

absl::Status Extract(const std::string& in, const std::string& module, const std::string& out,
                     const WriteOptions& options) {
  const Whole whole(in);
  const Part part = Value(whole.cutter.Cut({.modules = Value(whole.hierarchy.Match(module))}));
  return Write(whole.model, Value(whole.cutter.EditsOf(part)), Destination::File(out), options);
}

TEST_CASE("a part has what it reads, and what it does not read may be missing") {
  const InFolder in;
  const TempFolder to;
  REQUIRE_OK(Extract(in.path, "m.l.1", to / "one.onnx", Cutting()));
  CHECK(to.List() == List{"one.data", "one.onnx"});
  const std::string data = Data();
  CHECK(DataOf(to, "one.onnx").list() ==
        List{"m.l.1.w: one.data, " + data.substr(1, 8), "m.l.1.v: one.data, " + data.substr(1, 8),
             "m.l.1.u: one.data, " + data.substr(65, 8), "m.l.1.s: one.data, " + data.substr(9, 2),
             ": one.data, " + data.substr(16, 16)});
  // What begins at bytes 1, 9, 16 and 65.
  CHECK(ReadFile(to / "one.data").size() == 3 * 64 + 8);
  REQUIRE_OK(Extract(in.path, "m.l.2", to / "two.onnx", Cutting()));
  CHECK(DataOf(to, "two.onnx").list() ==
        List{": two.data, " + data.substr(33, 8), "inner: two.data, " + data.substr(41, 8),
             ": two.data, " + data.substr(49, 8), ": two.data, " + data.substr(57, 8)});
  CHECK_ERROR(Extract(in.path, "m.l.0", to / "none.onnx", Cutting()), kNotFound, "'first/w.bin'");
  CHECK(to.List() == List{"one.data", "one.onnx", "two.data", "two.onnx"});
}

TEST_CASE("beside the model a part reads its files, unless it is to have its own") {
  const InFolder in;
  REQUIRE_OK(Extract(in.path, "m.l.1", in.folder / "one.onnx", Cutting()));
  CHECK(in.folder.List() == List{"m.onnx", "one.onnx", "w.bin"});
  REQUIRE_OK(Extract(in.path, "m.l.1", in.folder / "two.onnx", Cutting(ExternalData::kCut)));
  CHECK(in.folder.List() == List{"m.onnx", "one.onnx", "two.data", "two.onnx", "w.bin"});
  CHECK_ERROR(Extract(in.path, "m.l.1", in.folder / "two", Cutting(ExternalData::kCut)),
              kAlreadyExists, "two.data: exists already");
  // Where a data file of the model would be replaced, not even --force helps.
  in.folder.Write("copy.onnx", Model3());
  in.folder.Write("w.data", "");
  WriteOptions options = Cutting(ExternalData::kCut);
  options.replace = true;
  options.also_read = {in.folder / "w.data"};
  CHECK_ERROR(Extract(in.path, "m.l.1", in.folder / "w.onnx", options), kFailedPrecondition,
              "w.data, which is a file that this run reads");
}

TEST_CASE("a part of a graph inside of a node") {
  const InFolder in;
  const TempFolder to;
  const Whole whole(in.path);
  const Part part =
      Value(whole.cutter.Cut({.modules = Value(whole.hierarchy.Match("m.l.2.inner"))}));
  REQUIRE(part.graph != whole.model.graph().main_block());
  REQUIRE_OK(Write(whole.model, Value(whole.cutter.EditsOf(part)), Destination::File(to / "p.onnx"),
                   Cutting()));
  CHECK(DataOf(to, "p.onnx").list() ==
        List{"inner: p.data, " + Data().substr(41, 8), ": p.data, " + Data().substr(49, 8)});
}

TEST_CASE("parts without data have no file, and what failed late leaves none") {
  const InFolder in;
  const TempFolder to;
  const Whole whole(in.path);
  const SplitPlan plan =
      Value(whole.cutter.Split({.modules = Value(whole.hierarchy.Match("m.l.*"))}));
  REQUIRE(plan.parts.size() == 3);
  std::vector<Written> written;
  WriteOptions options = Cutting();
  options.written = &written;
  const auto write = [&] {
    const Document manifest("manifest", [&](ByteSink& sink) {
      return sink.Append(absl::StrCat(written[1].data, " ", written[1].data_bytes));
    });
    std::vector<Output> outputs;
    for (size_t i = 0; i < plan.parts.size(); ++i) {
      const Part& one = plan.parts[i].part;
      outputs.emplace_back([&whole, &one] { return whole.cutter.EditsOf(one); },
                           Destination::File(to / absl::StrCat(i, ".onnx")));
    }
    outputs.emplace_back(manifest, Destination::File(to / "manifest"));
    return Write(whole.model, outputs, options);
  };
  CHECK_ERROR(write(), kNotFound, "'first/w.bin'");
  CHECK(to.List().empty());
  REQUIRE(mkdir((in.folder / "first").c_str(), 0777) == 0);
  in.folder.Write("first/w.bin", "012");
  CHECK_ERROR(write(), kOutOfRange, "reads 8 bytes from byte 3 on, and it has 3");
  in.folder.Write("first/w.bin", "0123456789a");
  to.Write("2.data", "old");
  CHECK_ERROR(write(), kAlreadyExists, "2.data: exists already");
  CHECK(to.List() == List{"2.data"});
  options.replace = true;
  REQUIRE_OK(write());
  CHECK(to.List() == List{"0.data", "0.onnx", "1.data", "1.onnx", "2.data", "2.onnx", "manifest"});
  CHECK(DataOf(to, "0.onnx").list() == List{"m.l.0.w: 0.data, 3456789a"});
  CHECK(ReadFile(to / "manifest") == absl::StrCat("1.data ", 3 * 64 + 8));
  CHECK(written[0].bytes == ReadFile(to / "0.onnx").size());
  CHECK(written[0].data_bytes == 8);
}

TEST_CASE("a stream has no place for data; what is kept and is not there is told") {
  const InFolder in;
  const TempFolder to;
  const Whole whole(in.path);
  const Part part = Value(whole.cutter.Cut({.modules = Value(whole.hierarchy.Match("m.l.1"))}));
  const Edits edits = Value(whole.cutter.EditsOf(part));
  const MemoryFile stream("");
  CHECK_ERROR(
      Write(whole.model, edits, Destination::Stream(stream.fd()), Cutting(ExternalData::kCut)),
      kFailedPrecondition, "stream");
  CHECK_OK(Write(whole.model, edits, Destination::Stream(stream.fd()), Cutting()));
  std::vector<Written> written;
  WriteOptions options = Cutting(ExternalData::kKeep);
  options.written = &written;
  REQUIRE_OK(Write(whole.model, edits, Destination::File(to / "p.onnx"), options));
  CHECK(written[0].missing == List{"w.bin"});
  CHECK(written[0].data.empty());
  CHECK(ReadFile(to / "p.onnx") == stream.Read());
  options.replace = true;
  to.Write("w.bin", Data());
  REQUIRE_OK(Write(whole.model, edits, Destination::File(to / "p.onnx"), options));
  CHECK(written[0].missing.empty());
}

}  // namespace
}  // namespace onnx_hier
