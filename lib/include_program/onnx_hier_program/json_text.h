// SPDX-License-Identifier: Apache-2.0

// Appends JSON to a string, piece by piece.
//
// A document tree for 200,000 nodes would cost several times the rest of a run; here a piece costs
// little more than copying it. Names in ONNX files need not be UTF-8: what is not is written as
// U+FFFD, so that the result is always valid JSON; for programs that need the bytes back, as the
// half of a pair of surrogates that Python's "surrogateescape" takes for it.
//
//   std::string out;
//   JsonText json(&out);
//   json.BeginObject();
//   json.Key("tag").String("/encoder");
//   json.EndObject();                      // {"tag":"/encoder"}
#ifndef ONNX_HIER_PROGRAM_JSON_TEXT_H_
#define ONNX_HIER_PROGRAM_JSON_TEXT_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace onnx_hier {

// Appends `text` as a JSON string, quotes included.
void AppendJsonString(absl::string_view text, std::string* out);
// With \udc80 to \udcff for bytes that are not UTF-8.
void AppendExactJsonString(absl::string_view text, std::string* out);
// Without the quotes.
void AppendJsonContents(absl::string_view text, std::string* out);
// `text` itself where a JSON string has it as it is, or else what stands in `buffer` then.
absl::string_view InJson(absl::string_view text, std::string* buffer);
// Whether all bytes stand in a JSON string as they are, and are ASCII.
bool IsPlainJson(absl::string_view text);
// How many of them at the start do.
size_t PlainJsonPrefix(absl::string_view text);
// Appends a number in [0, 1] with at most four decimals: 1.0, 0.98, 0.3333.
void AppendProbability(double value, std::string* out);

class JsonText {
 public:
  explicit JsonText(std::string* out) : out_(out) {}

  void BeginObject() { Open('{'); }
  void EndObject() { Shut('}'); }
  // A document's outermost object, with what says how to read it.
  void BeginDocument(absl::string_view schema, uint64_t version) {
    BeginObject();
    Key("schema").String(schema);
    Key("schema_version").Unsigned(version);
  }
  void BeginArray() { Open('['); }
  void EndArray() { Shut(']'); }
  // The next item of an array or object starts on a line of its own.
  void NewLine() { line_ = true; }

  JsonText& Key(absl::string_view key) {
    Separate();
    AppendJsonString(key, out_);
    out_->push_back(':');
    after_key_ = true;
    return *this;
  }
  // A literal stands in JSON as it is. Half of what is written are keys: each is one piece.
  template <size_t kSize>
  JsonText& Key(const char (&literal)[kSize]) {
    Separate();
    char piece[kSize + 2];
    piece[0] = '"';
    std::memcpy(piece + 1, literal, kSize - 1);
    piece[kSize] = '"';
    piece[kSize + 1] = ':';
    out_->append(piece, sizeof(piece));
    after_key_ = true;
    return *this;
  }
  void String(absl::string_view text) {
    Separate();
    AppendJsonString(text, out_);
  }
  void ExactString(absl::string_view text) {
    Separate();
    AppendExactJsonString(text, out_);
  }
  // All of them, as an array.
  template <class Texts>
  void ExactStrings(const Texts& texts) {
    BeginArray();
    for (const auto& text : texts) ExactString(text);
    EndArray();
  }
  // null for an empty text.
  void StringOrNull(absl::string_view text) {
    if (text.empty()) {
      Null();
    } else {
      String(text);
    }
  }
  void Number(int64_t number);
  void Unsigned(uint64_t number);
  void Probability(double value) {
    Separate();
    AppendProbability(value, out_);
  }
  // With six significant digits; null for what is not finite, which JSON does not have.
  void Real(double value);
  void Bool(bool value) { Raw(value ? "true" : "false"); }
  void Null() { Raw("null"); }
  // Text that is JSON already.
  void Raw(absl::string_view json) {
    Separate();
    out_->append(json.data(), json.size());
  }

 private:
  void Open(char bracket) {
    Separate();
    out_->push_back(bracket);
    first_ = true;
  }
  void Shut(char bracket) {
    if (line_) out_->push_back('\n');
    line_ = false;
    out_->push_back(bracket);
    first_ = false;
  }
  void Separate() {
    if (after_key_) {
      after_key_ = false;
      return;
    }
    if (!first_) out_->push_back(',');
    if (line_) out_->push_back('\n');
    line_ = false;
    first_ = false;
  }

  std::string* out_;
  bool first_ = true;  // of the innermost open array or object: nothing in it yet
  bool after_key_ = false;
  bool line_ = false;
};

// A shape whose dimensions are texts: numbers, formulas as they are, null for "" and for none.
void AppendShape(const std::optional<std::vector<std::string>>& shape, JsonText& json);

}  // namespace onnx_hier

#endif  // ONNX_HIER_PROGRAM_JSON_TEXT_H_
