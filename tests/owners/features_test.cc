// SPDX-License-Identifier: Apache-2.0
#include "lib/owners/features.h"

#include <set>

#include "doctest/doctest.h"
#include "lib/owners/scorer.h"

namespace onnx_hier {
namespace {

TEST_CASE("relations") {
  ModulePaths paths;
  const auto relation = [&](const char* a, const char* b) {
    return RelationOf(paths.Parse(a), paths.Parse(b), paths);
  };
  CHECK(relation("a", "a") == Relation::kEqual);
  CHECK(relation("a", "a.b") == Relation::kParent);
  CHECK(relation("a", "a.b.c") == Relation::kGrandparent);
  CHECK(relation("", "a.b.c") == Relation::kAncestor);
  CHECK(relation("a.b", "a") == Relation::kChild);
  CHECK(relation("a.b.c", "a") == Relation::kDeeper);
  CHECK(relation("l.0.x", "l.1") == Relation::kOtherNumber);
  CHECK(relation("a.b", "a.c") == Relation::kSibling);
  CHECK(relation("a.b", "a.c.d") == Relation::kUncle);
  CHECK(relation("a.b.c", "a.d") == Relation::kOther);
}

TEST_CASE("every feature has a name of its own") {
  std::set<std::string> names;
  for (size_t i = 0; i < FeatureCount(); ++i) names.insert(FeatureName(static_cast<FeatureId>(i)));
  CHECK(names.size() == FeatureCount());
  CHECK(FeatureName(FeatureNumber(FeatureKind::kBefore, 1, 2, 4)) == "before.constant.3-5.child");
  CHECK(FeatureName(FeatureNumber(FeatureKind::kRoot)) == "root");
}

TEST_CASE("the fitted weights are of the features that their names say") {
  CHECK(FittedTables().named.size() >= 40);
  CHECK(FittedTables().named.size() <= 200);
  for (const Weight& weight : FittedTables().named) {
    REQUIRE(weight.feature < FeatureCount());
    CHECK(FeatureName(weight.feature) == weight.name);
  }
}

}  // namespace
}  // namespace onnx_hier
