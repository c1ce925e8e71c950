// Where bytes go: a file, a stream, a string in tests.
#ifndef ONNX_HIER_BYTE_SINK_H_
#define ONNX_HIER_BYTE_SINK_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace onnx_hier {

class ByteSink {
 public:
  virtual ~ByteSink() = default;
  virtual absl::Status Append(absl::string_view bytes) = 0;
};

class StringSink : public ByteSink {
 public:
  absl::Status Append(absl::string_view bytes) override {
    text_.append(bytes.data(), bytes.size());
    return absl::OkStatus();
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_BYTE_SINK_H_
