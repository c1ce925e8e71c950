// SPDX-License-Identifier: Apache-2.0
#include "lib/profile/table.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "lib/profile/csv_fields.h"
#include "lib/profile/table_rows.h"

namespace onnx_hier {
namespace {

constexpr char kSeparators[] = {',', ';', '\t'};
constexpr size_t kMostLinesBefore = 1000;
// Of a title that nobody looks for.
constexpr size_t kMostTitles = 64;
constexpr size_t kDeepest = 64;
constexpr size_t kLinesLookedAt = 20;

absl::Status WithLine(size_t line, const absl::Status& status) {
  if (status.ok()) return status;
  return absl::Status(status.code(), absl::StrCat("line ", line, ": ", status.message()));
}

// The titles of a line by which anything can be meant, and their numbers.
struct Titles {
  std::vector<std::string> texts;
  std::vector<size_t> numbers;
};

Titles TitlesIn(absl::string_view line, char separator, const TableOptions& options) {
  Titles titles;
  ForEachField(line, separator, [&](size_t number, absl::string_view field) {
    const absl::string_view title = absl::StripAsciiWhitespace(field);
    const bool is_asked = (!options.key.empty() && SameTitle(title, options.key)) ||
                          (!options.value.empty() && SameTitle(title, options.value));
    if (is_asked || number < kMostTitles) {
      titles.texts.emplace_back(title);
      titles.numbers.push_back(number);
    }
    return true;
  });
  return titles;
}

char SeparatorOf(absl::string_view line) {
  const auto count = [line](char separator) {
    return std::count(line.begin(), line.end(), separator);
  };
  return *std::max_element(std::begin(kSeparators), std::end(kSeparators),
                           [&](char a, char b) { return count(a) < count(b); });
}

// A trace of Qualcomm's QNN has a row for each operator, and others of the whole; what an operator
// is called says its number and unit as well.
class QnnRows {
 public:
  explicit QnnRows(absl::Span<const std::string> titles) {
    for (size_t i = 0; i < titles.size(); ++i) {
      const std::string title = PlainTitle(titles[i]);
      if (title == "message") message_ = i;
      if (title == "unitofmeasurement") unit_ = i;
      if (title == "eventlevel") level_ = i;
    }
  }

  bool IsTrace() const { return message_ != kNone && unit_ != kNone && level_ != kNone; }
  bool IsOfOperator(absl::Span<const std::string> fields) const {
    return FieldOf(fields, message_) == "NODE" && FieldOf(fields, level_) == "SUB-EVENT";
  }
  // "cycles", or as a column of times would be called.
  std::string TitleOf(absl::Span<const std::string> fields) const {
    const std::string unit = absl::AsciiStrToLower(FieldOf(fields, unit_));
    return unit == "us" || unit == "ms" || unit == "ns" ? absl::StrCat("time_", unit) : unit;
  }

  // "/fc/MatMul_token_5_2:OpId_35 (cycles)" -> "/fc/MatMul"
  static absl::string_view NodeIn(absl::string_view event) {
    const size_t number = event.rfind("OpId_");
    if (number == absl::string_view::npos || number == 0) return event;
    absl::string_view name = absl::StripAsciiWhitespace(event.substr(0, number));
    absl::ConsumeSuffix(&name, ":");
    const size_t token = name.rfind("_token_");
    if (token != absl::string_view::npos && token > 0 &&
        name.find_first_not_of("0123456789_", token + 7) == absl::string_view::npos) {
      name = name.substr(0, token);
    }
    return name;
  }

 private:
  static constexpr size_t kNone = TableColumns::kNone;

  static absl::string_view FieldOf(absl::Span<const std::string> fields, size_t column) {
    return column < fields.size() ? absl::string_view(fields[column]) : absl::string_view();
  }

  size_t message_ = kNone;
  size_t unit_ = kNone;
  size_t level_ = kNone;
};

class CsvTable {
 public:
  CsvTable(ProfileText& text, const ProfileOptions& options, size_t lines_before)
      : text_(text), options_(options), rows_(options), line_(lines_before) {}

  absl::StatusOr<Profile> Read() {
    std::string line;
    if (const absl::Status status = FindHead(line); !status.ok()) return status;
    while (NextLine(line)) {
      if (absl::StripAsciiWhitespace(line).empty()) continue;
      if (const absl::Status status = TakeRow(line); !status.ok()) return WithLine(line_, status);
    }
    if (!text_.status().ok()) return text_.status();
    if (rows_.size() == 0) return absl::InvalidArgumentError("is a table without rows");
    return std::move(rows_).Finish(std::max<uint64_t>(samples_, 1));
  }

 private:
  // A quoted field may go over several lines.
  bool NextLine(std::string& line) {
    if (!text_.ReadLine(&line, kLongestRow)) return false;
    ++line_;
    std::string more;
    while (std::count(line.begin(), line.end(), '"') % 2 != 0 && line.size() < kLongestRow &&
           text_.ReadLine(&more, kLongestRow)) {
      ++line_;
      absl::StrAppend(&line, "\n", more);
    }
    return true;
  }

  // The first line that has what is needed; if none has, what the first one lacks.
  absl::Status FindHead(std::string& line) {
    absl::Status first;
    while (line_ < kMostLinesBefore && NextLine(line)) {
      absl::string_view head = line;
      if (line_ == 1) absl::ConsumePrefix(&head, "\xEF\xBB\xBF");
      if (absl::StripAsciiWhitespace(head).empty()) continue;
      separator_ = SeparatorOf(head);
      titles_ = TitlesIn(head, separator_, options_.table);
      const absl::StatusOr<TableColumns> columns = ChooseColumns(titles_.texts, options_.table);
      if (columns.ok()) {
        columns_ = *columns;
        qnn_ = QnnRows(titles_.texts);
        return absl::OkStatus();
      }
      if (first.ok()) first = WithLine(line_, columns.status());
    }
    if (!text_.status().ok()) return text_.status();
    return first.ok() ? absl::InvalidArgumentError("is a table without rows") : first;
  }

  absl::Status TakeRow(absl::string_view line) {
    fields_.clear();
    ForEachField(line, separator_, [&](size_t number, absl::string_view field) {
      if (number == titles_.numbers[fields_.size()]) {
        fields_.emplace_back(absl::StripAsciiWhitespace(field));
      }
      return fields_.size() < titles_.numbers.size();
    });
    const auto field = [&](size_t column) {
      return column < fields_.size() ? absl::string_view(fields_[column]) : absl::string_view();
    };
    absl::string_view name = field(columns_.name);
    std::string title =
        columns_.amount == TableColumns::kNone ? "rows" : titles_.texts[columns_.amount];
    if (qnn_ && qnn_->IsTrace()) {
      if (!qnn_->IsOfOperator(fields_)) return absl::OkStatus();
      // Each sample has each operator once.
      if (first_event_.empty()) first_event_ = std::string(name);
      if (name == first_event_) ++samples_;
      name = QnnRows::NodeIn(name);
      title = qnn_->TitleOf(fields_);
    }
    return rows_.Add(title, name, field(columns_.op_type), field(columns_.amount));
  }

  static constexpr size_t kLongestRow = 16 << 20;  // a million columns

  ProfileText& text_;
  const ProfileOptions& options_;
  TableRows rows_;
  char separator_ = ',';
  Titles titles_;
  TableColumns columns_;
  std::optional<QnnRows> qnn_;
  std::string first_event_;          // of a trace
  uint64_t samples_ = 0;             // likewise
  std::vector<std::string> fields_;  // of the titles
  size_t line_;
};

// --- JSON

// What an object says with numbers and texts.
struct Entry {
  std::string key;
  std::string value;
  bool is_number = false;
};

// One that is being read: an object or an array.
struct Level {
  bool is_object = false;
  bool has_inner = false;      // objects or arrays in it
  std::string key;             // of an object: the last one
  std::vector<Entry> entries;  // of an object
  std::string first;           // of an array: its first text
  size_t items = 0;            // of an array
};

class JsonTable {
 public:
  JsonTable(ProfileText& text, const ProfileOptions& options)
      : text_(text),
        options_(options),
        begin_(text.position()),
        json_(text, ProfileText::kLongest),
        records_(options),
        keyed_(options),
        listed_(options),
        flat_(options) {}

  absl::StatusOr<Profile> Read() {
    while (status_.ok() && json_.Next()) Take();
    if (!text_.status().ok()) return text_.status();
    if (!status_.ok()) return Place(status_);
    if (json_.error() != JsonError::kNone) {
      return Place(absl::InvalidArgumentError(
          json_.error() == JsonError::kEnds             ? "it ends in the middle of the JSON"
          : json_.error() == JsonError::kStringTooLong  ? "a string that is too long"
          : json_.error() == JsonError::kNumberTooLarge ? "a number that is too large"
                                                        : "is not JSON"));
    }
    const bool is_keyed = keyed_names_ > 1 || (keyed_names_ == 1 && options_.table.is_asked());
    if (records_.size() == 0 && is_keyed) {
      if (!keyed_status_.ok()) return keyed_status_;
      return std::move(keyed_).Finish();
    }
    if (records_.size() == 0 && !record_status_.ok()) return record_status_;
    const bool is_list = records_.size() == 0 && listed_.size() > flat_.size();
    TableRows& best = records_.size() > 0 ? records_ : is_list ? listed_ : flat_;
    if (&best == &flat_ && !flat_status_.ok()) return flat_status_;
    if (best.size() == 0) {
      return absl::InvalidArgumentError(
          "is JSON, but neither a profile nor a table that is known: no rows that name nodes");
    }
    return std::move(best).Finish();
  }

 private:
  absl::Status Place(const absl::Status& status) const {
    return absl::Status(status.code(),
                        absl::StrCat("byte ", begin_ + json_.position(), ": ", status.message()));
  }

  void Take() {
    switch (json_.event()) {
      case JsonEvent::kObject:
      case JsonEvent::kArray:
        return Enter(json_.event() == JsonEvent::kObject);
      case JsonEvent::kObjectEnd:
        LeaveObject();
        levels_.pop_back();
        return;
      case JsonEvent::kArrayEnd:
        levels_.pop_back();
        return;
      case JsonEvent::kKey:
        levels_.back().key = std::string(json_.text());
        return;
      case JsonEvent::kString:
      case JsonEvent::kNumber:
        return TakeScalar(json_.text(), json_.IsNumber());
      case JsonEvent::kOther:
        return TakeScalar("null", /*is_number=*/true);
    }
  }

  void Enter(bool is_object) {
    if (levels_.size() == kDeepest) {
      status_ = absl::InvalidArgumentError(absl::StrCat("nests deeper than ", kDeepest, " levels"));
      return;
    }
    if (!levels_.empty()) levels_.back().has_inner = true;
    levels_.emplace_back();
    levels_.back().is_object = is_object;
  }

  void TakeScalar(absl::string_view text, bool is_number) {
    if (levels_.empty()) return;
    Level& level = levels_.back();
    if (!level.is_object) {
      TakeItem(level, text, is_number);
      return;
    }
    const bool is_asked = (!options_.table.key.empty() && level.key == options_.table.key) ||
                          (!options_.table.value.empty() && level.key == options_.table.value);
    if (is_asked || level.entries.size() < kMostTitles) {
      level.entries.push_back({level.key, std::string(text), is_number});
    }
    if (!flat_status_.ok() || records_.size() > 0) return;
    flat_status_ = flat_.Add("value", level.key, "", text);
  }

  // A list of names, or ["name", 0.5].
  void TakeItem(Level& array, absl::string_view text, bool is_number) {
    ++array.items;
    if (array.items == 2 && is_number && !array.first.empty()) {
      Keep(records_.Add("value", array.first, "", text));
      return;
    }
    if (array.items == 1 && !is_number) array.first = std::string(text);
    if (is_number || records_.size() > 0) return;
    Keep(listed_.Add("list", text, "", ListName()));
  }

  // What the innermost object around a list says of it, or calls it.
  absl::string_view ListName() const {
    for (size_t i = levels_.size(); i-- > 0;) {
      if (!levels_[i].is_object) continue;
      for (const Entry& entry : levels_[i].entries) {
        const std::string title = PlainTitle(entry.key);
        if (title == "ep" || title == "epname" || title == "provider") return entry.value;
      }
      return levels_[i].key;
    }
    return "listed";
  }

  void LeaveObject() {
    const Level& object = levels_.back();
    if (object.has_inner || object.entries.empty()) return;
    TakeRecord();
    if (levels_.size() < 2 || !levels_[levels_.size() - 2].is_object) return;
    ++keyed_names_;
    if (!keyed_status_.ok()) return;
    const std::string name = levels_[levels_.size() - 2].key;
    std::vector<Entry> entries = object.entries;
    entries.push_back({"name", name});
    TableOptions options = options_.table;
    options.key = "name";
    keyed_status_ = AddTo(keyed_, entries, options);
  }

  // What the objects around it say holds of it, too: {"ep_name": "CPU", "nodes": [{"name": "a"}]}.
  void TakeRecord() {
    std::vector<Entry> entries = levels_.back().entries;
    for (size_t i = levels_.size() - 1; i-- > 0;) {
      entries.insert(entries.end(), levels_[i].entries.begin(), levels_[i].entries.end());
    }
    TableOptions counted = options_.table;
    counted.value.clear();
    counted.adds = TableAdds::kCount;
    const absl::StatusOr<TableColumns> columns = ChooseColumns(TitlesOf(entries), counted);
    // Numbers by name may have such a name among them.
    if (!columns.ok() || entries[columns->name].is_number) return;
    const absl::Status status = AddTo(records_, entries, options_.table);
    if (record_status_.ok()) record_status_ = status;
  }

  static std::vector<std::string> TitlesOf(const std::vector<Entry>& entries) {
    std::vector<std::string> titles;
    titles.reserve(entries.size());
    for (const Entry& entry : entries) titles.push_back(entry.key);
    return titles;
  }

  // An error of the columns; one of what they say ends the reading.
  absl::Status AddTo(TableRows& rows, const std::vector<Entry>& entries,
                     const TableOptions& options) {
    const absl::StatusOr<TableColumns> columns = ChooseColumns(TitlesOf(entries), options);
    if (!columns.ok()) return columns.status();
    const auto value_of = [&](size_t column) {
      return column == TableColumns::kNone ? absl::string_view() : entries[column].value;
    };
    const absl::string_view title = columns->amount == TableColumns::kNone
                                        ? "rows"
                                        : absl::string_view(entries[columns->amount].key);
    Keep(rows.Add(title, entries[columns->name].value, value_of(columns->op_type),
                  value_of(columns->amount)));
    return absl::OkStatus();
  }

  void Keep(const absl::Status& status) {
    if (status_.ok()) status_ = status;
  }

  ProfileText& text_;
  const ProfileOptions& options_;
  const uint64_t begin_;  // of the JSON in the text
  JsonScanner json_;
  std::vector<Level> levels_;
  // Rows by how they are written; which they are is only known at the end.
  TableRows records_;  // objects that name a node
  TableRows keyed_;    // objects that stand at a name
  TableRows listed_;   // names in lists
  TableRows flat_;     // numbers or texts that stand at a name
  size_t keyed_names_ = 0;
  absl::Status record_status_;
  absl::Status keyed_status_;
  absl::Status flat_status_;
  absl::Status status_;
};

}  // namespace

bool LooksLikeTable(absl::string_view ahead) {
  size_t fields = 0;
  for (absl::string_view line : absl::StrSplit(ahead, absl::MaxSplits('\n', kLinesLookedAt))) {
    if (absl::StripAsciiWhitespace(line).empty()) continue;
    size_t count = 0;
    ForEachField(line, SeparatorOf(line), [&](size_t, absl::string_view) { return ++count > 0; });
    // A name between quotes goes on in the next line.
    const bool is_open = std::count(line.begin(), line.end(), '"') % 2 != 0;
    if (fields > 1 && is_open) return true;
    if (fields > 0 || count == 1) return count > 1 && count == fields;
    fields = count;
  }
  return fields > 1;
}

absl::StatusOr<Profile> ReadCsvTable(ProfileText& text, const ProfileOptions& options,
                                     size_t lines_before) {
  return CsvTable(text, options, lines_before).Read();
}

absl::StatusOr<Profile> ReadJsonTable(ProfileText& text, const ProfileOptions& options) {
  return JsonTable(text, options).Read();
}

}  // namespace onnx_hier
