// SPDX-License-Identifier: Apache-2.0

// Random small models, random edits: what must hold for each of them.

#include <algorithm>
#include <deque>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/edits/long_spans.h"
#include "tests/edits/model_maker.h"
#include "tests/edits/splices.h"
#include "tests/support/random.h"

namespace onnx_hier {
namespace {

using testing::DocsOf;
using testing::Edited;
using testing::ModelMaker;
using testing::Random;
using testing::Scan;
using testing::Scanned;
using testing::Value;
using testing::WithoutDocs;

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
  KeptTexts texts;
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
    const absl::string_view text = after.model.graph.doc_string(edit.node);
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

// What stays in one piece may be asked for; nothing longer than the file may.
void CheckKept(const Scanned& before, const std::vector<DocEdit>& edits, uint64_t size) {
  const Splices splices(before.model, edits);
  uint64_t from = 0;
  const auto keep = [&](uint64_t to) { CHECK(splices.MayKeep(to - from, size)); };
  CHECK_OK(splices.ForEach([&](const Splice& splice) {
    keep(splice.at);
    from = splice.at + splice.remove;
    return absl::OkStatus();
  }));
  keep(size);
  CHECK_FALSE(splices.MayKeep(size + 1, size));
}

// Copies of parts stand one behind the other.
void CheckParts(const std::string& file, const Scanned& before, const std::vector<DocEdit>& edits,
                const std::string& edited) {
  const Splices splices(before.model, edits);
  for (size_t count : {1, 2, 3, 8, 100}) {
    CAPTURE(count);
    std::string copy;
    uint64_t from = 0;
    const std::vector<Splices::Part> parts = splices.Parts(count);
    REQUIRE(parts.size() <= count);
    for (const Splices::Part& part : parts) {
      REQUIRE(part.from == from);
      REQUIRE(part.at == copy.size());
      CHECK_OK(splices.ForEachIn(part, [&](const Splice& splice) {
        copy.append(file, from, splice.at - from);
        absl::StrAppend(&copy, splice.insert, splice.text);
        from = splice.at + splice.remove;
        return absl::OkStatus();
      }));
      const uint64_t to = std::min<uint64_t>(part.to, file.size());
      copy.append(file, from, to - from);
      from = to;
    }
    CHECK((copy == edited));
  }
}

void CheckOne(uint64_t seed, bool odd) {
  CAPTURE(seed);
  CAPTURE(odd);
  Random random(seed);
  ModelMaker maker(random, {.odd = odd});
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
  CheckKept(before, edits, file.size());
  CheckParts(file, before, edits, edited);
}

TEST_CASE("models as serializers write them, in any order of fields") {
  for (uint64_t seed = 0; seed < testing::Rounds(500); ++seed) CheckOne(seed, /*odd=*/false);
}

TEST_CASE("models that no serializer writes") {
  for (uint64_t seed = 0; seed < testing::Rounds(500); ++seed) CheckOne(seed, /*odd=*/true);
}

}  // namespace
}  // namespace onnx_hier
