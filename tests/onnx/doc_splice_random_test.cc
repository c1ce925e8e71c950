// Random small models, random edits: what must hold for each of them.

#include <algorithm>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "lib/onnx/long_spans.h"
#include "tests/onnx/splices.h"
#include "tests/support/random.h"
#include "tests/support/wire.h"

namespace onnx_hier {
namespace {

using testing::DocsOf;
using testing::Edited;
using testing::Random;
using testing::Scan;
using testing::Scanned;
using testing::Value;
using testing::WithoutDocs;

// Writes models. With `odd` also what no serializer writes: padded lengths, fields given twice.
class ModelMaker {
 public:
  ModelMaker(Random& random, bool odd) : random_(random), odd_(odd) {}

  std::string Model() {
    std::vector<std::string> fields = {wire::Number(1, 8), Message(7, GraphFields(0))};
    if (odd_ && random_.OneIn(4)) fields.push_back(Message(7, GraphFields(0)));
    if (random_.OneIn(3)) fields.push_back(Message(20, Message(2, GraphFields(1))));
    if (random_.OneIn(3)) fields.push_back(Message(25, NodesIn(7, 1) + wire::Bytes(1, "F")));
    // First a byte that no text has.
    return wire::Number(5, 1) + Shuffled(std::move(fields));
  }

  std::string Text() {
    constexpr size_t kSizes[] = {0, 1, 5, 30, 100, 120, 126, 127, 128, 130, 250, 16380, 16384};
    // Long ones are rare: they cost time and little can be learnt from them.
    const size_t size = kSizes[random_.Below(random_.OneIn(20) ? 13 : 11)];
    return std::string(size, static_cast<char>('a' + random_.Below(26)));
  }

 private:
  std::string Message(uint32_t field, const std::string& contents) {
    const bool padded = odd_ && random_.OneIn(5);
    return wire::Bytes(field, contents, padded ? 1 + static_cast<int>(random_.Below(5)) : 1);
  }

  std::string Unknown() {
    switch (random_.Below(4)) {
      case 0:
        return wire::Group(100, wire::Bytes(6, "in a group"));
      case 1:
        return wire::Bytes(200, wire::Doc("not a doc_string"));
      case 2:
        return wire::Fixed32(300);
      default:
        return wire::Number(6, 7);  // a doc_string of the wrong type
    }
  }

  std::string GraphFields(int depth) {
    std::string fields = NodesIn(1, depth);
    if (random_.OneIn(2)) fields += wire::Initializer("w", {3}, "0123456789ab");
    if (random_.OneIn(4)) fields = Unknown() + fields;
    if (random_.OneIn(2)) fields += NodesIn(1, depth);
    return fields;
  }

  std::string NodesIn(uint32_t field, int depth) {
    std::string nodes;
    for (uint64_t n = random_.Below(depth == 0 ? 6 : 3); n > 0; --n) {
      nodes += Message(field, NodeFields(depth));
    }
    return nodes;
  }

  std::string NodeFields(int depth) {
    std::vector<std::string> fields = {wire::Bytes(4, "Op")};
    if (random_.OneIn(2)) fields.push_back(wire::Bytes(1, "x"));
    if (random_.OneIn(2)) fields.push_back(wire::Bytes(3, std::string(random_.Below(60), 'n')));
    if (random_.OneIn(3)) fields.push_back(wire::Domain("d"));
    if (random_.OneIn(6)) fields.push_back(Unknown());
    const uint64_t docs = random_.OneIn(2) ? 0 : odd_ ? random_.Below(4) : 1;
    for (uint64_t i = 0; i < docs; ++i) fields.push_back(Message(6, Text()));
    while (depth < 4 && random_.OneIn(3)) {
      std::string attribute = Message(random_.OneIn(3) ? 11 : 6, GraphFields(depth + 1));
      // Before the list, as ModelText() has it.
      if (odd_ && random_.OneIn(4)) attribute = Message(6, GraphFields(depth + 1)) + attribute;
      if (random_.OneIn(2)) attribute += wire::Bytes(1, "body");
      fields.push_back(Message(5, attribute));
    }
    return Shuffled(std::move(fields));
  }

  std::string Shuffled(std::vector<std::string> fields) {
    std::string out;
    while (!fields.empty()) {
      const size_t next = random_.OneIn(2) ? 0 : random_.Below(fields.size());
      out += fields[next];
      fields.erase(fields.begin() + static_cast<std::ptrdiff_t>(next));
    }
    return out;
  }

  Random& random_;
  const bool odd_;
};

// Edits of some nodes. Where a doc_string is to come back to its place, none is taken away.
std::vector<DocEdit> RandomEdits(const Graph& graph, bool take_away, Random& random,
                                 ModelMaker& maker, std::deque<std::string>& texts) {
  std::vector<DocEdit> edits;
  for (NodeId id : graph.node_ids()) {
    if (random.OneIn(4)) continue;
    const bool present = !take_away || !random.OneIn(3);
    texts.push_back(present ? maker.Text() : "");
    edits.push_back({id, present, texts.back()});
  }
  return edits;
}

std::string Aligned(const std::string& file, const Scanned& scanned,
                    const std::vector<DocEdit>& untagged, std::vector<DocEdit> edits) {
  // Nearly every place between two doc_strings.
  const std::vector<uint64_t> spans = LongSpans(scanned.model, file.size(), 10);
  std::deque<std::string> texts;
  AlignSpans(scanned.model, spans, untagged, edits, texts);
  return Edited(file, edits);
}

// The file with the edits, padded, has each span that has an edit in front in the same place of a
// block. Only texts differ, by spaces, and what was there first makes no difference. Not all of
// this holds for odd files.
void CheckAligned(const std::string& file, const Scanned& before, const std::vector<DocEdit>& edits,
                  bool odd) {
  const std::string aligned = Aligned(file, before, {}, edits);
  const Scanned after = Value(Scan(aligned));
  for (const DocEdit& edit : edits) {
    const absl::string_view text = after.model.graph.node(edit.node).doc_string;
    REQUIRE((text.substr(0, edit.text.size()) == edit.text));
    CHECK(text.find_first_not_of(' ', edit.text.size()) == absl::string_view::npos);
  }
  if (odd) return;
  const std::vector<uint64_t> old_spans = LongSpans(before.model, file.size(), 10);
  const std::vector<uint64_t> spans = LongSpans(after.model, aligned.size(), 10);
  REQUIRE(spans.size() == old_spans.size());
  for (const DocEdit& edit : edits) {
    const uint64_t at = after.model.frames[after.model.node_frames[edit.node]].doc_at;
    const auto span = std::lower_bound(spans.begin(), spans.end(), at);
    if (span == spans.end()) continue;
    CHECK((*span - old_spans[static_cast<size_t>(span - spans.begin())]) % kDiskBlock == 0);
  }
  CHECK((Aligned(aligned, after, DocsOf(before.model), edits) == aligned));
  const std::string loose = Edited(file, edits);
  CHECK((Aligned(loose, Value(Scan(loose)), DocsOf(before.model), edits) == aligned));
}

void CheckOne(uint64_t seed, bool odd) {
  CAPTURE(seed);
  CAPTURE(odd);
  Random random(seed);
  ModelMaker maker(random, odd);
  const std::string file = maker.Model();
  const Scanned before = Value(Scan(file));
  CHECK((testing::ModelText(before.model.graph) == testing::ModelText(testing::ParseModel(file))));
  std::deque<std::string> texts;
  const std::vector<DocEdit> edits = RandomEdits(before.model.graph, odd, random, maker, texts);
  const std::string edited = Edited(file, edits);
  REQUIRE((WithoutDocs(edited) == WithoutDocs(file)));

  const Scanned after = Value(Scan(edited));
  std::vector<DocEdit> expected = DocsOf(before.model);
  for (const DocEdit& edit : edits) expected[edit.node.index()] = edit;
  const std::vector<DocEdit> found = DocsOf(after.model);
  REQUIRE(found.size() == expected.size());
  for (size_t i = 0; i < found.size(); ++i) {
    CHECK(found[i].present == expected[i].present);
    CHECK((found[i].text == expected[i].text));
  }
  CHECK((Edited(edited, edits) == edited));
  if (!odd) CHECK((Edited(edited, DocsOf(before.model)) == file));
  CheckAligned(file, before, edits, odd);
}

TEST_CASE("models as serializers write them, in any order of fields") {
  for (uint64_t seed = 0; seed < 2000; ++seed) CheckOne(seed, /*odd=*/false);
}

TEST_CASE("models that no serializer writes") {
  for (uint64_t seed = 0; seed < 2000; ++seed) CheckOne(seed, /*odd=*/true);
}

}  // namespace
}  // namespace onnx_hier
