// SPDX-License-Identifier: Apache-2.0
#include "lib/edits/weight_sharing.h"

#include "absl/status/status.h"

namespace onnx_hier {
namespace {

uint64_t BlockAtOrAfter(uint64_t at) { return (at + kDiskBlock - 1) / kDiskBlock * kDiskBlock; }

// The whole blocks of the input's bytes [from, to), which the output has at `at`. The input's last
// block may be shared though it is not full.
SharedSpan WholeBlocks(uint64_t from, uint64_t to, uint64_t at, uint64_t size) {
  const uint64_t begin = BlockAtOrAfter(from);
  const uint64_t end = to == size ? to : to / kDiskBlock * kDiskBlock;
  if (at % kDiskBlock != from % kDiskBlock || begin >= end) return {};
  return {begin, at + (begin - from), end - begin};
}

}  // namespace

std::vector<SharedSpan> ShareSpans(int in, uint64_t size, const Splices& splices, int out) {
  std::vector<SharedSpan> shared;
  uint64_t from = 0;
  uint64_t at = 0;
  bool refused = false;
  const auto share_until = [&](uint64_t to) {
    if (to - from >= kLongSpan && !refused) {
      const SharedSpan span = WholeBlocks(from, to, at, size);
      refused = span.length > 0 && !ShareSpan(in, span, out);
      if (span.length > 0 && !refused) shared.push_back(span);
    }
    at += to - from;
    from = to;
  };
  if (size < kLongSpan || !splices.MayKeep(kLongSpan, size)) return shared;
  splices
      .ForEach([&](const Splice& splice) {
        share_until(splice.at);
        from += splice.remove;
        at += splice.size();
        return absl::OkStatus();
      })
      .IgnoreError();
  share_until(size);
  return shared;
}

}  // namespace onnx_hier
