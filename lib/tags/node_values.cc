#include "lib/tags/node_values.h"

#include "absl/strings/string_view.h"
#include "lib/types/value_type.h"

namespace onnx_hier {

void NodeValues::AppendTo(NodeId node, std::string* out) const {
  JsonText json(out);
  json.Key("inputs");
  AppendNames(graph_.inputs(node), json);
  json.Key("outputs");
  AppendNames(graph_.outputs(node), json);
  json.Key("types").BeginArray();
  for (ValueId value : graph_.outputs(node)) {
    const absl::string_view type = value.valid() ? types_.type(value) : absl::string_view();
    json.StringOrNull(type.empty() ? std::string() : TypeText(type));
  }
  json.EndArray();
}

void NodeValues::AppendNames(absl::Span<const ValueId> values, JsonText& json) const {
  json.BeginArray();
  for (ValueId value : values) {
    json.String(value.valid() ? graph_.value(value).name : absl::string_view());
  }
  json.EndArray();
}

}  // namespace onnx_hier
