// SPDX-License-Identifier: Apache-2.0
#include "lib/tags/reason_text.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "onnx_hier/annotation.h"

namespace onnx_hier {
namespace {

std::string TwinReason(const Annotation& annotation, const Assignment& assignment,
                       const std::string& twin) {
  if (twin.empty()) return "by what modules that are built alike hold";
  const PathId module = annotation.assignments[assignment.witness].primary;
  return absl::StrCat(
      "built like ", twin, ", which is in ",
      module == assignment.primary ? "the same module" : annotation.paths.Tag(module));
}

std::string SuchAs(absl::string_view reason, const std::string& other) {
  return other.empty() ? std::string(reason) : absl::StrCat(reason, ", such as ", other);
}

}  // namespace

std::string ReasonText(const Graph& graph, const Annotation& annotation, NodeId node) {
  const Assignment& assignment = annotation.assignments[node];
  if (!HasReason(assignment)) return "";
  const std::string other =
      assignment.witness.valid() ? absl::StrCat("node ", graph.NodePath(assignment.witness)) : "";
  if (assignment.retreat == Retreat::kUnsure) {
    return "no module is likely enough: this one holds those that may be right";
  }
  switch (assignment.method) {
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
                           : absl::StrCat("with all that read it, such as ", other);
    case Method::kOrder:
      return SuchAs("by the nodes around it in the file", other);
    case Method::kLocality:
      return SuchAs("by the nodes that it reads from and that read it", other);
    case Method::kSidecar:
      return "as a sidecar says";
    case Method::kRepaired:
      return "moved: other layers and the nodes around it speak against where it was";
    case Method::kEarlierTag:
      return "as the file was tagged before";
    case Method::kRule:
      return "as a rule of the user's says";
    case Method::kTransferValue:
    case Method::kTransferName:
    case Method::kTransferParameter:
    case Method::kTransferRegion:
      return "as what it stands for in the model that this one was made from";
    case Method::kNodeName:
    case Method::kValueName:
      return "by its name alone, and beside it some are printed without what is around them";
    case Method::kMetadata:
    case Method::kFunction:
    case Method::kNone:
      break;
  }
  return "nothing in the file says where it is";
}

}  // namespace onnx_hier
