// What an Edits holds.
#ifndef ONNX_HIER_LIB_ONNX_EDIT_LIST_H_
#define ONNX_HIER_LIB_ONNX_EDIT_LIST_H_

#include <deque>
#include <string>
#include <vector>

#include "lib/onnx/doc_splice.h"
#include "onnx_hier/edits.h"

namespace onnx_hier {

struct EditList {
  std::vector<DocEdit> docs;
  std::deque<std::string> texts;  // a deque: views into it stay valid
};

struct EditsAccess {
  static EditList& List(Edits& edits) { return *edits.list_; }
  static const EditList& List(const Edits& edits) { return *edits.list_; }
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_ONNX_EDIT_LIST_H_
