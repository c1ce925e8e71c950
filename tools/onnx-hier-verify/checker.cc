// SPDX-License-Identifier: Apache-2.0
#include "tools/onnx-hier-verify/checker.h"

#include <onnx/checker.h>
#include <onnx/common/version.h>
#include <onnx/defs/schema.h>

#include <exception>
#include <utility>

#include "absl/strings/str_cat.h"
#include "tools/onnx-hier-verify/difference.h"
#include "tools/onnx-hier-verify/model_fields.h"

namespace onnx_hier::verify {
namespace {

// Why the model is beyond what this onnx knows; "" if it is not. Domains that onnx does not have
// are not checked by it either.
std::string Beyond(const onnx::ModelProto& model) {
  const std::string onnx_version = absl::StrCat("onnx ", onnx::LAST_RELEASE_VERSION);
  if (model.ir_version() > onnx::Version::IR_VERSION) {
    return absl::StrCat(onnx_version, " knows IR versions up to ",
                        static_cast<int>(onnx::Version::IR_VERSION), ", the model has ",
                        model.ir_version());
  }
  const auto& known = onnx::OpSchemaRegistry::DomainToVersionRange::Instance().Map();
  for (const auto& [domain, version] : OpsetsOf(model)) {
    const auto range = known.find(domain);
    if (range != known.end() && version > range->second.second) {
      return absl::StrCat(onnx_version, " knows operators of domain ", Quoted(domain),
                          " up to version ", range->second.second, ", the model needs ", version);
    }
  }
  return "";
}

std::string FirstLine(absl::string_view text) {
  text = text.substr(0, text.find('\n'));
  return std::string(text);
}

}  // namespace

CheckResult CheckModel(const ModelFile& file) {
  if (std::string beyond = Beyond(file.model()); !beyond.empty()) {
    return {CheckResult::kImpossible, std::move(beyond)};
  }
  // By its path, so that the checker finds data files beside the model.
  try {
    onnx::checker::check_model(file.path());
  } catch (const std::exception& refusal) {
    return {CheckResult::kRefused, FirstLine(refusal.what())};
  }
  return {CheckResult::kPassed, ""};
}

}  // namespace onnx_hier::verify
