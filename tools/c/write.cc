// SPDX-License-Identifier: Apache-2.0

// Writing what was made: to files that appear together or not at all, and to memory.
#include "onnx_hier/write.h"

#include <cstring>
#include <deque>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "onnx_hier/bytes.h"
#include "onnx_hier/c.h"
#include "onnx_hier_program/job_files.h"
#include "onnx_hier_program/json_text.h"
#include "onnx_hier_program/tasks.h"
#include "tools/c/calls.h"
#include "tools/c/handles.h"
#include "tools/c/options.h"

namespace onnx_hier::c {
namespace {

// Fills memory that the caller gives as soon as its size is known.
class CallersMemory : public ByteSink {
 public:
  explicit CallersMemory(const onnx_hier_output& output) : output_(output) {}

  absl::Status Expect(uint64_t bytes) override {
    left_ = bytes;
    next_ = static_cast<char*>(output_.allocate(output_.context, bytes));
    if (next_ == nullptr) {
      return absl::ResourceExhaustedError(absl::StrCat("no memory for ", bytes, " bytes"));
    }
    return absl::OkStatus();
  }

  absl::Status Append(absl::string_view bytes) override {
    if (next_ == nullptr) return text_.Append(bytes);
    if (bytes.size() > left_) return absl::InternalError("more bytes than were announced");
    std::memcpy(next_, bytes.data(), bytes.size());
    next_ += bytes.size();
    left_ -= bytes.size();
    return absl::OkStatus();
  }

  // Hands over what did not say how long it would be.
  absl::Status Close() {
    if (next_ != nullptr) return absl::OkStatus();
    if (absl::Status status = Expect(text_.text().size()); !status.ok()) return status;
    return Append(text_.text());
  }

 private:
  const onnx_hier_output output_;
  char* next_ = nullptr;
  uint64_t left_ = 0;
  StringSink text_;
};

// The outputs of a product as the library takes them.
class Outputs {
 public:
  Outputs(HeldProduct& product, absl::Span<const onnx_hier_output> given) : product_(product) {
    for (const onnx_hier_output& output : given) {
      if (output.path == nullptr) memory_.emplace_back(output);
      Add(output.number, output.path != nullptr ? Destination::File(output.path)
                                                : Destination::Sink(memory_.back()));
    }
  }

  absl::Span<const Output> list() const { return list_; }
  // Where it is to be told what became of them; null: nobody asks.
  std::vector<Written>* written() { return parts_.empty() ? nullptr : &written_; }
  // When all is written.
  absl::Status Close() {
    for (const auto& [part, index] : parts_) part->written = written_[index];
    for (CallersMemory& memory : memory_) {
      if (absl::Status status = memory.Close(); !status.ok()) return status;
    }
    return absl::OkStatus();
  }

 private:
  void Add(size_t number, Destination to) {
    if (number == 0 && product_.edits.has_value()) {
      list_.emplace_back(*product_.edits, std::move(to));
    } else if (number < product_.parts.size()) {
      HeldPart* const held = &product_.parts[number];
      parts_.emplace_back(held, list_.size());
      list_.emplace_back([this, held] { return product_.annotated->cutter->EditsOf(held->part); },
                         std::move(to));
    } else if (product_.sidecar_names.has_value()) {
      documents_.push_back(
          SidecarOf(product_.held->model, product_.annotated->annotation, *product_.sidecar_names));
      list_.emplace_back(documents_.back(), std::move(to));
    } else {
      documents_.emplace_back("manifest", [this](ByteSink& sink) {
        // Models are written before all else.
        for (const auto& [part, index] : parts_) part->written = written_[index];
        std::vector<Written> all;
        for (const HeldPart& part : product_.parts) {
          if (!part.written.has_value()) return Unwritten(all.size());
          all.push_back(*part.written);
        }
        NoteWritten(all, *product_.split);
        return sink.Append(SplitResultJson(*product_.split));
      });
      list_.emplace_back(documents_.back(), std::move(to));
    }
  }

  static absl::Status Unwritten(size_t part) {
    return absl::InvalidArgumentError(
        absl::StrCat("the manifest says what became of the parts, and part ", part,
                     " was not written: write it before, or with the manifest"));
  }

  HeldProduct& product_;
  std::deque<CallersMemory> memory_;
  std::deque<Document> documents_;
  std::vector<Output> list_;
  std::vector<std::pair<HeldPart*, size_t>> parts_;  // with their places in `list_`
  std::vector<Written> written_;
};

// Whether outputs would replace what is read beside the model.
absl::Status CheckReads(const Model& model, absl::Span<const onnx_hier_output> outputs,
                        const std::vector<std::string>& reads) {
  std::vector<TextFile> texts;
  texts.reserve(reads.size());
  for (const std::string& path : reads) texts.push_back({"a file that is read", path});
  for (const onnx_hier_output& output : outputs) {
    if (output.path == nullptr) continue;
    JobFiles files = {.input = model.path(),
                      .model = output.path,
                      .sidecar = "",
                      .data = model.external_locations()};
    if (absl::Status status = CheckJobFiles({&files, 1}, texts); !status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status WriteProduct(onnx_hier_call& call, onnx_hier_product& handle,
                          absl::Span<const onnx_hier_output> outputs, Options& options) {
  HeldProduct& product = handle.product;
  if (outputs.empty()) return absl::InvalidArgumentError("there is nothing to write");
  for (const onnx_hier_output& output : outputs) {
    if (output.number < onnx_hier_product_outputs(&handle)) continue;
    return absl::InvalidArgumentError(absl::StrCat("the product has no output ", output.number));
  }
  constexpr ExternalData kExternalData[] = {ExternalData::kRefuse, ExternalData::kCopy,
                                            ExternalData::kKeep, ExternalData::kCut,
                                            ExternalData::kCutElsewhere};
  WriteOptions write;
  write.replace = write.allow_over_2gib = options.Flag("force");
  write.in_place = options.Flag("in_place");
  write.offers_in_place = options.Flag("offers_in_place", true);
  write.sync = options.Flag("sync", true);
  write.external_data = kExternalData[options.Word(
      "external_data", {"refuse", "copy", "keep", "cut", "cut elsewhere"})];
  if (!options.status().ok()) return options.status();

  const Model& model = product.held->model;
  const char* const first = outputs.front().path;
  const std::string about = first != nullptr ? first : product.held->name;
  const std::lock_guard<std::mutex> lock(product.held->mutex);
  absl::Status status = CheckReads(model, outputs, options.Texts("reads"));
  if (!status.ok()) return About(about, status);
  std::vector<std::string> warnings;
  Outputs list(product, outputs);
  write.warnings = &warnings;
  write.written = list.written();
  write.progress = &call.progress;
  write.cancel = &call.cancel;
  status = Write(model, list.list(), write);
  if (status.ok()) status = list.Close();
  if (!status.ok()) return About(about, status);

  JsonText json(&call.text);
  json.BeginObject();
  json.Key("warnings").ExactStrings(warnings);
  json.EndObject();
  return absl::OkStatus();
}

}  // namespace
}  // namespace onnx_hier::c

namespace c = onnx_hier::c;

int onnx_hier_write(onnx_hier_call* call, onnx_hier_product* product,
                    const onnx_hier_output* outputs, size_t outputs_count,
                    const onnx_hier_option* options, size_t count) {
  return c::Run(call, [=] {
    c::Options given(options, count,
                     {"force", "in_place", "offers_in_place", "sync", "external_data", "reads"});
    return c::WriteProduct(*call, *product, {outputs, outputs_count}, given);
  });
}
