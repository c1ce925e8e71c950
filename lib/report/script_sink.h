// JSON on its way into a script element of an HTML page, which a "<" in it could end.
#ifndef ONNX_HIER_LIB_REPORT_SCRIPT_SINK_H_
#define ONNX_HIER_LIB_REPORT_SCRIPT_SINK_H_

#include "absl/status/status.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "onnx_hier/byte_sink.h"

namespace onnx_hier {

// In JSON the sign stands in texts only, where it may be spelled by its number.
class ScriptSink : public ByteSink {
 public:
  // `sink` must outlive this.
  explicit ScriptSink(ByteSink& sink) : sink_(sink) {}

  absl::Status Append(absl::string_view json) override {
    if (json.find('<') == absl::string_view::npos) return sink_.Append(json);
    return sink_.Append(absl::StrReplaceAll(json, {{"<", "\\u003c"}}));
  }

 private:
  ByteSink& sink_;
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_REPORT_SCRIPT_SINK_H_
