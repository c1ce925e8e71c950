// SPDX-License-Identifier: Apache-2.0
#include "onnx_hier_program/list_form.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/base/outgoing_text.h"
#include "lib/base/utf8.h"
#include "onnx_hier_program/json_text.h"
#include "onnx_hier_program/text.h"

namespace onnx_hier {
namespace {

using Layout = ListForm::Layout;

// onnxruntime's quantize_dynamic writes a Gemm as a MatMul and an Add before it compares names
// (onnx_model.py, replace_gemm_with_matmul); those that stay Gemms keep their name.
constexpr NodeRenaming kDynamicRenamings[] = {{"Gemm", "", "_MatMul"}, {"Gemm", "", "_Add"}};
// AutoCast puts one LayerNormalization in the place of those written out (graphsanitizer.py), and
// calls it after the node that such a pattern begins with.
constexpr NodeRenaming kAutocastRenamings[] = {{"ReduceMean", "LayerNorm_", ""}};

// Of precisions of a plan, what quantisers leave alone, and what converters to 16 bits do.
constexpr absl::string_view kFloats[] = {"fp32", "fp16", "bf16"};
constexpr absl::string_view kSingle[] = {"fp32"};

constexpr ListForm kForms[] = {
    {.name = "lines", .consumer = "", .layout = Layout::kLines},
    {.name = "nul", .consumer = "", .layout = Layout::kNul},
    {.name = "csv", .consumer = "", .layout = Layout::kCsv},
    {.name = "json", .consumer = "", .layout = Layout::kJson},
    {.name = "regex", .consumer = "", .layout = Layout::kRegex},
    {.name = "ort",
     .consumer = "onnxruntime, quantize_static: nodes_to_exclude",
     .layout = Layout::kJson,
     .main_graph_only = true,
     .left_alone = kFloats},
    {.name = "ort-dynamic",
     .consumer = "onnxruntime, quantize_dynamic: nodes_to_exclude",
     .layout = Layout::kJson,
     .renamings = kDynamicRenamings,
     .main_graph_only = true,
     .left_alone = kFloats},
    {.name = "ort-nbits",
     .consumer = "onnxruntime, MatMulNBitsQuantizer: nodes_to_exclude",
     .layout = Layout::kJson,
     .left_alone = kFloats},
    {.name = "ort-overrides",
     .consumer = "onnxruntime, quantize_static: TensorQuantOverrides",
     .layout = Layout::kOverrides,
     .main_graph_only = true,
     .precision = "uint16"},
    {.name = "float16",
     .consumer = "convert_float_to_float16: node_block_list",
     .layout = Layout::kJson,
     .left_alone = kSingle},
    {.name = "genai",
     .consumer = "onnxruntime-genai's builder: extra options",
     .layout = Layout::kCsv,
     .before = "int4_nodes_to_exclude=",
     .left_alone = kFloats},
    {.name = "autocast",
     .consumer = "ModelOpt, AutoCast: --nodes_to_exclude",
     .layout = Layout::kRegex,
     .renamings = kAutocastRenamings,
     .left_alone = kSingle},
    {.name = "modelopt",
     .consumer = "ModelOpt, quantization: --nodes_to_exclude",
     .layout = Layout::kRegex,
     .left_alone = kFloats},
    {.name = "nncf",
     .consumer = "NNCF: IgnoredScope(**...)",
     .layout = Layout::kJson,
     .before = "{\"names\":",
     .after = "}",
     .main_graph_only = true,
     .left_alone = kFloats},
    {.name = "olive",
     .consumer = "Olive: a pass of onnxruntime's quantisers",
     .layout = Layout::kJson,
     .before = "{\"nodes_to_exclude\":",
     .after = "}",
     .main_graph_only = true,
     .left_alone = kFloats},
    {.name = "winml",
     .consumer = "winml-cli: its configuration",
     .layout = Layout::kJson,
     .before = "{\"quant\":{\"nodes_to_exclude\":",
     .after = "}}",
     .main_graph_only = true,
     .left_alone = kFloats},
    {.name = "amct",
     .consumer = "AMCT: its configuration",
     .layout = Layout::kJson,
     .before = "{\"skip_layers\":",
     .after = "}",
     .main_graph_only = true,
     .left_alone = kFloats},
    {.name = "qnn",
     .consumer = "QNN: --quantization_overrides, as AIMET's encodings",
     .layout = Layout::kEncodings,
     .main_graph_only = true,
     .precision = "fp16"},
    {.name = "trtexec",
     .consumer = "TensorRT up to 10, trtexec: --layerPrecisions",
     .layout = Layout::kTrtexec,
     .precision = "fp32"},
    {.name = "polygraphy",
     .consumer = "TensorRT up to 10, polygraphy: --layer-precisions",
     .layout = Layout::kPolygraphy,
     .precision = "fp32"},
};

// Of the precisions that --precision takes, what those tools call them.
struct ValuePrecision {
  absl::string_view precision;
  absl::string_view quant_type;  // onnxruntime's QuantType; "": it has none
  absl::string_view bits;
  absl::string_view kind;  // QNN's "dtype"; "": it has none
};
constexpr ValuePrecision kValuePrecisions[] = {
    {"int4", "QInt4", "4", "int"}, {"uint4", "QUInt4", "", ""},      {"int8", "QInt8", "8", "int"},
    {"uint8", "QUInt8", "", ""},   {"int16", "QInt16", "16", "int"}, {"uint16", "QUInt16", "", ""},
    {"fp16", "", "16", "float"},   {"fp32", "", "32", "float"},
};

bool Has(Layout layout, const ValuePrecision& type) {
  return layout == Layout::kOverrides ? !type.quant_type.empty() : !type.kind.empty();
}

bool IsOfValues(Layout layout) {
  return layout == Layout::kOverrides || layout == Layout::kEncodings;
}

bool IsControl(char c) { return absl::ascii_iscntrl(static_cast<unsigned char>(c)); }
bool IsSpace(char c) { return absl::ascii_isspace(static_cast<unsigned char>(c)); }
bool HasAny(absl::string_view text, absl::string_view characters) {
  return text.find_first_of(characters) != absl::string_view::npos;
}

// Whether who reads the format gets the name as it is. Control characters would steer a terminal.
bool Holds(Layout layout, absl::string_view name) {
  const bool printable = std::none_of(name.begin(), name.end(), IsControl);
  switch (layout) {
    case Layout::kLines:
      return printable;
    case Layout::kNul:
      return name.find('\0') == absl::string_view::npos;
    case Layout::kCsv:
      return printable && !HasAny(name, ",\"");
    case Layout::kJson:
    case Layout::kRegex:
    case Layout::kOverrides:
    case Layout::kEncodings:
      return IsUtf8(name);
    case Layout::kTrtexec:
      // A star alone stands for all other layers.
      return printable && !HasAny(name, ":,\"'") && name != "*";
    case Layout::kPolygraphy:
      // Split at the shell's spaces, then at the last colon.
      return printable && std::none_of(name.begin(), name.end(), IsSpace) && !HasAny(name, "\"'");
  }
  return false;
}

// Escapes that Python, RE2, PCRE and ECMAScript all take.
void AppendEscaped(absl::string_view name, std::string* out) {
  constexpr char kHex[] = "0123456789abcdef";
  for (char c : name) {
    if (IsControl(c)) {
      const auto byte = static_cast<unsigned char>(c);
      absl::StrAppend(out, "\\x", absl::string_view(&kHex[byte >> 4], 1),
                      absl::string_view(&kHex[byte & 15], 1));
      continue;
    }
    if (HasAny(absl::string_view(&c, 1), "\\^$.|?*+()[]{}")) out->push_back('\\');
    out->push_back(c);
  }
}

// What stands before the first name, between two, behind each, and behind the last one.
struct ListFrame {
  absl::string_view begin;
  absl::string_view between;
  absl::string_view end;
};

ListFrame FrameOf(Layout layout) {
  switch (layout) {
    case Layout::kLines:
      return {"", "\n", ""};
    case Layout::kNul:
      return {"", absl::string_view("\0", 1), absl::string_view("\0", 1)};
    case Layout::kJson:
      return {"[\n", ",\n", "\n]"};
    case Layout::kPolygraphy:
      return {"", " ", ""};
    case Layout::kRegex:
      return {"^(?:", "|", ")$"};
    case Layout::kOverrides:
    case Layout::kEncodings:
      return {"{\n", ",\n", "\n}"};
    case Layout::kCsv:
    case Layout::kTrtexec:
      break;
  }
  return {"", ",", ""};
}

void AppendName(absl::string_view name, Layout layout, absl::string_view precision,
                std::string* out) {
  switch (layout) {
    case Layout::kJson:
      AppendJsonString(name, out);
      return;
    case Layout::kRegex:
      AppendEscaped(name, out);
      return;
    case Layout::kTrtexec:
    case Layout::kPolygraphy:
      absl::StrAppend(out, name, ":", precision);
      return;
    case Layout::kOverrides:
    case Layout::kEncodings: {
      AppendJsonString(name, out);
      const ValuePrecision& type = *std::find_if(
          std::begin(kValuePrecisions), std::end(kValuePrecisions),
          [precision](const ValuePrecision& known) { return known.precision == precision; });
      if (layout == Layout::kOverrides) {
        absl::StrAppend(out, R"(:[{"quant_type":")", type.quant_type, R"("}])");
      } else {
        absl::StrAppend(out, R"(:[{"bitwidth":)", type.bits, R"(,"dtype":")", type.kind, R"("}])");
      }
      return;
    }
    case Layout::kLines:
    case Layout::kNul:
    case Layout::kCsv:
      absl::StrAppend(out, name);
  }
}

absl::Status Refuse(absl::Span<const ListedName> names, const ListForm& form) {
  constexpr size_t kShown = 3;
  size_t count = 0;
  std::string shown;
  for (const auto& [name, precision] : names) {
    if (Holds(form.layout, name)) continue;
    if (++count <= kShown) {
      absl::StrAppend(&shown, count > 1 ? ", " : "", QuotedName(name));
    }
  }
  if (count == 0) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("the format ", form.name, " cannot hold ", count,
                                                 " of these names: ", shown,
                                                 count > kShown ? " ..." : ""));
}

void WriteNames(absl::Span<const ListedName> names, const ListForm& form, OutgoingText& out) {
  const ListFrame frame = FrameOf(form.layout);
  absl::StrAppend(out.text(), frame.begin);
  for (size_t i = 0; i < names.size(); ++i) {
    if (i > 0) absl::StrAppend(out.text(), frame.between);
    AppendName(names[i].name, form.layout, names[i].precision, out.text());
    out.Pass();
  }
  absl::StrAppend(out.text(), frame.end);
}

// Names and values of nodes, each once.
class Lister {
 public:
  Lister(const Graph& graph, const ListForm& form,
         absl::FunctionRef<absl::string_view(NodeId)> precision_of)
      : graph_(graph), form_(form), precision_of_(precision_of) {}

  ListedNames List(absl::Span<const NodeId> nodes) && {
    if (!IsOfValues(form_.layout)) {
      for (NodeId node : graph_.node_ids()) ++bearers_[graph_.node(node).name];
    }
    for (NodeId node : nodes) {
      if (form_.main_graph_only && graph_.node(node).block != graph_.main_block()) {
        ++listed_.unreached;
      } else if (IsOfValues(form_.layout)) {
        AddValues(node);
      } else {
        AddNode(node);
      }
    }
    return std::move(listed_);
  }

 private:
  void AddNode(NodeId node) {
    const absl::string_view name = graph_.node(node).name;
    if (name.empty()) {
      ++listed_.nameless;
      return;
    }
    uint32_t& count = bearers_[name];
    if (count == 0) return;  // listed
    if (count > 1) ++listed_.doubled;
    count = 0;
    listed_.names.push_back({std::string(name), precision_of_(node)});
    for (const NodeRenaming& renaming : form_.renamings) {
      if (graph_.op(node).type != renaming.op_type) continue;
      listed_.names.push_back(
          {absl::StrCat(renaming.prefix, name, renaming.suffix), precision_of_(node)});
    }
  }

  void AddValues(NodeId node) {
    for (ValueId value : graph_.outputs(node)) {
      if (value.valid() && !graph_.value(value).name.empty()) Add(value, node, listed_.names);
    }
    for (ValueId value : graph_.inputs(node)) {
      if (value.valid() && graph_.value(value).kind == ValueKind::kInitializer) {
        Add(value, node, listed_.parameters);
      }
    }
  }
  void Add(ValueId value, NodeId node, std::vector<ListedName>& list) {
    if (!seen_.insert(value).second) return;
    list.push_back({std::string(graph_.value(value).name), precision_of_(node)});
  }

  const Graph& graph_;
  const ListForm& form_;
  const absl::FunctionRef<absl::string_view(NodeId)> precision_of_;
  absl::flat_hash_map<absl::string_view, uint32_t> bearers_;  // nodes, until the name is listed
  absl::flat_hash_set<ValueId> seen_;
  ListedNames listed_;
};

}  // namespace

absl::Span<const ListForm> ListForms() { return kForms; }

const ListForm* ListFormNamed(absl::string_view name) {
  const auto* const found =
      std::find_if(std::begin(kForms), std::end(kForms),
                   [name](const ListForm& form) { return form.name == name; });
  return found == std::end(kForms) ? nullptr : found;
}

absl::Status CheckPrecision(const ListForm& form, absl::string_view precision) {
  if (form.precision.empty()) {
    std::vector<absl::string_view> names;
    for (const ListForm& other : kForms) {
      if (!other.precision.empty()) names.push_back(other.name);
    }
    return absl::InvalidArgumentError(
        absl::StrCat("--precision is for --format ", absl::StrJoin(names, ", ")));
  }
  if (!IsOfValues(form.layout)) return absl::OkStatus();
  std::vector<absl::string_view> known;
  for (const ValuePrecision& type : kValuePrecisions) {
    if (Has(form.layout, type)) known.push_back(type.precision);
  }
  if (std::find(known.begin(), known.end(), precision) != known.end()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("--precision takes ", absl::StrJoin(known, ", "),
                                                 " for ", form.name, ", not '", precision, "'"));
}

ListedNames NamesFor(const Graph& graph, absl::Span<const NodeId> nodes, const ListForm& form,
                     absl::FunctionRef<absl::string_view(NodeId)> precision_of) {
  return Lister(graph, form, precision_of).List(nodes);
}

absl::Status WriteNameList(const ListedNames& listed, const ListForm& form, ByteSink& sink) {
  for (const std::vector<ListedName>* names : {&listed.names, &listed.parameters}) {
    if (absl::Status status = Refuse(*names, form); !status.ok()) return status;
  }
  OutgoingText out(sink);
  absl::StrAppend(out.text(), form.before);
  if (form.layout == Layout::kEncodings) absl::StrAppend(out.text(), "{\"activation_encodings\":");
  if (listed.names.empty()) {
    // An expression that means nothing, and nothing of a list without brackets.
    absl::StrAppend(out.text(), form.layout == Layout::kJson ? "[]"
                                : IsOfValues(form.layout)    ? "{}"
                                                             : "");
  } else {
    WriteNames(listed.names, form, out);
  }
  if (form.layout == Layout::kEncodings) {
    absl::StrAppend(out.text(), ",\n\"param_encodings\":");
    WriteNames(listed.parameters, form, out);
    // Of the format, which is AIMET's: QNN's converters take no other one.
    absl::StrAppend(out.text(), ",\n\"version\":\"0.6.1\"}");
  }
  absl::StrAppend(out.text(), form.after);
  const bool ends_line = form.layout != Layout::kNul && !out.text()->empty();
  if (ends_line) absl::StrAppend(out.text(), "\n");
  return out.Finish();
}

}  // namespace onnx_hier
