// SPDX-License-Identifier: Apache-2.0

// Lists of nodes as the tools take them that do something with these nodes.
//
//   const ListForm* form = ListFormNamed("ort-dynamic");
//   const auto precision = [](NodeId) { return absl::string_view("fp32"); };
//   const ListedNames listed = NamesFor(graph, nodes, *form, precision);
//   absl::Status status = WriteNameList(listed, *form, sink);
//
// Many tools rename or fuse nodes before they compare names with their lists, and say nothing of
// names that nobody has: each form names the nodes as its tool finds them then.
#ifndef ONNX_HIER_PROGRAM_LIST_FORM_H_
#define ONNX_HIER_PROGRAM_LIST_FORM_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "onnx_hier/graph.h"
#include "onnx_hier/ids.h"
#include "onnx_hier/write.h"

namespace onnx_hier {

// What a tool may also call a node of an operator by the time that it compares names.
struct NodeRenaming {
  absl::string_view op_type;
  absl::string_view prefix;
  absl::string_view suffix;
};

struct ListForm {
  enum class Layout : uint8_t {
    kLines,
    kNul,         // each name with a zero byte behind it, as for 'xargs -0'
    kCsv,         // one line, commas between
    kJson,        // an array of strings
    kTrtexec,     // "name:fp32,name:fp32"
    kPolygraphy,  // "name:fp32 name:fp32"
    kRegex,       // one expression that means exactly these names
    kOverrides,   // onnxruntime's TensorQuantOverrides
    kEncodings,   // QNN's quantization_overrides
  };

  absl::string_view name;      // on the command line
  absl::string_view consumer;  // for people; "" for those of no tool
  Layout layout = Layout::kLines;
  // What stands around a list that is one entry of something else; "" at both ends of others.
  absl::string_view before;
  absl::string_view after;
  absl::Span<const NodeRenaming> renamings;
  bool main_graph_only = false;  // the tool does not look into graphs inside of nodes
  absl::string_view precision;   // that it is told of where nothing is said; "": it takes none
  // Of a tool that is told what to leave alone, the precisions of a plan that it leaves alone.
  absl::Span<const absl::string_view> left_alone;
};

// In the order of the help.
absl::Span<const ListForm> ListForms();
// Null: there is none.
const ListForm* ListFormNamed(absl::string_view name);
// kInvalidArgument, for people: the form has no such precision, or none.
absl::Status CheckPrecision(const ListForm& form, absl::string_view precision);

struct ListedName {
  std::string name;
  absl::string_view precision;  // where the form takes one
};

struct ListedNames {
  std::vector<ListedName> names;       // of nodes; of layouts about values those that they make
  std::vector<ListedName> parameters;  // of kEncodings: initializers that they read
  size_t nameless = 0;                 // nodes that are left out
  size_t doubled = 0;                  // names that other nodes have as well
  size_t unreached = 0;  // nodes in graphs inside of others, or in functions, that the tool skips
};

// In the order of `nodes`, each once. Precisions must outlive what comes out.
ListedNames NamesFor(const Graph& graph, absl::Span<const NodeId> nodes, const ListForm& form,
                     absl::FunctionRef<absl::string_view(NodeId)> precision_of);

// kInvalidArgument if the form cannot hold a name: the message says which, and nothing is written.
absl::Status WriteNameList(const ListedNames& listed, const ListForm& form, ByteSink& sink);

}  // namespace onnx_hier

#endif  // ONNX_HIER_PROGRAM_LIST_FORM_H_
