// SPDX-License-Identifier: Apache-2.0

// Rows of a table as they are read, and the profile that they come to.
#ifndef ONNX_HIER_LIB_PROFILE_TABLE_ROWS_H_
#define ONNX_HIER_LIB_PROFILE_TABLE_ROWS_H_

#include <string>
#include <tuple>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "onnx_hier/profile.h"

namespace onnx_hier {

// Titles are compared without regard to case, spaces, '_', '-' and a '#' before them.
std::string PlainTitle(absl::string_view title);
bool SameTitle(absl::string_view a, absl::string_view b);

// Which of a table's columns is used for what; titles as they are written.
struct TableColumns {
  static constexpr size_t kNone = static_cast<size_t>(-1);
  size_t name = kNone;
  size_t amount = kNone;
  size_t op_type = kNone;
};

// The last is an error where several may be meant, or none. `amount` stays none where only rows
// are counted.
absl::StatusOr<TableColumns> ChooseColumns(absl::Span<const std::string> titles,
                                           const TableOptions& options);

class TableRows {
 public:
  explicit TableRows(const ProfileOptions& options) : options_(options) {}

  // `title`: of the amount's column. What is no number is a word where the first row has one; of a
  // column of numbers, what is empty or not finite is not known. kInvalidArgument: a word among
  // numbers.
  absl::Status Add(absl::string_view title, absl::string_view name, absl::string_view op_type,
                   absl::string_view amount);
  size_t size() const { return rows_; }
  // Of so many samples, the mean.
  Profile Finish(uint64_t samples = 1) &&;

 private:
  using Key = std::tuple<std::string, std::string, std::string>;  // name, operator, word

  Kernel& KernelOf(absl::string_view name, absl::string_view op_type, absl::string_view word);

  const ProfileOptions& options_;
  std::string title_;
  bool is_decided_ = false;  // what its column holds: a row has said something
  bool has_words_ = false;
  double scale_ = 1;  // of a column of times: to nanoseconds
  size_t rows_ = 0;
  absl::flat_hash_map<Key, size_t> numbers_;
  Profile profile_;
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_PROFILE_TABLE_ROWS_H_
