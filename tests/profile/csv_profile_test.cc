// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "absl/strings/str_replace.h"
#include "doctest/doctest.h"
#include "onnx_hier/profile.h"
#include "tests/profile/profile_errors.h"
#include "tests/support/status.h"

namespace onnx_hier {
namespace {

TEST_CASE("tables with names and times") {
  struct Row {
    const char* text;
    uint64_t time;
  };
  const Row kRows[] = {
      {"name,time\na,1.5\n", 1500},
      {"name,time_ms\r\na,1.5\r\n", 1500000},
      {"time (s)\tname\n2\ta", 2000000000},
      {"op;time[ns];node\nAdd;7;a\n", 7},
      {"a report\n\nName, Time_us\na, 3\n\na, 4\n", 7000},
      {"\xEF\xBB\xBFname,time\na,1\n", 1000},
      {"name,latency\n\"a\",1\n", 1000},
  };
  for (const Row& row : kRows) {
    CAPTURE(row.text);
    const Profile profile = testing::Value(ParseProfile(row.text));
    CHECK(profile.kind == ProfileKind::kTimes);
    REQUIRE(profile.kernels.size() == 1);
    CHECK(profile.kernels[0].name == "a");
    CHECK(profile.kernels[0].amount.whole() == row.time);
  }
  CHECK(testing::Value(ParseProfile("name,time\n\"a,\"\"b\"\"\",1\n")).kernels[0].name ==
        "a,\"b\"");
}

TEST_CASE("a table of OpenVINO, as its benchmark_app has it") {
  const Profile profile = testing::Value(
      ParseProfile("Command line\n\n"
                   "layerName;execStatus;layerType;execType;realTime (ms);cpuTime (ms);\n"
                   "x;NOT_RUN;Parameter;unknown_FP32;0.000;0.000;\n"
                   "/fc/MatMul;EXECUTED;FullyConnected;brgemm_avx2_f32;0.012;0.012;\n"
                   "Total;;;;0.012;0.012;\n\n"
                   "layerName;execStatus;layerType;execType;realTime (ms);cpuTime (ms);\n"
                   "/fc/MatMul;EXECUTED;FullyConnected;brgemm_avx2_f32;0.014;0.012;\n"
                   "Total;;;;0.014;0.012;\n\nmore of the report\n"));
  CHECK(profile.kind == ProfileKind::kOpenVino);
  CHECK(profile.runs == 1);
  CHECK(profile.warm_up_runs == 1);
  REQUIRE(profile.kernels.size() == 1);
  CHECK(profile.kernels[0].op_type == "FullyConnected");
  CHECK(profile.kernels[0].amount.whole() == 14000);
}

TEST_CASE("tables that are none") {
  CHECK(testing::ErrorOf("hello\nworld\n") ==
        "is no profile that is known: neither JSON nor a table with columns for names and times");
  CHECK(testing::ErrorOf("name,time\n") == "is a table without a time in it");
  CHECK(testing::ErrorOf("name,time\na,1\nb,soon\n") == "line 3: 'soon' is no time");
  CHECK(testing::ErrorOf("\n\nname,time\na,x\n") == "line 4: 'x' is no time");
  CHECK(testing::ErrorOf("name,time\na\n") == "line 2: '' is no time");
  CHECK(testing::ErrorOf("name,time\na,-1\n") == "line 2: '-1' is no time");
  CHECK(testing::ErrorOf("name,time\na,nan\n") == "line 2: 'nan' is no time");
  CHECK(testing::ErrorOf(absl::StrReplaceAll(std::string(3000, 'x'), {{"x", "x\n"}})) ==
        "has no line that names columns for names and times, such as 'name,time'");
  CHECK(testing::ErrorOf(std::string(2000000, 'x')) ==
        "byte 1048577: a line is longer than 1048576 bytes");
}

}  // namespace
}  // namespace onnx_hier
