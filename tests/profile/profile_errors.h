// SPDX-License-Identifier: Apache-2.0

// What is wrong with a profile, as its reader says.
#ifndef ONNX_HIER_TESTS_PROFILE_PROFILE_ERRORS_H_
#define ONNX_HIER_TESTS_PROFILE_PROFILE_ERRORS_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "doctest/doctest.h"
#include "onnx_hier/profile.h"

namespace onnx_hier::testing {

inline std::string ErrorOf(absl::string_view profile_text) {
  const absl::StatusOr<Profile> profile = ParseProfile(profile_text);
  REQUIRE_FALSE(profile.ok());
  return std::string(profile.status().message());
}

}  // namespace onnx_hier::testing

#endif  // ONNX_HIER_TESTS_PROFILE_PROFILE_ERRORS_H_
