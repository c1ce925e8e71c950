// SPDX-License-Identifier: Apache-2.0

// The obvious way to tag a model, as a yardstick for time and memory: parse all of it with
// protobuf, set every node's doc_string, serialize all of it.
//
//   naive_tag IN.onnx OUT.onnx
//
// The tag is the node's name up to its last slash. Nothing is worked out from the graph, no sidecar
// is written, and names go into the JSON unescaped: whatever this program costs, a real tagger on
// the same base costs more.

#include <onnx/onnx_pb.h>

#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

namespace {

constexpr int kFailed = 2;

std::string DocString(const std::string& node_name) {
  const std::string::size_type slash = node_name.rfind('/');
  std::string tag = "/";
  if (slash != std::string::npos && slash != 0) tag.assign(node_name, 0, slash);
  std::string doc;
  doc.append("{\"hierarchy_tags\":[\"").append(tag);
  doc.append("\"],\"hierarchy_path\":\"").append(tag);
  doc.append("\",\"hierarchy_count\":1,\"hierarchy_method\":\"node_name\"");
  doc.append(",\"hierarchy_confidence\":1.0}");
  return doc;
}

// Tags the nodes of `nodes` and puts the graphs nested in them on `pending`.
template <typename Nodes>
void TagNodes(Nodes& nodes, std::vector<onnx::GraphProto*>& pending) {
  for (onnx::NodeProto& node : nodes) {
    node.set_doc_string(DocString(node.name()));
    for (onnx::AttributeProto& attribute : *node.mutable_attribute()) {
      if (attribute.has_g()) pending.push_back(attribute.mutable_g());
      for (onnx::GraphProto& graph : *attribute.mutable_graphs()) pending.push_back(&graph);
    }
  }
}

void TagModel(onnx::ModelProto& model) {
  std::vector<onnx::GraphProto*> pending = {model.mutable_graph()};
  for (onnx::FunctionProto& function : *model.mutable_functions()) {
    TagNodes(*function.mutable_node(), pending);
  }
  while (!pending.empty()) {
    onnx::GraphProto* graph = pending.back();
    pending.pop_back();
    TagNodes(*graph->mutable_node(), pending);
  }
}

int Fail(const char* what, const char* path) {
  std::fprintf(stderr, "naive_tag: cannot %s %s\n", what, path);
  return kFailed;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("usage: naive_tag IN.onnx OUT.onnx\n", stderr);
    return kFailed;
  }
  onnx::ModelProto model;
  std::ifstream in(argv[1], std::ios::binary);
  if (!in || !model.ParseFromIstream(&in)) return Fail("parse", argv[1]);
  TagModel(model);
  std::ofstream out(argv[2], std::ios::binary);
  if (!out || !model.SerializeToOstream(&out)) return Fail("serialize to", argv[2]);
  out.close();
  return out ? 0 : Fail("write", argv[2]);
}
