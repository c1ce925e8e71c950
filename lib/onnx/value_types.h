// SPDX-License-Identifier: Apache-2.0

// The type of every value: as the model states it, else by the operators' own rules.
//
// Exporters state types of few values, if any, and a graph must state those of its inputs. Only
// types of elements are worked out; shapes are known where the model states them.
//
//   const absl::StatusOr<ValueTypes> types = ValueTypes::Find(image, scanned);
//   types->type(value);       // the bytes of a TypeProto; "" if nothing tells
//   types->stated(value);     // the bytes of a ValueInfoProto, with its shape; "" if there is none
#ifndef ONNX_HIER_LIB_ONNX_VALUE_TYPES_H_
#define ONNX_HIER_LIB_ONNX_VALUE_TYPES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "lib/files/file_image.h"
#include "lib/onnx/model_layout.h"
#include "lib/onnx/scanner.h"
#include "onnx_hier/graph.h"

namespace onnx_hier {

class ValueTypes {
 public:
  // `model` was scanned from `image`; both must outlive the result. Time is linear in the model,
  // but for functions that are called with other types again and again, which has a bound. Types of
  // values in a function are those of some call of it; where nodes that call are given, each in the
  // function that the one before it calls, those of these calls.
  static absl::StatusOr<ValueTypes> Find(const FileImage& image, const ScannedModel& model,
                                         absl::Span<const NodeId> calls = {});

  absl::string_view type(ValueId value) const { return texts_[types_[value]]; }
  absl::string_view stated(ValueId value) const {
    const auto found = stated_.find(value);
    return found == stated_.end() ? absl::string_view() : found->second;
  }
  // Of the model, without fields of nodes.
  const ModelLayout& layout() const { return layout_; }
  // The values of the main graph that its value_info speaks of, and its annotations of how values
  // are quantised.
  absl::Span<const ValueId> described() const { return described_; }
  absl::Span<const ValueId> annotated() const { return annotated_; }

 private:
  friend class TypeFinder;

  explicit ValueTypes(ModelLayout layout) : layout_(std::move(layout)) {}

  ModelLayout layout_;  // `stated_` points into it
  absl::flat_hash_map<ValueId, absl::string_view> stated_;
  std::vector<ValueId> described_;
  std::vector<ValueId> annotated_;
  IdVector<ValueId, uint32_t> types_;  // in texts_
  std::vector<std::string> texts_;     // the first one is "": not known
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_ONNX_VALUE_TYPES_H_
