// SPDX-License-Identifier: Apache-2.0
#include "lib/tags/sidecar_nodes.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "lib/base/pen.h"
#include "lib/tags/reason_text.h"
#include "onnx_hier/annotation.h"
#include "onnx_hier_program/json_text.h"

namespace onnx_hier {
namespace {

constexpr size_t kKeys = 64;  // the keys of a node but for those in kept pieces, and the brackets

// What is written of an assignment besides modules.
bool StandAlike(const Assignment& a, const Assignment& b) {
  return a.method == b.method && a.confidence == b.confidence && a.containment == b.containment &&
         a.call == b.call;
}

}  // namespace

void NodeObjects::Append(NodeId id, absl::string_view begin, TextRoom& out) {
  const Node& node = graph_.node(id);
  const bool is_in_main = node.block == graph_.main_block();
  const absl::string_view path =
      is_in_main ? Index(node.index) : InJson(path_ = graph_.NodePath(id), &path_in_json_);
  const absl::string_view given = names_[id];
  const absl::string_view name = given.empty() ? InJson(node.name, &name_) : given;
  const absl::string_view type = TypeText(node.op);
  const absl::string_view output = OutputName(id, name);
  const absl::string_view placement = Placement(id);
  const Assignment& assignment = annotation_.assignments[id];
  const bool has_reason = HasReason(assignment);
  const bool has_more = has_reason || values_ != nullptr || assignment.is_by_call;
  const absl::string_view more = has_more ? More(id, has_reason) : "";
  Pen pen(out.Room(begin.size() + path.size() + name.size() + type.size() + output.size() +
                   placement.size() + more.size() + kKeys));
  pen.Put(begin).Put(R"({"id":")").Put(path);
  pen.Put(R"(","name":")").Put(name).Put(type).Put(output).Put(placement).Put(more).Put('}');
  out.Take(pen.end());
}

// Nearly always the one after the last one: then a digit changes.
absl::string_view NodeObjects::Index(uint32_t index) {
  const bool is_next = index == index_ + 1 && !index_text_.empty() && index_text_.back() != '9';
  if (is_next) {
    ++index_text_.back();
  } else {
    index_text_ = absl::StrCat(index);
  }
  index_ = index;
  return index_text_;
}

// From the end of the output's name to the call; most nodes have what the one before had.
absl::string_view NodeObjects::Placement(NodeId id) {
  const Assignment& assignment = annotation_.assignments[id];
  const absl::Span<const PathId> auxiliary = annotation_.auxiliary_of(id);
  if (auxiliary.empty() && placement_of_.primary == assignment.primary &&
      StandAlike(placement_of_, assignment)) {
    return placement_;
  }
  placement_.clear();
  absl::StrAppend(&placement_, R"(","tag":)", tags_[assignment.primary], R"(,"auxiliary":[)");
  for (size_t i = 0; i < auxiliary.size(); ++i) {
    absl::StrAppend(&placement_, i == 0 ? "" : ",", tags_[auxiliary[i]]);
  }
  absl::StrAppend(&placement_, Standing(assignment));
  placement_of_ = auxiliary.empty() ? assignment : Assignment();
  return placement_;
}

// From the end of the auxiliary modules on; most nodes have what the one before had.
absl::string_view NodeObjects::Standing(const Assignment& assignment) {
  if (!standing_.empty() && StandAlike(standing_of_, assignment)) return standing_;
  standing_.clear();
  absl::StrAppend(&standing_, R"(],"method":")", MethodName(assignment.method),
                  R"(","confidence":)");
  AppendProbability(assignment.confidence, &standing_);
  standing_ += R"(,"containment":)";
  AppendProbability(assignment.containment, &standing_);
  absl::StrAppend(&standing_, R"(,"call":)", assignment.call);
  standing_of_ = assignment;
  return standing_;
}

// What only some nodes have, with its keys.
absl::string_view NodeObjects::More(NodeId id, bool has_reason) {
  more_.clear();
  if (annotation_.assignments[id].is_by_call) more_ += R"(,"by_call":true)";
  if (has_reason) {
    more_ += R"(,"reason":)";
    AppendJsonString(ReasonText(graph_, annotation_, id), &more_);
  }
  if (values_ != nullptr) {
    more_ += ',';
    values_->AppendTo(id, &more_);
  }
  return more_;
}

// What stands between a node's name and that of its output.
absl::string_view NodeObjects::TypeText(OpId op) {
  std::string& text = types_[op];
  if (text.empty()) {
    text = R"(","op_type":")";
    AppendJsonContents(graph_.op(op).type, &text);
    text += R"(","output":")";
  }
  return text;
}

// Most outputs are named after their node, whose name was looked at before.
absl::string_view NodeObjects::OutputName(NodeId id, absl::string_view name_in_json) {
  const absl::Span<const ValueId> outputs = graph_.outputs(id);
  if (outputs.empty() || !outputs[0].valid()) return "";
  const absl::string_view output = graph_.value(outputs[0]).name;
  const absl::string_view name = graph_.node(id).name;
  const bool is_plain = name_in_json.data() == name.data();
  if (is_plain && absl::StartsWith(output, name)) {
    // "_output_0"
    const absl::string_view rest = output.substr(name.size());
    if (rest == plain_rest_) return output;
    if (IsPlainJson(rest)) {
      plain_rest_ = rest;
      return output;
    }
  }
  return InJson(output, &output_);
}

}  // namespace onnx_hier
