// SPDX-License-Identifier: Apache-2.0
#include "lib/parts/text_codes.h"

#include <string>
#include <utility>
#include <vector>

#include "doctest/doctest.h"
#include "tests/support/random.h"

namespace onnx_hier {
namespace {

struct Pair {
  std::string text;
  std::string actual;
};

// The bytes that the pairs take, having made sure that they can be read.
size_t Cost(const CallScope& scope, const std::vector<Pair>& pairs) {
  TextCoder coder;
  for (const Pair& pair : pairs) coder.Put(scope, pair.text, pair.actual);
  const std::string codes = std::move(coder).Take();
  TextDecoder decoder(codes);
  for (const Pair& pair : pairs) {
    std::string actual;
    REQUIRE(decoder.Next(scope, pair.text, &actual));
    CHECK(actual == pair.actual);
  }
  CHECK(decoder.at_end());
  std::string more;
  CHECK(!decoder.Next(scope, "x", &more));
  return codes.size();
}

const CallScope& Layer1() {
  static const CallScope scope("/encoder/layer.1/fc", "/encoder/layer.0/fc");
  return scope;
}

TEST_CASE("what follows from the scope costs nothing but once") {
  CHECK(Cost(Layer1(), {}) == 0);
  const Pair joined = {"MatMul", "/encoder/layer.1/fc/MatMul"};
  CHECK(Cost(Layer1(), std::vector<Pair>(7, joined)) == 1);
  CHECK(Cost(Layer1(), std::vector<Pair>(1000, joined)) == 2);
  CHECK(Cost(Layer1(), {{"mask", "mask"}}) == 1);
}

TEST_CASE("scopes in texts move along, and those around them") {
  CHECK(Cost(Layer1(), {{"encoder.layer.0.fc.x", "encoder.layer.1.fc.x"}}) == 1);
  CHECK(Cost(Layer1(), {{"['encoder.layer.0', 'encoder.layer.0.fc']",
                         "['encoder.layer.1', 'encoder.layer.1.fc']"}}) == 1);
  // Another layer's, that begins alike.
  CHECK(Cost(Layer1(), {{"encoder.layer.01", "encoder.layer.11"}}) > 1);
}

TEST_CASE("numbers are shifted, all of a call by as much") {
  CHECK(Cost(Layer1(), {{"Add_17", "Add_93"}, {"Mul_18", "Mul_94"}, {"19", "95"}}) <= 5);
  CHECK(Cost(Layer1(), {{"Add_17", "Add_7"}}) <= 4);
  CHECK(Cost(Layer1(), {{"Add_7", "Add_07"}}) > 4);
  CHECK(Cost(Layer1(), {{"12345678901234567890", "12345678901234567891"}}) > 4);
}

TEST_CASE("values that a text speaks of are what they are in the call") {
  CallScope scope("/l.1", "/l.0");
  scope.values.emplace("mul_3", "mul_7");
  CHECK(Cost(scope, {{"%mul_3 = f(%mul_3) of l.0", "%mul_7 = f(%mul_7) of l.1"}}) == 1);
}

TEST_CASE("all else is spelled out, but for what it has in common") {
  CHECK(Cost(Layer1(), {{"Add_of_two", "Add_or_two"}}) <= 6);
  CHECK(Cost(Layer1(), {{"", "name"}, {"name", ""}, {"", ""}}) > 4);
}

TEST_CASE("any text for any other") {
  testing::Random random(7);
  const std::string letters = "/l.019_a";
  const auto text = [&] {
    std::string made;
    for (size_t i = random.Below(12); i > 0; --i) made += letters[random.Below(letters.size())];
    return made;
  };
  for (int i = 0; i < 2000; ++i) {
    CallScope scope(text(), text());
    const std::string name = text();
    const std::string value = text();
    scope.values.emplace(name, value);
    Cost(scope, {{text(), text()}, {text(), text()}, {text(), text()}});
  }
}

TEST_CASE("raw bytes are asked for") {
  TextCoder coder;
  coder.Put(Layer1(), "a", "a");
  coder.PutRaw("bytes");
  coder.Put(Layer1(), "b", "b");
  const std::string codes = std::move(coder).Take();
  TextDecoder decoder(codes);
  std::string text;
  CHECK(!decoder.TakeRaw(&text));
  CHECK(decoder.Next(Layer1(), "a", &text));
  CHECK(decoder.TakeRaw(&text));
  CHECK(text == "bytes");
  CHECK(!decoder.TakeRaw(&text));
  CHECK(decoder.Next(Layer1(), "b", &text));
}

TEST_CASE("damaged codes are no texts") {
  testing::Random random(11);
  for (int i = 0; i < 5000; ++i) {
    std::string codes;
    for (size_t n = random.Below(12); n > 0; --n) {
      codes.push_back(static_cast<char>(random.Below(256)));
    }
    TextDecoder decoder(codes);
    std::string text;
    for (int k = 0; k < 20 && decoder.Next(Layer1(), "Add_1", &text); ++k) {
      CHECK(text.size() < 64);
    }
  }
}

}  // namespace
}  // namespace onnx_hier
