// SPDX-License-Identifier: Apache-2.0
#include "lib/profile/json_profile.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "lib/base/json_scanner.h"
#include "lib/profile/kernel_log.h"
#include "lib/profile/times.h"

namespace onnx_hier {
namespace {

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
  std::optional<double> thread;
  std::optional<double> begin;     // microseconds
  std::optional<double> duration;  // likewise
  std::optional<double> all_runs;  // milliseconds
  std::optional<double> average;   // likewise
  std::optional<double> median;    // likewise
  std::optional<double> count;     // runs
};

// Where it is kept what a record says under a key: a number or a text.
struct RecordField {
  absl::string_view key;
  std::optional<double> Record::*number = nullptr;
  std::string Record::*text = nullptr;
};
constexpr RecordField kFields[] = {
    {.key = "cat", .text = &Record::category},
    {.key = "name", .text = &Record::name},
    {.key = "ts", .number = &Record::begin},
    {.key = "dur", .number = &Record::duration},
    {.key = "tid", .number = &Record::thread},
    {.key = "timeMs", .number = &Record::all_runs},
    {.key = "averageMs", .number = &Record::average},
    {.key = "medianMs", .number = &Record::median},
    {.key = "count", .number = &Record::count},
};
constexpr RecordField kNoField = {};

enum class Argument : uint8_t { kOpType, kIndex, kParameterBytes, kOther };
constexpr absl::string_view kArguments[] = {"op_name", "node_index", "parameter_size"};

// Reads a list of records out of the text, each as it comes.
class RecordReader {
 public:
  RecordReader(ProfileText& text, const ProfileOptions& options)
      : text_(text),
        begin_(text.position()),
        json_(text, ProfileText::kLongest),
        sums_(options.sum_runs),
        log_(options) {}

  absl::StatusOr<Profile> Read() {
    while (json_.Next() && Take()) {
    }
    if (status_.ok()) status_ = ErrorInText();
    return Finish();
  }

 private:
  // False: there is no use in going on.
  bool Take() {
    switch (json_.event()) {
      case JsonEvent::kObject:
      case JsonEvent::kArray:
        return Enter(json_.event() == JsonEvent::kArray);
      case JsonEvent::kKey:
        TakeKey();
        return true;
      case JsonEvent::kObjectEnd:
        return json_.depth() + 1 != record_depth_ || !is_in_list_ || TakeRecord();
      case JsonEvent::kString:
        if (is_in_list_) TakeString(json_.text());
        return true;
      case JsonEvent::kNumber:
        if (is_in_list_ && json_.depth() == record_depth_ && field_->number != nullptr) {
          record_.*field_->number = json_.number();
        }
        return true;
      case JsonEvent::kArrayEnd:
      case JsonEvent::kOther:
        break;
    }
    return true;
  }

  bool Enter(bool is_array) {
    const size_t depth = json_.depth() + 1;
    if (depth > kDeepest) return Refuse(absl::StrCat("nests deeper than ", kDeepest, " levels"));
    if (!is_array && depth == record_depth_) record_ = {};
    if (depth == 1) {
      is_in_list_ = is_array;
      record_depth_ = is_array ? 2 : 3;  // else an object of lists
    }
    return true;
  }

  void TakeKey() {
    const size_t depth = json_.depth();
    const absl::string_view key = json_.text();
    if (depth == 1) {
      is_in_list_ = key == "traceEvents";
      is_layer_info_ = is_layer_info_ || key == "Layers";
    }
    if (depth == record_depth_) {
      const auto* const field =
          std::find_if(std::begin(kFields), std::end(kFields),
                       [key](const RecordField& each) { return each.key == key; });
      field_ = field == std::end(kFields) ? &kNoField : field;
      is_in_arguments_ = key == "args";
    }
    if (depth == record_depth_ + 1 && is_in_arguments_) {
      const auto* const argument = std::find(std::begin(kArguments), std::end(kArguments), key);
      argument_ = static_cast<Argument>(argument - std::begin(kArguments));
    }
  }

  absl::Status ErrorInText() const {
    switch (json_.error()) {
      case JsonError::kNone:
        return absl::OkStatus();
      case JsonError::kNumberTooLarge:
        return Error("a number that is too large");
      case JsonError::kStringTooLong:
        return Error(absl::StrCat("a string is longer than ", ProfileText::kLongest, " bytes"));
      case JsonError::kEnds:
        return Error("it ends in the middle of the JSON; was the profiling ended (end_profiling)?");
      case JsonError::kNotJson:
        break;
    }
    return Error("is not JSON");
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

  absl::Status Error(absl::string_view what) const {
    return absl::InvalidArgumentError(absl::StrCat("byte ", begin_ + json_.position(), ": ", what));
  }
  bool Refuse(absl::string_view what) {
    status_ = Error(what);
    return false;
  }
  bool Check(const absl::Status& status) { return status.ok() || Refuse(status.message()); }

  void TakeString(absl::string_view value) {
    if (json_.depth() == record_depth_) {
      if (field_->text != nullptr) (record_.*field_->text).assign(value.data(), value.size());
    } else if (json_.depth() == record_depth_ + 1 && is_in_arguments_) {
      TakeArgument(value);
    }
  }

  void TakeArgument(absl::string_view value) {
    switch (argument_) {
      case Argument::kOpType:
        record_.op_type.assign(value.data(), value.size());
        return;
      case Argument::kIndex:
        if (uint32_t index = 0; absl::SimpleAtoi(value, &index)) record_.index = index;
        return;
      case Argument::kParameterBytes:
        if (!absl::SimpleAtoi(value, &record_.parameter_bytes)) record_.parameter_bytes = 0;
        return;
      case Argument::kOther:
        return;
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
    const double thread = record_.thread.value_or(0);
    const bool is_thread = thread >= 0 && thread <= 0xFFFFFFFFu;
    return Check(
        log_.AddSpan({*kernel, is_thread ? static_cast<uint32_t>(thread) : 0, *begin, *duration}));
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
  const uint64_t begin_;  // of the JSON in the text
  JsonScanner json_;
  const bool sums_;
  KernelLog log_;
  Record record_;
  const RecordField* field_ = &kNoField;  // of the record, at its last key
  Argument argument_ = Argument::kOther;
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
  return RecordReader(text, options).Read();
}

}  // namespace onnx_hier
