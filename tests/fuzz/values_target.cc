// SPDX-License-Identifier: Apache-2.0

// Values of a run that somebody gives to us, in each form in which they are saved: all of them are
// read to their ends.

#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "onnx_hier/value_files.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/temp_folder.h"

namespace onnx_hier::fuzz {
namespace {

// Numbers that are read of a value: one that says that it has more may have them.
constexpr uint64_t kMost = 1 << 22;

void ReadAll(const ValueFiles& files) {
  Require(files.samples() > 0, "there is a run");
  std::vector<double> room(1000);
  for (size_t sample = 0; sample < files.samples(); ++sample) {
    for (const SavedValue& value : files.values(sample)) {
      Require(files.Find(sample, value.name) != nullptr, "a value is found by its name");
      absl::StatusOr<ValueNumbers> numbers = files.Read(value);
      if (!numbers.ok()) {
        Require(absl::StartsWith(numbers.status().message(), files.Describe(value)),
                "an error names the value");
        continue;
      }
      uint64_t count = 0;
      while (count < kMost) {
        const absl::StatusOr<size_t> some = numbers->Next(absl::MakeSpan(room));
        if (!some.ok() || *some == 0) break;
        count += *some;
        Require(count <= numbers->count(), "no more than its shape says");
      }
    }
  }
}

void Read(const testing::TempFolder& folder, absl::string_view name, absl::string_view path,
          absl::string_view bytes) {
  folder.Write(name, bytes);
  const absl::StatusOr<ValueFiles> files = ValueFiles::Open(std::string(path));
  if (files.ok()) return ReadAll(*files);
  Require(!files.status().message().empty(), "an error says why");
}

}  // namespace
}  // namespace onnx_hier::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const absl::string_view bytes = onnx_hier::fuzz::Text(data, size);
  for (const char* name : {"x.npz", "x.json"}) {
    const onnx_hier::testing::TempFolder folder;
    onnx_hier::fuzz::Read(folder, name, folder / name, bytes);
  }
  for (const char* name : {"x.npy", "x.pb"}) {
    const onnx_hier::testing::TempFolder folder;
    onnx_hier::fuzz::Read(folder, name, folder.path(), bytes);
  }
  return 0;
}
