// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/text_graph.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace onnx_hier::fuzz {
namespace {

// A fuzzer spends its time on variety, not on size.
constexpr size_t kMostLines = 200;
// Deeper ones are refused by the reader of files.
constexpr int kDeepestText = 50;

class Builder {
 public:
  explicit Builder(testing::TestGraph& graph) : graph_(graph), main_(BlockId(0)) {}

  void Add(absl::string_view line) {
    if (line.empty()) return;
    switch (line[0]) {
      case '=':
        graph_.Initializer(line.substr(1), {2, 3});
        return;
      case '(': {
        const std::vector<std::string> names =
            absl::StrSplit(line.substr(1), absl::MaxSplits(' ', 1));
        In(graph_.Function(names[0], names.back()), 0);
        return;
      }
      case '{':
        if (last_.valid() && depth_ < kDeepestText) {
          In(graph_.Subgraph(last_, line.substr(1)), depth_ + 1);
        }
        return;
      case '}':
        In(main_, 0);
        return;
      default:
        AddNode(line);
    }
  }

 private:
  void In(BlockId block, int depth) {
    graph_.In(block);
    depth_ = depth;
    last_ = NodeId();
  }

  void AddNode(absl::string_view line) {
    const std::vector<std::string> parts = absl::StrSplit(line, '\t');
    const auto part = [&parts](size_t i) { return i < parts.size() ? parts[i] : std::string(); };
    std::vector<std::string> inputs = absl::StrSplit(part(2), ',');
    if (part(2).empty()) inputs = {previous_};
    std::vector<std::string> outputs = absl::StrSplit(part(3), ',');
    if (part(3).empty()) outputs = {absl::StrCat("v", made_++)};
    last_ = graph_.Node(part(1), inputs, outputs, part(0));
    previous_ = outputs[0];
    for (size_t i = 4; i < parts.size(); ++i) {
      const std::pair<absl::string_view, absl::string_view> pair =
          absl::StrSplit(parts[i], absl::MaxSplits('=', 1));
      graph_.Metadata(last_, pair.first, pair.second);
    }
  }

  testing::TestGraph& graph_;
  const BlockId main_;
  NodeId last_;  // of the graph that lines go to now
  int depth_ = 0;
  std::string previous_ = "x";
  size_t made_ = 0;
};

}  // namespace

void AddTextGraph(absl::string_view text, testing::TestGraph& graph) {
  Builder builder(graph);
  size_t lines = 0;
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    if (++lines > kMostLines) return;
    builder.Add(line);
  }
}

}  // namespace onnx_hier::fuzz
