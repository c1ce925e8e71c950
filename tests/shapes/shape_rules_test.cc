// SPDX-License-Identifier: Apache-2.0
#include "lib/shapes/shape_rules.h"

#include <cctype>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "doctest/doctest.h"

namespace onnx_hier {
namespace {

// What a list in brackets has between them; none: it is not there.
std::optional<std::vector<std::string>> Listed(const std::string& text, char open, char close) {
  const size_t begin = text.find(open);
  if (begin == std::string::npos) return std::nullopt;
  const std::string list = text.substr(begin + 1, text.find(close, begin) - begin - 1);
  return absl::StrSplit(list, ',', absl::SkipEmpty());
}

// A node in words. Inputs: "[2,n]" a shape, "[2]{3,n}" with elements, "-" left out, "?" not known.
// Attributes: "axis=1 perm=0,2,1 auto_pad=VALID".
class NodeInWords final : public ShapedNode {
 public:
  NodeInWords(absl::string_view op_type, const std::string& domain, int64_t opset,
              const std::vector<std::string>& inputs, const std::string& attributes, size_t outputs,
              Expressions& all)
      : ShapedNode(op_type, domain, opset, all), made_(outputs) {
    for (const std::string& input : inputs) inputs_.push_back(Read(input));
    for (absl::string_view each : absl::StrSplit(attributes, ' ', absl::SkipEmpty())) {
      const std::pair<std::string, std::string> entry =
          absl::StrSplit(each, absl::MaxSplits('=', 1));
      texts_[entry.first] = entry.second;
      for (absl::string_view part : absl::StrSplit(entry.second, ',', absl::SkipEmpty())) {
        double number;
        if (absl::SimpleAtod(part, &number)) numbers_[entry.first].push_back(number);
      }
    }
  }

  size_t inputs() const override { return inputs_.size(); }
  size_t outputs() const override { return made_.size(); }
  bool Has(size_t input) const override {
    return input < inputs_.size() && !inputs_[input].is_left_out;
  }
  std::optional<absl::Span<const Dim>> DimsOf(size_t input) const override {
    if (!Has(input) || !inputs_[input].dims) return std::nullopt;
    return absl::MakeConstSpan(*inputs_[input].dims);
  }
  std::optional<absl::Span<const Dim>> ElementsOf(size_t input) const override {
    if (!Has(input) || !inputs_[input].elements) return std::nullopt;
    return absl::MakeConstSpan(*inputs_[input].elements);
  }
  bool IsInteger(size_t) const override { return true; }
  bool HasAttribute(absl::string_view name) const override {
    return texts_.count(std::string(name)) > 0;
  }
  absl::Span<const double> Numbers(absl::string_view name) const override {
    const auto found = numbers_.find(std::string(name));
    if (found == numbers_.end()) return {};
    return found->second;
  }
  absl::string_view Text(absl::string_view name) const override {
    const auto found = texts_.find(std::string(name));
    return found == texts_.end() ? absl::string_view() : found->second;
  }
  void Make(size_t output, DimList dims) override {
    if (output < made_.size()) made_[output] = Shown(dims, '[', ']');
  }
  void Make(size_t output, DimList dims, Elements elements) override {
    if (output < made_.size()) {
      made_[output] = absl::StrCat(Shown(dims, '[', ']'), Shown(elements, '{', '}'));
    }
  }

  std::string made() const {
    std::string text;
    for (const std::string& each : made_) {
      absl::StrAppend(&text, text.empty() ? "" : ";", each.empty() ? "-" : each);
    }
    return text;
  }

 private:
  struct Input {
    bool is_left_out = false;
    std::optional<DimList> dims;
    std::optional<Elements> elements;
  };

  Input Read(const std::string& text) {
    Input input;
    input.is_left_out = text == "-";
    if (const auto dims = Listed(text, '[', ']')) input.dims = Dims<DimList>(*dims);
    if (const auto elements = Listed(text, '{', '}')) input.elements = Dims<Elements>(*elements);
    return input;
  }

  template <class List>
  List Dims(const std::vector<std::string>& texts) {
    List dims;
    for (const std::string& text : texts) {
      double number;
      dims.push_back(absl::SimpleAtod(text, &number) ? Dim(number)
                     : text == "?"                   ? Dim()
                                                     : all().Symbol(text));
    }
    return dims;
  }

  template <class List>
  std::string Shown(const List& list, char open, char close) const {
    std::string text(1, open);
    for (Dim dim : list) absl::StrAppend(&text, text.size() > 1 ? "," : "", all().Text(dim));
    return text + close;
  }

  std::vector<Input> inputs_;
  std::map<std::string, std::string> texts_;
  std::map<std::string, std::vector<double>> numbers_;
  std::vector<std::string> made_;
};

struct Case {
  std::string op_type;
  std::vector<std::string> inputs;
  std::string attributes;
  std::string made;
  int64_t opset = 18;
};

std::string Made(const Case& asked, const std::string& domain) {
  Expressions all;
  const ShapeRule rule = ShapeRuleOf(domain, asked.op_type);
  REQUIRE(static_cast<bool>(rule));
  const size_t outputs = std::vector<std::string>(absl::StrSplit(asked.made, ';')).size();
  NodeInWords node(asked.op_type, domain, asked.opset, asked.inputs, asked.attributes, outputs,
                   all);
  rule(node);
  return node.made();
}

// Whether both can be true of one tensor: what only one of them knows differs from nothing.
bool CanBothBe(const std::string& one, const std::string& other) {
  for (const auto& [open, close] : {std::pair('[', ']'), std::pair('{', '}')}) {
    const auto a = Listed(one, open, close);
    const auto b = Listed(other, open, close);
    if (!a || !b) continue;
    if (a->size() != b->size()) return false;
    for (size_t i = 0; i < a->size(); ++i) {
      double number;
      const bool are_numbers =
          absl::SimpleAtod((*a)[i], &number) && absl::SimpleAtod((*b)[i], &number);
      if (are_numbers && (*a)[i] != (*b)[i]) return false;
    }
  }
  return true;
}

// The input with less that is known of it.
std::vector<std::string> Vaguer(const std::string& input) {
  if (input == "-") return {};
  std::vector<std::string> vaguer = {"?"};
  const auto vague = [](const std::vector<std::string>& list) {
    return absl::StrJoin(std::vector<std::string>(list.size(), "?"), ",");
  };
  const auto dims = Listed(input, '[', ']');
  const auto elements = Listed(input, '{', '}');
  if (!dims) return vaguer;
  vaguer.push_back(absl::StrCat("[", vague(*dims), "]"));
  if (!elements) return vaguer;
  vaguer.push_back(absl::StrCat("[", absl::StrJoin(*dims, ","), "]"));
  vaguer.push_back(absl::StrCat(vaguer.back(), "{", vague(*elements), "}"));
  return vaguer;
}

// What no operator allows, mostly.
std::vector<std::string> Misfits(const std::string& input) {
  std::vector<std::string> misfits = {"-", "[]", "[0]", "[]{-1}", "[1]{7}", "[3]{0,-9,99}"};
  const auto dims = Listed(input, '[', ']');
  if (!dims) return misfits;
  misfits.push_back(absl::StrCat("[5", dims->empty() ? "" : ",", absl::StrJoin(*dims, ","), "]"));
  if (!dims->empty()) {
    misfits.push_back(absl::StrCat("[", absl::StrJoin(dims->begin() + 1, dims->end(), ","), "]"));
  }
  return misfits;
}

void Check(const std::vector<Case>& cases, const std::string& domain = "") {
  for (const Case& each : cases) {
    CAPTURE(each.op_type);
    CAPTURE(each.attributes);
    CHECK(Made(each, domain) == each.made);
    const std::vector<std::string> made = absl::StrSplit(each.made, ';');
    for (size_t i = 0; i < each.inputs.size(); ++i) {
      Case changed = each;
      for (const std::string& vaguer : Vaguer(each.inputs[i])) {
        changed.inputs[i] = vaguer;
        const std::vector<std::string> now = absl::StrSplit(Made(changed, domain), ';');
        REQUIRE(now.size() == made.size());
        for (size_t output = 0; output < made.size(); ++output) {
          CAPTURE(changed.inputs[i]);
          CAPTURE(now[output]);
          CHECK(CanBothBe(now[output], made[output]));
        }
      }
      // Whatever it says of these, it reads nothing that is not there.
      for (const std::string& misfit : Misfits(each.inputs[i])) {
        changed.inputs[i] = misfit;
        Made(changed, domain);
      }
      changed.inputs.resize(i);
      Made(changed, domain);
    }
    Case bare = each;
    bare.attributes.clear();
    Made(bare, domain);
  }
}

TEST_CASE("element by element") {
  Check({
      {"Add", {"[2,1,n]", "[3,1]"}, "", "[2,3,n]"},
      {"Add", {"[2]{3,n}", "[]{1}"}, "", "[2]{4,n + 1}"},
      {"Add", {"[2]", "[3]"}, "", "-"},
      {"Add", {"[n]", "[m]"}, "", "[?]"},
      {"Add", {"[n]", "[4]"}, "", "[4]"},
      {"Sub", {"[1]{n}", "[1]{1}"}, "", "[1]{n - 1}"},
      {"Mul", {"[2]{2,3}", "[2]{n,4}"}, "", "[2]{2*n,12}"},
      {"Div", {"[]{7}", "[]{2}"}, "", "[]{3}"},
      {"Div", {"[]{-7}", "[]{2}"}, "", "[]{-3}"},
      {"Mod", {"[]{-7}", "[]{3}"}, "", "[]{2}"},
      {"Equal", {"[2]{-1,n}", "[2]{-1,-1}"}, "", "[2]{1,0}"},
      {"Less", {"[]{1}", "[]{2}"}, "", "[]{1}"},
      {"And", {"[]{0}", "[]{?}"}, "", "[]{0}"},
      {"Or", {"[]{1}", "[]{?}"}, "", "[]{1}"},
      {"Not", {"[2]{0,3}"}, "", "[2]{1,0}"},
      {"And", {"[4]{0,0,2,2}", "[4]{0,3,0,3}"}, "", "[4]{0,0,0,1}"},
      {"Or", {"[4]{0,0,2,2}", "[4]{0,3,0,3}"}, "", "[4]{0,1,1,1}"},
      {"Xor", {"[4]{0,0,2,2}", "[4]{0,3,0,3}"}, "", "[4]{0,1,1,0}"},
      {"And", {"[]{1}", "[]{?}"}, "", "[]{?}"},
      {"Or", {"[]{0}", "[]{?}"}, "", "[]{?}"},
      {"Greater", {"[3]{1,2,3}", "[]{2}"}, "", "[3]{0,0,1}"},
      {"GreaterOrEqual", {"[3]{1,2,3}", "[]{2}"}, "", "[3]{0,1,1}"},
      {"Less", {"[3]{1,2,3}", "[]{2}"}, "", "[3]{1,0,0}"},
      {"LessOrEqual", {"[3]{1,2,3}", "[]{2}"}, "", "[3]{1,1,0}"},
      {"Equal", {"[3]{1,2,n}", "[]{2}"}, "", "[3]{0,1,?}"},
      {"Min", {"[2]{1,5}", "[2]{3,2}"}, "", "[2]{1,2}"},
      {"Min", {"[2]{n,n}", "[2]{n,2}"}, "", "[2]{n,?}"},
      {"Max", {"[2]{n,n}", "[2]{n,2}"}, "", "[2]{n,?}"},
      {"Mod", {"[]{7}", "[]{0}"}, "", "[]{?}"},
      {"Abs", {"[2]{-3,4}"}, "", "[2]{3,4}"},
      {"Ceil", {"[1]{2.5}"}, "", "[1]{3}"},
      {"Round", {"[2]{2.5,3.5}"}, "", "[2]{2,4}"},
      {"Reciprocal", {"[1]{4}"}, "", "[1]{0.25}"},
      {"Sum", {"[]{1}", "[]{2}", "[]{n}"}, "", "[]{n + 3}"},
      {"Neg", {"[1]{n}"}, "", "[1]{-n}"},
      {"Floor", {"[1]{2.5}"}, "", "[1]{2}"},
      {"Sqrt", {"[1]{16}"}, "", "[1]{4}"},
      {"Max", {"[2]{1,5}", "[2]{3,2}"}, "", "[2]{3,5}"},
      {"Where", {"[2]{1,0}", "[2]{n,n}", "[2]{2,3}"}, "", "[2]{n,3}"},
      {"Where", {"[2]{?,?}", "[2]{n,5}", "[2]{n,6}"}, "", "[2]{n,?}"},
      {"Where", {"[2,1]", "[3]", "[]"}, "", "[2,3]"},
      {"Cast", {"[1]{2.7}"}, "to=7", "[1]{2}"},
      {"Cast", {"[1]{2.7}"}, "to=1", "[1]{2.7000000000000002}"},
      {"Cast", {"[1]{5}"}, "to=9", "[1]{1}"},
      {"Relu", {"[2,n]"}, "", "[2,n]"},
      {"Dropout", {"[2,n]"}, "", "[2,n];[2,n]"},
      {"Identity", {"[1]{n}"}, "", "[1]{n}"},
  });
}

TEST_CASE("another place for elements") {
  Check({
      {"Reshape", {"[2,3,4]", "[2]{0,-1}"}, "", "[2,12]"},
      {"Reshape", {"[b,s,32]", "[4]{0,0,4,8}"}, "", "[b,s,4,8]"},
      {"Reshape", {"[b,s,32]", "[3]{-1,s,8}"}, "", "[4*b,s,8]"},
      {"Reshape", {"[2,6]", "[2]"}, "", "[?,?]"},
      {"Reshape", {"[2,6]", "[2]{?,3}"}, "", "[4,3]"},
      {"Reshape", {"[2,0]", "[2]{0,5}"}, "allowzero=1", "[0,5]"},
      {"Flatten", {"[2,3,n]"}, "axis=2", "[6,n]"},
      {"Flatten", {"[2,3]"}, "axis=0", "[1,6]"},
      {"Squeeze", {"[1,2,1]", "[1]{-1}"}, "", "[1,2]"},
      {"Squeeze", {"[1,2,1]"}, "", "[2]"},
      {"Squeeze", {"[1,n]"}, "", "[n]"},
      {"Squeeze", {"[1,?]"}, "", "-"},
      {"Squeeze", {"[1,2,1]"}, "axes=0", "[2,1]", 11},
      {"Squeeze", {"[1]{n}"}, "axes=0", "[]{n}"},
      {"Unsqueeze", {"[2]{3,n}", "[2]{0,2}"}, "", "[1,2,1]{3,n}"},
      {"Transpose", {"[2,3,n]"}, "perm=2,0,1", "[n,2,3]"},
      {"Transpose", {"[2,2]{1,2,3,4}"}, "", "[2,2]{1,3,2,4}"},
      {"Concat", {"[1]{n}", "[2]{2,3}"}, "axis=0", "[3]{n,2,3}"},
      {"Concat", {"[b,2]", "[b,n]"}, "axis=1", "[b,n + 2]"},
      {"Split", {"[7]"}, "axis=0", "[4];[3]"},
      {"Split", {"[7,2]"}, "axis=0 split=2,5", "[2,2];[5,2]", 11},
      {"Split", {"[7]", "[2]"}, "axis=0", "[?];[?]"},
      {"Split", {"[3]{1,n,3}", "[2]{1,2}"}, "", "[1]{1};[2]{n,3}"},
      {"Slice", {"[4]{1,2,3,n}", "[1]{-2}", "[1]{9223372036854775807}", "[1]{0}"}, "", "[2]{3,n}"},
      {"Slice", {"[4]", "[1]{3}", "[1]{-9223372036854775807}", "[1]{0}", "[1]{-1}"}, "", "[4]"},
      {"Slice", {"[4]{1,2,3,4}", "[1]{3}", "[1]{-4}", "[1]{0}", "[1]{-1}"}, "", "[3]{4,3,2}"},
      {"Slice", {"[4]{1,2,3,4}", "[1]{3}", "[1]{-5}", "[1]{0}", "[1]{-1}"}, "", "[4]{4,3,2,1}"},
      {"Slice", {"[4]{1,2,3,4}", "[1]{-1}", "[1]{0}", "[1]{0}", "[1]{-2}"}, "", "[2]{4,2}"},
      {"Slice", {"[4]{1,2,3,4}", "[1]{3}", "[1]{1}", "[1]{0}"}, "", "[0]{}"},
      {"Slice", {"[n]", "[1]{-1}", "[1]{-9223372036854775807}", "[1]{0}", "[1]{-1}"}, "", "[n]"},
      {"Slice", {"[n]", "[1]{-1}", "[1]{-3}", "[1]{0}", "[1]{-1}"}, "", "[?]"},
      {"Slice", {"[n]", "[1]{-2}", "[1]{-9223372036854775807}", "[1]{0}", "[1]{-1}"}, "", "[?]"},
      {"Slice", {"[n]", "[1]{0}", "[1]{2147483647}", "[1]{0}"}, "", "[n]"},
      {"Slice", {"[n]", "[1]{-2147483648}", "[1]{5}", "[1]{0}"}, "", "[5]"},
      {"Slice", {"[n]", "[1]{-2}", "[1]{5}", "[1]{0}"}, "", "[-n + 7]"},
      {"Slice", {"[n]", "[1]{5}", "[1]{3}", "[1]{0}"}, "", "[0]"},
      {"Slice", {"[4,n]", "[2]{1,2}", "[2]{3,3}"}, "", "[2,1]"},
      {"Slice", {"[4,5]", "[2]{1,2}", "[2]{3,3}", "[1]{0}"}, "", "-"},
      {"Slice", {"[4,5]", "[2]{1,2}", "[2]{3,3}", "[2]{0,1}", "[1]{1}"}, "", "-"},
      {"Slice", {"[4]", "[1]{0}", "[1]{2}", "[1]{0}", "[1]{0}"}, "", "-"},
      {"Slice", {"[4,5]", "[1]{1}", "[1]{3}", "[1]"}, "", "[?,?]"},
      {"Slice", {"[8,n]", "[1]{1}", "[1]{7}", "[1]{0}", "[1]{2}"}, "", "[3,n]"},
      {"Slice", {"[2,n]", "[1]{0}", "[1]{-1}", "[1]{1}"}, "", "[2,n - 1]"},
      {"Slice", {"[2,n]", "[1]{1}", "[1]{9223372036854775807}", "[1]{1}"}, "", "[2,n - 1]"},
      {"Slice", {"[1,512]", "[1]{0}", "[1]{n}", "[1]{1}"}, "", "[1,n]"},
      {"Slice", {"[2,8]"}, "starts=1 ends=3 axes=1", "[2,2]", 9},
      {"Slice", {"[2,8]", "[1]", "[1]", "[1]{1}"}, "", "[2,?]"},
      {"Expand", {"[1,3]", "[2]{2,1}"}, "", "[2,3]"},
      {"Expand", {"[2]{3,n}", "[2]{2,1}"}, "", "[2,2]{3,n,3,n}"},
      {"Expand", {"[2,1]{3,n}", "[2]{1,2}"}, "", "[2,2]{3,3,n,n}"},
      {"Concat", {"[n,2]", "[3,2]"}, "axis=1", "[3,4]"},
      {"Concat", {"[3,2]", "[n,2]"}, "axis=1", "[3,4]"},
      {"Concat", {"[?,2]", "[n,2]"}, "axis=1", "[n,4]"},
      {"Concat", {"[n,2]", "[?,2]"}, "axis=1", "[n,4]"},
      {"Concat", {"[n,2]", "[m,2]"}, "axis=1", "[n,4]"},
      {"GridSample", {"[2,3,8,9]", "[2,4,5,2]"}, "", "[2,3,4,5]", 20},
      {"GridSample", {"[2,3,8]", "[2,4,2]"}, "", "[2,3,4]", 20},
      {"GridSample", {"[2,3]", "[2,4]"}, "", "-", 20},
      {"GridSample", {"[2,3,8,9]", "[2,4,5,6,3]"}, "", "-", 20},
      {"Expand", {"[1]{n}", "[1]{2}"}, "", "[2]{n,n}"},
      {"Tile", {"[2,n]", "[2]{3,2}"}, "", "[6,2*n]"},
      {"Tile", {"[2]{1,2}", "[1]{2}"}, "", "[4]{1,2,1,2}"},
      {"Pad", {"[1,2]", "[4]{0,1,0,2}"}, "", "[1,5]"},
      {"Pad", {"[1,2]"}, "pads=0,1,0,2", "[1,5]", 9},
      {"Pad", {"[1,2]"}, "paddings=0,1,0,2", "[1,5]", 1},
      {"Pad", {"[1,n]", "[2]{1,2}", "-", "[1]{-1}"}, "", "[1,n + 3]"},
      {"Pad", {"[1,2]", "[4]{0,1,0,2}", "[]"}, "", "[1,5]"},
      {"Pad", {"[1,2]", "[2]{1,2}", "-", "[1]"}, "", "[?,?]"},
      {"Pad", {"[1,2]", "[2]{1,2}"}, "", "-"},
      {"Resize", {"[1,3,8,8]", "-", "[4]{1,1,2,2}"}, "", "[1,3,16,16]"},
      {"Resize", {"[1,3,8,8]", "-", "-", "[4]{1,3,5,n}"}, "", "[1,3,5,n]"},
      {"Resize", {"[1,3,n,8]", "-", "[4]{1,1,2,0.5}"}, "", "[1,3,2*n,4]"},
      {"Resize", {"[1,3,8,8]", "-", "[2]{2,2}"}, "axes=2,3", "[1,3,16,16]"},
      {"Resize", {"[1,3,8,8]", "-", "[2]{2,2}"}, "", "[?,?,?,?]"},
      {"Resize",
       {"[1,3,8,8]", "-", "-", "[4]{1,3,5,5}"},
       "keep_aspect_ratio_policy=stretch",
       "[1,3,5,5]"},
      {"Resize",
       {"[1,3,8,8]", "-", "-", "[4]{1,3,5,5}"},
       "keep_aspect_ratio_policy=not_larger",
       "[?,?,?,?]"},
      {"Resize", {"[1,3,8,8]", "[4]{1,1,2,2}"}, "", "[1,3,16,16]", 10},
      {"Resize", {"[1,3,8,8]", "[4]{1,1,9,9}", "[4]{1,1,2,2}"}, "", "[1,3,16,16]", 11},
      {"Upsample", {"[1,3,8,8]", "[4]{1,1,2,2}"}, "", "[1,3,16,16]", 18},
      {"Upsample", {"[1,3,8,8]", "[4]{1,1,2,2}"}, "", "[1,3,16,16]", 9},
      {"DepthToSpace", {"[1,8,2,n]"}, "blocksize=2", "[1,2,4,2*n]"},
      {"SpaceToDepth", {"[1,2,4,4]"}, "blocksize=2", "[1,8,2,2]"},
  });
}

TEST_CASE("what chooses, counts, reduces or fills") {
  Check({
      {"Shape", {"[2,n]"}, "", "[2]{2,n}"},
      {"Shape", {"[2,n,4]"}, "start=-2 end=2", "[1]{n}"},
      {"Size", {"[2,n]"}, "", "[]{2*n}"},
      {"ConstantOfShape", {"[2]{2,n}"}, "", "[2,n]"},
      {"ConstantOfShape", {"[1]{2}"}, "value=7", "[2]{7,7}"},
      {"ConstantOfShape", {"[2]"}, "", "[?,?]"},
      {"Range", {"[]{0}", "[]{3}", "[]{1}"}, "", "[3]{0,1,2}"},
      {"Range", {"[]{0}", "[]{n}", "[]{1}"}, "", "[n]"},
      {"Gather", {"[3]{2,n,4}", "[]{1}"}, "", "[]{n}"},
      {"Gather", {"[100,32]", "[b,s]"}, "", "[b,s,32]"},
      {"Gather", {"[2,3,4]", "[]"}, "axis=1", "[2,4]"},
      {"GatherElements", {"[2,3]", "[2,1]"}, "axis=1", "[2,1]"},
      {"GatherND", {"[2,3,4]", "[5,2]"}, "", "[5,4]"},
      {"ScatterND", {"[3]{1,2,3}", "[1,1]{1}", "[1]{n}"}, "", "[3]{1,n,3}"},
      {"CumSum", {"[3]{1,1,1}", "[]{0}"}, "", "[3]{1,2,3}"},
      {"CumSum", {"[3]{1,1,1}", "[]{0}"}, "exclusive=1", "[3]"},
      {"CumSum", {"[3]{1,1,1}", "[]{0}"}, "reverse=1", "[3]"},
      {"CumSum", {"[1,3]{1,2,n}", "[]{1}"}, "", "[1,3]{1,3,n + 3}"},
      {"CumSum", {"[1,3]{1,2,3}", "[]{0}"}, "", "[1,3]"},
      {"CumSum", {"[2,2]{1,2,3,4}", "[]{1}"}, "", "[2,2]"},
      {"NonZero", {"[3]{1,0,5}"}, "", "[1,2]{0,2}"},
      {"NonZero", {"[3,4]"}, "", "[2,?]"},
      {"OneHot", {"[2]", "[]{5}", "[2]"}, "", "[2,5]"},
      {"TopK", {"[2,9]", "[1]{4}"}, "", "[2,4];[2,4]"},
      {"ReduceMean", {"[2,3,n]"}, "axes=-1", "[2,3,1]"},
      {"ReduceMean", {"[2,3,n]"}, "axes=1 keepdims=0", "[2,n]"},
      {"ReduceSum", {"[2,3]", "[1]{0}"}, "keepdims=0", "[3]"},
      {"ReduceProd", {"[2]{3,n}"}, "keepdims=0", "[]{3*n}"},
      {"ReduceProd", {"[2]{3,4}"}, "", "[1]{12}"},
      {"ReduceMax", {"[2]{3,5}"}, "keepdims=0", "[]{5}"},
      {"ReduceMax", {"[3]{5,3,4}"}, "", "[1]{5}"},
      {"ReduceMax", {"[2]{n,5}"}, "keepdims=0", "[]{?}"},
      {"ReduceMin", {"[3]{5,3,4}"}, "keepdims=0", "[]{3}"},
      {"ReduceMin", {"[2]{n,5}"}, "keepdims=0", "[]{?}"},
      {"ReduceMin", {"[1]{n}"}, "keepdims=0", "[]{n}"},
      {"ReduceSum", {"[3]{5,n,4}"}, "keepdims=0", "[]{n + 9}"},
      {"ReduceMean", {"[1]{n}"}, "keepdims=0", "[]{n}"},
      {"ReduceMean", {"[2]{2,4}"}, "keepdims=0", "[]{?}"},
      {"ArgMax", {"[1]{n}"}, "keepdims=0", "[]{?}"},
      {"ReduceL2", {"[1]{n}"}, "keepdims=0", "[]{?}"},
      {"ArgMax", {"[2,9]"}, "axis=1", "[2,1]"},
      {"NonMaxSuppression", {"[1,9,4]", "[1,1,9]"}, "", "[?,3]"},
  });
}

TEST_CASE("what multiplies, and windows") {
  Check({
      {"MatMul", {"[b,1,s,8]", "[4,8,n]"}, "", "[b,4,s,n]"},
      {"MatMul", {"[8]", "[8]"}, "", "[]"},
      {"MatMul", {"[]", "[8]"}, "", "-"},
      {"MatMul", {"[8]", "[]"}, "", "-"},
      {"MatMul", {"[8]", "[2,8,3]"}, "", "[2,3]"},
      {"MatMul", {"[2,8]", "[8]"}, "", "[2]"},
      {"Gemm", {"[8,2]", "[3,8]"}, "transA=1 transB=1", "[2,3]"},
      {"Conv", {"[1,3,8,8]", "[16,3,3,3]"}, "pads=1,1,1,1 strides=2,2", "[1,16,4,4]"},
      {"Conv", {"[1,3,n,8]", "[16,3,3,3]"}, "pads=1,1,1,1", "[1,16,n,8]"},
      {"Conv", {"[1,3,8,8]", "[16,3,3,3]"}, "auto_pad=VALID", "[1,16,6,6]"},
      {"Conv", {"[1,3,9,9]", "[16,3,3,3]"}, "auto_pad=SAME_UPPER strides=2,2", "[1,16,5,5]"},
      {"Conv", {"[1,3,9]", "[4,3,3]"}, "dilations=2", "[1,4,5]"},
      {"Conv", {"[1,3,9]", "[4,3,3]"}, "dilations=0", "-"},
      {"Conv", {"[1,3,9]", "[4,3,3]"}, "strides=0", "-"},
      {"Conv", {"[1,3,9]", "[4,3,0]"}, "", "-"},
      {"Conv", {"[1,3,3]", "[4,3,3]"}, "", "[1,4,1]"},
      {"Conv", {"[1,3,2]", "[4,3,3]"}, "", "[1,4,0]"},
      {"MaxPool", {"[1,3,2]"}, "kernel_shape=3 ceil_mode=1", "[1,3,?]"},
      {"MaxPool", {"[1,3,6]"}, "kernel_shape=1 strides=3 ceil_mode=1", "[1,3,2]"},
      {"MaxPool", {"[1,3,n]"}, "kernel_shape=1 strides=1 ceil_mode=1", "[1,3,n]"},
      {"ConvTranspose", {"[1,8,4]", "[8,2,3]"}, "output_shape=0", "[1,2,0]"},
      {"ConvTranspose", {"[1,8,4,4]", "[8,2,2,2]"}, "strides=2,2 group=3", "[1,6,8,8]"},
      {"ConvTranspose", {"[1,8,4]", "[8,2,3]"}, "strides=2 pads=1,1 output_padding=1", "[1,2,8]"},
      {"MaxPool", {"[1,3,7,7]"}, "kernel_shape=2,2 strides=2,2", "[1,3,3,3];[1,3,3,3]"},
      {"MaxPool", {"[1,3,7,7]"}, "kernel_shape=2,2 strides=2,2 ceil_mode=1", "[1,3,4,4]"},
      {"AveragePool", {"[1,3,2]"}, "kernel_shape=1 strides=3 ceil_mode=1", "[1,3,1]"},
      {"GlobalAveragePool", {"[1,3,7,n]"}, "", "[1,3,1,1]"},
      {"LSTM",
       {"[s,b,8]", "[2,16,8]", "[2,16,4]"},
       "hidden_size=4 direction=bidirectional",
       "[s,2,b,4];[2,b,4];[2,b,4]"},
      {"Einsum", {"[b,h,s,8]", "[b,h,t,8]"}, "equation=bhsd,bhtd->bhst", "[b,h,s,t]"},
      {"Einsum", {"[2,3,4,8]", "[4,5,8]"}, "equation=...hd,hod->...ho", "[2,3,4,5]"},
      {"Einsum", {"[2,3]", "[3,4]"}, "equation=ij,jk", "[2,4]"},
      {"LayerNormalization", {"[b,s,8]", "[8]"}, "", "[b,s,8];[b,s,1];[b,s,1]"},
  });
}

TEST_CASE("onnxruntime's own operators") {
  Check(
      {
          {"FusedMatMul", {"[8,2]", "[8,3]"}, "transA=1", "[2,3]"},
          {"FusedMatMul", {"[8,b,2]", "[b,2,3]"}, "transBatchA=1", "[b,8,3]"},
          {"FusedMatMul", {"[8,b,c,2]", "[b,c,2,3]"}, "transBatchA=1", "[b,c,8,3]"},
          {"EmbedLayerNormalization", {"[b,s]", "[b,s]", "[100,32]"}, "", "[b,s,32];[b];[b,s,32]"},
          {"EmbedLayerNormalization", {"[b]", "[b]", "[100,32]"}, "", "-"},
          {"EmbedLayerNormalization", {"[b,s]", "[b,s]", "[32]"}, "", "-"},
          {"QLinearConv",
           {"[1,3,8,8]", "[]", "[]", "[16,3,3,3]", "[]", "[]", "[]", "[]"},
           "",
           "[1,16,6,6]"},
          {"MatMulNBits", {"[b,s,64]", "[16,2,16]"}, "N=16 K=64", "[b,s,16]"},
          {"SkipLayerNormalization",
           {"[b,s,8]", "[b,s,8]", "[8]"},
           "",
           "[b,s,8];[b,s,1];[b,s,1];[b,s,8]"},
          {"Attention",
           {"[b,s,32]", "[32,96]", "[96]", "-", "[2,b,4,p,8]"},
           "num_heads=4",
           "[b,s,32];[2,b,4,s + p,8]"},
          {"MultiHeadAttention", {"[b,s,32]", "[b,t,32]", "[b,t,64]"}, "num_heads=4", "[b,s,64]"},
          {"GroupQueryAttention", {"[b,s,64]", "-", "-"}, "num_heads=4 kv_num_heads=2", "[b,s,32]"},
          {"GroupQueryAttention", {"[b,s,64]", "-", "-"}, "", "[b,s,?]"},
          {"MultiHeadAttention",
           {"[b,s,32]", "[b,t,32]", "[b,t,64]", "-", "-", "-", "[b,4,p,8]"},
           "num_heads=4",
           "[b,s,64];[b,4,s + p,8]"},
          {"MultiHeadAttention",
           {"[b,s,32]", "[b,t,32]", "[b,t,64]", "-", "-", "-", "[b,p,8]"},
           "num_heads=4",
           "[b,s,64];-"},
          {"QLinearMatMul", {"[2,8]", "[]", "[]", "[8,3]", "[]", "[]"}, "", "[2,3]"},
          {"QLinearAdd", {"[2,1]", "[]", "[]", "[3]", "[]", "[]"}, "", "[2,3]"},
      },
      "com.microsoft");
  Check(
      {
          {"ReorderInput", {"[1,32,8,6]"}, "", "[1,32,8,6]"},
          {"ReorderInput", {"[1,3,8,6]"}, "", "[1,?,8,6]"},
          {"ReorderInput", {"[1,8,6,32]"}, "channels_last=1", "[1,32,8,6]"},
          {"ReorderOutput", {"[1,32,8,6]"}, "channels=20", "[1,20,8,6]"},
          {"ReorderOutput", {"[1,32,8,6]"}, "", "[1,32,8,6]"},
          {"ReorderOutput", {"[1,32,8]"}, "channels=20", "[1,20,8]"},
          {"ReorderInput", {"[1,32]"}, "", "-"},
          {"ReorderOutput", {"[1,32,8,6]"}, "channels=20 channels_last=1", "[1,8,6,20]"},
      },
      "com.microsoft.nchwc");
  CHECK_FALSE(static_cast<bool>(ShapeRuleOf("com.example", "Conv")));
  CHECK_FALSE(static_cast<bool>(ShapeRuleOf("", "NoSuchOperator")));
}

TEST_CASE("nothing is made of what is not known, and nothing large") {
  Check({
      {"Reshape", {"?", "[2]{0,-1}"}, "", "[?,?]"},
      {"Conv", {"?", "[16,3,3,3]"}, "", "-"},
      {"Tile", {"[1]{1}", "[1]{1000000000000}"}, "", "[1000000000000]"},
      {"ConstantOfShape", {"[1]{1000000000000}"}, "", "[1000000000000]"},
      {"Range", {"[]{0}", "[]{1000000000000}", "[]{1}"}, "", "[1000000000000]"},
      {"Expand", {"[1]{1}", "[3]{4096,4096,0}"}, "", "[4096,4096,0]"},
      {"Gather", {"[3]{1,2,3}", "[]{7}"}, "", "[]"},
      {"Transpose", {"[2,3]"}, "perm=0,5", "-"},
      {"Concat", {"[2,3]", "[2]"}, "axis=0", "-"},
  });
}

}  // namespace
}  // namespace onnx_hier
