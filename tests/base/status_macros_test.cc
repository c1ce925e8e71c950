// SPDX-License-Identifier: Apache-2.0
#include "lib/base/status_macros.h"

#include <memory>

#include "tests/support/status.h"

namespace onnx_hier {
namespace {

absl::StatusOr<std::unique_ptr<int>> Make(int value) {
  if (value < 0) return absl::NotFoundError("negative");
  return std::make_unique<int>(value);
}

absl::StatusOr<int> Sum(int a, int b) {
  OH_ASSIGN_OR_RETURN(const std::unique_ptr<int> first, Make(a));
  OH_ASSIGN_OR_RETURN(const std::unique_ptr<int> second, Make(b));
  return *first + *second;
}

absl::Status CheckBoth(int a, int b) {
  OH_RETURN_IF_ERROR(Sum(a, 0).status());
  OH_RETURN_IF_ERROR(Sum(b, 0).status());
  return absl::OkStatus();
}

TEST_CASE("values that can only be moved pass through") {
  CHECK(testing::Value(Sum(2, 3)) == 5);
  CHECK_OK(CheckBoth(2, 3));
}

TEST_CASE("the first error is returned as it is") {
  CHECK_ERROR(Sum(-1, 3), kNotFound, "negative");
  CHECK_ERROR(CheckBoth(1, -1), kNotFound, "negative");
}

}  // namespace
}  // namespace onnx_hier
