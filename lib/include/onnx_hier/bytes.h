// SPDX-License-Identifier: Apache-2.0

// Where the bytes of a model come from and go to, if these are no files of the system: an object
// store, an archive, a browser, a string.
#ifndef ONNX_HIER_BYTES_H_
#define ONNX_HIER_BYTES_H_

#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace onnx_hier {

// Where a model is read from. Only those bytes that are asked for are read: weights are not, as a
// rule.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  // In bytes; always the same.
  virtual uint64_t size() const = 0;
  // Reads the bytes [offset, offset + size), all of which exist, to `out`. From one thread at a
  // time, which need not be the caller's.
  virtual absl::Status ReadAt(char* out, uint64_t size, uint64_t offset) = 0;
};

// Where a model or a document goes to.
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

// A text that belongs to a model.
class Document {
 public:
  using Writer = std::function<absl::Status(ByteSink&)>;

  // `name` is for errors: "sidecar".
  Document(std::string name, std::string text)
      : Document(std::move(name),
                 [text = std::move(text)](ByteSink& sink) { return sink.Append(text); }) {}
  // Made while it is written, however long it is.
  Document(std::string name, Writer write) : name_(std::move(name)), write_(std::move(write)) {}

  const std::string& name() const { return name_; }
  absl::Status WriteTo(ByteSink& sink) const { return write_(sink); }

 private:
  std::string name_;
  Writer write_;
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_BYTES_H_
