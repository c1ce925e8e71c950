#include "lib/onnx/splices.h"

#include <algorithm>
#include <utility>

#include "lib/base/status_macros.h"
#include "lib/onnx/wire_reader.h"

namespace onnx_hier {
namespace {

// A tag and a length.
constexpr size_t kLongestHeader = 16;

uint64_t TagOf(const Change& change) {
  return uint64_t{change.field} << 3 | static_cast<uint64_t>(WireType::kBytes);
}

// Two messages that have a change at one place are one in the other, which ends there: the inner
// one comes first. Its frame has the larger number; the model, which has none, is the outermost.
bool ComesBefore(const Change& a, const Change& b) {
  if (a.at != b.at) return a.at < b.at;
  if (a.frame != b.frame) return a.frame + 1 > b.frame + 1;
  if ((a.remove == 0) != (b.remove == 0)) return a.remove == 0;
  return a.field < b.field;
}

}  // namespace

uint64_t Change::new_size() const {
  if (field == 0) return text.size();
  return static_cast<uint64_t>(VarintSize(TagOf(*this)) + VarintSize(text.size())) + text.size();
}

Splices::Splices(const std::vector<Frame>& frames, std::vector<Change> changes)
    : frames_(frames), changes_(std::move(changes)), deltas_(frames.size(), 0) {
  // Changes of one kind come in file order, but for messages inside of others.
  if (!std::is_sorted(changes_.begin(), changes_.end(), ComesBefore)) {
    std::stable_sort(changes_.begin(), changes_.end(), ComesBefore);
  }
  for (const Change& change : changes_) {
    (change.frame == kNoFrame ? growth_ : deltas_[change.frame]) +=
        static_cast<int64_t>(change.new_size()) - static_cast<int64_t>(change.remove);
  }
  for (size_t i = deltas_.size(); i-- > 0;) {
    if (deltas_[i] == 0) continue;
    const Frame& frame = frames_[i];
    const int64_t outwards =
        deltas_[i] + static_cast<int64_t>(NewLengthSize(frame, deltas_[i])) - frame.length_size;
    (frame.parent == kNoFrame ? growth_ : deltas_[frame.parent]) += outwards;
  }
}

uint64_t Splices::NewLengthSize(const Frame& frame, int64_t delta) const {
  const uint64_t old_length = frame.end - frame.begin;
  const int needed = VarintSize(old_length + static_cast<uint64_t>(delta));
  const bool padded = frame.length_size > VarintSize(old_length);
  return static_cast<uint64_t>(padded ? std::max<int>(needed, frame.length_size) : needed);
}

absl::Status Splices::ForEach(absl::FunctionRef<absl::Status(const Splice&)> visit) const {
  char header[kLongestHeader];
  const auto header_until = [&header](const char* end) {
    return absl::string_view(header, static_cast<size_t>(end - header));
  };
  auto change = changes_.begin();
  const auto visit_changes = [&](uint64_t before) -> absl::Status {
    for (; change != changes_.end() && change->at < before; ++change) {
      Splice splice = {change->at, change->remove, "", change->text};
      if (change->field != 0) {
        char* const length = WriteVarint(TagOf(*change), 1, header);
        splice.insert = header_until(WriteVarint(change->text.size(), 1, length));
      }
      OH_RETURN_IF_ERROR(visit(splice));
    }
    return absl::OkStatus();
  };
  for (size_t i = 0; i < frames_.size(); ++i) {
    if (deltas_[i] == 0) continue;
    const Frame& frame = frames_[i];
    const uint64_t length_at = frame.begin - frame.length_size;
    OH_RETURN_IF_ERROR(visit_changes(length_at));
    const uint64_t length = frame.end - frame.begin + static_cast<uint64_t>(deltas_[i]);
    const char* end =
        WriteVarint(length, static_cast<int>(NewLengthSize(frame, deltas_[i])), header);
    OH_RETURN_IF_ERROR(visit({length_at, frame.length_size, header_until(end), ""}));
  }
  return visit_changes(UINT64_MAX);
}

}  // namespace onnx_hier
