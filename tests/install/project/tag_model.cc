// tag_model IN.onnx OUT.onnx: the three calls of the library, as a program of somebody else.
#include <iostream>

#include "onnx_hier/onnx_hier.h"
#include "onnx_hier/version.h"

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: tag_model IN.onnx OUT.onnx\n";
    return 2;
  }
  absl::StatusOr<onnx_hier::Model> model = onnx_hier::Model::Open(argv[1]);
  if (!model.ok()) {
    std::cerr << model.status().message() << "\n";
    return 2;
  }
  const onnx_hier::Annotation annotation = onnx_hier::Annotate(*model);
  const absl::Status written = onnx_hier::Write(*model, onnx_hier::TagEdits(*model, annotation),
                                                onnx_hier::Destination::File(argv[2]));
  if (!written.ok()) {
    std::cerr << written.message() << "\n";
    return 2;
  }
  std::cout << "onnx_hier " << onnx_hier::kVersion << ": " << model->graph().node_count()
            << " nodes in " << annotation.modules.size() << " modules\n";
}
