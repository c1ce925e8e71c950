#include "lib/scope/parameter_name.h"

#include "doctest/doctest.h"
#include "lib/graph/parameter_leaf.h"

namespace onnx_hier {
namespace {

TEST_CASE("owners of parameters") {
  struct Case {
    const char* name;
    const char* owner;  // nullptr: none
  };
  const Case cases[] = {
      {"encoder.layer.0.attention.query.weight", "encoder.layer.0.attention.query"},
      {"fc.bias", "fc"},
      {"0.weight", "0"},
      {"self.model.stft.hop", "model.stft"},
      {"self.hop", nullptr},
      {"fc_weight", nullptr},
      {"weight", nullptr},
      {"onnx::MatMul_333", nullptr},
      {"/encoder/Constant_output_0", nullptr},
      {"/encoder/layer.1/Constant_output_0", nullptr},
      {".weight", nullptr},
      {"fc.", nullptr},
      {".", nullptr},
      {"", nullptr},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    ModulePaths paths;
    const PathId owner = OwnerOfParameterName(c.name, paths);
    CHECK(owner.valid() == (c.owner != nullptr));
    if (owner.valid()) CHECK(paths.QualifiedName(owner) == c.owner);
  }
}

TEST_CASE("a parameter's own name") {
  CHECK(LeafOfParameterName("encoder.fc.weight") == "weight");
  CHECK(LeafOfParameterName("weight") == "weight");
  CHECK(LeafOfParameterName("") == "");
}

}  // namespace
}  // namespace onnx_hier
