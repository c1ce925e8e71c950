// SPDX-License-Identifier: Apache-2.0
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "onnx_hier/bytes.h"
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

using List = std::vector<std::string>;

const std::string& Bytes() {
  static const std::string bytes = wire::Model(wire::Graph(
      wire::Node("MatMul", {"x", "w"}, {"h"}, "/encoder/MatMul", wire::Doc("was here")) +
      wire::Node("If", {"c"}, {"y"}, "/encoder/If",
                 wire::Subgraph("then_branch", wire::Node("Neg", {"h"}, {"o"}, "/encoder/act/Neg",
                                                          wire::Doc("\xFF no text")))) +
      wire::Initializer("w", {2}, "12345678") + wire::Input("x")));
  return bytes;
}

WriteOptions Quick() {
  WriteOptions options;
  options.sync = false;
  return options;
}

// Tags a model; writes the sidecar too if it is to go somewhere.
absl::Status Tag(const Model& model, const std::string& out, const std::string& sidecar,
                 const WriteOptions& options) {
  const Annotation annotation = Annotate(model);
  const Edits tags = TagEdits(model, annotation);
  if (sidecar.empty()) return Write(model, tags, Destination::File(out), options);
  const Document document = SidecarOf(model, annotation);
  return Write(model, {{tags, Destination::File(out)}, {document, Destination::File(sidecar)}},
               options);
}
absl::Status Tag(const std::string& in, const std::string& out, const WriteOptions& options,
                 const std::string& sidecar = "") {
  return Tag(Value(Model::Open(in)), out, sidecar, options);
}

absl::Status Strip(const std::string& in, const std::string& out, const WriteOptions& options) {
  const Model model = Value(Model::Open(in));
  return Write(model, StripEdits(model), Destination::File(out), options);
}

TEST_CASE("tagged, tagged again, stripped: the tags stay, the file comes back") {
  const TempFolder folder;
  const std::string in = folder.Write("m.onnx", Bytes(), 0640);
  REQUIRE_OK(Tag(in, folder / "tagged", Quick()));
  CHECK(ReadFile(in) == Bytes());
  const Model tagged = Value(Model::Open(folder / "tagged"));
  CHECK(CountTagged(tagged) == 3);
  CHECK(CountTagged(Value(Model::Open(in))) == 0);
  struct stat status;
  REQUIRE(stat((folder / "tagged").c_str(), &status) == 0);
  CHECK((status.st_mode & 0777) == 0640);
  REQUIRE_OK(Tag(folder / "tagged", folder / "again", Quick()));
  CHECK(ReadFile(folder / "again") == ReadFile(folder / "tagged"));
  REQUIRE_OK(Strip(folder / "tagged", folder / "stripped", Quick()));
  CHECK(ReadFile(folder / "stripped") == Bytes());
  CHECK(folder.List() == List{"again", "m.onnx", "stripped", "tagged"});
}

TEST_CASE("in place") {
  const TempFolder folder;
  const std::string in = folder.Write("m.onnx", Bytes());
  WriteOptions options = Quick();
  CHECK_ERROR(Tag(in, in, options), kFailedPrecondition, "is the input itself");
  options.replace = true;
  CHECK_ERROR(Tag(in, in, options), kFailedPrecondition, "is the input itself");
  REQUIRE(symlink("m.onnx", (folder / "link").c_str()) == 0);
  CHECK_ERROR(Tag(in, folder / "link", options), kFailedPrecondition, "is the input itself");
  CHECK(ReadFile(in) == Bytes());
  options.replace = false;
  options.in_place = true;
  REQUIRE_OK(Tag(in, folder / "link", options));
  CHECK(CountTagged(Value(Model::Open(in))) == 3);
  REQUIRE_OK(Tag(in, in, options));
  REQUIRE_OK(Strip(in, in, options));
  CHECK(ReadFile(in) == Bytes());
  CHECK(folder.List() == List{"link", "m.onnx"});
}

TEST_CASE("in place, what another program has put there since stays") {
  const TempFolder folder;
  const std::string in = folder.Write("m.onnx", Bytes());
  WriteOptions options = Quick();
  options.in_place = true;
  for (const bool replace : {false, true}) {
    options.replace = replace;
    const Model model = Value(Model::Open(in));
    REQUIRE(rename(folder.Write("newer", "newer").c_str(), in.c_str()) == 0);
    CHECK_ERROR(Tag(model, in, folder / "s.json", options), kAborted, "another program");
    CHECK(ReadFile(in) == "newer");
    CHECK(folder.List() == List{"m.onnx"});
    folder.Write("m.onnx", Bytes());
  }
}

TEST_CASE("what is lost in place is told") {
  const TempFolder folder;
  const std::string in = folder.Write("m.onnx", Bytes());
  REQUIRE(link(in.c_str(), (folder / "other").c_str()) == 0);
  std::vector<std::string> warnings;
  WriteOptions options = Quick();
  options.in_place = true;
  options.warnings = &warnings;
  REQUIRE_OK(Tag(in, in, options));
  CHECK(warnings == List{in + ": its 1 other name (hard links) kept the old contents"});
  CHECK(ReadFile(folder / "other") == Bytes());
}

TEST_CASE("both outputs or neither") {
  const TempFolder folder;
  const std::string in = folder.Write("m.onnx", Bytes());
  WriteOptions options = Quick();
  folder.Write("s.json", "old");
  CHECK_ERROR(Tag(in, folder / "out", options, folder / "s.json"), kAlreadyExists, "s.json");
  CHECK(folder.List() == List{"m.onnx", "s.json"});
  CHECK_ERROR(Tag(in, folder / "out", options, folder / "none/s.json"), kNotFound, "sidecar");
  folder.Write("out", "old");
  CHECK_ERROR(Tag(in, folder / "out", options, folder / "new.json"), kAlreadyExists, "");
  CHECK(folder.List() == List{"m.onnx", "out", "s.json"});
  options.replace = true;
  CHECK_OK(Tag(in, folder / "out", options, folder / "new.json"));
  CHECK(folder.List() == List{"m.onnx", "new.json", "out", "s.json"});
}

TEST_CASE("the sidecar takes nobody's place") {
  const TempFolder folder;
  const std::string in = folder.Write("m.onnx", Bytes());
  REQUIRE(symlink("m.onnx", (folder / "link").c_str()) == 0);
  WriteOptions options = Quick();
  options.replace = true;
  CHECK_ERROR(Tag(in, folder / "out", options, folder / "out"), kInvalidArgument, "own file");
  options.in_place = true;
  for (const std::string& sidecar : {in, folder / "link", folder / "./m.onnx"}) {
    CHECK_ERROR(Tag(in, in, options, sidecar), kInvalidArgument, "is the input itself");
    CHECK_ERROR(Tag(in, folder / "out", options, sidecar), kInvalidArgument, "is the input itself");
    const Model model = Value(Model::Open(in));
    const Annotation annotation = Annotate(model);
    const Document document = SidecarOf(model, annotation);
    CHECK_ERROR(Write(model, {{document, Destination::File(sidecar)}}, options), kInvalidArgument,
                "is the input itself");
  }
  CHECK(ReadFile(in) == Bytes());
  CHECK(folder.List() == List{"link", "m.onnx"});
}

TEST_CASE("interrupted, nothing is left") {
  const TempFolder folder;
  const std::string in = folder.Write("m.onnx", Bytes());
  const std::atomic<bool> cancel{true};
  WriteOptions options = Quick();
  options.cancel = &cancel;
  CHECK_ERROR(Tag(in, folder / "out", options, folder / "s.json"), kCancelled, "");
  CHECK(folder.List() == List{"m.onnx"});
}

std::string Metadata(absl::string_view key, absl::string_view value) {
  return wire::Bytes(9, wire::Bytes(1, key) + wire::Bytes(2, value));
}

TEST_CASE("tags in metadata, and what stood there before") {
  const std::string in = wire::Model(wire::Graph(
      wire::Node("Neg", {"x"}, {"a"}, "/encoder/Neg",
                 Metadata("mine", "1") + Metadata("namespace", "\xFF") + Metadata("last", "2")) +
      wire::Node("Neg", {"a"}, {"b"}, "/encoder/Neg_1",
                 Metadata("namespace", "one") + Metadata("namespace", "two")) +
      wire::Node("Neg", {"b"}, {"y"}, "/Neg") +
      wire::Node("Neg", {"y"}, {"z"}, "/encoder/Neg_2", wire::Bytes(10, "of a later version")) +
      wire::Input("x")));
  const Model model = Value(Model::FromBytes(in));
  const MemoryFile file("");
  const Edits edits = TagEdits(model, Annotate(model), {}, {.metadata = {"explorer"}});
  REQUIRE_OK(Write(model, edits, Destination::Stream(file.fd())));

  const Model tagged = Value(Model::FromBytes(file.Read()));
  const auto entries = [&](uint32_t node) {
    std::string text;
    for (const StringPair& pair : tagged.graph().metadata(NodeId(node))) {
      absl::StrAppend(&text, pair.key, "=", pair.value, " ");
    }
    return text;
  };
  constexpr absl::string_view kOurs =
      "onnx_hier.path=/encoder onnx_hier.method=node_name onnx_hier.confidence=1.0 ";
  CHECK(entries(0) ==
        absl::StrCat("mine=1 namespace=encoder last=2 onnx_hier.namespace=\xFF ", kOurs));
  CHECK(entries(1) == absl::StrCat("namespace=one namespace=two ", kOurs));
  CHECK(absl::StartsWith(entries(2), "namespace= onnx_hier.path=/ "));
  CHECK(entries(3) == absl::StrCat("namespace=encoder ", kOurs));
  // Fields stand in the order of their numbers.
  CHECK(absl::StrContains(file.Read(), absl::StrCat(Metadata("onnx_hier.confidence", "1.0"),
                                                    wire::Bytes(10, "of a later version"))));

  const MemoryFile again("");
  REQUIRE_OK(Write(tagged, TagEdits(tagged, Annotate(tagged)), Destination::Stream(again.fd())));
  CHECK(again.Read() == file.Read());
  const MemoryFile stripped("");
  REQUIRE_OK(Write(tagged, StripEdits(tagged), Destination::Stream(stripped.fd())));
  CHECK(stripped.Read() == in);
}

// Of three models, one is too large to be read whole, and one is not in a file.
TEST_CASE("a sink gets the same bytes as a file, and is told how many") {
  struct CountingSink : StringSink {
    absl::Status Expect(uint64_t bytes) override {
      expected = bytes;
      return StringSink::Expect(bytes);
    }
    uint64_t expected = 0;
  };
  const TempFolder folder;
  const std::string weights(5 << 20, 'w');
  const std::string large = wire::Model(
      wire::Graph(wire::Node("Add", {"x", "w"}, {"y"}, "/encoder/Add") +
                  wire::Initializer("w", {static_cast<int64_t>(weights.size() / 4)}, weights)));
  for (const std::string& bytes : {Bytes(), large}) {
    const std::string in = folder.Write("m.onnx", bytes);
    WriteOptions options = Quick();
    options.replace = true;
    REQUIRE_OK(Tag(in, folder / "out", options));
    for (const bool in_memory : {false, true}) {
      const Model model = Value(in_memory ? Model::FromMemory(bytes) : Model::Open(in));
      CountingSink sink;
      REQUIRE_OK(Write(model, TagEdits(model, Annotate(model)), Destination::Sink(sink)));
      const bool same = sink.text() == ReadFile(folder / "out");
      CHECK(same);
      CHECK(sink.expected == sink.text().size());
    }
  }
}

TEST_CASE("a sink's error ends the writing, and files that go with it do not appear") {
  struct FullSink : ByteSink {
    absl::Status Append(absl::string_view) override { return absl::ResourceExhaustedError("full"); }
  };
  const TempFolder folder;
  const Model model = Value(Model::FromMemory(Bytes()));
  const Edits tags = TagEdits(model, Annotate(model));
  FullSink sink;
  const std::vector<Output> outputs = {{tags, Destination::File(folder / "out")},
                                       {tags, Destination::Sink(sink)}};
  CHECK_ERROR(Write(model, outputs, Quick()), kResourceExhausted, "full");
  CHECK(folder.List().empty());
}

TEST_CASE("texts of nodes can be had without writing") {
  const Model model = Value(Model::FromMemory(Bytes()));
  StringSink tagged_bytes;
  const Edits tags = TagEdits(model, Annotate(model), GivenNames(model.graph()));
  REQUIRE_OK(Write(model, tags, Destination::Sink(tagged_bytes)));
  const Model tagged = Value(Model::FromMemory(tagged_bytes.text()));
  const std::vector<NodeText> texts = tags.NodeTexts();
  REQUIRE(texts.size() == 3);
  for (const NodeText& text : texts) {
    CHECK(text.present);
    CHECK(!text.is_name);
    CHECK(text.text == tagged.graph().doc_string(text.node));
  }
  // What stripping makes of them: back as they were, also none at all.
  const Edits strips = StripEdits(tagged);
  for (const NodeText& text : strips.NodeTexts()) {
    CHECK(text.present == model.graph().has_doc_string(text.node));
    CHECK(text.text == model.graph().doc_string(text.node));
  }
  const Model nameless =
      Value(Model::FromBytes(wire::Model(wire::Graph(wire::Node("Relu", {"x"}, {"y"}, "")))));
  const GivenNames names(nameless.graph());
  const Edits naming = TagEdits(nameless, Annotate(nameless), names);
  REQUIRE(naming.NodeTexts().size() == 2);
  CHECK(naming.NodeTexts()[1].is_name);
  CHECK(naming.NodeTexts()[1].text == names[NodeId(0)]);
}

TEST_CASE("a stream gets the same bytes as a file") {
  const TempFolder folder;
  const std::string in = folder.Write("m.onnx", Bytes());
  REQUIRE_OK(Tag(in, folder / "tagged", Quick()));
  const Model model = Value(Model::Open(in));
  const Annotation annotation = Annotate(model);
  const MemoryFile tagged("");
  CHECK_OK(Write(model, TagEdits(model, annotation), Destination::Stream(tagged.fd())));
  CHECK(tagged.Read() == ReadFile(folder / "tagged"));
  const Model again = Value(Model::Open(folder / "tagged"));
  const MemoryFile stripped("");
  CHECK_OK(Write(again, StripEdits(again), Destination::Stream(stripped.fd())));
  CHECK(stripped.Read() == Bytes());
  const Document document = SidecarOf(model, annotation);
  const MemoryFile sidecar("");
  CHECK_OK(Write(model, {{document, Destination::Stream(sidecar.fd())}}));
  REQUIRE_OK(Write(model, {{document, Destination::File(folder / "s.json")}}, Quick()));
  CHECK(sidecar.Read() == ReadFile(folder / "s.json"));
}

TEST_CASE("several models and texts: all of them or none") {
  const TempFolder folder;
  const Model model = Value(Model::Open(folder.Write("m.onnx", Bytes())));
  const Annotation annotation = Annotate(model);
  const Edits tags = TagEdits(model, annotation);
  const Edits nothing;
  const Document text("list", "two models");
  const MemoryFile stream("");
  const auto to = [&](const char* name) { return Destination::File(folder / name); };
  std::vector<Output> outputs = {{tags, to("a")},
                                 {nothing, to("b")},
                                 {text, to("list")},
                                 {text, Destination::Stream(stream.fd())}};
  REQUIRE_OK(Write(model, outputs, Quick()));
  CHECK(CountTagged(Value(Model::Open(folder / "a"))) == 3);
  CHECK(ReadFile(folder / "b") == Bytes());
  CHECK(ReadFile(folder / "list") == "two models");
  CHECK(stream.Read() == "two models");

  const List before = folder.List();
  outputs = {{tags, to("c")}, {nothing, to("b")}};
  CHECK_ERROR(Write(model, outputs, Quick()), kAlreadyExists, (folder / "b") + ": exists already");
  outputs = {{tags, to("c")}, {nothing, to("./c")}};
  CHECK_ERROR(Write(model, outputs, Quick()), kInvalidArgument, "./c: is the file of another");
  outputs = {{text, to("c")}, {text, Destination::Stream(1 << 20)}};
  CHECK_ERROR(Write(model, outputs, Quick()), kUnavailable, "list to a stream: ");
  CHECK(folder.List() == before);
}

TEST_CASE("edits of any kind, in place too; what does not fit leaves everything as it was") {
  const TempFolder folder;
  const std::string in = folder.Write("m.onnx", Bytes());
  const Model model = Value(Model::Open(in));
  Edits edits = TagEdits(model, Annotate(model));
  edits.SetMetadata(NodeId(0), "owner", "/encoder");
  edits.PutInAtEnd(model.graph().main_block(), wire::Bytes(3, "new") + wire::Bytes(4, "Neg"));
  edits.AddFunction(wire::Bytes(1, "F") + wire::Bytes(10, "d"));
  edits.RaiseIrVersion(10);
  WriteOptions options = Quick();
  options.in_place = true;
  const MemoryFile stream("");
  REQUIRE_OK(Write(model, edits, Destination::Stream(stream.fd())));
  REQUIRE_OK(Write(model, edits, Destination::File(in), options));
  CHECK(ReadFile(in) == stream.Read());
  const Model edited = Value(Model::Open(in));
  CHECK(CountTagged(edited) == 3);
  CHECK(edited.graph().node_count() == 4);
  CHECK(edited.graph().metadata(NodeId(0))[0].value == "/encoder");
  CHECK(edited.graph().info().ir_version == 10);

  edits.LeaveOut(NodeId(1));
  CHECK_ERROR(Write(model, edits, Destination::File(folder / "out"), Quick()), kInvalidArgument,
              "node 1 '/encoder/If' is left out and edited");
  CHECK(folder.List() == List{"m.onnx"});
}

TEST_CASE("a model in memory") {
  const TempFolder folder;
  const Model model = Value(Model::FromBytes(Bytes()));
  REQUIRE_OK(Tag(model, folder / "tagged", folder / "s.json", Quick()));
  const Model tagged = Value(Model::FromBytes(ReadFile(folder / "tagged")));
  CHECK(CountTagged(tagged) == 3);
  const MemoryFile stripped("");
  REQUIRE_OK(Write(tagged, StripEdits(tagged), Destination::Stream(stripped.fd())));
  CHECK(stripped.Read() == Bytes());
}

TEST_CASE("data files go again with a model that cannot be written") {
  const TempFolder from, to;
  const std::string in = from.Write(
      "m.onnx",
      wire::Model(wire::Graph(wire::Bytes(
          5, wire::Number(2, 1) + wire::Number(14, 1) +
                 wire::Bytes(13, wire::Bytes(1, "location") + wire::Bytes(2, "a/w.bin"))))));
  REQUIRE(mkdir((from / "a").c_str(), 0777) == 0);
  from.Write("a/w.bin", "weights");
  const std::atomic<bool> cancel{true};
  WriteOptions options = Quick();
  options.external_data = ExternalData::kCopy;
  options.cancel = &cancel;
  CHECK_ERROR(Tag(in, to / "m.onnx", options), kCancelled, "");
  CHECK(to.List() == List{});
  options.cancel = nullptr;
  REQUIRE_OK(Tag(in, to / "m.onnx", options));
  CHECK(to.List() == List{"a", "m.onnx"});
}

TEST_CASE("external data") {
  const TempFolder from, to;
  const std::string in = from.Write(
      "m.onnx",
      wire::Model(wire::Graph(wire::Bytes(
          5, wire::Number(2, 1) + wire::Number(14, 1) +
                 wire::Bytes(13, wire::Bytes(1, "location") + wire::Bytes(2, "w.bin"))))));
  from.Write("w.bin", "weights");
  WriteOptions options = Quick();
  CHECK_ERROR(Tag(in, to / "m.onnx", options), kFailedPrecondition, "--external-data");
  CHECK(to.List() == List{});
  CHECK_OK(Tag(in, from / "beside.onnx", options));
  options.external_data = ExternalData::kKeep;
  CHECK_OK(Tag(in, to / "kept.onnx", options));
  CHECK(to.List() == List{"kept.onnx"});
  options.external_data = ExternalData::kCopy;
  CHECK_OK(Tag(in, to / "copied.onnx", options));
  CHECK(ReadFile(to / "w.bin") == "weights");
}

}  // namespace
}  // namespace onnx_hier
