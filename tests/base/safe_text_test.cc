#include "lib/base/safe_text.h"

#include "doctest/doctest.h"

namespace onnx_hier {
namespace {

TEST_CASE("only what could steer a terminal is escaped") {
  CHECK(SafeForTerminal("") == "");
  CHECK(SafeForTerminal("/encoder/layer.1") == "/encoder/layer.1");
  CHECK(SafeForTerminal("Schicht \xC3\xA4 \xE2\x82\xAC \xF0\x9F\x99\x82") ==
        "Schicht \xC3\xA4 \xE2\x82\xAC \xF0\x9F\x99\x82");
  CHECK(SafeForTerminal("\x1B[2J") == "\\x1b[2J");
  CHECK(SafeForTerminal("a\nb\r\t\x7F") == "a\\x0ab\\x0d\\x09\\x7f");
  CHECK(SafeForTerminal(absl::string_view("\0", 1)) == "\\x00");
  CHECK(SafeForTerminal("\xC2\x9B"
                        "31m\xC2\xA0") == "\\xc2\\x9b31m\xC2\xA0");
  CHECK(SafeForTerminal("\xFF\xC3") == "\\xff\\xc3");
}

}  // namespace
}  // namespace onnx_hier
