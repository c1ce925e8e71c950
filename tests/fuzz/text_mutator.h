// SPDX-License-Identifier: Apache-2.0

// Texts changed at random: JSON, CSV, lists of names. Words of the text are put in place of others,
// numbers become odd ones, pieces are doubled, dropped and nested.
#ifndef ONNX_HIER_TESTS_FUZZ_TEXT_MUTATOR_H_
#define ONNX_HIER_TESTS_FUZZ_TEXT_MUTATOR_H_

#include <string>

#include "absl/strings/string_view.h"
#include "tests/support/random.h"

namespace onnx_hier::fuzz {

// A name as no exporter should write one: separators, quotes, patterns, escape sequences, bytes
// that are not UTF-8, and words that mean something to the tool.
absl::string_view OddWord(testing::Random& random);

// One change.
void MutateText(std::string* text, testing::Random& random);

}  // namespace onnx_hier::fuzz

#endif  // ONNX_HIER_TESTS_FUZZ_TEXT_MUTATOR_H_
