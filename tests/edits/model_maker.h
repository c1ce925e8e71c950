// SPDX-License-Identifier: Apache-2.0

// Random small models, as bytes.
#ifndef ONNX_HIER_TESTS_EDITS_MODEL_MAKER_H_
#define ONNX_HIER_TESTS_EDITS_MODEL_MAKER_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/random.h"
#include "tests/support/wire.h"

namespace onnx_hier::testing {

// Writes models, with fields in any order.
class ModelMaker {
 public:
  struct Options {
    bool odd = false;     // also what no serializer writes: padded lengths, fields given twice
    bool unknown = true;  // fields that nobody knows
    // More of what graphs, functions and the model declare, and metadata.
    bool declarations = false;
  };

  ModelMaker(Random& random, const Options& options)
      : random_(random),
        odd_(options.odd),
        unknown_(options.unknown),
        declarations_(options.declarations) {}

  std::string Model() {
    std::vector<std::string> fields = {wire::Number(1, 8), Message(7, GraphFields(0))};
    if (odd_ && random_.OneIn(4)) fields.push_back(Message(7, GraphFields(0)));
    if (random_.OneIn(3)) fields.push_back(Message(20, Message(2, GraphFields(1))));
    if (random_.OneIn(3)) fields.push_back(Message(25, NodesIn(7, 1) + wire::Bytes(1, "F")));
    if (declarations_) AddDeclarations(&fields);
    // First a byte that no text has.
    return wire::Number(5, 1) + Shuffled(std::move(fields));
  }

  std::string Text() {
    constexpr size_t kSizes[] = {0, 1, 5, 30, 100, 120, 126, 127, 128, 130, 250, 16380, 16384};
    // Long ones are rare: they cost time and little can be learnt from them.
    const size_t size = kSizes[random_.Below(random_.OneIn(20) ? 13 : 11)];
    return std::string(size, static_cast<char>('a' + random_.Below(26)));
  }

 private:
  std::string Message(uint32_t field, const std::string& contents) {
    const bool padded = odd_ && random_.OneIn(5);
    return wire::Bytes(field, contents, padded ? 1 + static_cast<int>(random_.Below(5)) : 1);
  }

  std::string Unknown() {
    switch (random_.Below(4)) {
      case 0:
        return wire::Group(100, wire::Bytes(6, "in a group"));
      case 1:
        return wire::Bytes(200, wire::Doc("not a doc_string"));
      case 2:
        return wire::Fixed32(300);
      default:
        return wire::Number(6, 7);  // a doc_string of the wrong type
    }
  }

  void AddDeclarations(std::vector<std::string>* fields) {
    if (random_.OneIn(4)) {
      fields->push_back(
          Message(25, wire::Bytes(5, "y") + wire::Bytes(4, "x") + wire::Bytes(4, "z")));
    }
    if (random_.OneIn(2)) fields->push_back(Message(8, wire::Bytes(1, "d") + wire::Number(2, 1)));
    for (uint64_t n = random_.Below(3); n > 0; --n) fields->push_back(Entry(14));
  }

  // A metadata_props entry.
  std::string Entry(uint32_t field) {
    return Message(field, wire::Bytes(1, random_.OneIn(2) ? "key" : "other") +
                              wire::Bytes(2, std::string(random_.Below(40), 'v')));
  }

  std::string GraphFields(int depth) {
    std::string fields = NodesIn(1, depth);
    if (declarations_) fields += Declarations();
    if (random_.OneIn(2)) fields += Tensor();
    if (unknown_ && random_.OneIn(4)) fields = Unknown() + fields;
    if (random_.OneIn(2)) fields += NodesIn(1, depth);
    return fields;
  }

  std::string Declarations() {
    std::string fields;
    for (uint64_t n = random_.Below(6); n > 0; --n) {
      constexpr uint32_t kValues[] = {11, 12, 13};  // input, output, value_info
      fields += random_.OneIn(3)   ? Tensor()
                : random_.OneIn(5) ? Message(14, wire::Bytes(1, random_.OneIn(2) ? "x" : "y"))
                                   : Message(kValues[random_.Below(3)], ValueInfo());
    }
    return fields;
  }

  // An initializer with a name of its own.
  std::string Tensor() {
    const std::string name = "w" + std::to_string(tensors_++);
    const std::string dense = wire::Initializer(name, {3}, "0123456789ab");
    return declarations_ && random_.OneIn(3)
               ? Message(15, wire::Bytes(1, dense.substr(2)) + wire::Number(3, 3))
               : dense;
  }

  std::string ValueInfo() {
    return wire::Bytes(1, random_.OneIn(2) ? "x" : "y") +
           wire::Bytes(2, wire::Bytes(1, wire::Number(1, 1)));
  }

  std::string NodesIn(uint32_t field, int depth) {
    std::string nodes;
    for (uint64_t n = random_.Below(depth == 0 ? 6 : 3); n > 0; --n) {
      nodes += Message(field, NodeFields(depth));
    }
    return nodes;
  }

  std::string NodeFields(int depth) {
    std::vector<std::string> fields = {wire::Bytes(4, "Op")};
    if (random_.OneIn(2)) fields.push_back(wire::Bytes(1, "x"));
    if (random_.OneIn(2)) fields.push_back(wire::Bytes(3, std::string(random_.Below(60), 'n')));
    if (random_.OneIn(3)) fields.push_back(wire::Domain("d"));
    if (unknown_ && random_.OneIn(6)) fields.push_back(Unknown());
    while (declarations_ && random_.OneIn(5)) fields.push_back(Entry(9));
    const uint64_t docs = random_.OneIn(2) ? 0 : odd_ ? random_.Below(4) : 1;
    for (uint64_t i = 0; i < docs; ++i) fields.push_back(Message(6, Text()));
    while (depth < 4 && random_.OneIn(3)) {
      std::string attribute = Message(random_.OneIn(3) ? 11 : 6, GraphFields(depth + 1));
      // Before the list, as ModelText() has it.
      if (odd_ && random_.OneIn(4)) attribute = Message(6, GraphFields(depth + 1)) + attribute;
      if (random_.OneIn(2)) attribute += wire::Bytes(1, "body");
      fields.push_back(Message(5, attribute));
    }
    return Shuffled(std::move(fields));
  }

  std::string Shuffled(std::vector<std::string> fields) {
    std::string out;
    while (!fields.empty()) {
      const size_t next = random_.OneIn(2) ? 0 : random_.Below(fields.size());
      out += fields[next];
      fields.erase(fields.begin() + static_cast<std::ptrdiff_t>(next));
    }
    return out;
  }

  Random& random_;
  const bool odd_;
  const bool unknown_;
  const bool declarations_;
  int tensors_ = 0;
};

}  // namespace onnx_hier::testing

#endif  // ONNX_HIER_TESTS_EDITS_MODEL_MAKER_H_
