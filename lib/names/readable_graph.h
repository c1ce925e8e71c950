// SPDX-License-Identifier: Apache-2.0

// A graph whose names are read as the exporter wrote them, whatever tools put in front since.
//
//   m1_/encoder/layer.0/Add, m1_encoder.layer.0.weight   -> /m1/encoder/layer.0/Add,
//                                                           m1.encoder.layer.0.weight
//   m1_Conv_12, m1_encoder.conv.weight                   -> Conv_12, m1.encoder.conv.weight
//   encoder/encoder.0/Conv                               -> /encoder/encoder.0/Conv
//   net/conv/Relu_net/conv/BiasAdd                       -> net/conv/Relu;net/conv/BiasAdd
//   MatMul_/encoder/fc/MatMul                            -> /encoder/fc/MatMul
//   layers_0_fc_weight, _layers_0_fc_MatMul              -> layers.0.fc.weight, ...
//   v_model.layers.0.mlp.Mul_34                          -> /model/layers.0/mlp/Mul_output_0
//
// Programs that join models put a prefix in front of all names of each (onnx.compose.merge_models);
// others take off the first slash. A prefix is one more module on top. Which reading is right, a
// file tells by itself: nodes and the parameters that only they read name the same module. Where
// that is no more often so with another reading, names mean what they say. Several models in one
// file are read one by one: see joined_models.h.
#ifndef ONNX_HIER_LIB_NAMES_READABLE_GRAPH_H_
#define ONNX_HIER_LIB_NAMES_READABLE_GRAPH_H_

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "lib/graph/graph_part.h"
#include "lib/graph/renamed_graph.h"
#include "lib/names/joined_models.h"
#include "lib/names/name_sureness.h"
#include "onnx_hier/graph.h"

namespace onnx_hier {

class BuilderValues;
struct Wording;

class ReadableGraph {
 public:
  struct Model;

  // `graph` must outlive this. Linear in its names.
  explicit ReadableGraph(const Graph& graph) : ReadableGraph(graph, Prefix::kUnknown, "") {}
  ~ReadableGraph();
  ReadableGraph(const ReadableGraph&) = delete;
  ReadableGraph& operator=(const ReadableGraph&) = delete;

  // With the same ids. The one it was made of, if its names are read as they are.
  const Graph& graph() const { return renamed_.has_value() ? renamed_->graph() : graph_; }
  const NameSureness& sureness() const { return sureness_; }
  // The module that stands for the prefix of all names, of which metadata knows nothing; "": none.
  absl::string_view top() const { return top_; }
  // Those that were joined into the file; empty: it is one.
  const std::vector<std::unique_ptr<Model>>& models() const { return models_; }

 private:
  enum class Prefix { kUnknown, kNone, kGiven };

  // `given`: what names begin with, where that is known.
  ReadableGraph(const Graph& graph, Prefix prefix, absl::string_view given);
  // `reading` gives the name of each as it is read; the second argument is where one is kept that
  // has to be made.
  template <class Reading>
  RenamedGraph Renamed(const Graph& graph, const Reading& reading);
  void ReadBehindPrefix(const Graph& read, const Wording& wording, const BuilderValues& built,
                        Prefix prefix);
  bool ReadModels(std::vector<JoinedModel> models);
  void TakeNames(const Model& model, RenamedGraph& renamed) const;

  const Graph& graph_;
  NameSureness sureness_;
  absl::string_view top_;
  std::deque<std::string> names_;
  std::deque<std::string> names_below_;  // those that are read behind prefixes
  std::optional<RenamedGraph> renamed_;
  std::vector<std::unique_ptr<Model>> models_;
};

// One of several models, as a file of its own.
struct ReadableGraph::Model {
  explicit Model(JoinedModel joined);

  GraphPart part;
  ReadableGraph readable;  // of the part
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_NAMES_READABLE_GRAPH_H_
