// SPDX-License-Identifier: Apache-2.0
#include "tools/onnx-hier-verify/difference.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/unknown_field_set.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "onnx_hier_program/text.h"

namespace onnx_hier::verify {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;
using google::protobuf::UnknownField;
using google::protobuf::UnknownFieldSet;

constexpr size_t kShownCharacters = 100;
// In place of an index: the field does not repeat.
constexpr int kSingular = -1;

bool Holds(const FieldSet& fields, const FieldDescriptor* field) {
  return std::find(fields.begin(), fields.end(), field) != fields.end();
}

// One value of a message: a field, or a member of a repeated one.
struct FieldValue {
  const Message& message;
  const FieldDescriptor* field;
  int index;

  const Reflection& reflection() const { return *message.GetReflection(); }
  bool singular() const { return index == kSingular; }

  const Message& AsMessage() const {
    return singular() ? reflection().GetMessage(message, field)
                      : reflection().GetRepeatedMessage(message, field, index);
  }
  const std::string& AsString(std::string* scratch) const {
    return singular() ? reflection().GetStringReference(message, field, scratch)
                      : reflection().GetRepeatedStringReference(message, field, index, scratch);
  }
  float AsFloat() const {
    return singular() ? reflection().GetFloat(message, field)
                      : reflection().GetRepeatedFloat(message, field, index);
  }
  double AsDouble() const {
    return singular() ? reflection().GetDouble(message, field)
                      : reflection().GetRepeatedDouble(message, field, index);
  }
  // Of whole numbers, truth values and enumerations.
  int64_t AsWhole() const;
  // Equal if and only if the values are, bit by bit. Not for strings and messages.
  uint64_t Bits() const;
};

int64_t FieldValue::AsWhole() const {
  const Reflection& r = reflection();
  switch (field->cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT32:
      return singular() ? r.GetInt32(message, field) : r.GetRepeatedInt32(message, field, index);
    case FieldDescriptor::CPPTYPE_INT64:
      return singular() ? r.GetInt64(message, field) : r.GetRepeatedInt64(message, field, index);
    case FieldDescriptor::CPPTYPE_UINT32:
      return singular() ? r.GetUInt32(message, field) : r.GetRepeatedUInt32(message, field, index);
    case FieldDescriptor::CPPTYPE_UINT64:
      return static_cast<int64_t>(singular() ? r.GetUInt64(message, field)
                                             : r.GetRepeatedUInt64(message, field, index));
    case FieldDescriptor::CPPTYPE_BOOL:
      return static_cast<int64_t>(singular() ? r.GetBool(message, field)
                                             : r.GetRepeatedBool(message, field, index));
    default:
      return singular() ? r.GetEnumValue(message, field)
                        : r.GetRepeatedEnumValue(message, field, index);
  }
}

uint64_t FieldValue::Bits() const {
  uint64_t bits = 0;
  if (field->cpp_type() == FieldDescriptor::CPPTYPE_FLOAT) {
    const float number = AsFloat();
    memcpy(&bits, &number, sizeof number);
  } else if (field->cpp_type() == FieldDescriptor::CPPTYPE_DOUBLE) {
    const double number = AsDouble();
    memcpy(&bits, &number, sizeof number);
  } else {
    bits = static_cast<uint64_t>(AsWhole());
  }
  return bits;
}

std::string Shown(const FieldValue& value) {
  std::string scratch;
  switch (value.field->cpp_type()) {
    case FieldDescriptor::CPPTYPE_FLOAT:
      return absl::StrCat(value.AsFloat());
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return absl::StrCat(value.AsDouble());
    case FieldDescriptor::CPPTYPE_UINT64:
      return absl::StrCat(value.Bits());
    case FieldDescriptor::CPPTYPE_STRING:
      if (value.field->type() == FieldDescriptor::TYPE_STRING) {
        return Quoted(value.AsString(&scratch));
      }
      return absl::StrCat(value.AsString(&scratch).size(), " bytes");
    default:
      return absl::StrCat(value.AsWhole());
  }
}

std::string NumberedName(const FieldDescriptor* field, int index) {
  return index == kSingular ? field->name() : absl::StrCat(field->name(), " ", index);
}

// "node 12 '/enc/Add_3'", "initializer 'w'", "dim 1".
std::string Place(const FieldValue& value) {
  const Message& message = value.AsMessage();
  const std::string name = NameOf(message);
  if (value.field->name() == "node") {
    return absl::StrCat("node ", value.index, name.empty() ? "" : absl::StrCat(" ", Quoted(name)));
  }
  if (name.empty() || value.singular()) return NumberedName(value.field, value.index);
  return absl::StrCat(value.field->name(), " ", Quoted(name));
}

// How two values that are not messages differ.
std::string HowTheyDiffer(const FieldValue& a, const FieldValue& b) {
  const std::string name = NumberedName(a.field, a.index);
  std::string before = Shown(a);
  std::string after = Shown(b);
  if (before != after) return absl::StrCat(name, " was ", before, ", is ", after);
  if (a.field->cpp_type() != FieldDescriptor::CPPTYPE_STRING) {
    return absl::StrCat(name, " (", before, ") has other bits");
  }
  // The same beginning, or the same length.
  std::string scratch_a, scratch_b;
  const std::string& text_a = a.AsString(&scratch_a);
  const std::string& text_b = b.AsString(&scratch_b);
  const size_t shorter = std::min(text_a.size(), text_b.size());
  size_t same = 0;
  while (same < shorter && text_a[same] == text_b[same]) ++same;
  return absl::StrCat(name, " differs from byte ", same, " on");
}

class Comparison {
 public:
  explicit Comparison(const Ignored& ignored) : ignored_(ignored) {}

  Difference Messages(const Message& a, const Message& b, bool top) const;

 private:
  Difference Fields(const Message& a, const Message& b, const FieldDescriptor* field) const;
  Difference Repeated(const Message& a, const Message& b, const FieldDescriptor* field) const;
  Difference Values(const FieldValue& a, const FieldValue& b) const;
  static Difference Unknown(const UnknownFieldSet& a, const UnknownFieldSet& b);

  const Ignored& ignored_;
};

Difference Comparison::Messages(const Message& a, const Message& b, bool top) const {
  for (int i = 0; i < a.GetDescriptor()->field_count(); ++i) {
    const FieldDescriptor* field = a.GetDescriptor()->field(i);
    if (Holds(ignored_.anywhere, field) || (top && Holds(ignored_.on_top, field))) continue;
    Difference found = field->is_repeated() ? Repeated(a, b, field) : Fields(a, b, field);
    if (!found.none()) return found;
  }
  return Unknown(a.GetReflection()->GetUnknownFields(a), b.GetReflection()->GetUnknownFields(b));
}

Difference Comparison::Fields(const Message& a, const Message& b,
                              const FieldDescriptor* field) const {
  const FieldValue before = {a, field, kSingular};
  const FieldValue after = {b, field, kSingular};
  const bool had = a.GetReflection()->HasField(a, field);
  const bool has = b.GetReflection()->HasField(b, field);
  if (had && has) return Values(before, after);
  if (!had && !has) return {};
  const bool plain = field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE;
  const std::string shown = plain ? absl::StrCat(" (", Shown(had ? before : after), ")") : "";
  return {"", absl::StrCat(field->name(), shown, had ? " is missing" : " is added")};
}

Difference Comparison::Repeated(const Message& a, const Message& b,
                                const FieldDescriptor* field) const {
  const int size_a = a.GetReflection()->FieldSize(a, field);
  const int size_b = b.GetReflection()->FieldSize(b, field);
  const int common = std::min(size_a, size_b);
  for (int i = 0; i < common; ++i) {
    Difference found = Values({a, field, i}, {b, field, i});
    if (found.none()) continue;
    if (size_a != size_b && field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
      absl::StrAppend(&found.what, " (IN has ", size_a, " there, OUT ", size_b, ")");
    }
    return found;
  }
  if (size_a == size_b) return {};
  const FieldValue odd = {size_a > size_b ? a : b, field, common};
  const bool plain = field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE;
  return {"", absl::StrCat(plain ? NumberedName(field, common) : Place(odd),
                           plain ? absl::StrCat(" (", Shown(odd), ")") : "",
                           size_a > size_b ? " is missing" : " is added")};
}

Difference Comparison::Values(const FieldValue& a, const FieldValue& b) const {
  if (a.field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
    Difference found = Messages(a.AsMessage(), b.AsMessage(), false);
    if (found.none()) return found;
    const bool graph = a.field->name() == "graph" || a.field->name() == "g";
    if (!graph) return found.In(Place(a));
    // A node and the like stand in a graph without saying.
    return found.place.empty() ? found.In("graph") : found;
  }
  bool same = false;
  if (a.field->cpp_type() == FieldDescriptor::CPPTYPE_STRING) {
    std::string scratch_a, scratch_b;
    same = a.AsString(&scratch_a) == b.AsString(&scratch_b);
  } else {
    same = a.Bits() == b.Bits();
  }
  return same ? Difference() : Difference{"", HowTheyDiffer(a, b)};
}

std::string Serialized(const UnknownFieldSet& fields) {
  std::string bytes;
  fields.SerializeToString(&bytes);
  return bytes;
}

std::string Serialized(const UnknownField& field) {
  UnknownFieldSet alone;
  alone.AddField(field);
  return Serialized(alone);
}

Difference Comparison::Unknown(const UnknownFieldSet& a, const UnknownFieldSet& b) {
  if (a.empty() && b.empty()) return {};
  const int common = std::min(a.field_count(), b.field_count());
  int i = 0;
  while (i < common && Serialized(a.field(i)) == Serialized(b.field(i))) ++i;
  if (i == a.field_count() && i == b.field_count()) return {};
  const bool differs = i < common && a.field(i).number() == b.field(i).number();
  const UnknownFieldSet& longer = a.field_count() >= b.field_count() ? a : b;
  return {"", absl::StrCat("field ", longer.field(i).number(), ", which this onnx does not know, ",
                           differs         ? "differs"
                           : &longer == &a ? "is missing"
                                           : "is added")};
}

}  // namespace

std::string Difference::Text() const {
  return place.empty() ? what : absl::StrCat(place, ": ", what);
}

Difference Difference::In(absl::string_view larger) const {
  return {place.empty() ? std::string(larger) : absl::StrCat(larger, ", ", place), what};
}

Difference FirstDifference(const Message& in, const Message& out, const Ignored& ignored) {
  return Comparison(ignored).Messages(in, out, true);
}

std::string Quoted(absl::string_view name) {
  return absl::StrCat("'", SafeForTerminal(name, kShownCharacters), "'");
}

std::string NameOf(const Message& message) {
  for (const char* key : {"name", "key", "domain"}) {
    const FieldDescriptor* field = message.GetDescriptor()->FindFieldByName(key);
    if (field != nullptr) return message.GetReflection()->GetString(message, field);
  }
  return "";
}

}  // namespace onnx_hier::verify
