// SPDX-License-Identifier: Apache-2.0

// For helpers of the unit tests that check with doctest: here there are no test cases to stop, so a
// check that fails ends the program.
#define DOCTEST_CONFIG_IMPLEMENT
#include "doctest/doctest.h"
#include "tests/fuzz/fuzz.h"

namespace {

const bool checks_abort = [] {
  static doctest::Context context;
  context.setAsDefaultForAssertsOutOfTestCases();
  context.setAssertHandler([](const doctest::AssertData& check) {
    onnx_hier::fuzz::Require(!check.m_failed, check.m_expr);
  });
  return true;
}();

}  // namespace
