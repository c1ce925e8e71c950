// SPDX-License-Identifier: Apache-2.0

// absl::Status in tests.
//
//   CHECK_OK(file.Commit());
//   FileImage image = Value(FileImage::Open(path));   // stops the test case if it is an error
//   CHECK_ERROR(file.Commit(), kAlreadyExists, "--force");
#ifndef ONNX_HIER_TESTS_SUPPORT_STATUS_H_
#define ONNX_HIER_TESTS_SUPPORT_STATUS_H_

#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "doctest/doctest.h"

namespace onnx_hier::testing {

inline absl::Status StatusOf(absl::Status status) { return status; }
template <class T>
absl::Status StatusOf(const absl::StatusOr<T>& result) {
  return result.status();
}

template <class T>
T Value(absl::StatusOr<T> result) {
  REQUIRE_MESSAGE(result.ok(), result.status().ToString());
  return *std::move(result);
}

// "" if `status` has that code and its message contains `part`; else what it is.
inline std::string Mismatch(const absl::Status& status, absl::StatusCode code,
                            absl::string_view part) {
  if (status.code() == code && absl::StrContains(status.message(), part)) return "";
  return status.ToString();
}

}  // namespace onnx_hier::testing

#define CHECK_OK(expr) CHECK(::onnx_hier::testing::StatusOf(expr).ToString() == "OK")
#define REQUIRE_OK(expr) REQUIRE(::onnx_hier::testing::StatusOf(expr).ToString() == "OK")
#define CHECK_ERROR(expr, code, part)                                        \
  CHECK(::onnx_hier::testing::Mismatch(::onnx_hier::testing::StatusOf(expr), \
                                       ::absl::StatusCode::code, part) == "")

#endif  // ONNX_HIER_TESTS_SUPPORT_STATUS_H_
