// SPDX-License-Identifier: Apache-2.0

// tag_model IN.onnx OUT.onnx: tags a model, asks what is in its modules, and checks what it wrote,
// as a program of somebody else.
#include <iostream>

#include "onnx_hier/check.h"
#include "onnx_hier/hierarchy.h"
#include "onnx_hier/onnx_hier.h"
#include "onnx_hier/tags.h"
#include "onnx_hier/version.h"

namespace {

int Fail(const absl::Status& status) {
  std::cerr << status.message() << "\n";
  return 2;
}

// How many tags of a file name a wrong module.
absl::StatusOr<size_t> CountWrongTags(const std::string& path) {
  const absl::StatusOr<onnx_hier::Model> model = onnx_hier::Model::Open(path);
  if (!model.ok()) return model.status();
  onnx_hier::ReadTagsResult read = onnx_hier::ReadTags(model->graph());
  return onnx_hier::FindContamination(model->graph(), {}, read.tags).size();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: tag_model IN.onnx OUT.onnx\n";
    return 2;
  }
  const absl::StatusOr<onnx_hier::Model> model = onnx_hier::Model::Open(argv[1]);
  if (!model.ok()) return Fail(model.status());
  const onnx_hier::Annotation annotation = onnx_hier::Annotate(*model);
  const absl::Status written = onnx_hier::Write(*model, onnx_hier::TagEdits(*model, annotation),
                                                onnx_hier::Destination::File(argv[2]));
  if (!written.ok()) return Fail(written);

  const onnx_hier::Hierarchy hierarchy(model->graph(), annotation);
  const absl::StatusOr<std::vector<onnx_hier::ModuleId>> upper = hierarchy.Match("*");
  if (!upper.ok()) return Fail(upper.status());
  for (onnx_hier::ModuleId module : *upper) {
    std::cout << annotation.paths.Tag(annotation.modules.module(module).path) << ": "
              << hierarchy.Nodes(module).size() << " nodes, " << hierarchy.Parameters(module).size()
              << " parameters\n";
  }

  const absl::StatusOr<size_t> wrong = CountWrongTags(argv[2]);
  if (!wrong.ok()) return Fail(wrong.status());
  std::cout << "onnx_hier " << onnx_hier::kVersion << ": " << model->graph().node_count()
            << " nodes in " << annotation.modules.size() << " modules, " << *wrong
            << " wrong tags\n";
  return *wrong == 0 ? 0 : 1;
}
