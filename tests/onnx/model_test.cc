// SPDX-License-Identifier: Apache-2.0
#include "onnx_hier/model.h"

#include <unistd.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "tests/support/status.h"
#include "tests/support/temp_folder.h"
#include "tests/support/wire.h"
#include "tests/support/written_model.h"

namespace onnx_hier {
namespace {

using testing::MemoryFile;
using testing::TempFolder;
using testing::Value;

TEST_CASE("errors have the codes that the header promises") {
  const TempFolder folder;
  CHECK_ERROR(Model::Open(folder / "none"), kNotFound, "");
  CHECK_ERROR(Model::Open(folder.path()), kInvalidArgument, "folder");
  CHECK_ERROR(Model::Open(folder.Write("text", "not a model")), kInvalidArgument, "is text");
  CHECK_ERROR(Model::Open(folder.Write("cut", wire::Number(1, 8) + wire::Tag(7, 2) + "\x7F")),
              kDataLoss, "byte");
  if (geteuid() == 0) return;  // whom no mode keeps out
  CHECK_ERROR(Model::Open(folder.Write("secret", "x", 0)), kPermissionDenied, "");
}

TEST_CASE("a moved model keeps its graph") {
  const std::string bytes = wire::Model(wire::Graph(wire::Node("Relu", {"x"}, {"y"}, "/act/Relu")));
  const TempFolder folder;
  Model first = Value(Model::Open(folder.Write("m.onnx", bytes)));
  Model second(std::move(first));
  Model third = Value(Model::Open(folder / "m.onnx"));
  third = std::move(second);
  CHECK(third.graph().node(NodeId(0)).name == "/act/Relu");
  CHECK(third.path() == folder / "m.onnx");
  CHECK(third.file_size() == bytes.size());
  CHECK(third.external_locations().empty());
}

TEST_CASE("a stream is read like a file") {
  const MemoryFile file(wire::Model(wire::Graph(wire::Node("Relu", {"x"}, {"y"}, "/act/Relu"))));
  REQUIRE(lseek(file.fd(), 0, SEEK_SET) == 0);
  const Model model = Value(Model::FromStream(file.fd()));
  CHECK(model.path() == "");
  CHECK(model.graph().node_count() == 1);
}

TEST_CASE("bytes in memory are read like a file") {
  const std::string bytes = wire::Model(wire::Graph(wire::Node("Relu", {"x"}, {"y"}, "/act/Relu")));
  Model first = Value(Model::FromBytes(bytes));
  const Model model = std::move(first);
  CHECK(model.path() == "");
  CHECK(model.file_size() == bytes.size());
  CHECK(model.graph().node(NodeId(0)).name == "/act/Relu");
  CHECK_ERROR(Model::FromBytes(""), kInvalidArgument, "empty");
  CHECK_ERROR(Model::FromBytes("not a model"), kInvalidArgument, "is text");
  CHECK_ERROR(Model::FromBytes(bytes.substr(0, bytes.size() - 1)), kDataLoss, "byte");
}

// Counts, and fails from a byte on.
class TriedSource : public ByteSource {
 public:
  explicit TriedSource(std::string bytes, uint64_t end_of_good = UINT64_MAX)
      : bytes_(std::move(bytes)), end_of_good_(end_of_good) {}
  uint64_t size() const override { return bytes_.size(); }
  absl::Status ReadAt(char* out, uint64_t size, uint64_t offset) override {
    if (offset + size > end_of_good_) return absl::UnavailableError("the server has gone");
    read_ += size;
    bytes_.copy(out, size, offset);
    return absl::OkStatus();
  }
  uint64_t read() const { return read_; }

 private:
  std::string bytes_;
  uint64_t end_of_good_;
  uint64_t read_ = 0;
};

TEST_CASE("a source is read like a file, but for its weights") {
  const std::string bytes =
      wire::Model(wire::Graph(wire::Node("Relu", {"x"}, {"y"}, "/act/Relu") +
                              wire::Bytes(5, wire::Bytes(9, std::string(1 << 20, 'w'))))) +
      wire::Bytes(2, "the end");
  const auto source = std::make_shared<TriedSource>(bytes);
  const Model model = Value(Model::FromSource(source));
  CHECK(model.path() == "");
  CHECK(model.file_size() == bytes.size());
  CHECK(model.graph().node(NodeId(0)).name == "/act/Relu");
  CHECK(source->read() < bytes.size() / 2);
  // What is written has all of it.
  CHECK(testing::WrittenModel(model, Edits()) == bytes);

  CHECK_ERROR(Model::FromSource(std::make_shared<TriedSource>(bytes, 10)), kUnavailable,
              "the server has gone");
  CHECK_ERROR(Model::FromSource(std::make_shared<TriedSource>("")), kInvalidArgument, "empty");
}

TEST_CASE("bytes of the caller's are not copied") {
  const std::string bytes = wire::Model(wire::Graph(wire::Node("Relu", {"x"}, {"y"}, "/act/Relu")));
  Model first = Value(Model::FromMemory(bytes));
  const Model model = std::move(first);
  CHECK(model.path() == "");
  CHECK(model.file_size() == bytes.size());
  const absl::string_view name = model.graph().node(NodeId(0)).name;
  CHECK(name == "/act/Relu");
  CHECK(name.data() >= bytes.data());
  CHECK(name.data() < bytes.data() + bytes.size());
  CHECK_ERROR(Model::FromMemory(""), kInvalidArgument, "empty");
  CHECK_ERROR(Model::FromMemory({}), kInvalidArgument, "empty");
  CHECK_ERROR(Model::FromMemory("not a model"), kInvalidArgument, "is text");
}

}  // namespace
}  // namespace onnx_hier
