// SPDX-License-Identifier: Apache-2.0

// What is in a JSON text, event by event: as our scanner tells it, whole and in pieces, and as a
// parser that others keep does.
#ifndef ONNX_HIER_TESTS_SUPPORT_JSON_EVENTS_H_
#define ONNX_HIER_TESTS_SUPPORT_JSON_EVENTS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "lib/base/json_scanner.h"
#include "nlohmann/json.hpp"

namespace onnx_hier::testing {

// A text in pieces of so many bytes.
class JsonPieces : public JsonSource {
 public:
  JsonPieces(absl::string_view text, size_t size) : text_(text), size_(size) {}
  absl::string_view More(absl::string_view rest) override {
    const absl::string_view more = text_.substr(0, size_);
    text_.remove_prefix(more.size());
    // At another place than before, so that what is kept too long is seen.
    std::string moved = absl::StrCat(rest, more);
    buffer_.swap(moved);
    return buffer_;
  }

 private:
  absl::string_view text_;
  const size_t size_;
  std::string buffer_;
};

// Zero has no sign: the parser reads "-0" as a whole number.
inline std::string NumberEvent(double number) { return absl::StrFormat("%.17g ", number + 0.0); }

// None: it is not JSON.
inline std::optional<std::string> ScannedEvents(JsonScanner json) {
  std::string events;
  while (json.Next()) {
    switch (json.event()) {
      case JsonEvent::kObject:
        events += '{';
        break;
      case JsonEvent::kObjectEnd:
        events += '}';
        break;
      case JsonEvent::kArray:
        events += '[';
        break;
      case JsonEvent::kArrayEnd:
        events += ']';
        break;
      case JsonEvent::kKey:
        absl::StrAppend(&events, "'", json.text(), "':");
        break;
      case JsonEvent::kString:
        absl::StrAppend(&events, "'", json.text(), "'");
        break;
      case JsonEvent::kNumber:
        events += NumberEvent(json.number());
        break;
      case JsonEvent::kOther:
        events += '?';
        break;
    }
  }
  if (!json.Finish()) return std::nullopt;
  return events;
}

inline std::optional<std::string> ScannedEvents(absl::string_view text) {
  return ScannedEvents(JsonScanner(text));
}
inline std::optional<std::string> ScannedEvents(absl::string_view text, size_t piece) {
  JsonPieces pieces(text, piece);
  return ScannedEvents(JsonScanner(pieces, std::numeric_limits<size_t>::max()));
}

class EventsOfParser : public nlohmann::json_sax<nlohmann::json> {
 public:
  bool null() override { return Add("?"); }
  bool boolean(bool /*value*/) override { return Add("?"); }
  bool number_integer(number_integer_t value) override {
    return Number(static_cast<double>(value));
  }
  bool number_unsigned(number_unsigned_t value) override {
    return Number(static_cast<double>(value));
  }
  bool number_float(number_float_t value, const string_t& /*digits*/) override {
    return Number(value);
  }
  bool string(string_t& value) override { return Add(absl::StrCat("'", value, "'")); }
  bool binary(binary_t& /*value*/) override { return false; }
  bool start_object(size_t /*size*/) override { return Add("{"); }
  bool key(string_t& value) override { return Add(absl::StrCat("'", value, "':")); }
  bool end_object() override { return Add("}"); }
  bool start_array(size_t /*size*/) override { return Add("["); }
  bool end_array() override { return Add("]"); }
  bool parse_error(size_t /*position*/, const std::string& /*token*/,
                   const nlohmann::detail::exception& /*error*/) override {
    return false;
  }

  std::string TakeEvents() { return std::move(events_); }

 private:
  bool Add(absl::string_view event) {
    absl::StrAppend(&events_, event);
    return true;
  }
  bool Number(double number) { return Add(NumberEvent(number)); }

  std::string events_;
};

inline std::optional<std::string> ParsedEvents(absl::string_view text) {
  EventsOfParser events;
  if (!nlohmann::json::sax_parse(text.begin(), text.end(), &events)) return std::nullopt;
  return events.TakeEvents();
}

}  // namespace onnx_hier::testing

#endif  // ONNX_HIER_TESTS_SUPPORT_JSON_EVENTS_H_
