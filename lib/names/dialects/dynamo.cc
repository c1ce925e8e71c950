// SPDX-License-Identifier: Apache-2.0

// Modules as torch.onnx.export with dynamo=True writes them, into each node's metadata:
//
//   pkg.torch.onnx.name_scopes      "['', 'blocks.0', 'blocks.0.lin', 'linear']"   torch >= 2.5
//   pkg.torch.onnx.class_hierarchy  "['M', 'Block', 'torch.nn...Linear', 'aten.linear.default']"
//   namespace                       ": M/blocks.0: Block/blocks.0.lin: torch...Linear/linear: aten"
//
// The scopes are cumulative: each is a whole qualified name. A list with nothing but the operator
// says nothing (not even "root"). Its dynamo_export of torch 2.1 to 2.4 made a local function of
// each module call. Sources: torch/onnx/_internal/exporter/_core.py, docs/source/onnx_export.md.
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "lib/names/dialects/dialects.h"
#include "lib/names/dialects/module_lists.h"
#include "lib/names/dialects/torchscript.h"
#include "lib/names/own_metadata.h"
#include "lib/names/python_list.h"

namespace onnx_hier {
namespace {

constexpr absl::string_view kDynamo = "dynamo";

// "<name>: <class>" joined by slashes; the last one is the operator.
std::vector<MetadataModule> ReadNamespace(const MetadataTexts& texts) {
  std::vector<MetadataModule> modules;
  const std::vector<absl::string_view> parts = absl::StrSplit(texts.names, '/');
  for (size_t i = 0; i + 1 < parts.size(); ++i) {
    const std::vector<absl::string_view> pair = absl::StrSplit(parts[i], absl::MaxSplits(": ", 1));
    // The root may be written without its empty name.
    const bool named = pair.size() == 2;
    if (!named && i > 0) return {};
    if (IsPseudoModule(pair[0])) continue;
    modules.push_back({named ? std::string(pair[0]) : "", std::string(pair.back())});
  }
  return modules;
}

}  // namespace

constinit const MetadataFormat kTorchLists = {
    .dialect = kDynamo,
    .key = "pkg.torch.onnx.name_scopes",
    .classes_key = "pkg.torch.onnx.class_hierarchy",
    .mark = "",
    .read = [](const MetadataTexts& texts) { return ReadModuleLists(texts, 1); },
    .without_operator = WithoutPlainLast,
};

constinit const MetadataFormat kTorchNamespace = {
    .dialect = kDynamo,
    .key = kNamespaceKey,
    .classes_key = "",
    .mark = ": ",
    .read = ReadNamespace,
    .without_operator = [](absl::string_view text) { return text.substr(0, text.rfind('/')); },
};

constinit const DialectRow kDynamoByMetadata = {
    .name = kDynamo,
    .fits = [](const ExporterTraces& traces) { return traces.HasMetadataOf(kDynamo); },
    .names =
        [](const ExporterTraces& traces) {
          return traces.names().leading_slash > 0 ? &TorchScopes() : nullptr;
        },
};

constinit const DialectRow kDynamoFunctions = {
    .name = "dynamo-functions",
    .fits =
        [](const ExporterTraces& traces) {
          return traces.functions().of_modules > 0 && traces.functions().torch > 0;
        },
};

// Without its metadata: "node_MatMul_3".
constinit const DialectRow kDynamoByNames = {
    .name = kDynamo,
    .fits =
        [](const ExporterTraces& traces) {
          // A quantiser names itself as the producer, and more nodes than there were.
          return traces.names().dynamo * 4 > traces.graph().node_count() ||
                 (traces.IsMadeBy(kTorchProducer) && traces.Imports("pkg.onnxscript"));
        },
};

}  // namespace onnx_hier
