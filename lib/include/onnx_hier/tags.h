// SPDX-License-Identifier: Apache-2.0

// Tags that the nodes of a model carry already, whoever wrote them.
//
//   const ReadTagsResult read = ReadTags(model.graph());
//   read.tags.Text(node);   // "/encoder/layer.0", "" where it has none
//
// What is read:
//
//   {"hierarchy_path": "/encoder/layer.0", "hierarchy_tags": ["/encoder/layer.0", ...], ...}
//                               in the doc_string: ours, and earlier tools' with the same keys
//   {"hierarchy_tag": "/BertModel/BertEncoder/BertLayer.0"}   in the doc_string: one tag
//   onnx_hier.path, hierarchy_path, hierarchy_tag, winml.hierarchy.tag
//                                                             a tag as a metadata property
//   namespace, pkg.torch.onnx.name_scopes, ...                module names that exporters keep
//
// Doc_strings win over metadata: they were written later, on purpose.
#ifndef ONNX_HIER_TAGS_H_
#define ONNX_HIER_TAGS_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "onnx_hier/annotation.h"
#include "onnx_hier/graph.h"
#include "onnx_hier/ids.h"
#include "onnx_hier/module_paths.h"
#include "onnx_hier/parameter_names.h"

namespace onnx_hier {

// The first IR version whose nodes have metadata_props (onnx.in.proto of the ONNX project).
constexpr int64_t kMetadataIrVersion = 10;

class KeptTexts;

enum class TagSource : uint8_t { kNone, kDocStrings, kMetadata, kSidecar, kFresh };
constexpr size_t kTagSourceCount = static_cast<size_t>(TagSource::kFresh) + 1;

struct NodeTag {
  PathId primary;         // none: the node has no tag
  uint32_t spelling = 0;  // of the primary tag, in Tags
  bool unplaced = false;  // its tool knew no module for it and said so; `primary` is none
  Range auxiliary;        // in Tags::auxiliary()
};

struct FlatOrigins;

// Tags as module paths: "/layer1/layer1.0/conv1" and "/layer1.0/conv1" are two spellings
// of one path.
class Tags {
 public:
  explicit Tags(size_t nodes = 0) : nodes_(nodes) {}

  // Sets the tag of a node; `texts` are its primary tag and then the auxiliary ones.
  void Set(NodeId node, absl::Span<const std::string> texts);
  // Gives a node the same tags as another one.
  void Copy(NodeId from, NodeId to) { nodes_[to] = nodes_[from]; }

  const NodeTag& operator[](NodeId node) const { return nodes_[node]; }
  bool has_tag(NodeId node) const { return nodes_[node].primary.valid(); }
  // As it was written, but for slashes: one before each part, and none at the end. No longer than
  // ModulePaths::kLongest in JSON: what is deeper is left out. "" where there is none.
  absl::string_view Text(NodeId node) const;
  // A path as the tags that were set spell it, or what contains it.
  std::string Spell(PathId path) const;
  absl::Span<const PathId> auxiliary_of(NodeId node) const {
    const Range range = nodes_[node].auxiliary;
    return absl::MakeConstSpan(auxiliary_).subspan(range.begin, range.size());
  }
  size_t CountTagged() const;
  size_t size() const { return nodes_.size(); }

  ModulePaths& paths() { return paths_; }
  const ModulePaths& paths() const { return paths_; }

  TagSource source = TagSource::kNone;
  // Of a model in which bodies of functions were put in (UnfoldTags()): which nodes are of which
  // call; the model holds it. Null: of others.
  const FlatOrigins* calls = nullptr;
  // By which a check is to judge them, as by the file's names; the annotation that they were
  // applied in holds them. Null: there are none.
  const AppliedRules* rules = nullptr;
  // What parameters are called elsewhere than in the file; null: nothing is known of that.
  std::shared_ptr<const ParameterNames> parameter_names;

 private:
  struct Spelling {
    std::string text;
    PathId path;
    bool unplaced = false;
  };
  // The beginning of a spelling.
  struct Prefix {
    uint32_t spelling = 0;
    uint32_t length = 0;  // 0: nothing spells the path
  };
  uint32_t Intern(const std::string& text);
  PathId Read(uint32_t spelling);

  ModulePaths paths_;
  IdVector<NodeId, NodeTag> nodes_;
  std::vector<PathId> auxiliary_;
  std::vector<Spelling> spellings_ = {{}};  // by NodeTag::spelling; the first one is no tag
  absl::flat_hash_map<std::string, uint32_t> by_text_;
  IdVector<PathId, Prefix> spelled_;  // how a path was spelled first
};

// The tags that an annotation would write.
Tags TagsOf(const Annotation& annotation);

struct ReadTagsResult {
  Tags tags;  // source kNone: the file has none
  // Nodes whose doc_string begins like one of the above but cannot be read.
  std::vector<NodeId> malformed;
};

ReadTagsResult ReadTags(const Graph& graph);

// --- tag files

// Tags in a file beside the model. What is read:
//
//   {"schema": "onnx-hier/sidecar", ..., "nodes": [{"id": "12", "name": ..., "tag": ...}, ...]}
//                                         our sidecar, perhaps edited by hand
//   {"nodes": {NAME: TAG, ...}}           other hierarchy tools; also under "node_tags" or
//   {NAME: TAG, ...}                      "tagged_nodes", or at the top
//
// where TAG is a string, or an object with "hierarchy_path", "hierarchy_tag", "tag" or
// "hierarchy_tags".
//
// Which node of a model an entry of a tag file means: the one with its id, if the name agrees;
// else the one that makes its output; else the only one with its name.

// The primary one first.
using TagList = absl::InlinedVector<absl::string_view, 1>;

// Its texts lie in the TagFile's `texts`.
struct TagEntry {
  absl::string_view id;  // "" where the file has none, as the next two
  absl::string_view name;
  absl::string_view output;
  absl::string_view op_type;
  TagList tags;  // none: the entry has no tag
  absl::string_view method;
  std::optional<double> confidence;
  std::optional<double> containment;
  uint32_t call = 0;
};

struct TagFile {
  bool is_sidecar = false;            // of our own schema
  std::string graph_name;             // of the model that it was made for
  std::deque<TagEntry> entries;       // no copies while there come more
  ModuleMap classes;                  // of modules, where the file has them
  std::vector<std::string> problems;  // where it breaks its schema; the first few of a kind
  std::shared_ptr<const KeptTexts> texts;
};

// kInvalidArgument if the text is no JSON, or has no tags in any of these forms.
absl::StatusOr<TagFile> ParseTagFile(absl::string_view text);

struct TagMatches {
  std::vector<NodeId> nodes;  // for each entry; none: it means no node, or one that is taken
  size_t by_id = 0;           // how entries were matched
  size_t by_output = 0;
  size_t by_name = 0;
  // What did not match, for people: entries without a node, nodes without an entry, ...
  std::vector<std::string> problems;

  size_t count() const { return by_id + by_output + by_name; }
};

// Entries mean nodes by id and name, by what they make, by name. A node without a name of its own
// ("" or "Constant_12") is meant only by an entry with the same output.
TagMatches MatchTags(const Graph& graph, const TagFile& file);

// kInvalidArgument: less than a fifth of what might match does, so that the file is of another
// model than `model`, as that is called in the message.
absl::Status CheckMatches(const Graph& graph, absl::string_view model, const TagFile& file,
                          const TagMatches& matches);

// The tags of the entries that match.
Tags TagsOf(const Graph& graph, const TagFile& file, const TagMatches& matches);

// --- names

// Names for nodes that have none, so that tools which address nodes by their names can.
//
//   const GivenNames names(model.graph());
//   names[node];      // "MatMul_12"; "" for a node that keeps its name
//   Write(model, TagEdits(model, annotation, names), Destination::File("named.onnx"));
//
// A name is the node's operator and the node's number in the file, those of all graphs and
// functions counted. It is the only one of its kind in the file, and tells nothing of modules: the
// named model is tagged like the nameless one. Names that nodes have stay as they are, also those
// that several nodes share, but where these are asked for: all but the first one of them get the
// number behind their names, "/layer/Add_12".

enum class NamedNodes { kUnnamed, kUnnamedAndShared };

class GivenNames {
 public:
  GivenNames() = default;  // for no node
  explicit GivenNames(const Graph& graph, NamedNodes which = NamedNodes::kUnnamed);

  absl::string_view operator[](NodeId node) const {
    return names_.contains(node) ? absl::string_view(names_[node]) : absl::string_view();
  }
  // How many there are.
  size_t size() const { return size_; }

 private:
  IdVector<NodeId, std::string> names_;  // empty where there are none
  size_t size_ = 0;
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_TAGS_H_
