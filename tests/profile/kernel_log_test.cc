// SPDX-License-Identifier: Apache-2.0
#include "lib/profile/kernel_log.h"

#include "doctest/doctest.h"
#include "tests/support/status.h"

namespace onnx_hier {
namespace {

TEST_CASE("the median over runs, without those that warm up") {
  KernelLog log({.warm_up_runs = 1});
  const uint32_t a = testing::Value(log.NumberOf("a", "Add", 1));
  const uint32_t b = testing::Value(log.NumberOf("b", "Mul", 2));
  CHECK(testing::Value(log.NumberOf("a", "Add", 1)) == a);
  for (uint64_t time : {1000, 5, 3, 4}) {
    CHECK_OK(log.Add(a, time));
    if (time == 3) CHECK_OK(log.Add(b, 50));
    log.EndRun();
  }
  CHECK_OK(log.Add(a, 99));
  const Profile profile = log.Finish(ProfileKind::kOnnxRuntime);
  CHECK(profile.runs == 3);
  CHECK(profile.warm_up_runs == 1);
  CHECK(profile.is_cut);
  CHECK(profile.kernels[a].amount.whole() == 4);
  CHECK(profile.kernels[a].calls == 1);
  // It ran once, which the median does not say.
  CHECK(profile.kernels[b].amount.whole() == 0);
  CHECK(profile.kernels[b].calls == 1);
  CHECK(profile.seldom == 1);
}

TEST_CASE("all runs together") {
  KernelLog log({.warm_up_runs = 0, .sum_runs = true});
  const uint32_t a = testing::Value(log.NumberOf("a", "Add", 1));
  for (uint64_t time : {1, 2, 4}) {
    CHECK_OK(log.Add(a, time));
    log.EndRun();
  }
  const Profile profile = log.Finish(ProfileKind::kOnnxRuntime);
  CHECK(profile.kernels[a].amount.whole() == 7);
  CHECK(profile.kernels[a].calls == 3);
}

TEST_CASE("the last run counts, however many warm up; an even number has the mean of two") {
  KernelLog log({.warm_up_runs = 9});
  const uint32_t a = testing::Value(log.NumberOf("a", "Add", 1));
  CHECK_OK(log.Add(a, 1));
  log.EndRun();
  CHECK_OK(log.Add(a, 2));
  CHECK(log.Finish(ProfileKind::kOnnxRuntime).kernels[a].amount.whole() == 1);

  KernelLog even({.warm_up_runs = 0});
  for (uint64_t time : {2, 8}) {
    CHECK_OK(even.Add(testing::Value(even.NumberOf("a", "Add", 1)), time));
    even.EndRun();
  }
  CHECK(even.Finish(ProfileKind::kOnnxRuntime).kernels[0].amount.whole() == 5);
}

TEST_CASE("what ran inside another kernel is that one's no more") {
  KernelLog log({.warm_up_runs = 0});
  const uint32_t loop = testing::Value(log.NumberOf("loop", "Loop", 1));
  const uint32_t choose = testing::Value(log.NumberOf("choose", "If", 2));
  const uint32_t body = testing::Value(log.NumberOf("body", "Add", 3));
  const uint32_t before = testing::Value(log.NumberOf("before", "Add", 4));
  CHECK_OK(log.AddSpan({before, 1, 0, 10}));
  CHECK_OK(log.AddSpan({body, 1, 22, 5}));
  CHECK_OK(log.AddSpan({choose, 1, 21, 8}));
  CHECK_OK(log.AddSpan({body, 1, 30, 5}));
  CHECK_OK(log.AddSpan({body, 2, 30, 5}));  // on another thread
  CHECK_OK(log.AddSpan({loop, 1, 20, 20}));
  log.EndRun();
  const Profile profile = log.Finish(ProfileKind::kOnnxRuntime);
  CHECK(profile.kernels[before].amount.whole() == 10);
  CHECK(profile.kernels[body].amount.whole() == 15);
  CHECK(profile.kernels[choose].amount.whole() == 3);
  CHECK(profile.kernels[loop].amount.whole() == 7);
  REQUIRE(profile.last_run.size() == 6);
  CHECK(profile.last_run[1].kernel == loop);
  CHECK(profile.last_run[5].thread == 2);
}

TEST_CASE("times that add up to more than there is") {
  KernelLog log({});
  const uint32_t a = testing::Value(log.NumberOf("a", "", std::nullopt));
  CHECK_OK(log.Add(a, KernelLog::kLongestTime));
  CHECK_FALSE(log.Add(a, 1).ok());
}

}  // namespace
}  // namespace onnx_hier
