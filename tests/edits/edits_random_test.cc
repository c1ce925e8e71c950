// SPDX-License-Identifier: Apache-2.0

// Random edits of every kind, of random and of real models, against protobuf.

#include <string>
#include <vector>

#include "tests/edits/model_maker.h"
#include "tests/edits/twin_edits.h"
#include "tests/support/model_files.h"
#include "tests/support/status.h"
#include "tests/support/temp_folder.h"

namespace onnx_hier {
namespace {

using testing::Canonical;
using testing::ModelMaker;
using testing::Random;
using testing::TwinEdits;

// Makes edits that fit together: what goes is known first.
class Editor {
 public:
  Editor(Random& random, ModelMaker& maker, TwinEdits& twin)
      : random_(random), maker_(maker), twin_(twin), graph_(twin.graph()) {}

  void Edit() {
    ChooseWhatGoes();
    for (NodeId node : graph_.node_ids()) {
      if (!gone_nodes_[node.index()]) EditNode(node);
    }
    for (BlockId block : graph_.block_ids()) {
      if (!gone_blocks_[block.index()]) EditBlock(block);
    }
    EditModel();
  }

 private:
  void ChooseWhatGoes() {
    gone_nodes_.assign(graph_.node_count(), false);
    gone_blocks_.assign(graph_.block_count(), false);
    const bool no_training = random_.OneIn(3);
    if (no_training) twin_.LeaveOutTraining();
    for (BlockId block : graph_.block_ids()) {
      if (no_training && graph_.block(block).kind == BlockKind::kTraining) {
        gone_blocks_[block.index()] = true;
      }
      if (graph_.block(block).kind != BlockKind::kFunction || !random_.OneIn(4)) continue;
      gone_blocks_[block.index()] = true;
      twin_.LeaveOut(block);
    }
    for (NodeId node : graph_.node_ids()) {
      const bool gone = gone_blocks_[graph_.node(node).block.index()];
      if (!gone && random_.OneIn(3)) PutInBefore(node);
      if (!gone && !random_.OneIn(4)) continue;
      if (!gone) twin_.LeaveOut(node);
      gone_nodes_[node.index()] = true;
      for (BlockId block : graph_.blocks(node)) gone_blocks_[block.index()] = true;
    }
  }

  void PutInBefore(NodeId node) {
    while (random_.OneIn(2)) twin_.PutInBefore(node, NodeBytes());
  }

  void EditNode(NodeId node) {
    if (random_.OneIn(3))
      twin_.SetDocString(node, maker_.Text());
    else if (random_.OneIn(5))
      twin_.RemoveDocString(node);
    if (random_.OneIn(3))
      twin_.SetName(node, maker_.Text());
    else if (random_.OneIn(5))
      twin_.RemoveName(node);
    if (random_.OneIn(3)) twin_.SetMetadata(node, "key", maker_.Text());
    if (random_.OneIn(5)) twin_.RemoveMetadata(node, "other");
  }

  void EditBlock(BlockId block) {
    while (random_.OneIn(3)) twin_.PutInAtEnd(block, NodeBytes());
    for (size_t i = 0; i < graph_.inputs(block).size(); ++i) {
      if (random_.OneIn(3))
        twin_.LeaveOutInput(block, i);
      else if (random_.OneIn(3))
        twin_.SetInput(block, i, Value(block));
    }
    for (size_t i = 0; i < graph_.outputs(block).size(); ++i) {
      if (random_.OneIn(3))
        twin_.LeaveOutOutput(block, i);
      else if (random_.OneIn(3))
        twin_.SetOutput(block, i, Value(block));
    }
    if (random_.OneIn(3)) twin_.AddInput(block, Value(block));
    if (random_.OneIn(3)) twin_.AddOutput(block, Value(block));
    if (graph_.block(block).kind == BlockKind::kFunction) return;
    if (random_.OneIn(3)) twin_.LeaveOutValueInfo(block, "x");
    if (random_.OneIn(3)) twin_.LeaveOutQuantization(block, "x");
    for (TensorId tensor : graph_.tensor_ids()) {
      if (graph_.tensor(tensor).block == block && random_.OneIn(3)) twin_.LeaveOut(tensor);
    }
  }

  void EditModel() {
    while (random_.OneIn(4)) twin_.AddFunction(wire::Bytes(7, NodeBytes()) + wire::Bytes(10, "d"));
    if (random_.OneIn(3)) twin_.SetMetadata("key", maker_.Text());
    if (random_.OneIn(5)) twin_.RemoveMetadata("other");
    if (random_.OneIn(3)) twin_.ImportOpset("d", 1);
    if (random_.OneIn(3)) twin_.RaiseIrVersion(static_cast<int64_t>(random_.Below(300)));
  }

  std::string NodeBytes() { return wire::Bytes(3, maker_.Text()) + wire::Bytes(4, "New"); }
  // Never empty.
  std::string Value(BlockId block) {
    const std::string name = "v" + maker_.Text();
    return graph_.block(block).kind == BlockKind::kFunction ? name : wire::Bytes(1, name);
  }

  Random& random_;
  ModelMaker& maker_;
  TwinEdits& twin_;
  const Graph& graph_;
  std::vector<bool> gone_nodes_, gone_blocks_;
};

TEST_CASE("of files as protobuf writes them, the same bytes") {
  for (uint64_t seed = 0; seed < 600; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    ModelMaker maker(random, {.unknown = false, .declarations = true});
    TwinEdits twin(testing::ParseModel(maker.Model()).SerializeAsString());
    Editor(random, maker, twin).Edit();
    REQUIRE((twin.Ours() == twin.Theirs()));
  }
}

TEST_CASE("of real files, the same model") {
  size_t files = 0;
  for (const std::string& path : testing::ModelFiles()) {
    CAPTURE(path);
    const std::string bytes = testing::ReadFile(path);
    const bool canonical = testing::ParseModel(bytes).SerializeAsString() == bytes;
    Random random(++files);
    ModelMaker maker(random, {});
    TwinEdits twin(bytes);
    Editor(random, maker, twin).Edit();
    const std::string ours = twin.Ours();
    const std::string theirs = twin.Theirs();
    if (canonical) CHECK((ours == theirs));
    CHECK((Canonical(ours) == Canonical(theirs)));
  }
  CHECK(files > 0);
}

TEST_CASE("of any files, the same model") {
  for (uint64_t seed = 0; seed < 600; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    ModelMaker maker(random, {.odd = true, .declarations = true});
    TwinEdits twin(maker.Model());
    Editor(random, maker, twin).Edit();
    REQUIRE((Canonical(twin.Ours()) == Canonical(twin.Theirs())));
  }
}

}  // namespace
}  // namespace onnx_hier
