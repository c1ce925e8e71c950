// SPDX-License-Identifier: Apache-2.0

// Values that a run of a model gave, in the files that people save them in:
//
//   x.npz                        numpy.savez, savez_compressed: a run; a folder of them: a run each
//   DIR/x.npy                    a folder of numpy.save
//   DIR/x.pb, DIR/x.tensorproto  a folder of TensorProto, as onnxruntime dumps and ONNX tests have
//   DIR/0/..., DIR/1/...         a folder of such folders: a run each
//   results.json                 Polygraphy's RunResults (--save-outputs); "results.json#trt" takes
//                                the first runner whose name begins so
//   a.npz,b.npz                  what the same runs gave in several files
//
//   const absl::StatusOr<ValueFiles> files = ValueFiles::Open("fp32.npz");
//   const SavedValue* value = files->Find(0, "/fc/Add_output_0");
//   const absl::StatusOr<ValueNumbers> numbers = files->Read(*value);
//   numbers->Next(room);         // as many as there are next
//
// Read piece by piece: memory grows with how many values there are, not with their sizes.
#ifndef ONNX_HIER_VALUE_FILES_H_
#define ONNX_HIER_VALUE_FILES_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace onnx_hier {

class ByteInput;

// The numbers of one value, in the order of its elements (the last dimension runs fastest).
class ValueNumbers {
 public:
  ValueNumbers(std::unique_ptr<ByteInput> bytes, int32_t type, std::vector<uint64_t> shape,
               bool is_varint = false);
  ValueNumbers(ValueNumbers&&) noexcept;
  ValueNumbers& operator=(ValueNumbers&&) noexcept;
  ~ValueNumbers();

  int32_t type() const { return type_; }  // a TensorProto.DataType
  const std::vector<uint64_t>& shape() const { return shape_; }
  uint64_t count() const { return count_; }
  // As many as `room` holds, and fewer only of the last ones. kInvalidArgument: it is damaged, or
  // there are more or fewer than its shape says.
  absl::StatusOr<size_t> Next(absl::Span<double> room);

 private:
  absl::Status Fill(char* out, size_t size);
  absl::Status NextVarints(absl::Span<double> room);
  absl::Status CheckEnd();

  std::unique_ptr<ByteInput> bytes_;
  int32_t type_;
  std::vector<uint64_t> shape_;
  uint64_t count_ = 1;
  uint64_t left_ = 0;
  bool is_varint_;
  std::unique_ptr<char[]> piece_;
};

// Where a value is.
struct SavedValue {
  std::string name;
  uint32_t place = 0;  // in the files
};

class ValueFiles {
 public:
  // kNotFound, kInvalidArgument: the message names the file, and where in it.
  static absl::StatusOr<ValueFiles> Open(const std::string& path);
  ValueFiles(ValueFiles&&) noexcept;
  ValueFiles& operator=(ValueFiles&&) noexcept;
  ~ValueFiles();

  // Runs, one at least.
  size_t samples() const;
  absl::Span<const SavedValue> values(size_t sample) const;
  // By its name; in a folder also by one whose characters other than letters and digits became '_'.
  // Null: there is none.
  const SavedValue* Find(size_t sample, absl::string_view name) const;
  // kInvalidArgument names the file and the value: its header or type cannot be read, or the order
  // of its elements is Fortran's.
  absl::StatusOr<ValueNumbers> Read(const SavedValue& value) const;
  // For people: "fp32.npz: /fc/Add_output_0"
  std::string Describe(const SavedValue& value) const;

 private:
  struct State;
  explicit ValueFiles(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_VALUE_FILES_H_
