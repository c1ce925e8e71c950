// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/wire_mutator.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>

#include "absl/strings/str_cat.h"
#include "tests/support/wire.h"

namespace onnx_hier::fuzz {
namespace {

constexpr int kDeepest = 60;
constexpr uint32_t kVarint = 0;
constexpr uint32_t kFixed64 = 1;
constexpr uint32_t kBytes = 2;
constexpr uint32_t kFixed32 = 5;
// ModelProto.model_version.
constexpr uint32_t kVersion = 5;

struct Nesting {
  Message outer;
  uint32_t number;
  Message inner;
};
constexpr Nesting kNestings[] = {
    {Message::kModel, 7, Message::kGraph},         {Message::kModel, 8, Message::kOpset},
    {Message::kModel, 14, Message::kEntry},        {Message::kModel, 20, Message::kTraining},
    {Message::kModel, 25, Message::kFunction},     {Message::kGraph, 1, Message::kNode},
    {Message::kGraph, 5, Message::kTensor},        {Message::kGraph, 11, Message::kValueInfo},
    {Message::kGraph, 12, Message::kValueInfo},    {Message::kGraph, 13, Message::kValueInfo},
    {Message::kGraph, 15, Message::kSparseTensor}, {Message::kGraph, 16, Message::kEntry},
    {Message::kNode, 5, Message::kAttribute},      {Message::kNode, 9, Message::kEntry},
    {Message::kAttribute, 5, Message::kTensor},    {Message::kAttribute, 6, Message::kGraph},
    {Message::kAttribute, 10, Message::kTensor},   {Message::kAttribute, 11, Message::kGraph},
    {Message::kTensor, 13, Message::kEntry},       {Message::kSparseTensor, 1, Message::kTensor},
    {Message::kSparseTensor, 2, Message::kTensor}, {Message::kFunction, 7, Message::kNode},
    {Message::kFunction, 14, Message::kEntry},     {Message::kTraining, 1, Message::kGraph},
    {Message::kTraining, 2, Message::kGraph},
};

Message Inner(Message outer, uint32_t number) {
  for (const Nesting& nesting : kNestings) {
    if (nesting.outer == outer && nesting.number == number) return nesting.inner;
  }
  return Message::kNone;
}

// Takes a varint off the front; false if there is none.
bool TakeVarint(absl::string_view* bytes, uint64_t* value) {
  *value = 0;
  for (int shift = 0; shift < 64 && !bytes->empty(); shift += 7) {
    const auto byte = static_cast<uint8_t>(bytes->front());
    bytes->remove_prefix(1);
    *value |= static_cast<uint64_t>(byte & 0x7F) << shift;
    if (byte < 0x80) return true;
  }
  return false;
}

std::optional<WireFields> ParseFields(absl::string_view bytes, Message message, int depth) {
  WireFields fields;
  while (!bytes.empty()) {
    uint64_t tag;
    if (!TakeVarint(&bytes, &tag) || (tag >> 3) == 0 || (tag >> 32) != 0) return std::nullopt;
    WireField field;
    field.number = static_cast<uint32_t>(tag >> 3);
    field.type = static_cast<uint32_t>(tag & 7);
    uint64_t size = 0;
    if (field.type == kVarint) {
      if (!TakeVarint(&bytes, &field.value)) return std::nullopt;
    } else if (field.type == kBytes) {
      if (!TakeVarint(&bytes, &size)) return std::nullopt;
    } else if (field.type == kFixed32 || field.type == kFixed64) {
      size = field.type == kFixed32 ? 4 : 8;
    } else {
      return std::nullopt;
    }
    if (size > bytes.size()) return std::nullopt;
    const absl::string_view contents = bytes.substr(0, size);
    bytes.remove_prefix(size);
    const Message inner = field.type == kBytes ? Inner(message, field.number) : Message::kNone;
    std::optional<WireFields> parsed;
    if (inner != Message::kNone && depth < kDeepest)
      parsed = ParseFields(contents, inner, depth + 1);
    if (parsed.has_value()) {
      field.message = inner;
      field.fields = *std::move(parsed);
    } else {
      field.bytes = std::string(contents);
    }
    fields.push_back(std::move(field));
  }
  return fields;
}

// A list of fields and the message they are of.
struct Place {
  WireFields* fields;
  Message message;
};

void CollectPlaces(WireFields& fields, Message message, std::vector<Place>& places) {
  places.push_back({&fields, message});
  for (WireField& field : fields) {
    if (field.message != Message::kNone) CollectPlaces(field.fields, field.message, places);
  }
}

std::vector<Place> PlacesOf(WireFields& model) {
  std::vector<Place> places;
  CollectPlaces(model, Message::kModel, places);
  return places;
}

uint64_t InterestingNumber(testing::Random& random) {
  constexpr uint64_t kNumbers[] = {0,
                                   1,
                                   2,
                                   7,
                                   8,
                                   17,
                                   127,
                                   128,
                                   16383,
                                   16384,
                                   INT32_MAX,
                                   UINT32_MAX,
                                   INT64_MAX,
                                   UINT64_MAX,
                                   1ull << 63,
                                   1ull << 31,
                                   1ull << 32,
                                   1ull << 40,
                                   UINT64_MAX - 1};
  return kNumbers[random.Below(std::size(kNumbers))];
}

template <class T>
T& AnyOf(std::vector<T>& items, testing::Random& random) {
  return items[random.Below(items.size())];
}

bool IsModelVersion(const WireField& field) {
  return field.number == kVersion && field.type == kVarint;
}

auto At(WireFields& fields, uint64_t i) { return fields.begin() + static_cast<std::ptrdiff_t>(i); }

class Mutation {
 public:
  Mutation(WireFields& model, const WireFields& donor, testing::Random& random,
           const BytesMutator& mutate_bytes)
      : places_(PlacesOf(model)), donor_(donor), random_(random), mutate_bytes_(mutate_bytes) {}

  void Run() {
    const Place place = AnyOf(places_, random_);
    WireFields& fields = *place.fields;
    if (fields.empty()) return TakeOver(place);
    const uint64_t at = random_.Below(fields.size());
    switch (random_.Below(9)) {
      case 0:
        fields.erase(At(fields, at));
        return;
      case 1: {
        const WireField copy = fields[at];
        fields.insert(At(fields, random_.Below(fields.size() + 1)), copy);
        return;
      }
      case 2:
        std::swap(fields[at], AnyOf(fields, random_));
        return;
      case 3:
        return TakeOver(place);
      case 4:
        return AddUnknown(fields, at);
      case 5:
        return MoveInside(fields, at);
      default:
        return Change(fields[at]);
    }
  }

 private:
  // A field of the donor that belongs into such a message.
  void TakeOver(const Place& place) {
    WireFields donor = donor_;
    std::vector<const WireField*> fitting;
    for (const Place& other : PlacesOf(donor)) {
      if (other.message != place.message) continue;
      for (const WireField& field : *other.fields) fitting.push_back(&field);
    }
    if (fitting.empty()) return;
    place.fields->insert(At(*place.fields, random_.Below(place.fields->size() + 1)),
                         *AnyOf(fitting, random_));
  }

  void AddUnknown(WireFields& fields, uint64_t at) {
    WireField unknown;
    unknown.number = random_.OneIn(2) ? 6 : static_cast<uint32_t>(1 + random_.Below(1 << 20));
    unknown.type = random_.OneIn(2) ? kVarint : kBytes;
    unknown.value = InterestingNumber(random_);
    // Longer than what is read at a time, so that the reader has to jump.
    if (unknown.type == kBytes) unknown.bytes.assign(random_.OneIn(8) ? 100000 : 9, '\x08');
    fields.insert(At(fields, at), unknown);
  }

  // A node goes into a graph that a node before it holds.
  void MoveInside(WireFields& fields, uint64_t at) {
    WireField inner = fields[at];
    const uint64_t host = random_.Below(fields.size());
    if (inner.message != Message::kNode || fields[host].message != Message::kNode || host == at) {
      return Change(fields[at]);
    }
    inner.number = 1;
    WireField graph = {.number = random_.OneIn(2) ? 6u : 11u, .type = kBytes};
    graph.message = Message::kGraph;
    graph.fields.push_back(std::move(inner));
    WireField attribute = {.number = 5, .type = kBytes};
    attribute.message = Message::kAttribute;
    attribute.fields.push_back({.number = 1, .type = kBytes, .bytes = "then_branch"});
    attribute.fields.push_back(std::move(graph));
    fields[host].fields.push_back(std::move(attribute));
    fields.erase(At(fields, at));
  }

  void Change(WireField& field) {
    if (field.type == kVarint) {
      field.value =
          random_.OneIn(2) ? InterestingNumber(random_) : field.value + random_.Below(3) - 1;
    } else if (field.message == Message::kNone) {
      if (random_.OneIn(3)) return CopyText(field);
      mutate_bytes_(&field.bytes);
    } else if (random_.OneIn(4)) {
      // The message's bytes as such.
      std::string bytes = SerializeWire(field.fields, random_);
      mutate_bytes_(&bytes);
      field = {.number = field.number, .type = kBytes, .bytes = std::move(bytes)};
    }
  }

  // A text that stands elsewhere: names meet, values are read.
  void CopyText(WireField& field) {
    for (int tries = 0; tries < 8; ++tries) {
      WireFields& fields = *AnyOf(places_, random_).fields;
      if (fields.empty()) continue;
      const WireField& other = AnyOf(fields, random_);
      if (other.type != kBytes || other.message != Message::kNone) continue;
      const std::string text = other.bytes;
      field.bytes = random_.OneIn(4) ? absl::StrCat(text, "_", random_.Below(3)) : text;
      return;
    }
  }

  std::vector<Place> places_;
  const WireFields& donor_;
  testing::Random& random_;
  const BytesMutator& mutate_bytes_;
};

}  // namespace

std::optional<WireFields> ParseWire(absl::string_view bytes) {
  return ParseFields(bytes, Message::kModel, 0);
}

std::string SerializeWire(const WireFields& fields, testing::Random& random) {
  std::string out;
  for (const WireField& field : fields) {
    if (field.type == kVarint) {
      out += wire::Number(field.number, field.value);
    } else if (field.type == kBytes) {
      const int width = random.OneIn(2000) ? 1 + static_cast<int>(random.Below(5)) : 1;
      out += wire::Bytes(
          field.number,
          field.message == Message::kNone ? field.bytes : SerializeWire(field.fields, random),
          width);
    } else {
      out += wire::Tag(field.number, field.type) + field.bytes;
    }
  }
  return out;
}

void MutateWire(WireFields& model, const WireFields& donor, testing::Random& random,
                const BytesMutator& mutate_bytes) {
  Mutation(model, donor, random, mutate_bytes).Run();
}

std::optional<std::string> MutatedModel(absl::string_view model, testing::Random& random,
                                        uint64_t most, const TextMutator& mutate_text) {
  const std::optional<WireFields> fields = ParseWire(model);
  if (!fields.has_value()) return std::nullopt;
  WireFields changed = *fields;
  const BytesMutator mutate = [&](std::string* text) { mutate_text(text, random); };
  for (uint64_t left = random.Below(most); left > 0; --left) {
    MutateWire(changed, *fields, random, mutate);
  }
  return SerializeWire(changed, random);
}

uint64_t ModelVersion(absl::string_view model) {
  uint64_t version = 0;
  for (const WireField& field : ParseWire(model).value_or(WireFields())) {
    if (IsModelVersion(field)) version = field.value;
  }
  return version;
}

std::string WithModelVersion(absl::string_view model, uint64_t version) {
  std::optional<WireFields> fields = ParseWire(model);
  if (!fields.has_value()) return std::string(model);
  fields->erase(std::remove_if(fields->begin(), fields->end(), IsModelVersion), fields->end());
  // Before the graph, where serializers put it.
  const auto behind = std::find_if(fields->begin(), fields->end(),
                                   [](const WireField& field) { return field.number > kVersion; });
  fields->insert(behind, {.number = kVersion, .type = kVarint, .value = version});
  testing::Random none(0);
  return SerializeWire(*fields, none);
}

}  // namespace onnx_hier::fuzz
