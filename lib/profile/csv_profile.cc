// SPDX-License-Identifier: Apache-2.0
#include "lib/profile/csv_profile.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "lib/profile/csv_fields.h"
#include "lib/profile/kernel_log.h"
#include "lib/profile/times.h"

namespace onnx_hier {
namespace {

// Reports begin with some lines about the device and the command.
constexpr size_t kMostLinesBefore = 1000;

struct TimeUnit {
  absl::string_view name;
  double nanoseconds;
};
constexpr TimeUnit kUnits[] = {{"ns", 1},
                               {"us", kMicrosecond},
                               {"µs", kMicrosecond},
                               {"mcs", kMicrosecond},
                               {"ms", kMillisecond},
                               {"s", 1e9}};
constexpr absl::string_view kNameColumns[] = {"name",   "node",      "layer",
                                              "kernel", "layername", "node_name"};
constexpr absl::string_view kTimeColumns[] = {"time", "realtime", "duration", "dur", "latency"};
constexpr absl::string_view kTypeColumns[] = {"type", "op", "op_type", "layertype", "operator"};

template <size_t kSize>
bool IsOneOf(absl::string_view name, const absl::string_view (&names)[kSize]) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

// Where a table has what.
struct Columns {
  char separator = ',';
  std::optional<size_t> name;
  std::optional<size_t> time;
  std::optional<size_t> type;
  std::optional<size_t> status;
  double unit = kMicrosecond;

  bool IsTable() const { return name && time; }
};

// "time", "time_ms", "realTime (ms)": the unit goes into `*unit`.
bool IsTimeColumn(absl::string_view title, double* unit) {
  if (IsOneOf(title, kTimeColumns)) return true;
  absl::ConsumeSuffix(&title, ")") || absl::ConsumeSuffix(&title, "]");
  for (const TimeUnit& known : kUnits) {
    absl::string_view rest = title;
    if (!absl::ConsumeSuffix(&rest, known.name) || rest.empty() ||
        absl::ascii_isalpha(static_cast<unsigned char>(rest.back()))) {
      continue;
    }
    while (!rest.empty() && absl::StrContains("_([ ", rest.back())) rest.remove_suffix(1);
    if (!IsOneOf(rest, kTimeColumns)) continue;
    *unit = known.nanoseconds;
    return true;
  }
  return false;
}

Columns ColumnsOf(absl::string_view line, char separator) {
  Columns columns;
  columns.separator = separator;
  ForEachField(line, separator, [&](size_t i, absl::string_view field) {
    const std::string title = absl::AsciiStrToLower(absl::StripAsciiWhitespace(field));
    if (!columns.name && IsOneOf(title, kNameColumns)) columns.name = i;
    if (!columns.time && IsTimeColumn(title, &columns.unit)) columns.time = i;
    if (!columns.type && IsOneOf(title, kTypeColumns)) columns.type = i;
    if (title == "execstatus") columns.status = i;
    return true;
  });
  return columns;
}

Columns ColumnsOf(absl::string_view line) {
  for (char separator : {',', ';', '\t'}) {
    const Columns columns = ColumnsOf(line, separator);
    if (columns.IsTable()) return columns;
  }
  return {};
}

class ProfileTableReader {
 public:
  ProfileTableReader(ProfileText& text, const ProfileOptions& options, size_t lines_before)
      : text_(text), log_(options), line_(lines_before) {}

  absl::StatusOr<Profile> Read() {
    for (std::string line; text_.ReadLine(&line);) {
      ++line_;
      if (const absl::Status status = TakeLine(line); !status.ok()) return status;
    }
    if (!text_.status().ok()) return text_.status();
    if (!columns_.IsTable()) {
      return absl::InvalidArgumentError(
          "is no profile that is known: neither JSON nor a table with columns for names and times");
    }
    if (log_.size() == 0) return absl::InvalidArgumentError("is a table without a time in it");
    log_.EndRun();
    return log_.Finish(columns_.status ? ProfileKind::kOpenVino : ProfileKind::kTimes);
  }

 private:
  absl::Status TakeLine(absl::string_view line) {
    if (line_ == 1) absl::ConsumePrefix(&line, "\xEF\xBB\xBF");
    if (const Columns columns = ColumnsOf(line); columns.IsTable()) {
      log_.EndRun();
      columns_ = columns;
      is_in_table_ = true;
      return absl::OkStatus();
    }
    if (line_ >= kMostLinesBefore && !columns_.IsTable()) {
      return absl::InvalidArgumentError(absl::StrCat("has no line that names columns for names and",
                                                     " times, such as 'name,time'"));
    }
    const bool is_empty = absl::StripAsciiWhitespace(line).empty();
    // Behind the table of a report stands something else.
    if (is_empty && columns_.status) is_in_table_ = false;
    return is_empty || !is_in_table_ ? absl::OkStatus() : TakeRow(line);
  }

  absl::Status TakeRow(absl::string_view line) {
    std::vector<std::string> fields;
    ForEachField(line, columns_.separator, [&](size_t /*number*/, absl::string_view field) {
      fields.emplace_back(field);
      return true;
    });
    const auto field = [&](std::optional<size_t> column) {
      return column && *column < fields.size() ? absl::StripAsciiWhitespace(fields[*column])
                                               : absl::string_view();
    };
    // What was not executed, and sums.
    if (columns_.status && field(columns_.status) != "EXECUTED") return absl::OkStatus();
    double number = 0;
    const bool is_number = absl::SimpleAtod(field(columns_.time), &number);
    const std::optional<uint64_t> time = Nanoseconds(number, columns_.unit);
    if (!is_number || !time) {
      return absl::InvalidArgumentError(
          absl::StrCat("line ", line_, ": '", field(columns_.time), "' is no time"));
    }
    const absl::StatusOr<uint32_t> kernel =
        log_.NumberOf(field(columns_.name), field(columns_.type), std::nullopt);
    const absl::Status status = kernel.ok() ? log_.Add(*kernel, *time) : kernel.status();
    if (status.ok()) return absl::OkStatus();
    return absl::Status(status.code(), absl::StrCat("line ", line_, ": ", status.message()));
  }

  ProfileText& text_;
  KernelLog log_;
  Columns columns_;
  bool is_in_table_ = false;
  size_t line_;
};

}  // namespace

bool NamesTimes(absl::string_view line) { return ColumnsOf(line).IsTable(); }

std::optional<double> TimeScale(absl::string_view title) {
  double unit = kMicrosecond;
  return IsTimeColumn(absl::AsciiStrToLower(title), &unit) ? std::optional<double>(unit)
                                                           : std::nullopt;
}

absl::StatusOr<Profile> ReadCsvProfile(ProfileText& text, const ProfileOptions& options,
                                       size_t lines_before) {
  return ProfileTableReader(text, options, lines_before).Read();
}

}  // namespace onnx_hier
