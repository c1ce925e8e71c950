// SPDX-License-Identifier: Apache-2.0

// What became of the models of one call, for machines: one document when all are done, or a line
// for each as it is done.
#ifndef ONNX_HIER_PROGRAM_MODEL_RESULTS_H_
#define ONNX_HIER_PROGRAM_MODEL_RESULTS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "onnx_hier_program/summary.h"

namespace onnx_hier {

enum class ResultStatus : uint8_t {
  kOk,
  kFound,    // a check found something
  kSkipped,  // its outputs were there
  kError,
};

struct ModelResult {
  std::string input;
  std::string output;  // "" for none
  ResultStatus status = ResultStatus::kOk;
  std::string error;  // of a failed one, with the name of the file that it is about; else ""
  std::vector<std::string> warnings;
  double milliseconds = 0;
};

struct TagResult : ModelResult {
  std::string sidecar;  // "" for none
  Summary summary;
  std::optional<uint64_t> named;  // nodes that were given names; none: that was not asked for
};

struct StripResult : ModelResult {
  uint64_t nodes = 0;
  uint64_t stripped = 0;  // of these, with tags that were taken out
};

// schemas/tag_result.schema.json
std::string TagResultsJson(absl::Span<const TagResult> results);

// --- schemas/result_line.schema.json: each a line, with its end.

std::string TagResultLine(const TagResult& result);
std::string StripResultLine(const StripResult& result);
// With a whole document under `key`; "" for none, where the model failed.
std::string ResultLine(const ModelResult& result, absl::string_view key,
                       absl::string_view document);

struct ResultCounts {
  uint64_t ok = 0;
  uint64_t found = 0;
  uint64_t skipped = 0;
  uint64_t failed = 0;
  double milliseconds = 0;  // of all together

  uint64_t models() const { return ok + found + skipped + failed; }
};
// The last line: without it, not all models were done.
std::string ResultCountsLine(const ResultCounts& counts);

}  // namespace onnx_hier

#endif  // ONNX_HIER_PROGRAM_MODEL_RESULTS_H_
