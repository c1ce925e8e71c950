// SPDX-License-Identifier: Apache-2.0

// Where two messages of one type part, in words.
//
//   FirstDifference(in.graph(), out.graph()).Text()
//     -> "node 12 '/enc/Add_3', attribute 'axis': i was 1, is 2"
//
// Every bit counts: payloads of NaN, the sign of zero, whether a field is there, fields that this
// version of ONNX does not know. The order of fields in the file does not: parsing forgets it.
#ifndef ONNX_HIER_TOOLS_VERIFY_DIFFERENCE_H_
#define ONNX_HIER_TOOLS_VERIFY_DIFFERENCE_H_

#include <google/protobuf/message.h>

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace onnx_hier::verify {

struct Difference {
  std::string place;  // "node 12 '/enc/Add_3', attribute 'axis'"; may be ""
  std::string what;   // "i was 1, is 2"; "": there is no difference

  bool none() const { return what.empty(); }
  std::string Text() const;
  // The same as a part of something larger.
  Difference In(absl::string_view larger) const;
};

using FieldSet = std::vector<const google::protobuf::FieldDescriptor*>;

// Fields that may differ.
struct Ignored {
  FieldSet anywhere;  // however deep they lie
  FieldSet on_top;    // in the two messages, not in those inside
};

Difference FirstDifference(const google::protobuf::Message& in,
                           const google::protobuf::Message& out, const Ignored& ignored = {});

// The fields of T with these names.
template <typename T>
FieldSet FieldsOf(const std::vector<std::string>& names) {
  FieldSet fields;
  for (const std::string& name : names) fields.push_back(T::descriptor()->FindFieldByName(name));
  return fields;
}

// 'name', fit for a terminal, cut where it is very long.
std::string Quoted(absl::string_view name);

// What a message calls itself: its name, key or domain; "" if it has none.
std::string NameOf(const google::protobuf::Message& message);

}  // namespace onnx_hier::verify

#endif  // ONNX_HIER_TOOLS_VERIFY_DIFFERENCE_H_
