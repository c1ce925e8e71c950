// SPDX-License-Identifier: Apache-2.0

// What shows in a file of who exported it: how often each kind of name is there.
#ifndef ONNX_HIER_LIB_NAMES_EXPORTER_TRACES_H_
#define ONNX_HIER_LIB_NAMES_EXPORTER_TRACES_H_

#include <cstddef>
#include <optional>

#include "absl/strings/string_view.h"
#include "lib/names/metadata_scope.h"
#include "onnx_hier/graph.h"

namespace onnx_hier {

class ExporterTraces {
 public:
  // `graph` must outlive this. Linear in its nodes and their values.
  explicit ExporterTraces(const Graph& graph);

  struct Names {
    size_t leading_slash = 0;      // of nodes or values
    size_t plain_slash = 0;        // "a/b/Op"
    size_t tensorflow_values = 0;  // "a/b:0"
    size_t dotted = 0;             // "p2o.Conv.3", "Conv.3"
    size_t paddle = 0;             // "p2o.Conv.3"
    size_t underscored = 0;        // "stage1_conv0_fwd"
    size_t dynamo = 0;             // "node_MatMul_12"
    size_t layers = 0;             // "conv2d_1", of a node and of what it makes
  };
  struct Functions {
    size_t of_modules = 0;  // of Python packages
    size_t custom = 0;      // in "custom." domains
    size_t torch = 0;       // that torch's own function library brings
  };
  struct Parameters {
    size_t of_modules = 0;  // "layer1.0.conv1.weight"
    size_t paddle = 0;      // "conv2d_0.w_0"
  };

  const Graph& graph() const { return graph_; }
  const Names& names() const { return names_; }
  const Functions& functions() const { return functions_; }
  // Found when first asked for: only where names do not tell already.
  const Parameters& parameters() const;
  bool has_ml_operators() const { return has_ml_operators_; }  // of the domain ai.onnx.ml

  // Whether more than half of the nodes are so many.
  bool AreMost(size_t count) const { return count * 2 > graph_.node_count(); }
  // Whether any node's metadata names modules in a format of that dialect.
  bool HasMetadataOf(absl::string_view dialect) const;
  // What the file says of who made it; tools that work on any model say nothing here.
  bool IsMadeBy(absl::string_view producer) const;
  bool IsMainGraph(absl::string_view name) const;
  // Whether its operators are of a domain that begins so.
  bool Imports(absl::string_view domain) const;

 private:
  void CountNodes();
  void CountFunctions();

  const Graph& graph_;
  Names names_;
  Functions functions_;
  bool has_ml_operators_ = false;
  MetadataDialects metadata_;
  mutable std::optional<Parameters> parameters_;
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_NAMES_EXPORTER_TRACES_H_
