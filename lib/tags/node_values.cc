#include "lib/tags/node_values.h"

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "lib/base/json_text.h"
#include "lib/types/value_type.h"

namespace onnx_hier {

void NodeValues::AppendTo(NodeId node, std::string* out) const {
  *out += R"("inputs":[)";
  AppendNames(graph_.inputs(node), out);
  *out += R"(],"outputs":[)";
  AppendNames(graph_.outputs(node), out);
  *out += R"(],"types":[)";
  absl::string_view separator;
  for (ValueId value : graph_.outputs(node)) {
    out->append(separator.data(), separator.size());
    separator = ",";
    const absl::string_view type = value.valid() ? types_.type(value) : absl::string_view();
    if (type.empty()) {
      *out += "null";
    } else {
      AppendJsonString(TypeText(type), out);
    }
  }
  *out += ']';
}

void NodeValues::AppendNames(absl::Span<const ValueId> values, std::string* out) const {
  absl::string_view separator;
  for (ValueId value : values) {
    out->append(separator.data(), separator.size());
    separator = ",";
    AppendJsonString(value.valid() ? graph_.value(value).name : absl::string_view(), out);
  }
}

}  // namespace onnx_hier
