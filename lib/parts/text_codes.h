// SPDX-License-Identifier: Apache-2.0

// What texts became when a function is called elsewhere than where its body was taken from: mostly
// nothing that has to be said.
//
//   names in the body   their texts in a call of it at "/encoder/layer.1"
//   query/MatMul        /encoder/layer.1/query/MatMul     kJoined: the call's scope and the name
//   mask                mask                              kSame
//   encoder.layer.0.x   encoder.layer.1.x                 kMoved: the first call's scope, as it is
//                                                         now
//   Add_17              Add_93                            kShifted: the last number is 76 higher
//   %mul_3 of 0.x       %mul_7 of 1.x                     kMapped: moved, and names of values in it
//                                                         are what they are in this call
//   a                   b                                 kOther: spelled out
//
// Alike codes in a row cost two or three bytes. The form is part of the files that are written:
// docs/folded-models.md.
#ifndef ONNX_HIER_LIB_PARTS_TEXT_CODES_H_
#define ONNX_HIER_LIB_PARTS_TEXT_CODES_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"

namespace onnx_hier {

// What codes of the texts of one call refer to.
class CallScope {
 public:
  CallScope() = default;
  // "/encoder/layer.1", and the scope of the first call of the same function.
  CallScope(std::string here, absl::string_view first);

  const std::string& here() const { return here_; }
  // Texts move from one module to another one from here on: "encoder/layer/0", "encoder/layer/1".
  void SetModules(absl::string_view here, absl::string_view first);
  // Each scope that was moved, where it is no part of a longer name, as it is now.
  std::string Moved(absl::string_view text) const;

  // Of values, by their names in the body; those that were met so far. The texts are others'.
  absl::flat_hash_map<absl::string_view, absl::string_view> values;

 private:
  // A scope as it was in the first call, and as it is here.
  struct Move {
    std::string from;
    std::string to;
  };

  void AddMoves(absl::string_view from, absl::string_view to);
  // The one that the text begins with, and that was moved; none: null.
  const Move* FindMove(absl::string_view text) const;

  std::string here_;
  std::vector<Move> moves_;
};

class TextCoder {
 public:
  // `actual` is what `text`, as it stands in the function, was before.
  void Put(const CallScope& scope, absl::string_view text, absl::string_view actual);
  // Bytes that stand for themselves.
  void PutRaw(absl::string_view bytes);
  std::string Take() &&;

 private:
  friend class TextDecoder;
  enum class Code : uint8_t {
    kJoined,
    kSame,
    kMoved,
    kShifted,
    kMapped,
    kOther,
    kOtherJoined,
    kRaw,
    kSetShift
  };

  bool PutShifted(absl::string_view text, absl::string_view actual);
  void PutOther(Code code, absl::string_view text, absl::string_view actual);
  void Add(Code code);
  void Flush();

  std::string codes_;
  Code last_ = Code::kSame;
  uint64_t count_ = 0;
  int64_t shift_ = 0;
};

class TextDecoder {
 public:
  explicit TextDecoder(absl::string_view codes) : rest_(codes) {}

  // False: the codes are at an end, or none.
  bool Next(const CallScope& scope, absl::string_view text, std::string* actual);
  // Whether bytes that stand for themselves come next; then takes them.
  bool TakeRaw(std::string* bytes);
  bool at_end() const { return rest_.empty() && count_ == 0; }

 private:
  using Code = TextCoder::Code;

  bool NextCode();
  bool TakeBytes(std::string* bytes);
  bool TakeOther(absl::string_view base, std::string* actual);

  absl::string_view rest_;
  Code code_ = Code::kSame;
  uint64_t count_ = 0;
  int64_t shift_ = 0;
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_PARTS_TEXT_CODES_H_
