// SPDX-License-Identifier: Apache-2.0
#include "lib/edits/long_spans.h"

#include <algorithm>

#include "absl/status/status.h"
#include "lib/onnx/schema.h"
#include "lib/onnx/wire_reader.h"

namespace onnx_hier {
namespace {

// Padding may need longer lengths in front of it, which move the spans again. Two rounds do nearly
// always. Where a length just past its border would have to be just before it, rounds that only add
// come to an end; a model made to need more is not worth the time.
constexpr int kExactRounds = 4;
constexpr int kRounds = 64;

struct Stretch {
  uint64_t begin = 0;
  uint64_t end = 0;
};

// Long stretches between the lengths of messages with nodes.
std::vector<Stretch> BetweenLengths(const ScannedModel& model, uint64_t file_size,
                                    uint64_t shortest) {
  std::vector<Stretch> stretches;
  uint64_t begin = 0;
  const auto end_at = [&](uint64_t end) {
    if (end - begin >= shortest) stretches.push_back({begin, end});
  };
  for (const Frame& frame : model.frames) {
    end_at(frame.begin - frame.length_size);
    begin = frame.begin;
  }
  end_at(file_size);
  return stretches;
}

// The places of doc_strings inside `stretches`, whether they are there or not, in file order.
std::vector<Stretch> DocPlaces(const ScannedModel& model, const std::vector<Stretch>& stretches) {
  std::vector<Stretch> places;
  for (NodeId node : model.graph.node_ids()) {
    const uint64_t at = model.frames[model.node_frames[node]].doc_at;
    const auto stretch =
        std::lower_bound(stretches.begin(), stretches.end(), at,
                         [](const Stretch& s, uint64_t place) { return s.end < place; });
    if (stretch == stretches.end() || at < stretch->begin) continue;
    places.push_back({at, at + DocFieldSize(model, node)});
  }
  std::sort(places.begin(), places.end(), [](const Stretch& a, const Stretch& b) {
    return a.begin != b.begin ? a.begin < b.begin : a.end < b.end;
  });
  return places;
}

// By how much each span moves, modulo 2^64.
std::vector<uint64_t> Shifts(const Splices& splices, const std::vector<uint64_t>& spans) {
  std::vector<uint64_t> shifts;
  uint64_t shift = 0;
  splices
      .ForEach([&](const Splice& splice) {
        while (shifts.size() < spans.size() && spans[shifts.size()] < splice.at) {
          shifts.push_back(shift);
        }
        shift += splice.insert.size() + splice.text.size() - splice.remove;
        return absl::OkStatus();
      })
      .IgnoreError();
  shifts.resize(spans.size(), shift);
  return shifts;
}

// The text that is padded for a span.
struct PaddedText {
  DocEdit* edit = nullptr;
  uint64_t at = 0;
  std::string text;
  uint64_t size = 0;  // of the text without padding
};

// For each span the last edit in front of it that is not in front of the one before.
std::vector<PaddedText> PaddedTexts(const ScannedModel& model, const std::vector<uint64_t>& spans,
                                    std::vector<DocEdit>& edits) {
  std::vector<PaddedText> padded_texts(spans.size());
  for (DocEdit& edit : edits) {
    const uint64_t at = model.frames[model.node_frames[edit.node]].doc_at;
    const auto span = std::lower_bound(spans.begin(), spans.end(), at);
    if (span == spans.end() || !edit.present) continue;
    PaddedText& padded = padded_texts[static_cast<size_t>(span - spans.begin())];
    // Where the doc_strings of a node and of one inside it go to one place, the outer one, which
    // comes first here, will stand behind.
    if (padded.edit != nullptr && at <= padded.at) continue;
    padded = {&edit, at, "", edit.text.size()};
  }
  for (PaddedText& padded : padded_texts) {
    if (padded.edit != nullptr) padded.text = std::string(padded.edit->text);
  }
  return padded_texts;
}

}  // namespace

std::vector<uint64_t> LongSpans(const ScannedModel& model, uint64_t file_size, uint64_t shortest) {
  const std::vector<Stretch> stretches = BetweenLengths(model, file_size, shortest);
  if (stretches.empty()) return {};
  const std::vector<Stretch> places = DocPlaces(model, stretches);
  std::vector<uint64_t> spans;
  auto place = places.begin();
  for (const Stretch& stretch : stretches) {
    uint64_t begin = stretch.begin;
    for (; place != places.end() && place->begin <= stretch.end; ++place) {
      if (place->begin - begin >= shortest) spans.push_back(begin);
      begin = place->end;
    }
    if (stretch.end - begin >= shortest) spans.push_back(begin);
  }
  return spans;
}

Change NameChange(const ScannedModel& model, NodeId node, bool present, absl::string_view name) {
  const uint32_t frame = model.node_frames[node];
  const Node& before = model.graph.node(node);
  const size_t size = before.name.size();
  Change change = {.at = model.frames[frame].begin, .frame = frame};
  if (before.has_name) change.remove = 1 + static_cast<uint64_t>(VarintSize(size)) + size;
  if (present) {
    change.text = name;
    change.field = schema::node::kName;
  }
  return change;
}

void AlignSpans(const ScannedModel& model, const std::vector<uint64_t>& spans,
                const std::vector<DocEdit>& untagged, std::vector<DocEdit>& edits, KeptTexts& texts,
                const NameChanges& names) {
  const std::vector<uint64_t> home =
      Shifts(Splices(model, untagged, {.changes = names.untagged}), spans);
  std::vector<PaddedText> padded_texts = PaddedTexts(model, spans, edits);
  for (int round = 0; round < kRounds; ++round) {
    const std::vector<uint64_t> shifts =
        Shifts(Splices(model, edits, {.changes = names.edits}), spans);
    uint64_t added = 0;  // in front, modulo 2^64
    bool changed = false;
    for (size_t i = 0; i < spans.size(); ++i) {
      PaddedText& padded = padded_texts[i];
      const uint64_t missing = (home[i] - shifts[i] - added) % kDiskBlock;
      if (padded.edit == nullptr || missing == 0) continue;
      uint64_t size = padded.text.size() + missing;
      if (round < kExactRounds) size = padded.size + (size - padded.size) % kDiskBlock;
      added += size - padded.text.size();
      padded.text.resize(size, ' ');
      padded.edit->text = padded.text;
      changed = true;
    }
    if (!changed) break;
  }
  for (const PaddedText& padded : padded_texts) {
    if (padded.edit != nullptr) padded.edit->text = texts.Add(padded.text);
  }
}

}  // namespace onnx_hier
