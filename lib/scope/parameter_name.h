// Names of parameters: "encoder.layer.0.attention.query.weight" is `weight` of the module
// encoder.layer.0.attention.query (PyTorch's state_dict).
#ifndef ONNX_HIER_LIB_SCOPE_PARAMETER_NAME_H_
#define ONNX_HIER_LIB_SCOPE_PARAMETER_NAME_H_

#include "absl/strings/string_view.h"
#include "onnx_hier/ids.h"
#include "onnx_hier/module_paths.h"

namespace onnx_hier {

// The module that holds the parameter; none for names that exporters and optimisers made up
// ("onnx::MatMul_333", "/encoder/Constant_output_0", "fc_weight").
PathId OwnerOfParameterName(absl::string_view name, ModulePaths& paths);
// The same as it is written: "encoder.layer.0.attention.query"; empty for none. A view into `name`.
absl::string_view OwnerInParameterName(absl::string_view name);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_SCOPE_PARAMETER_NAME_H_
