// SPDX-License-Identifier: Apache-2.0
#include "lib/onnx/data_cut.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "lib/onnx/external_data.h"

namespace onnx_hier {
namespace {

// Also what file systems share, so that whole ranges can be.
constexpr uint64_t kPage = kDiskBlock;

// Where what has that length may begin, at or behind `at`.
uint64_t BeginAtOrAfter(uint64_t at, uint64_t length) {
  const uint64_t step = length < kPage ? DataCut::kAlignment : kPage;
  return (at + step - 1) / step * step;
}

}  // namespace

DataCut::Key DataCut::KeyOf(uint32_t source, const ExternalPlace& place) {
  const std::optional<uint64_t> length = place.length ? place.length : place.tensor_bytes;
  return {source, place.offset, length};
}

void DataCut::Add(const ExternalPlace& place) {
  const auto number = static_cast<uint32_t>(sources_.size());
  const auto [known, is_new] = source_of_.try_emplace(place.location, number);
  if (is_new) sources_.push_back({.location = place.location});
  Source& source = sources_[known->second];
  if (!place.is_clear) source.is_clear = false;
  const Key key = KeyOf(known->second, place);
  if (!wanted_.try_emplace(key).second) return;
  source.wanted.push_back({.key = key, .offset = place.offset});
}

absl::Status DataCut::Lay() {
  for (const Source& source : sources_) {
    OH_RETURN_IF_ERROR(CheckLocation(std::string(source.location)));
  }
  for (Source& source : sources_) {
    const absl::Status status = LaySource(source);
    if (!status.ok()) return AboutData(std::string(source.location), status);
  }
  return absl::OkStatus();
}

std::optional<DataCut::Range> DataCut::Find(const ExternalPlace& place) const {
  const auto source = source_of_.find(place.location);
  if (source == source_of_.end()) return std::nullopt;
  const auto range = wanted_.find(KeyOf(source->second, place));
  if (range == wanted_.end()) return std::nullopt;
  return range->second;
}

// Whether what begins at `offset`, which is not before the span, comes along with it: it overlaps,
// or follows at once and would begin at a page all the same.
bool DataCut::IsOneWith(const Span& span, uint64_t offset) {
  return offset < span.end || (offset == span.end && (offset - span.from) % kPage == 0);
}

absl::Status DataCut::LaySource(Source& source) {
  if (!source.is_clear) {
    return absl::DataLossError(
        "the offset or length that the model gives is no number; use --external-data keep to leave "
        "it where it is");
  }
  OH_RETURN_IF_ERROR(Open(source));
  source.identity = files_.identity();
  mode_ &= files_.mode();
  for (Wanted& wanted : source.wanted) OH_RETURN_IF_ERROR(Measure(wanted));
  std::sort(source.wanted.begin(), source.wanted.end(), [](const Wanted& a, const Wanted& b) {
    return std::pair(a.offset, a.length) < std::pair(b.offset, b.length);
  });
  for (const Wanted& wanted : source.wanted) {
    if (wanted.length == 0) continue;  // reads nothing: any place will do
    const uint64_t end = wanted.offset + wanted.length;
    if (source.spans.empty() || !IsOneWith(source.spans.back(), wanted.offset)) {
      source.spans.push_back({wanted.offset, end});
    }
    source.spans.back().end = std::max(source.spans.back().end, end);
  }
  for (Span& span : source.spans) {
    span.to = BeginAtOrAfter(size_, span.end - span.from);
    size_ = span.to + (span.end - span.from);
  }
  auto span = source.spans.begin();
  for (const Wanted& wanted : source.wanted) {
    if (wanted.length == 0) continue;
    while (span->end <= wanted.offset) ++span;
    wanted_.find(wanted.key)->second = {span->to + (wanted.offset - span->from), wanted.length};
  }
  return absl::OkStatus();
}

absl::Status DataCut::Measure(Wanted& wanted) const {
  const uint64_t size = files_.size();
  const uint64_t left = size - std::min(size, wanted.offset);
  wanted.length = std::get<2>(wanted.key).value_or(left);
  if (wanted.offset <= size && wanted.length <= left) return absl::OkStatus();
  return absl::OutOfRangeError(absl::StrCat("is too short: the model reads ", wanted.length,
                                            " bytes from byte ", wanted.offset, " on, and it has ",
                                            size, " bytes"));
}

absl::Status DataCut::Open(const Source& source) {
  absl::Status status = files_.Open(source.location);
  if (status.ok()) return status;
  return absl::Status(status.code(), absl::StrCat("cannot be opened: ", status.message()));
}

absl::Status DataCut::CopyTo(OutputFile& out, const CopyOptions& options) {
  const std::vector<SharedSpan> shared = Share(out);
  // A full disk is an error here, before anything is written.
  OH_RETURN_IF_ERROR(out.Reserve(size_, shared));
  const ChunkBuffer buffer = NewChunk();
  for (const Source& source : sources_) {
    const absl::Status status = CopySource(source, shared, out, buffer, options);
    if (!status.ok()) return AboutData(std::string(source.location), status);
  }
  return absl::OkStatus();
}

// Of spans that begin at a page, whole pages. In the order of the output; errors are for the copy
// to find.
std::vector<SharedSpan> DataCut::Share(OutputFile& out) {
  std::vector<SharedSpan> shared;
  for (const Source& source : sources_) {
    for (const Span& span : source.spans) {
      const uint64_t length = (span.end - span.from) / kPage * kPage;
      if (length < kLongSpan || span.from % kPage != 0) continue;
      const SharedSpan wanted = {span.from, span.to, length};
      if (!Open(source).ok() || !ShareSpan(files_.fd(), wanted, out.fd())) return shared;
      shared.push_back(wanted);
    }
  }
  return shared;
}

absl::Status DataCut::CopySource(const Source& source, const std::vector<SharedSpan>& shared,
                                 OutputFile& out, const ChunkBuffer& buffer,
                                 const CopyOptions& options) {
  OH_RETURN_IF_ERROR(Open(source));
  const bool is_known = files_.identity().IsSameVersion(source.identity);
  for (const Span& span : source.spans) {
    uint64_t done = 0;
    const auto known = std::lower_bound(shared.begin(), shared.end(), span.to,
                                        [](const SharedSpan& a, uint64_t to) { return a.to < to; });
    if (known != shared.end() && known->to == span.to) done = known->length;
    OH_RETURN_IF_ERROR(CopyBytes(files_.fd(), span.from + done, span.end - span.from - done,
                                 out.fd(), span.to + done, buffer, options));
  }
  if (is_known && files_.VerifyUnchanged().ok()) return absl::OkStatus();
  return absl::AbortedError("the file was changed by another program while it was read");
}

}  // namespace onnx_hier
