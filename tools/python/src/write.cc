// SPDX-License-Identifier: Apache-2.0

// Writing what was made: to files that appear together or not at all, and to memory.
#include "onnx_hier/write.h"

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <cstring>
#include <deque>
#include <optional>

#include "absl/strings/str_cat.h"
#include "onnx_hier/byte_sink.h"
#include "onnx_hier_program/job_files.h"
#include "onnx_hier_program/reports.h"
#include "tools/onnx-hier/part_report.h"
#include "tools/python/src/aside.h"
#include "tools/python/src/core.h"
#include "tools/python/src/errors.h"

namespace onnx_hier::python {
namespace {

// Fills a bytes object, which is made as soon as its size is known.
class BytesSink : public ByteSink {
 public:
  absl::Status Expect(uint64_t bytes) override {
    const py::gil_scoped_acquire locked;
    room_ = py::reinterpret_steal<py::object>(
        PyBytes_FromStringAndSize(nullptr, static_cast<Py_ssize_t>(bytes)));
    if (!room_) {
      PyErr_Clear();
      return absl::ResourceExhaustedError(absl::StrCat("no memory for ", bytes, " bytes"));
    }
    next_ = PyBytes_AS_STRING(room_.ptr());
    left_ = bytes;
    return absl::OkStatus();
  }

  absl::Status Append(absl::string_view bytes) override {
    if (next_ == nullptr) return text_.Append(bytes);
    if (bytes.size() > left_) return absl::InternalError("more bytes than were announced");
    std::memcpy(next_, bytes.data(), bytes.size());
    next_ += bytes.size();
    left_ -= bytes.size();
    return absl::OkStatus();
  }

  py::object Take() { return room_ ? std::move(room_) : py::object(py::bytes(text_.text())); }

 private:
  py::object room_;
  char* next_ = nullptr;
  uint64_t left_ = 0;
  StringSink text_;  // of what does not say how long it will be
};

struct Job {
  std::vector<std::pair<py::object, std::optional<std::string>>> outputs;  // what, and where to
  std::vector<std::string> reads;  // files that must stay as they are
  py::object progress;
};

// The outputs of a job as the library takes them.
class Outputs {
 public:
  explicit Outputs(const Job& job) {
    for (const auto& [what, path] : job.outputs) {
      if (!path.has_value()) sinks_.emplace_back();
      Add(what, path.has_value() ? Destination::File(*path) : Destination::Sink(sinks_.back()));
    }
  }

  absl::Span<const Output> list() const { return list_; }
  // Where it is to be told what became of them; null: nobody asks.
  std::vector<Written>* written() { return parts_.empty() ? nullptr : &written_; }
  // Parts come before all else.
  void NoteParts() {
    for (size_t i = 0; i < parts_.size(); ++i) parts_[i]->written = written_[i];
  }
  py::list TakeBytes() {
    py::list bytes;
    for (BytesSink& sink : sinks_) bytes.append(sink.Take());
    return bytes;
  }

 private:
  void Add(const py::object& what, Destination to) {
    if (py::isinstance<HeldEdits>(what)) {
      list_.emplace_back(what.cast<EditsPtr>()->edits, std::move(to));
    } else if (py::isinstance<HeldPart>(what)) {
      HeldPart* const held = what.cast<PartPtr>().get();
      parts_.push_back(held);
      list_.emplace_back([held] { return held->annotated->cutter->EditsOf(held->part); },
                         std::move(to));
    } else if (py::isinstance<HeldSidecar>(what)) {
      const HeldSidecar& held = *what.cast<SidecarPtr>();
      documents_.push_back(
          SidecarOf(held.annotated->held->model, held.annotated->annotation, held.names));
      list_.emplace_back(documents_.back(), std::move(to));
    } else {
      HeldSplit* const held = what.cast<SplitPtr>().get();
      documents_.emplace_back("manifest", [this, held](ByteSink& sink) {
        cli::NoteWritten(written_, held->result);
        return sink.Append(SplitResultJson(held->result));
      });
      list_.emplace_back(documents_.back(), std::move(to));
    }
  }

  std::deque<BytesSink> sinks_;
  std::deque<Document> documents_;
  std::vector<Output> list_;
  std::vector<HeldPart*> parts_;
  std::vector<Written> written_;
};

// Whether outputs would replace what is read beside the model.
absl::Status CheckReads(const ModelPtr& held, const Job& job) {
  std::vector<TextFile> texts;
  texts.reserve(job.reads.size());
  for (const std::string& path : job.reads) texts.push_back({"a file that is read", path});
  for (const auto& [what, path] : job.outputs) {
    if (!path.has_value()) continue;
    const JobFiles files = {held->model.path(), *path, "", held->model.external_locations(), false};
    if (absl::Status status = CheckJobFiles({&files, 1}, texts); !status.ok()) return status;
  }
  return absl::OkStatus();
}

ExternalData ExternalDataNamed(const std::string& name) {
  if (name == "cut") return ExternalData::kCut;
  if (name == "cut elsewhere") return ExternalData::kCutElsewhere;
  if (name == "copy") return ExternalData::kCopy;
  return name == "keep" ? ExternalData::kKeep : ExternalData::kRefuse;
}

// The bytes of outputs that go nowhere else, and what could not be kept of files.
py::tuple WriteOutputs(const ModelPtr& held, const Job& job, WriteOptions options) {
  Outputs outputs(job);
  std::vector<std::string> warnings;
  std::atomic<uint64_t> written = 0;
  options.warnings = &warnings;
  options.written = outputs.written();
  options.progress = &written;
  const auto tell = [&] {
    if (!job.progress.is_none()) job.progress(written.load(), held->model.file_size());
  };
  const std::string about = job.outputs.front().second.value_or(held->name);
  Check(CheckReads(held, job), about);
  const absl::Status status = Aside(
      [&](const Cancel& cancel) {
        const std::lock_guard<std::mutex> lock(held->mutex);
        options.cancel = &cancel;
        return Write(held->model, outputs.list(), options);
      },
      tell);
  Check(status, about);
  outputs.NoteParts();
  tell();
  return py::make_tuple(outputs.TakeBytes(), ToPython(warnings));
}

// (node, whether it is a name, the text or None)
py::list ListTexts(const HeldEdits& held) {
  py::list list;
  for (const NodeText& text : held.edits.NodeTexts()) {
    list.append(py::make_tuple(text.node.index(), text.is_name,
                               text.present ? py::object(ToPython(text.text)) : py::none()));
  }
  return list;
}

}  // namespace

void BindWrite(py::module_& module) {
  py::class_<HeldEdits, EditsPtr>(module, "Edits").def("texts", &ListTexts);
  module.def(
      "write",
      [](const ModelPtr& held,
         std::vector<std::pair<py::object, std::optional<std::string>>> outputs,
         std::vector<std::string> reads, bool force, bool in_place, bool offers_in_place, bool sync,
         const std::string& external_data, py::object progress) {
        WriteOptions options;
        options.replace = options.allow_over_2gib = force;
        options.in_place = in_place;
        options.offers_in_place = offers_in_place;
        options.sync = sync;
        options.external_data = ExternalDataNamed(external_data);
        return WriteOutputs(held, {std::move(outputs), std::move(reads), std::move(progress)},
                            options);
      },
      py::arg("model"), py::arg("outputs"), py::kw_only(), py::arg("reads"), py::arg("force"),
      py::arg("in_place"), py::arg("offers_in_place"), py::arg("sync"), py::arg("external_data"),
      py::arg("progress"));
}

}  // namespace onnx_hier::python
