// SPDX-License-Identifier: Apache-2.0

// Two models that are compared, with all that a comparison refers to.
#ifndef ONNX_HIER_TESTS_RELATE_COMPARED_H_
#define ONNX_HIER_TESTS_RELATE_COMPARED_H_

#include <string>

#include "onnx_hier/diff.h"
#include "onnx_hier/onnx_hier.h"
#include "tests/support/status.h"

namespace onnx_hier::testing {

struct Compared {
  Compared(const std::string& bytes_a, const std::string& bytes_b, const DiffOptions& options = {})
      : model_a(Value(Model::FromBytes(bytes_a))),
        model_b(Value(Model::FromBytes(bytes_b))),
        annotation_a(Annotate(model_a)),
        annotation_b(Annotate(model_b)),
        modules_a(model_a.graph(), annotation_a),
        modules_b(model_b.graph(), annotation_b),
        diff(Value(Compare(model_a, modules_a, model_b, modules_b, options))) {}

  const Model model_a;
  const Model model_b;
  const Annotation annotation_a;
  const Annotation annotation_b;
  const Hierarchy modules_a;
  const Hierarchy modules_b;
  const ModelDiff diff;
};

}  // namespace onnx_hier::testing

#endif  // ONNX_HIER_TESTS_RELATE_COMPARED_H_
