// SPDX-License-Identifier: Apache-2.0
#include "lib/profile/json_profile.h"

#include <istream>
#include <iterator>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "lib/profile/kernel_log.h"
#include "lib/profile/times.h"
#include "nlohmann/json.hpp"

namespace onnx_hier {
namespace {

using Json = nlohmann::json;

// Profiles have three or four levels.
constexpr size_t kDeepest = 64;
constexpr absl::string_view kKernelSuffix = "_kernel_time";
constexpr absl::string_view kRunName = "model_run";

// What is kept of an object of the list.
struct Record {
  std::string category;
  std::string name;
  std::string op_type;
  std::optional<uint32_t> index;
  uint64_t parameter_bytes = 0;
  uint32_t thread = 0;
  std::optional<double> begin;     // microseconds
  std::optional<double> duration;  // likewise
  std::optional<double> all_runs;  // milliseconds
  std::optional<double> average;   // likewise
  std::optional<double> median;    // likewise
  std::optional<double> count;     // runs
};

// Reads a list of records out of the text, each as it comes.
class RecordReader : public nlohmann::json_sax<Json> {
 public:
  RecordReader(ProfileText& text, const ProfileOptions& options)
      : text_(text), sums_(options.sum_runs), log_(options) {}

  bool null() override { return true; }
  bool boolean(bool /*value*/) override { return true; }
  bool number_integer(number_integer_t value) override {
    return TakeNumber(static_cast<double>(value));
  }
  bool number_unsigned(number_unsigned_t value) override {
    return TakeNumber(static_cast<double>(value));
  }
  bool number_float(number_float_t value, const string_t& /*digits*/) override {
    return TakeNumber(value);
  }
  bool string(string_t& value) override {
    TakeString(value);
    return true;
  }
  bool binary(binary_t& /*value*/) override { return true; }

  bool start_object(size_t /*size*/) override {
    if (!Enter()) return false;
    if (depth_ == record_depth_) record_ = {};
    if (depth_ == 1) record_depth_ = 3;  // an object of lists
    return true;
  }
  bool key(string_t& value) override {
    if (depth_ == 1) {
      is_in_list_ = value == "traceEvents";
      is_layer_info_ = is_layer_info_ || value == "Layers";
    }
    if (depth_ == record_depth_) is_in_arguments_ = value == "args";
    key_.swap(value);
    return true;
  }
  bool end_object() override {
    --depth_;
    return depth_ + 1 != record_depth_ || !is_in_list_ || TakeRecord();
  }
  bool start_array(size_t /*size*/) override {
    if (!Enter()) return false;
    if (depth_ == 1) {
      record_depth_ = 2;
      is_in_list_ = true;
    }
    return true;
  }
  bool end_array() override {
    --depth_;
    return true;
  }
  bool parse_error(size_t position, const std::string& /*token*/,
                   const nlohmann::detail::exception& error) override {
    const bool is_number = dynamic_cast<const Json::out_of_range*>(&error) != nullptr;
    const bool is_at_end = text_.sgetc() == ProfileText::traits_type::eof();
    status_ = absl::InvalidArgumentError(absl::StrCat(
        "byte ", position, ": ",
        is_number   ? "a number that is too large"
        : is_at_end ? "it ends in the middle of the JSON; was the profiling ended (end_profiling)?"
                    : "is not JSON"));
    return false;
  }

  absl::StatusOr<Profile> Finish() {
    if (!text_.status().ok()) return text_.status();
    if (!status_.ok()) return status_;
    if (log_.size() > 0) {
      return log_.Finish(is_tensorrt_ ? ProfileKind::kTensorRt : ProfileKind::kOnnxRuntime);
    }
    if (is_layer_info_) {
      return absl::InvalidArgumentError(
          "has layers of TensorRT and no times: it goes with a profile, as --layer-info");
    }
    if (events_ > 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("has ", events_, " events, but no kernel among them (category 'Node', name ",
                       "'..._kernel_time'): was the model run?"));
    }
    return absl::InvalidArgumentError(
        "is JSON, but no profile that is known: neither onnxruntime's nor TensorRT's");
  }

 private:
  bool Enter() {
    if (++depth_ <= kDeepest) return true;
    return Refuse(absl::StrCat("nests deeper than ", kDeepest, " levels"));
  }

  bool Refuse(absl::string_view what) {
    status_ = absl::InvalidArgumentError(absl::StrCat("byte ", text_.position(), ": ", what));
    return false;
  }
  bool Check(const absl::Status& status) { return status.ok() || Refuse(status.message()); }

  bool TakeNumber(double value) {
    if (depth_ != record_depth_ || !is_in_list_) return true;
    if (key_ == "dur") record_.duration = value;
    if (key_ == "ts") record_.begin = value;
    if (key_ == "tid" && value >= 0 && value <= 0xFFFFFFFFu) {
      record_.thread = static_cast<uint32_t>(value);
    }
    if (key_ == "timeMs") record_.all_runs = value;
    if (key_ == "averageMs") record_.average = value;
    if (key_ == "medianMs") record_.median = value;
    if (key_ == "count") record_.count = value;
    return true;
  }

  void TakeString(std::string& value) {
    if (!is_in_list_) return;
    if (depth_ == record_depth_) {
      if (key_ == "cat") record_.category.swap(value);
      if (key_ == "name") record_.name.swap(value);
      return;
    }
    if (depth_ != record_depth_ + 1 || !is_in_arguments_) return;
    if (key_ == "op_name") record_.op_type.swap(value);
    if (uint32_t index = 0; key_ == "node_index" && absl::SimpleAtoi(value, &index)) {
      record_.index = index;
    }
    if (key_ == "parameter_size" && !absl::SimpleAtoi(value, &record_.parameter_bytes)) {
      record_.parameter_bytes = 0;
    }
  }

  bool TakeRecord() {
    if (!record_.category.empty()) {
      ++events_;
      if (record_.category == "Node") return TakeKernel();
      if (record_.category == "Session" && record_.name == kRunName) log_.EndRun();
    } else if (!record_.name.empty() && (record_.median || record_.average || record_.all_runs)) {
      return TakeLayer();
    } else if (record_.count) {
      runs_ = *record_.count;
    }
    return true;
  }

  bool TakeKernel() {
    absl::string_view name = record_.name;
    // Older versions note what they wait for as well.
    if (!absl::ConsumeSuffix(&name, kKernelSuffix) || !record_.duration) return true;
    const std::optional<uint64_t> duration = Nanoseconds(*record_.duration, kMicrosecond);
    const std::optional<uint64_t> begin = Nanoseconds(record_.begin.value_or(0), kMicrosecond);
    if (!duration || !begin) return Refuse("a time that is below zero or beyond measure");
    const absl::StatusOr<uint32_t> kernel = log_.NumberOf(name, record_.op_type, record_.index);
    if (!kernel.ok()) return Check(kernel.status());
    log_.kernel(*kernel).parameter_bytes = record_.parameter_bytes;
    if (!record_.begin) return Check(log_.Add(*kernel, *duration));
    return Check(log_.AddSpan({*kernel, record_.thread, *begin, *duration}));
  }

  // Its times are of all runs already.
  bool TakeLayer() {
    is_tensorrt_ = true;
    const double all_runs = record_.all_runs.value_or(0);
    const double one_run =
        record_.median.value_or(record_.average.value_or(all_runs / (runs_ > 1 ? runs_ : 1)));
    const std::optional<uint64_t> duration =
        Nanoseconds(sums_ && record_.all_runs ? all_runs : one_run, kMillisecond);
    if (!duration) return Refuse("a time that is below zero or beyond measure");
    const absl::StatusOr<uint32_t> kernel = log_.NumberOf(record_.name, "", std::nullopt);
    return Check(kernel.ok() ? log_.Add(*kernel, *duration) : kernel.status());
  }

  ProfileText& text_;
  const bool sums_;
  KernelLog log_;
  Record record_;
  std::string key_;
  size_t depth_ = 0;
  size_t record_depth_ = 0;
  bool is_in_list_ = false;
  bool is_in_arguments_ = false;
  bool is_layer_info_ = false;
  bool is_tensorrt_ = false;
  double runs_ = 0;
  uint64_t events_ = 0;
  absl::Status status_;
};

}  // namespace

absl::StatusOr<Profile> ReadJsonProfile(ProfileText& text, const ProfileOptions& options) {
  text.BoundStrings();
  RecordReader reader(text, options);
  std::istream stream(&text);
  Json::sax_parse(stream, &reader);
  return reader.Finish();
}

}  // namespace onnx_hier
