#include "absl/strings/str_cat.h"
#include "onnx_hier/explain.h"

namespace onnx_hier {
namespace {

std::string TwinReason(const Annotation& annotation, const Assignment& assignment,
                       const std::string& twin) {
  if (twin.empty()) return "modules that are built like this one hold such a node";
  const PathId module = annotation.assignments[assignment.witness].primary;
  return absl::StrCat(
      "built like ", twin, ", which is in ",
      module == assignment.primary ? "the same module" : annotation.paths.Tag(module));
}

}  // namespace

std::string ReasonText(const Graph& graph, const Annotation& annotation, NodeId node) {
  const Assignment& assignment = annotation.assignments[node];
  const std::string other =
      assignment.witness.valid() ? absl::StrCat("node ", graph.NodePath(assignment.witness)) : "";
  switch (assignment.method) {
    case Method::kMetadata:
    case Method::kNodeName:
    case Method::kValueName:
    case Method::kFunction:
      return "";
    case Method::kParameters:
      return "reads parameters that say where it is";
    case Method::kRepetition:
      return TwinReason(annotation, assignment, other);
    case Method::kResidual:
      return "joins a branch with what the branch started from";
    case Method::kStructure:
      return other.empty() ? "by where branches part and join"
                           : absl::StrCat("by where branches part and join behind ", other);
    case Method::kReaders:
      return other.empty() ? "a constant that nobody reads"
                           : absl::StrCat("a constant, with all that read it, such as ", other);
    case Method::kOrder:
      return other.empty() ? "by the nodes around it in the file"
                           : absl::StrCat("by the nodes around it in the file, behind ", other);
    case Method::kLocality:
      return "by the nodes that it reads from and that read it";
    case Method::kSidecar:
      return "as a sidecar says";
    case Method::kRepaired:
      return "put right: another tag was found wrong";
    case Method::kEarlierTag:
      return "as the file was tagged before";
    case Method::kNone:
      break;
  }
  return "nothing in the file says where it is";
}

}  // namespace onnx_hier
