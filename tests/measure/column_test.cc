// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "doctest/doctest.h"
#include "onnx_hier/measures.h"
#include "tests/support/place.h"
#include "tests/support/test_graph.h"

namespace onnx_hier {
namespace {

using testing::Place;
using testing::TestGraph;

constexpr uint64_t kMost = std::numeric_limits<uint64_t>::max();

// "/", "/a", "/a/b" and "/c".
Annotation Modules() {
  TestGraph model;
  for (int i = 0; i < 3; ++i) model.Node("A", {}, {});
  return Place(model.Build(), {"a", "a.b", "c"});
}

ModuleId Find(const Annotation& annotation, absl::string_view tag) {
  for (ModuleId id : annotation.modules.ids()) {
    if (annotation.Tag(id) == tag) return id;
  }
  return ModuleId();
}

std::string Words(absl::Span<const WordAmount> words) {
  std::string text;
  for (const WordAmount& part : words) {
    absl::StrAppend(&text, text.empty() ? "" : " ", part.word, ":", part.amount.real());
  }
  return text;
}

TEST_CASE("whole numbers stay whole, and at the most there is") {
  Amount sum(uint64_t{7});
  CHECK((sum += Amount(uint64_t{3})).whole() == 10);
  CHECK((sum += Amount(kMost)).whole() == kMost);
  CHECK(sum.is_whole());
  CHECK_FALSE((sum += Amount(0.5)).is_whole());
  CHECK((Amount(uint64_t{7}) / 2).whole() == 3);
  CHECK((Amount(7.0) / 2).real() == 3.5);
  CHECK(Amount(-1.0).whole() == 0);
  CHECK(Amount(1e30).whole() == kMost);
  CHECK(Amount(kMost - 1) < Amount(kMost));
  CHECK(Amount(uint64_t{2}) == Amount(2.0));
}

TEST_CASE("sums by module") {
  const Annotation annotation = Modules();
  const ModuleId a = Find(annotation, "/a");
  const ModuleId b = Find(annotation, "/a/b");
  Column column({"loss", "loss"}, annotation.modules);
  column.Add(a, Amount(uint64_t{1}));
  column.Add(b, Amount(uint64_t{2}));
  column.Add(b, Amount(uint64_t{3}));
  column.Add(ModuleId(), Amount(uint64_t{10}));
  column.AddUnknown(b, 1);
  column.AddUp(annotation.modules);
  CHECK(column.figure(a).own.whole() == 1);
  CHECK(column.figure(a).total.whole() == 6);
  CHECK(column.figure(a).known == 3);
  CHECK(column.figure(a).unknown == 1);
  CHECK(column.figure(Find(annotation, "/c")).known == 0);
  CHECK(column.unplaced().total.whole() == 10);
  CHECK(column.whole().whole() == 16);
  const std::vector<ModuleId> both = {a, Find(annotation, "/c")};
  CHECK(FigureOf(column, both).total.whole() == 6);
}

TEST_CASE("means count each amount alike, the largest is the largest") {
  const Annotation annotation = Modules();
  for (const Adds adds : {Adds::kMean, Adds::kMost}) {
    Column column({"loss", "loss", MeasureUnit::kNumber, adds}, annotation.modules);
    column.Add(Find(annotation, "/a"), Amount(4.0));
    column.Add(Find(annotation, "/a/b"), Amount(1.0), 3);
    column.AddUp(annotation.modules);
    const double expected = adds == Adds::kMean ? 1.75 : 4;
    CHECK(column.figure(ModuleId(0)).total.real() == expected);
    CHECK(column.whole().real() == expected);
  }
}

TEST_CASE("words of a module and of all inside it") {
  const Annotation annotation = Modules();
  const ModuleId a = Find(annotation, "/a");
  Column column({"ep", "ep", MeasureUnit::kWords}, annotation.modules);
  const Amount one(uint64_t{1});
  column.AddPart(a, one, "CPU");
  column.AddPart(Find(annotation, "/a/b"), one, "GPU");
  column.AddPart(Find(annotation, "/a/b"), one, "GPU");
  column.AddPart(Find(annotation, "/c"), one, "CPU");
  column.AddPart(ModuleId(), one, "NPU");
  column.AddUp(annotation.modules);
  CHECK(Words(column.OwnWords(a)) == "CPU:1");
  CHECK(Words(column.WordsOf(a)) == "GPU:2 CPU:1");
  CHECK(Words(column.WordsOf(ModuleId(0))) == "CPU:2 GPU:2");
  CHECK(Words(column.UnplacedWords()) == "NPU:1");
  CHECK(Words(column.AllWords()) == "CPU:2 GPU:2 NPU:1");
  const std::vector<ModuleId> both = {Find(annotation, "/a/b"), Find(annotation, "/c")};
  CHECK(Words(WordsOf(column, both, Inside::kIncluded)) == "GPU:2 CPU:1");
}

}  // namespace
}  // namespace onnx_hier
