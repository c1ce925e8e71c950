// The front door: open a model, annotate it, write it.
//
//   absl::StatusOr<Model> model = Model::Open("bert.onnx");
//   if (!model.ok()) ...                                    // says what is wrong with the file
//   const Annotation annotation = Annotate(*model);
//   absl::Status status = WriteTagged(*model, annotation, "bert_tagged.onnx", {});
//
// Every node of the output carries its module path in its doc_string; every other byte is as it
// was. The library never prints, never exits, and has no global state. Objects may be used from
// one thread at a time; different objects from different threads.
#ifndef ONNX_HIER_ONNX_HIER_H_
#define ONNX_HIER_ONNX_HIER_H_

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "onnx_hier/annotation.h"
#include "onnx_hier/explain.h"
#include "onnx_hier/graph.h"
#include "onnx_hier/model.h"
#include "onnx_hier/module_map.h"
#include "onnx_hier/module_paths.h"

namespace onnx_hier {

// "1.2.3"
absl::string_view Version();

struct AnnotateOptions {
  ModuleMap module_map;  // what the caller knows of the network's modules and classes
  int threads = 2;       // used on large graphs; the result does not depend on it
};

// Works out the module of every node. Tags that the file carries already are heard last, about
// nodes that nothing else tells much of, and only if they are right where names tell.
Annotation Annotate(const Model& model, const AnnotateOptions& options = {});
// The same, with all that was weighed for some nodes.
Explanations Explain(const Model& model, absl::Span<const NodeId> nodes,
                     const AnnotateOptions& options = {});

enum class ExternalData {
  kRefuse,  // an output in another folder is an error if the model has external data
  kCopy,    // the files that the model refers to are copied along
  kKeep,    // they are left where they are; the output may not load until they are moved
};

struct WriteOptions {
  bool replace = false;  // an existing output gives way
  // The output may be the input itself. It is an error (kAborted) if another program has replaced
  // or changed that meanwhile: what it wrote stays.
  bool in_place = false;
  bool sync = true;  // wait until the output is on the disk
  // Most parsers stop at 2 GiB: an output that crosses that line is refused unless this is set.
  bool allow_over_2gib = false;
  ExternalData external_data = ExternalData::kRefuse;
  int threads = 2;
  const std::atomic<bool>* cancel = nullptr;  // when true: kCancelled, and no output
  std::atomic<uint64_t>* progress = nullptr;  // bytes written so far
  // Lines for people are added to it: what could not be kept of a file that was replaced (extended
  // attributes, its other names). May be null.
  std::vector<std::string>* warnings = nullptr;
  // WriteTagged: where the sidecar goes as well (schemas/sidecar.schema.json); "" for none.
  std::string sidecar;
};

// Writes the model with its tags to a file, which appears complete or not at all; so does the
// sidecar, and neither appears unless both could be written. New files may
// be read by nobody who may not read the input. File systems that can (XFS, btrfs) let
// the output share the input's weights instead of copying them, from 16 MiB on: for this, spaces
// follow one of the tags in front of such weights, on every file system.
absl::Status WriteTagged(const Model& model, const Annotation& annotation, const std::string& path,
                         const WriteOptions& options);
absl::Status WriteTaggedToStream(const Model& model, const Annotation& annotation, int fd,
                                 const WriteOptions& options);

// Writes the model as it was before it was tagged: the doc_strings of a tagged file are put back.
absl::Status WriteStripped(const Model& model, const std::string& path,
                           const WriteOptions& options);
absl::Status WriteStrippedToStream(const Model& model, int fd, const WriteOptions& options);
// How many nodes carry a doc_string that WriteTagged wrote.
uint64_t CountTagged(const Model& model);

// Writes the sidecar alone.
absl::Status WriteSidecar(const Model& model, const Annotation& annotation, const std::string& path,
                          const WriteOptions& options);
absl::Status WriteSidecarToStream(const Model& model, const Annotation& annotation, int fd);

}  // namespace onnx_hier

#endif  // ONNX_HIER_ONNX_HIER_H_
