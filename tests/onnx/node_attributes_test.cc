// SPDX-License-Identifier: Apache-2.0
#include "lib/onnx/node_attributes.h"

#include <unistd.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/support/status.h"
#include "tests/support/temp_folder.h"
#include "tests/support/wire.h"

namespace onnx_hier {
namespace {

using testing::MemoryFile;
using testing::Value;
using wire::Attribute;
using wire::Number;

// Node 2 is in a branch of node 1, and 4 in a function.
std::string File() {
  const std::string branch =
      wire::Node("Cast", {"x"}, {"y"}, "", Attribute("to", Number(3, 10) + Number(20, 2)));
  return wire::Model(wire::Graph(
             wire::Node("Cast", {"x"}, {"y"}, "",
                        Attribute("to", Number(3, 7)) + wire::Doc("text") +
                            Attribute("saturate", Number(3, UINT64_MAX) + Number(20, 2))) +
             wire::Node("If", {"c"}, {"z"}, "", wire::Subgraph("then_branch", branch)) +
             wire::Node("Neg", {"z"}, {"n"}))) +
         wire::Function("d", "F", {"p"}, {"q"},
                        wire::FunctionNode("Cast", {"p"}, {"q"}, "",
                                           Attribute("to", wire::Bytes(21, "kind"))));
}

// "node name=integer" or "node name@reference" of each attribute of these nodes.
std::string IdsText(const std::vector<NodeId>& nodes) {
  const MemoryFile file(File());
  FileImage image = Value(FileImage::Open(file.path()));
  const ScannedModel model = Value(ScanModel(image));
  FileImage again = Value(image.Again());
  std::string text;
  for (const NodeAttribute& attribute : Value(ReadAttributes(again, model, nodes))) {
    absl::StrAppend(&text, attribute.node.index(), " ", attribute.name,
                    attribute.reference.empty() ? absl::StrCat("=", attribute.integer)
                                                : absl::StrCat("@", attribute.reference),
                    "; ");
  }
  return text;
}

TEST_CASE("attributes of nodes wherever they are") {
  CHECK(IdsText({}) == "");
  CHECK(IdsText({NodeId(3)}) == "");
  CHECK(IdsText({NodeId(0)}) == "0 to=7; 0 saturate=-1; ");
  CHECK(IdsText({NodeId(1), NodeId(3)}) == "1 then_branch=0; ");
  CHECK(IdsText({NodeId(0), NodeId(2), NodeId(4)}) ==
        "0 to=7; 0 saturate=-1; 2 to=10; 4 to@kind; ");
}

TEST_CASE("a file that was changed since it was scanned is an error") {
  const MemoryFile file(File());
  FileImage image = Value(FileImage::Open(file.path()));
  const ScannedModel model = Value(ScanModel(image));
  FileImage again = Value(image.Again());
  REQUIRE(pwrite(file.fd(), "xx", 2, static_cast<off_t>(File().size() - 1)) == 2);
  const std::vector<NodeId> nodes = {NodeId(0)};
  CHECK_ERROR(ReadAttributes(again, model, nodes), kAborted, "changed");
}

}  // namespace
}  // namespace onnx_hier
