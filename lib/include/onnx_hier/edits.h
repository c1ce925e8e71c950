// Changes of a model, gathered before it is written (write.h).
//
//   Edits edits;
//   edits.SetDocString(node, "the first of its kind");
//   edits.RemoveDocString(other);
//   absl::Status status = Write(model, edits, Destination::File("edited.onnx"));
//
// What does not fit together (a node whose doc_string is set twice, an id of another model) is
// found when the model is written: kInvalidArgument that names it, and nothing is written. Whatever
// is not edited stays as it is, byte for byte.
#ifndef ONNX_HIER_EDITS_H_
#define ONNX_HIER_EDITS_H_

#include <memory>

#include "absl/strings/string_view.h"
#include "onnx_hier/ids.h"

namespace onnx_hier {

struct EditList;

class Edits {
 public:
  Edits();
  Edits(Edits&&) noexcept;
  Edits& operator=(Edits&&) noexcept;
  ~Edits();

  // Texts are copied.
  void SetDocString(NodeId node, absl::string_view text);
  void RemoveDocString(NodeId node);

 private:
  friend struct EditsAccess;  // for those in this library who make and read them
  std::unique_ptr<EditList> list_;
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_EDITS_H_
