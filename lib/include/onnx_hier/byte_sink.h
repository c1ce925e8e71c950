// SPDX-License-Identifier: Apache-2.0

// Where bytes go: a file, a stream, a string in tests.
#ifndef ONNX_HIER_BYTE_SINK_H_
#define ONNX_HIER_BYTE_SINK_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace onnx_hier {

class ByteSink {
 public:
  virtual ~ByteSink() = default;
  // Told before the first of `bytes`, by writers that know how many there will be.
  virtual absl::Status Expect(uint64_t bytes) {
    static_cast<void>(bytes);
    return absl::OkStatus();
  }
  virtual absl::Status Append(absl::string_view bytes) = 0;
};

class StringSink : public ByteSink {
 public:
  absl::Status Expect(uint64_t bytes) override {
    text_.reserve(text_.size() + bytes);
    return absl::OkStatus();
  }
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
