// SPDX-License-Identifier: Apache-2.0
#include "tools/python/src/file_object.h"

#include <cstdio>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"

namespace onnx_hier::python {
namespace {

namespace py = pybind11;

class FileObject : public ByteSource {
 public:
  explicit FileObject(py::object file)
      : file_(std::move(file)), size_(file_.attr("seek")(0, SEEK_END).cast<uint64_t>()) {}
  FileObject(const FileObject&) = delete;
  FileObject& operator=(const FileObject&) = delete;
  ~FileObject() override {
    const py::gil_scoped_acquire locked;
    file_ = py::object();
  }

  uint64_t size() const override { return size_; }

  absl::Status ReadAt(char* out, uint64_t size, uint64_t offset) override {
    const py::gil_scoped_acquire locked;
    try {
      file_.attr("seek")(offset);
      // A raw file may give less than it is asked for.
      for (uint64_t done = 0; done < size;) {
        const py::object piece = file_.attr("read")(size - done);
        char* begin = nullptr;
        Py_ssize_t length = 0;
        if (PyBytes_AsStringAndSize(piece.ptr(), &begin, &length) != 0) {
          throw py::error_already_set();
        }
        const auto given = static_cast<uint64_t>(length);
        if (given == 0 || given > size - done) {
          return absl::AbortedError(
              absl::StrCat("the file ends at byte ", offset + done, ": it became shorter"));
        }
        std::memcpy(out + done, begin, given);
        done += given;
      }
      return absl::OkStatus();
    } catch (const py::error_already_set& error) {
      if (error.matches(PyExc_TypeError)) {
        return absl::InvalidArgumentError("gives no bytes; open the file in binary mode");
      }
      return absl::UnavailableError(
          absl::StrCat("cannot read at byte ", offset, ": ", error.what()));
    }
  }

 private:
  py::object file_;
  uint64_t size_;
};

}  // namespace

std::shared_ptr<ByteSource> SourceOf(py::object file) {
  return std::make_shared<FileObject>(std::move(file));
}

}  // namespace onnx_hier::python
