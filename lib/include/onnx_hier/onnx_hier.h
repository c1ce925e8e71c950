// SPDX-License-Identifier: Apache-2.0

// The front door: open a model, annotate it, write it.
//
//   absl::StatusOr<Model> model = Model::Open("bert.onnx");
//   if (!model.ok()) ...                                    // says what is wrong with the file
//   const Annotation annotation = Annotate(*model);
//   absl::Status status = Write(*model, TagEdits(*model, annotation),
//                               Destination::File("bert_tagged.onnx"));
//
// Every node of the output carries its module path in its doc_string; every other byte is as it
// was. The library never prints, never exits, and has no global state. Objects may be used from
// one thread at a time; different objects from different threads.
#ifndef ONNX_HIER_ONNX_HIER_H_
#define ONNX_HIER_ONNX_HIER_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "onnx_hier/annotation.h"
#include "onnx_hier/checkpoint.h"
#include "onnx_hier/edits.h"
#include "onnx_hier/graph.h"
#include "onnx_hier/measures.h"
#include "onnx_hier/model.h"
#include "onnx_hier/module_paths.h"
#include "onnx_hier/parameter_names.h"
#include "onnx_hier/tag_edits.h"
#include "onnx_hier/tags.h"
#include "onnx_hier/user_rules.h"
#include "onnx_hier/write.h"

namespace onnx_hier {

// "1.2.3"
absl::string_view Version();

struct AnnotateOptions {
  ModuleMap module_map;  // what the caller knows of the network's modules and classes
  // Used on large graphs; 0: as many as there are processors, up to 16. The result does not depend
  // on it.
  int threads = 0;
  // Nodes whose module holds them less surely than this get the nearest one around it that does:
  // the root holds all. From 0 to 1.
  float least_containment = 0;
  // What the user knows better than the file (ReadUserRules()); null: nothing. Annotates twice:
  // patterns mean modules as they are without rules.
  std::shared_ptr<const UserRules> rules;
  // Where weights may have better names than in the file, for NameParameters(); null: nowhere.
  std::shared_ptr<const Checkpoint> checkpoint;
  // What they are called there; null: as in the file.
  std::shared_ptr<const ParameterNames> parameter_names;
};

// Finds the model's weights in `options.checkpoint`, if there is one, and has them called, and
// modules listed, as there. What could not be compared is appended to `warnings`. Errors of reading
// either.
absl::Status NameParameters(const Model& model, AnnotateOptions& options,
                            std::vector<std::string>& warnings);

// The same where they were found already.
void TakeNames(ParameterNames names, AnnotateOptions& options);

// Works out the module of every node. Tags that the file carries already are heard last, about
// nodes that nothing else tells much of, and only if they are right where names tell.
Annotation Annotate(const Model& model, const AnnotateOptions& options = {});
// The same, with all that was weighed for some nodes.
Explanations Explain(const Model& model, absl::Span<const NodeId> nodes,
                     const AnnotateOptions& options = {});

// What a sidecar says besides.
struct SidecarForms {
  bool values = false;                      // what each node reads and makes: types, shapes
  std::vector<const Column*> columns = {};  // what modules have of these; they must outlive it
};

// What is known of the hierarchy, as JSON (schemas/sidecar.schema.json). Both arguments must
// outlive it.
Document SidecarOf(const Model& model, const Annotation& annotation);
// With the names that TagEdits gives. The model, the annotation and the names must outlive it.
Document SidecarOf(const Model& model, const Annotation& annotation, const GivenNames& names,
                   const SidecarForms& forms = {});

}  // namespace onnx_hier

#endif  // ONNX_HIER_ONNX_HIER_H_
