// SPDX-License-Identifier: Apache-2.0

// Early return for absl::Status and absl::StatusOr, which Debian's Abseil has no macros for.
#ifndef ONNX_HIER_LIB_BASE_STATUS_MACROS_H_
#define ONNX_HIER_LIB_BASE_STATUS_MACROS_H_

#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#define OH_CONCAT_INNER(a, b) a##b
#define OH_CONCAT(a, b) OH_CONCAT_INNER(a, b)

#define OH_RETURN_IF_ERROR(expr) OH_RETURN_IF_ERROR_IMPL(OH_CONCAT(status_, __LINE__), expr)
#define OH_RETURN_IF_ERROR_IMPL(tmp, expr)                \
  do {                                                    \
    if (absl::Status tmp = (expr); !tmp.ok()) return tmp; \
  } while (false)

#define OH_ASSIGN_OR_RETURN(lhs, expr) \
  OH_ASSIGN_OR_RETURN_IMPL(OH_CONCAT(status_or_, __LINE__), lhs, expr)
#define OH_ASSIGN_OR_RETURN_IMPL(tmp, lhs, expr) \
  auto tmp = (expr);                             \
  if (!tmp.ok()) return std::move(tmp).status(); \
  lhs = *std::move(tmp)

#endif  // ONNX_HIER_LIB_BASE_STATUS_MACROS_H_
