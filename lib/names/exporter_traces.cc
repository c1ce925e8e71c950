// SPDX-License-Identifier: Apache-2.0
#include "lib/names/exporter_traces.h"

#include <algorithm>
#include <vector>

#include "absl/strings/match.h"
#include "lib/graph/parameter_parts.h"
#include "lib/names/derived_name.h"
#include "lib/names/number.h"
#include "lib/names/parameter_name.h"
#include "lib/names/wording.h"

namespace onnx_hier {
namespace {

bool IsDottedCounter(absl::string_view name) {
  const size_t dot = name.rfind('.');
  return dot != absl::string_view::npos && dot > 0 && IsNumber(name.substr(dot + 1));
}

void CountName(const Graph& graph, NodeId id, ExporterTraces::Names& names) {
  const absl::string_view name = graph.node(id).name;
  const absl::string_view op_type = graph.op(id).type;
  const size_t slash = absl::StartsWith(name, "/") ? 0 : name.find('/');
  const bool has_slash = slash != absl::string_view::npos;
  if (slash == 0 || (has_slash && absl::StartsWith(OriginalNames(name).front(), "/"))) {
    ++names.leading_slash;
  } else if (has_slash) {
    // "relu_Grad/Relu_0" is what training tools append; a hierarchy goes deeper.
    if (name.find('/', slash + 1) != absl::string_view::npos) ++names.plain_slash;
  } else if (WithoutCounter(name) == op_type) {
    return;  // "Gather_12" says nothing
  } else if (IsDottedCounter(name)) {
    ++names.dotted;
    if (absl::StartsWith(name, "p2o.")) ++names.paddle;
  } else if (absl::StartsWith(name, "node_") && !IsNumber(name.substr(5))) {
    ++names.dynamo;
  } else if (absl::EndsWith(name, "_fwd") || absl::StrContains(name, "__plus")) {
    ++names.underscored;
  }
  if (!has_slash && !name.empty() && name == NameOfOutput(graph, id) &&
      name.find_first_of(".:;") == absl::string_view::npos) {
    ++names.layers;
  }
}

}  // namespace

ExporterTraces::ExporterTraces(const Graph& graph)
    : graph_(graph), metadata_(FindMetadataDialects(graph)) {
  CountNodes();
  CountFunctions();
}

void ExporterTraces::CountNodes() {
  for (OpId id : graph_.op_ids()) {
    has_ml_operators_ = has_ml_operators_ || graph_.op(id).domain == "ai.onnx.ml";
  }
  for (NodeId id : graph_.node_ids()) {
    CountName(graph_, id, names_);
    for (ValueId value : graph_.outputs(id)) {
      if (!value.valid()) continue;
      const absl::string_view name = graph_.value(value).name;
      if (absl::StartsWith(name, "/")) ++names_.leading_slash;
      if (absl::EndsWith(name, ":0") && absl::StrContains(name, '/')) ++names_.tensorflow_values;
    }
  }
}

void ExporterTraces::CountFunctions() {
  for (BlockId id : graph_.block_ids()) {
    const Block& block = graph_.block(id);
    if (block.kind != BlockKind::kFunction) continue;
    if (absl::StartsWith(block.domain, "pkg.onnxscript.torch_lib")) {
      ++functions_.torch;
    } else if (block.domain == "custom" || absl::StartsWith(block.domain, "custom.")) {
      ++functions_.custom;
    } else {
      ++functions_.of_modules;
    }
  }
}

const ExporterTraces::Parameters& ExporterTraces::parameters() const {
  if (parameters_.has_value()) return *parameters_;
  Parameters found;
  for (TensorId id : graph_.tensor_ids()) {
    const Tensor& tensor = graph_.tensor(id);
    if (!tensor.block.valid() || OwnerInParameterName(tensor.name).empty()) continue;
    const absl::string_view counted = LeafOfParameterName(tensor.name);
    const absl::string_view leaf = WithoutCounter(counted);
    const bool is_paddle = leaf.size() < counted.size() && (leaf == "w" || leaf == "b");
    ++(is_paddle ? found.paddle : found.of_modules);
  }
  return parameters_.emplace(found);
}

bool ExporterTraces::HasMetadataOf(absl::string_view dialect) const {
  return std::find(metadata_.begin(), metadata_.end(), dialect) != metadata_.end();
}

bool ExporterTraces::IsMadeBy(absl::string_view producer) const {
  return graph_.info().producer_name == producer;
}

bool ExporterTraces::IsMainGraph(absl::string_view name) const {
  for (BlockId id : graph_.block_ids()) {
    if (graph_.block(id).kind == BlockKind::kMain && graph_.block(id).name == name) return true;
  }
  return false;
}

bool ExporterTraces::Imports(absl::string_view domain) const {
  const std::vector<OpsetImport>& imports = graph_.info().opset_imports;
  return std::any_of(imports.begin(), imports.end(), [&](const OpsetImport& import) {
    return absl::StartsWith(import.domain, domain);
  });
}

}  // namespace onnx_hier
