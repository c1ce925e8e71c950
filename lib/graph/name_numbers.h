// SPDX-License-Identifier: Apache-2.0

// Numbers for names that come one after the other: equal names, equal numbers.
//
//   NameNumbers names(/*parallel=*/true);
//   uint32_t a = names.Add("x"), b = names.Add("y"), c = names.Add("x");
//   names.Finish();
//   names.number(a) == names.number(c);
//   names.text(names.number(b));  // "y"
//
// The table is larger than the processor's caches, and most of the time goes into waiting for it:
// names are looked up many at a time, beside the caller's own work if that is wanted.
#ifndef ONNX_HIER_LIB_GRAPH_NAME_NUMBERS_H_
#define ONNX_HIER_LIB_GRAPH_NAME_NUMBERS_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "lib/base/interner.h"
#include "lib/base/side_task.h"

namespace onnx_hier {

class NameNumbers {
 public:
  // `parallel`: a second thread may help where there are many names.
  explicit NameNumbers(bool parallel) : parallel_(parallel) {}

  // For AddHashed().
  const TextHasher& hasher() const { return table_.hasher(); }

  // The name's position among all that were added. Its text must outlive this.
  uint32_t Add(absl::string_view name) {
    const uint32_t hash = hasher()(name);
    AddHashed(absl::MakeConstSpan(&name, 1), absl::MakeConstSpan(&hash, 1));
    return added_ - 1;
  }
  // One after the other; each has its hash.
  void AddHashed(absl::Span<const absl::string_view> names, absl::Span<const uint32_t> hashes) {
    if (coming_.names.size() >= kBatch) StartBatch();
    coming_.names.insert(coming_.names.end(), names.begin(), names.end());
    coming_.hashes.insert(coming_.hashes.end(), hashes.begin(), hashes.end());
    added_ += static_cast<uint32_t>(names.size());
  }
  // How many were added.
  uint32_t added() const { return added_; }
  // No more names; from now on the following may be asked.
  void Finish();

  uint32_t number(uint32_t position) const { return numbers_[position]; }
  // Interner::kNone: it was not added.
  uint32_t NumberOf(absl::string_view name) const { return table_.Find(name); }
  absl::string_view text(uint32_t number) const { return table_.text(number); }
  // How many different names there are.
  size_t size() const { return table_.size(); }

 private:
  // Enough to be worth starting a thread for.
  static constexpr size_t kBatch = 1 << 15;

  struct Batch {
    std::vector<absl::string_view> names;
    std::vector<uint32_t> hashes;
  };

  void StartBatch();
  void LookUpBatch();

  const bool parallel_;
  uint32_t added_ = 0;
  Batch coming_;
  // The task's own, until it is done.
  Batch batch_;
  Interner table_;
  std::vector<uint32_t> numbers_;
  std::optional<SideTask> task_;  // last, so that it is over before what it works on goes
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_GRAPH_NAME_NUMBERS_H_
