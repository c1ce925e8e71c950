// SPDX-License-Identifier: Apache-2.0

// What is told of a comparison of values: by module, what was lost most first.
#ifndef ONNX_HIER_PROGRAM_NUMERICS_REPORT_H_
#define ONNX_HIER_PROGRAM_NUMERICS_REPORT_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "onnx_hier/hierarchy.h"
#include "onnx_hier/measures.h"
#include "onnx_hier/numerics.h"

namespace onnx_hier {

// In which figures errors are told: signal to noise in dB, the cosine of the angle, the largest
// difference, or the size of all differences against that of the values.
enum class ErrorMetric : uint8_t { kSqnr, kCosine, kMax, kRelative };
// "sqnr", "cosine", "max", "relative"; none: there is no such one.
std::optional<ErrorMetric> ErrorMetricNamed(absl::string_view name);

struct NumericsReport {
  static constexpr uint32_t kAll = 0xFFFFFFFFu;

  std::string original;  // files, as reports call them
  std::string other;
  const Hierarchy& hierarchy;  // of the original
  const Graph& other_graph;
  const ValuePairs& pairs;
  const Numerics& numerics;
  ErrorMetric metric = ErrorMetric::kSqnr;
  uint32_t depth = kAll;          // levels of modules; what is deeper counts for what holds it
  std::vector<ModuleId> modules;  // only these, and what is inside; none: all
  bool in_order = false;          // as in the model, not by what was lost
  size_t most_rows = kAll;
  std::vector<const Column*> columns = {};  // beside it
  // Of a suggestion: modules that should be kept, and the list of their nodes in some form.
  std::vector<ModuleId> kept = {};
  std::string list_form = {};  // "": nothing is suggested
  std::string list = {};
};

// What should be kept, as a list in a form of ListForms(), or "plan": lines of a plan. `precision`:
// what the form calls it; "": as usual. `least_sqnr`: what outputs should come to; none: 10 dB more
// than now. kInvalidArgument: there is no such form or precision, or the form cannot hold a name.
absl::Status AddSuggestion(absl::string_view form, absl::string_view precision,
                           std::optional<double> least_sqnr, NumericsReport& report);
// What is wrong about such words; "": nothing.
std::string WrongSuggestion(absl::string_view form, absl::string_view precision);

// Rows of a table: text, GitHub's Markdown, CSV.
std::string NumericsText(const NumericsReport& report);
std::string NumericsMarkdown(const NumericsReport& report);
std::string NumericsCsv(const NumericsReport& report);
// schemas/numerics.schema.json
std::string NumericsJson(const NumericsReport& report);

}  // namespace onnx_hier

#endif  // ONNX_HIER_PROGRAM_NUMERICS_REPORT_H_
