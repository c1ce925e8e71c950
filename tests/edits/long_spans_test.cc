// SPDX-License-Identifier: Apache-2.0
#include "lib/edits/long_spans.h"

#include <algorithm>
#include <deque>
#include <string>
#include <vector>

#include "tests/edits/splices.h"
#include "tests/support/wire.h"

namespace onnx_hier {
namespace {

using testing::DocsOf;
using testing::Edited;
using testing::EditsTo;
using testing::Scan;
using testing::Scanned;
using testing::Value;
using wire::Bytes;

constexpr uint64_t kShortest = 300;
constexpr size_t kWeights = 500;

std::vector<uint64_t> SpansOf(const std::string& file) {
  return LongSpans(Value(Scan(file)).model, file.size(), kShortest);
}

std::string RepeatedBytes(char fill) {
  return wire::Initializer(std::string(1, fill), {1}, std::string(kWeights, fill));
}

// A node that holds weights.
std::string Constant(char fill, const std::string& fields = "") {
  const std::string tensor = wire::Number(2, 1) + Bytes(9, std::string(kWeights, fill));
  return wire::Node("Constant", {}, {"c"}, "", wire::Attribute("value", Bytes(5, tensor)) + fields);
}

// The file with these doc_strings, padded; `untagged` is what it had at first.
std::string Padded(const std::string& file, const std::vector<std::string>& texts,
                   const std::vector<DocEdit>& untagged) {
  const Scanned scanned = Value(Scan(file));
  std::vector<DocEdit> edits = EditsTo(texts);
  KeptTexts padded;
  AlignSpans(scanned.model, LongSpans(scanned.model, file.size(), kShortest), untagged, edits,
             padded);
  return Edited(file, edits);
}

// The same, with what must hold: weights are whole blocks further, texts differ in spaces at the
// end only, and neither a second time nor the way by way of other tags makes a difference.
std::string Checked(const std::string& file, const std::vector<std::string>& texts) {
  const std::string tagged = Padded(file, texts, {});
  const std::vector<uint64_t> before = SpansOf(file);
  const std::vector<uint64_t> after = SpansOf(tagged);
  REQUIRE(before.size() == after.size());
  for (size_t i = 0; i < before.size(); ++i) CHECK((after[i] - before[i]) % kDiskBlock == 0);

  const Scanned scanned = Value(Scan(tagged));
  for (size_t i = 0; i < texts.size(); ++i) {
    const absl::string_view text = scanned.model.graph.doc_string(NodeId(i));
    CHECK((text.substr(0, texts[i].size()) == texts[i]));
    CHECK(text.find_first_not_of(' ', texts[i].size()) == absl::string_view::npos);
  }

  const Scanned plain = Value(Scan(file));
  const std::vector<DocEdit> untagged = DocsOf(plain.model);
  CHECK((Edited(tagged, untagged) == file));
  CHECK((Padded(tagged, texts, untagged) == tagged));
  const std::vector<std::string> others(texts.size(), "other");
  CHECK((Padded(Padded(file, others, {}), texts, untagged) == tagged));
  CHECK((Padded(Edited(file, {{NodeId(0), true, "not padded"}}), texts, untagged) == tagged));
  return tagged;
}

TEST_CASE("spans lie between lengths and doc_strings, whether these are there or not") {
  const auto file = [](const std::string& doc) {
    return wire::Model(wire::Graph(wire::Node("A", {}, {}, "", doc) + RepeatedBytes('x') +
                                   RepeatedBytes('y') +
                                   Constant('z', doc + wire::Domain(std::string(400, 'd'))) +
                                   wire::Node("B", {}, {}, "", doc)) +
                       wire::Function("d", "F", {}, {}, wire::FunctionNode("C", {}, {}) + doc));
  };
  for (const char* doc : {"", "doc", "longer doc"}) {
    CAPTURE(doc);
    const std::string bytes = file(*doc == 0 ? "" : wire::Doc(doc));
    const std::vector<uint64_t> spans = SpansOf(bytes);
    REQUIRE(spans.size() == 3);
    CHECK(bytes.compare(spans[0], RepeatedBytes('x').size(), RepeatedBytes('x')) == 0);
    CHECK(bytes.compare(spans[1], 2, Bytes(2, "c").substr(0, 2)) == 0);
    CHECK(bytes.compare(spans[2], 2, Bytes(7, std::string(400, 'd')).substr(0, 2)) == 0);
  }
  CHECK(SpansOf(wire::Model(wire::Graph(wire::Node("A", {}, {})))).empty());
  CHECK(SpansOf(wire::Model(wire::Graph(RepeatedBytes('x')))).size() == 1);
}

TEST_CASE("lengths at their borders") {
  const std::string file = wire::Model(wire::Graph(wire::Node("N", {}, {}, "n", wire::Domain("d")) +
                                                   RepeatedBytes('x') + wire::Output("y")));
  for (size_t size : {127, 128, 4096, 16383, 16384, 2097151, 2097152}) {
    // So that the text, the node or the graph would come to that length, or does with padding.
    for (size_t less = 0; less<600; less += size> 1000000 ? 97 : 1) {
      if (less > size) break;
      CAPTURE(size);
      CAPTURE(less);
      const std::string tagged = Checked(file, {std::string(size - less, 't')});
      CHECK(tagged.size() - file.size() - (size - less) < kDiskBlock + 20);
    }
  }
}

TEST_CASE("weights in several places: each has its own padding") {
  const std::string body =
      wire::Node("In", {}, {}, "i") + RepeatedBytes('x') + wire::Node("In", {}, {});
  const std::string file = wire::Model(
      wire::Graph(wire::Node("A", {}, {}) + Constant('u') + Constant('v', wire::Doc("was here")) +
                  wire::NestedIfs(5, body) + RepeatedBytes('w') + wire::Node("Z", {}, {})) +
      wire::Function("d", "F", {}, {},
                     wire::FunctionNode("N", {}, {}) + wire::FunctionNode("N", {}, {})));
  const size_t nodes = Value(Scan(file)).model.graph.node_count();
  REQUIRE(SpansOf(file).size() == 4);
  for (size_t size = 0; size < 300; ++size) {
    std::vector<std::string> texts;
    for (size_t i = 0; i < nodes; ++i) texts.push_back(std::string(size + i, 't'));
    const std::string tagged = Checked(file, texts);
    CHECK(tagged.size() < file.size() + nodes * (size + 40) + 4 * kDiskBlock);
  }
}

TEST_CASE("a length in front grows because of a text behind") {
  const std::string file = wire::Model(
      wire::Graph(wire::Node("A", {}, {}) + RepeatedBytes('x') + wire::Node("Z", {}, {}, "z")));
  for (size_t size = 0; size < 20000; size += size % 4096 == 0 ? 11000 : 31) {
    Checked(file, {"text", std::string(size, 't')});
  }
  for (size_t less = 0; less < 40; ++less) {
    Checked(file, {"text", std::string(16384 - kWeights - 4096 - less, 't')});
  }
}

TEST_CASE("where no text stands in front, nothing is padded") {
  const std::string file = wire::Model(
      wire::Graph(RepeatedBytes('x') + wire::Node("A", {}, {}) + wire::Node("B", {}, {})));
  const std::vector<DocEdit> edits = {{NodeId(0), true, "a"}, {NodeId(1), true, "b"}};
  CHECK((Padded(file, {"a", "b"}, {}) == Edited(file, edits)));
}

}  // namespace
}  // namespace onnx_hier
