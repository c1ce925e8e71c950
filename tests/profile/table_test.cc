// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "doctest/doctest.h"
#include "onnx_hier/profile.h"
#include "tests/support/status.h"

namespace onnx_hier {
namespace {

// "ep words: a CPU 2, b GPU 1", a kernel after the other.
std::string Read(absl::string_view text, const TableOptions& table = {}) {
  ProfileOptions options;
  options.table = table;
  const absl::StatusOr<Profile> profile = ParseProfile(text, options);
  if (!profile.ok()) return std::string(profile.status().message());
  CHECK(profile->kind == ProfileKind::kTable);
  std::string shown = absl::StrCat(profile->measure.id, " ", UnitName(profile->measure.unit), " ",
                                   AddsName(profile->measure.adds), ":");
  for (const Kernel& kernel : profile->kernels) {
    absl::StrAppend(&shown, " ", kernel.name, kernel.op_type.empty() ? "" : "/", kernel.op_type,
                    kernel.word.empty() ? "" : "=", kernel.word, " ", kernel.amount.real());
    if (kernel.calls > 1) absl::StrAppend(&shown, " x", kernel.calls);
    if (kernel.unknown > 0) absl::StrAppend(&shown, " ?", kernel.unknown);
  }
  return shown;
}

TEST_CASE("words are counted") {
  CHECK(Read("name,ep\na,CPU\nb,GPU\na,CPU\na,GPU\n") ==
        "ep words sum: a=CPU 2 x2 b=GPU 1 a=GPU 1");
  CHECK(Read("name,ep\na,CPUExecutionProvider\n") == "ep words sum: a=CPU 1");
  CHECK(Read(R"([{"name":"a","ep":"CPU"},{"name":"b","ep":"GPU"}])") ==
        "ep words sum: a=CPU 1 b=GPU 1");
  CHECK(Read(R"([{"ep_name":"CPU","nodes":[{"name":"a","op_type":"Add"},{"name":"b"}]}])") ==
        "ep_name words sum: a/Add=CPU 1 b=CPU 1");
  CHECK(Read(R"({"kept":["a","b"],"left":["c"]})") == "list words sum: a=kept 1 b=kept 1 c=left 1");
  CHECK(Read(R"(["a","b"])") == "list words sum: a=listed 1 b=listed 1");
}

TEST_CASE("numbers are added up") {
  CHECK(Read("node\tloss\na\t1\na\t0.5\nb\t-2\n") == "loss number sum: a 1.5 x2 b -2");
  CHECK(Read("node;loss\na;1\n") == "loss number sum: a 1");
  CHECK(Read("node,loss\na,1\na,4\n", {.adds = TableAdds::kMean}) == "loss number mean: a 2.5 x2");
  CHECK(Read("node,loss\na,4\na,1\n", {.adds = TableAdds::kMost}) == "loss number most: a 4 x2");
  CHECK(Read("node,loss\na,4\na,1\n", {.adds = TableAdds::kCount}) == "rows count sum: a 2 x2");
  CHECK(Read(R"({"a":1,"b":2.5})") == "value number sum: a 1 b 2.5");
  CHECK(Read(R"([["a",1],["b",2]])") == "value number sum: a 1 b 2");
  CHECK(Read(R"({"a":{"mse":1,"sqnr":3},"b":{"mse":2,"sqnr":4}})", {.value = "sqnr"}) ==
        "sqnr number sum: a 3 b 4");
  CHECK(Read(R"({"rows":[{"output":"a","loss":1}],"model":"m"})") == "loss number sum: a 1");
  // A node may be called like a column.
  CHECK(Read(R"({"output":1,"b":2})") == "value number sum: output 1 b 2");
}

TEST_CASE("units that titles tell") {
  CHECK(Read("#name,input_sizes,initializers_sizes,total_dynamic_sizes,total_temp_allocations\n"
             "a,1,2,3,4\n") == "total_dynamic_sizes bytes sum: a 3");
  CHECK(Read("node,time_ms\na,1.5\n", {.value = "time_ms"}) == "time_ms ns sum: a 1.5e+06");
}

TEST_CASE("what is no time") {
  CHECK(Read("node,time_ms\na,-1\n", {.value = "time_ms"}) == "line 2: '-1' is no time");
}

TEST_CASE("a trace of QNN") {
  const std::string head =
      "Msg Timestamp,Message,Time,Unit of Measurement,Timing Source,Event Level,Event "
      "Identifier\n";
  CHECK(Read(head + "0,BACKEND,99,CYCLES,BACKEND,ROOT,all\n"
                    "0,NODE,5,CYCLES,BACKEND,SUB-EVENT,/fc/MatMul_token_5_2:OpId_35 (cycles)\n"
                    "0,NODE,7,CYCLES,BACKEND,SUB-EVENT,Input OpId_2 (cycles)\n") ==
        "cycles number sum: /fc/MatMul 5 Input 7");
  // Two samples; a node of which two operators were made.
  std::string samples = head;
  for (const char* time : {"10", "20"}) {
    for (const char* event : {"a_token_0_2:OpId_1 (cycles)", "a_token_1_2:OpId_2 (cycles)"}) {
      absl::StrAppend(&samples, "0,NODE,", time, ",CYCLES,BACKEND,SUB-EVENT,", event, "\n");
    }
  }
  CHECK(Read(samples) == "cycles number sum: a 30 x4");
  CHECK(Read(head + "0,NODE,5,US,BACKEND,SUB-EVENT,a_3:OpId_35\n") == "time_us ns sum: a_3 5000");
}

TEST_CASE("what is not known") {
  CHECK(Read("node,loss\na,1\nb,nan\nc,\na,inf\n") == "loss number sum: a 1 ?1 b 0 ?1 c 0 ?1");
  CHECK(Read(R"([{"node":"a","loss":null},{"node":"b","loss":2}])") ==
        "loss number sum: a 0 ?1 b 2");
}

TEST_CASE("quotes") {
  CHECK(Read("name,ep\n\"a,\"\"b\"\"\",CPU\n") == "ep words sum: a,\"b\"=CPU 1");
  CHECK(Read("name,ep\n\"a\nb\",CPU\nc,GPU\n") == "ep words sum: a\nb=CPU 1 c=GPU 1");
}

TEST_CASE("columns that are not there, or too many") {
  CHECK(Read("x,y\n1,2\n", {.key = "node"}) ==
        "line 1: has no column 'node' for --key; there are x, y");
  CHECK(Read("x,y\n1,2\n", {.value = "y"}) ==
        "line 1: has no column that names nodes (name, node, output, ...): --key says which does; "
        "there are x, y");
  CHECK(Read("name,y,z\na,1,2\n") ==
        "line 1: has several columns: --value says which one is meant; there are y, z");
  CHECK(Read("name,y,z\na,1,2\n", {.value = "Z"}) == "z number sum: a 2");
  CHECK(Read("name,loss\na,1\nb,high\n") == "line 3: 'high' is no number, as others of 'loss' are");
  CHECK(Read("name,loss\na,low\n", {.adds = TableAdds::kSum}) ==
        "line 2: 'low' is no number, as others of 'loss' are");
  CHECK(Read("name,loss\n") == "is a table without rows");
}

TEST_CASE("what stands before the titles, and between rows") {
  const std::string rows = "name,loss\na,1\n\n \nb,2\n\n";
  const std::string read = "loss number sum: a 1 b 2";
  CHECK(Read(rows) == read);
  CHECK(Read("\n \n" + rows) == read);
  CHECK(Read("\xEF\xBB\xBF" + rows) == read);
  CHECK(Read("made by,nobody\nin,a year\n" + rows) == read);
  // A mark of the encoding stands at the beginning alone.
  CHECK(Read("in,a year\n\xEF\xBB\xBFname,loss\na,1\n") ==
        "line 1: has no column that names nodes (name, node, output, ...): --key says which does; "
        "there are in, a year");
  std::string many;
  for (int i = 0; i < 999; ++i) many += "in,a year\n";
  CHECK(Read(many + rows) == read);
  CHECK(Read(many + "in,a year\n" + rows).substr(0, 7) == "line 1:");
  // What a row lacks is not known, what it has besides is nobody's.
  CHECK(Read("name,loss\nb,2\na\nc,2,3\n") == "loss number sum: b 2 a 0 ?1 c 2");
  CHECK(Read("name,loss\n , 4 \nb, 2\n") == "loss number sum:  4 b 2");
}

TEST_CASE("titles far to the right count if they are asked for") {
  std::string head = "name";
  std::string row = "a";
  for (int i = 1; i < 70; ++i) {
    absl::StrAppend(&head, ",c", i);
    absl::StrAppend(&row, ",", i);
  }
  const std::string text = head + "\n" + row + "\n";
  CHECK(Read(text, {.value = "c69"}) == "c69 number sum: a 69");
  CHECK(Read(text, {.value = "c63"}) == "c63 number sum: a 63");
  CHECK(Read(text, {.key = "c66", .value = "c3"}) == "c3 number sum: 66 3");
  CHECK(absl::EndsWith(Read(text, {.value = "d"}),
                       "there are name, c1, c2, c3, c4, c5, c6, c7, "
                       "c8, c9, c10, c11, ..."));
}

TEST_CASE("what QNN adds to the names of operators") {
  const auto name_of = [](const std::string& event) {
    const std::string read = Read(
        "Message,Time,Unit of Measurement,Event Level,Event Identifier\n"
        "NODE,5,CYCLES,SUB-EVENT," +
        event + "\n");
    const std::string before = "cycles number sum: ";
    REQUIRE(read.substr(0, before.size()) == before);
    return read.substr(before.size());
  };
  CHECK(name_of("fc_token_5:OpId_1 (cycles)") == "fc 5");
  CHECK(name_of("fc_token_a:OpId_1 (cycles)") == "fc_token_a 5");
  CHECK(name_of("_token_5:OpId_1 (cycles)") == "_token_5 5");
  CHECK(name_of("OpId_1 (cycles)") == "OpId_1 (cycles) 5");
  CHECK(name_of("fc (cycles)") == "fc (cycles) 5");
  CHECK(name_of("fc_OpId_2_x OpId_1") == "fc_OpId_2_x 5");
  // Other rows are of no operator.
  CHECK(Read("Message,Time,Unit of Measurement,Event Level,Event Identifier\n"
             "NODE,5,CYCLES,ROOT,a OpId_1\nBACKEND,5,CYCLES,SUB-EVENT,b OpId_1\n"
             "NODE,5,MS,SUB-EVENT,c OpId_1\n") == "time_ms ns sum: c 5e+06");
  // Without its columns it is a table as others are.
  CHECK(Read("Message,Time,Event Level,name\nNODE,5,SUB-EVENT,a OpId_1\n", {.value = "time"}) ==
        "Time ns sum: a OpId_1 5000");
}

TEST_CASE("of rows in JSON that are written in several ways, those that name nodes count") {
  CHECK(Read(R"({"names":["x","y"],"rows":[{"name":"a","loss":1}]})") == "loss number sum: a 1");
  CHECK(Read(R"({"a":1,"names":["x","y"]})") == "list words sum: x=names 1 y=names 1");
  CHECK(Read(R"({"a":1,"b":2,"names":["x"]})") == "value number sum: a 1 b 2");
  CHECK(Read(R"([["a",1,2],["b","c"],[3,4]])") == "value number sum: a 1");
  // One object at one name may as well be about the file.
  CHECK(Read(R"({"a":{"loss":1}})") == "value number sum: loss 1");
  CHECK(Read(R"({"a":{"loss":1}})", {.value = "loss"}) == "loss number sum: a 1");
  CHECK(Read(R"({"a":{"loss":1},"b":{"loss":3}})") == "loss number sum: a 1 b 3");
  CHECK(Read(R"({"name":5,"b":2})") == "value number sum: name 5 b 2");
  CHECK(Read(R"([{"provider":"CPU","nodes":["a","b"]}])") == "list words sum: a=CPU 1 b=CPU 1");
  CHECK(Read(R"([{"name":"a","x":1,"y":2}])") ==
        "has several columns: --value says which one is meant; there are x, y");
  CHECK(Read(R"({"a":{"x":1,"y":2},"b":{"x":1,"y":2}})") ==
        "has several columns: --value says which one is meant; there are x, y");
  CHECK(Read(R"({"a":1,"b":"high"})") == "'high' is no number, as others of 'value' are");
}

TEST_CASE("JSON that is none, and that nests deeply") {
  const auto nested = [](size_t levels) {
    return std::string(levels, '[') + R"("a","b")" + std::string(levels, ']');
  };
  CHECK(Read(nested(64)) == "list words sum: a=listed 1 b=listed 1");
  CHECK(absl::StrContains(Read(nested(65)), "nests deeper than 64 levels"));
  CHECK(absl::StrContains(Read(R"([["a",1])"), "it ends in the middle of the JSON"));
  CHECK(absl::StrContains(Read(R"([["a",1]}])"), "is not JSON"));
  CHECK(absl::StrContains(Read("[1,2]"), "no rows that name nodes"));
}

TEST_CASE("names beyond measure are put together") {
  ProfileOptions options;
  options.most_names = 2;
  const Profile profile =
      testing::Value(ParseProfile("name,loss\na,1\nb,2\nc,3\nd,4\na,5\n", options));
  REQUIRE(profile.kernels.size() == 3);
  CHECK(profile.kernels[0].amount.whole() == 6);
  CHECK(profile.others == 2);
  CHECK(profile.kernels[2].amount.whole() == 7);
}

}  // namespace
}  // namespace onnx_hier
