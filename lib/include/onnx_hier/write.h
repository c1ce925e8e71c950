// SPDX-License-Identifier: Apache-2.0

// Writing: a model with edits, and documents that belong to it, to files or streams.
//
//   absl::Status status = Write(model, TagEdits(model, annotation), Destination::File("out.onnx"));
//
//   // With its sidecar: both appear, or neither.
//   status = Write(model,
//                  {{TagEdits(model, annotation), Destination::File("out.onnx")},
//                   {SidecarOf(model, annotation), Destination::File("out.json")}});
#ifndef ONNX_HIER_WRITE_H_
#define ONNX_HIER_WRITE_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "onnx_hier/bytes.h"
#include "onnx_hier/edits.h"
#include "onnx_hier/model.h"

namespace onnx_hier {

class OpenFolders;

// A file, by its path; a stream that is open already (standard output, a pipe) and stays open; or a
// sink of the caller's, which is a stream to the writer.
class Destination {
 public:
  static Destination File(std::string path) { return Destination(std::move(path), -1, nullptr); }
  static Destination Stream(int fd) { return Destination("", fd, nullptr); }
  static Destination Sink(ByteSink& sink) { return Destination("", -1, &sink); }

  bool is_stream() const { return fd_ >= 0 || sink_ != nullptr; }
  const std::string& path() const { return path_; }  // "" for a stream
  int fd() const { return fd_; }                     // -1 for a file and for a sink
  ByteSink* sink() const { return sink_; }           // null for all but a sink

 private:
  Destination(std::string path, int fd, ByteSink* sink)
      : path_(std::move(path)), fd_(fd), sink_(sink) {}

  std::string path_;
  int fd_;
  ByteSink* sink_;
};

// One of the things that are written in one go. What it is made of must outlive it.
struct Output {
  // The model as the edits make it.
  Output(const Edits& model_edits, Destination destination)
      : edits(&model_edits), to(std::move(destination)) {}
  // The same, of edits that are made when they are needed, perhaps more than once, and not kept:
  // those of many outputs together take memory that each alone does not.
  Output(std::function<absl::StatusOr<Edits>()> edits_maker, Destination destination)
      : make_edits(std::move(edits_maker)), to(std::move(destination)) {}
  Output(const Document& text, Destination destination)
      : document(&text), to(std::move(destination)) {}

  // One of these.
  const Edits* edits = nullptr;
  std::function<absl::StatusOr<Edits>()> make_edits;
  const Document* document = nullptr;
  Destination to;
};

enum class ExternalData {
  kRefuse,  // an output in another folder is an error if the model has external data
  kCopy,    // the files that the model refers to are copied along
  kKeep,    // they are left where they are; the output may not load until they are moved
  // Each output gets a data file of its own beside it, "part.data" for "part.onnx", with just the
  // ranges that it reads, each from a page on that is one: what it does not read need not be there.
  // A stream has no place for one: an error.
  kCut,
  // The same of outputs in another folder than the model's; those beside it read the files that it
  // does. Streams, and parts of a model that came through a stream, refer to what the model does.
  kCutElsewhere,
};

// What became of an output that is a model.
struct Written {
  uint64_t bytes = 0;  // of the model's own file
  std::string data;    // name of the data file that was cut for it, in the same folder; "": none
  uint64_t data_bytes = 0;
  // Locations of data files that it refers to and that are not there: until they are, nobody can
  // load it.
  std::vector<std::string> missing;
};

// Folders that the outputs of several calls go into: each is opened, and looked through for what
// killed runs left, once for all of them, and waits for the disk are shared. From any thread.
class OutputFolders {
 public:
  OutputFolders();
  ~OutputFolders();
  OutputFolders(const OutputFolders&) = delete;
  OutputFolders& operator=(const OutputFolders&) = delete;

 private:
  friend struct OutputFoldersAccess;
  std::unique_ptr<OpenFolders> folders_;
};

struct WriteOptions {
  bool replace = false;  // existing files give way
  // The output may be the input itself. It is an error (kAborted) if another program has replaced
  // or changed that meanwhile: what it wrote stays.
  bool in_place = false;
  // Whether the caller could have been asked for that: what an error about the input proposes.
  bool offers_in_place = true;
  bool sync = true;  // wait until files are on the disk
  // Most parsers stop at 2 GiB: an output that crosses that line is refused unless this is set.
  bool allow_over_2gib = false;
  ExternalData external_data = ExternalData::kRefuse;
  int threads = 0;                            // see AnnotateOptions; 0 copies data on two
  const std::atomic<bool>* cancel = nullptr;  // when true: kCancelled, and no output
  std::atomic<uint64_t>* progress = nullptr;  // bytes of models written so far
  OutputFolders* folders = nullptr;           // of calls that write many models; may be null
  // Paths of files that were read beside the model, and of the data files of other models among
  // them: no output takes the place of one.
  std::vector<std::string> also_read;
  // Becomes what was made of each output, before the first document is asked for its text. May be
  // null.
  std::vector<Written>* written = nullptr;
  // Lines for people are added to it: what could not be kept of a file that was replaced (extended
  // attributes, its other names). May be null.
  std::vector<std::string>* warnings = nullptr;
};

// Writes all outputs. Files appear complete or not at all, and none appears unless all outputs
// could be written; new ones may be read by nobody who may not read the input. Streams are written
// when all files are complete and before they appear: what went into a stream cannot be taken back.
//
// No output takes the place of the input (but with `in_place`), of the model's data files, of
// `also_read` or of another output, whatever the options. An error of an output other than the
// first one names it.
//
// File systems that can (XFS, btrfs) let a file share the input's weights instead of copying them,
// where they move by whole blocks. TagEdits() sees to that from 16 MiB on; other edits leave it to
// chance, and what cannot be shared is copied.
absl::Status Write(const Model& model, absl::Span<const Output> outputs,
                   const WriteOptions& options = {});
// The model alone.
absl::Status Write(const Model& model, const Edits& edits, const Destination& to,
                   const WriteOptions& options = {});

}  // namespace onnx_hier

#endif  // ONNX_HIER_WRITE_H_
