// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "doctest/doctest.h"
#include "tests/audit/tagged_graph.h"

namespace onnx_hier {
namespace {

using testing::TaggedGraph;

// Three layers of class tags; node `wrong` is tagged `tag` instead.
std::string CheckClasses(int wrong, const std::string& tag, const ModuleMap& map = {}) {
  struct Part {
    const char* scope;
    const char* tag;
  };
  constexpr Part kParts[] = {{"/attn/q", "/Attention"}, {"/attn/k", "/Attention"},
                             {"/attn", "/Attention"},   {"/mlp/fc", "/Mlp"},
                             {"/mlp/act", "/Mlp"},      {"", ""}};
  TaggedGraph model;
  int i = 0;
  for (int layer = 0; layer < 3; ++layer) {
    for (const Part& part : kParts) {
      model.Node("Relu", {absl::StrCat("v", i)}, {absl::StrCat("v", i + 1)},
                 absl::StrCat("/h.", layer, part.scope, "/Relu"),
                 i == wrong ? tag : absl::StrCat("/Net/Block.", layer, part.tag));
      ++i;
    }
  }
  return model.Check(map);
}

TEST_CASE("numbers of class tags are learned") {
  CHECK(CheckClasses(-1, "") == "");
  CHECK(CheckClasses(7, "/Net/Block.2/Attention") ==
        "/h.1/attn/k/Relu: /Net/Block.2/Attention -> /Net/Block.1/Attention\n");
}

TEST_CASE("classes of scopes are learned") {
  CHECK(CheckClasses(7, "/Net/Block.1/Mlp") ==
        "/h.1/attn/k/Relu: /Net/Block.1/Mlp -> /Net/Block.1/Attention !\n");
  CHECK(CheckClasses(7, "/Net/Block.1") == "");
}

TEST_CASE("words of scopes tell the class where most tags are wrong") {
  TaggedGraph model;
  int i = 0;
  const auto add = [&](const std::string& scope, const std::string& tag) {
    model.Node("Relu", {absl::StrCat("v", i)}, {absl::StrCat("v", i + 1)}, scope + "/Relu", tag);
    ++i;
  };
  for (int layer = 0; layer < 3; ++layer) {
    const std::string scope = absl::StrCat("/h.", layer);
    const std::string tag = absl::StrCat("/Net/Block.", layer);
    add(scope + "/attention/self_part", tag + "/NetAttention/NetSelfPart");
    add(scope + "/attention/output", tag + "/NetAttention/NetSelfOutput");
    add(scope + "/intermediate", tag + (layer < 2 ? "/NetAttention" : "/NetIntermediate"));
    add(scope + "/intermediate/fc", tag + "/NetIntermediate");
  }
  CHECK(model.Check() ==
        "/h.0/intermediate/Relu: /Net/Block.0/NetAttention -> /Net/Block.0/NetIntermediate !\n"
        "/h.1/intermediate/Relu: /Net/Block.1/NetAttention -> /Net/Block.1/NetIntermediate !\n");
}

TEST_CASE("a module map makes learning needless") {
  const ModuleMap map = {{"", "my.Net"},
                         {"h", "torch.nn.modules.container.ModuleList"},
                         {"h.0", "my.Block"},
                         {"h.0.attn", "my.Attention"},
                         {"h.0.mlp", "my.Mlp"},
                         {"h.1", "my.Block"},
                         {"h.1.attn", "my.Attention"},
                         {"h.1.mlp", "my.Mlp"}};
  TaggedGraph model;
  model.Node("Relu", {"a"}, {"b"}, "/h.0/attn/Relu", "/Net/Block.0/Mlp");
  model.Node("Relu", {"b"}, {"c"}, "/h.1/mlp/Relu", "/Net/Block.0/Mlp");
  model.Node("Relu", {"c"}, {"d"}, "/h.1/attn/Relu", "/Net/Block.1/Attention");
  model.Node("Relu", {"d"}, {"e"}, "/h.1/Relu", "/Net");
  CHECK(model.Check(map) ==
        "/h.0/attn/Relu: /Net/Block.0/Mlp -> /Net/Block.0/Attention !\n"
        "/h.1/mlp/Relu: /Net/Block.0/Mlp -> /Net/Block.1/Mlp\n");
}

TEST_CASE("the members of a list may be of different classes, with one count for all") {
  TaggedGraph model;
  int i = 0;
  const auto add = [&](const std::string& scope, const std::string& tag) {
    model.Node("Relu", {absl::StrCat("v", i)}, {absl::StrCat("v", i + 1)}, scope + "/Relu", tag);
    ++i;
  };
  for (const char* block : {"0", "1"}) {
    const std::string scope = absl::StrCat("/block.", block, "/layer.");
    const std::string tag = absl::StrCat("/Net/Block.", block);
    for (int n = 0; n < 4; ++n) add(scope + "0", tag + "/Attention.0");
    for (int n = 0; n < 4; ++n) add(scope + "1", tag + "/Cross.1");
    add(scope + "2/act", tag + "/Mlp.2");
  }
  // One number right, one wrong: the class alone cannot tell which.
  add("/block.0/layer.2/fc", "/Net/Block.0/Mlp.1");
  CHECK(model.Check() == "/block.0/layer.2/fc/Relu: /Net/Block.0/Mlp.1 -> /Net/Block.0/Mlp.2\n");
}

TEST_CASE("with known classes: what tools leave out, and what they add") {
  const ModuleMap map = {{"", "my.Net"},
                         {"h", "torch.nn.modules.container.ModuleList"},
                         {"h.0", "my.Block"},
                         {"h.0.norm", "torch.nn.modules.normalization.LayerNorm"},
                         {"h.0.fc", "torch.nn.modules.linear.Linear"},
                         {"h.1", "my.Block"},
                         {"h.1.norm", "torch.nn.modules.normalization.LayerNorm"}};
  TaggedGraph bare;
  bare.Node("Relu", {"a"}, {"b"}, "/h.0/norm/Relu", "/Net/Block");
  bare.Node("Relu", {"b"}, {"c"}, "/h.1/norm/Relu", "/Net/Block/LayerNorm");
  bare.Node("Relu", {"c"}, {"d"}, "/h.1/Relu", "/Net/Other");
  CHECK(bare.Check(map) == "/h.1/Relu: /Net/Other -> /Net/Block !\n");
  TaggedGraph numbered;
  numbered.Node("Relu", {"a"}, {"b"}, "/h.0/norm/Relu", "/Net/Block.0/LayerNorm");
  numbered.Node("Relu", {"b"}, {"c"}, "/h.0/fc/Relu", "/Net/Block.1");
  numbered.Node("Relu", {"c"}, {"d"}, "/h.1/norm/Relu", "/Net/Block.0");
  CHECK(numbered.Check(map) ==
        "/h.0/fc/Relu: /Net/Block.1 -> /Net/Block.0\n"
        "/h.1/norm/Relu: /Net/Block.0 -> /Net/Block.1/LayerNorm\n");
}

}  // namespace
}  // namespace onnx_hier
