// SPDX-License-Identifier: Apache-2.0

// Module paths that exporters store in a node's metadata_props.
//
//   pkg.torch.onnx.name_scopes      "['', 'blocks.0', 'blocks.0.lin', 'linear']"   torch >= 2.5
//   pkg.torch.onnx.class_hierarchy  "['M', 'Block', 'torch.nn...Linear', 'aten.linear.default']"
//   pkg.onnxscript.*                the same without the operator at the end; each name stands for
//                                   itself: "['', 'model', 'layers.0', 'mlp']"
//   namespace                       ": M/blocks.0: Block/blocks.0.lin: torch...Linear/linear: aten"
//
// Each of the formats is read in the file of the dialect that writes it (dialects/).
#ifndef ONNX_HIER_LIB_NAMES_METADATA_SCOPE_H_
#define ONNX_HIER_LIB_NAMES_METADATA_SCOPE_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "onnx_hier/graph.h"

namespace onnx_hier {

// A module around a node, outermost first in a list of them.
struct MetadataModule {
  std::string qualified_name;  // "" is the root
  std::string class_name;      // "" if the metadata has none

  friend bool operator==(const MetadataModule&, const MetadataModule&) = default;
};

// Where the modules of a node are written. Texts are "" where there are none.
struct MetadataTexts {
  absl::string_view names;
  absl::string_view classes;
};

// A way to write them.
struct MetadataFormat {
  absl::string_view dialect;  // whose it is
  absl::string_view key;      // under which the modules stand, and their classes
  absl::string_view classes_key;
  absl::string_view mark;  // a text without this is of no such format
  // The modules, outermost first; none if that is not understood.
  std::vector<MetadataModule> (*read)(const MetadataTexts& texts);
  // Of either text, what is before the operator at its end, where that can be told without reading
  // all of it; else all.
  absl::string_view (*without_operator)(absl::string_view text);
};

struct MetadataScope {
  const MetadataFormat* format = nullptr;
  std::vector<MetadataModule> modules;  // the last one owns the node
};

// None if the metadata says nothing about modules, or not in a form that is understood.
std::optional<MetadataScope> ReadMetadataScope(absl::Span<const StringPair> metadata);

// The same of many nodes, one after the other: what says the same modules as the one before, as
// most do, is not read again.
class MetadataReader {
 public:
  // What it gives stays until the next call; what it was given must stay as long.
  const std::optional<MetadataScope>& Read(absl::Span<const StringPair> metadata);
  // Whether the last call gave what the one before it had given.
  bool is_same() const { return is_same_; }

 private:
  struct Said {
    const MetadataFormat* format = nullptr;
    MetadataTexts all;
    MetadataTexts begin;  // before the operator at the end

    // Whether `texts` name the same modules, as far as can be told without reading them.
    bool IsSame(const MetadataFormat& other_format, const MetadataTexts& texts) const;
  };

  std::optional<Said> said_;  // by the last call that read it
  std::optional<MetadataScope> scope_;
  bool is_same_ = false;
};

// In the formats of which dialects any node of the graph has one.
using MetadataDialects = absl::InlinedVector<absl::string_view, 2>;
MetadataDialects FindMetadataDialects(const Graph& graph);

// Whether any node of the graph has one.
bool HasScopesInMetadata(const Graph& graph);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_NAMES_METADATA_SCOPE_H_
