// What texts became when a function is called elsewhere than where its body was taken from: mostly
// nothing that has to be said.
//
//   names in the body   their texts in a call of it at "/encoder/layer.1"
//   query/MatMul        /encoder/layer.1/query/MatMul     kJoined: the call's scope and the name
//   mask                mask                              kSame
//   encoder.layer.0.x   encoder.layer.1.x                 kMoved: the first call's scope, as it is
//                                                         now
//   Add_17              Add_93                            kShifted: the last number is 76 higher
//   a                   b                                 kOther: spelled out
//
// Alike codes in a row cost two or three bytes. The form is part of the files that are written:
// docs/folded-models.md.
#ifndef ONNX_HIER_LIB_FOLDS_TEXT_CODES_H_
#define ONNX_HIER_LIB_FOLDS_TEXT_CODES_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"

namespace onnx_hier {

// What codes of the texts of one call refer to.
struct CallScope {
  std::string here;   // "/encoder/layer.1"
  std::string first;  // of the first call of the same function
};

class TextCoder {
 public:
  // `actual` is what `text`, as it stands in the function, was before.
  void Put(const CallScope& scope, absl::string_view text, absl::string_view actual);
  std::string Take() &&;

 private:
  friend class TextDecoder;
  enum class Code : uint8_t { kJoined, kSame, kMoved, kShifted, kOther, kOtherJoined, kSetShift };

  bool PutShifted(absl::string_view text, absl::string_view actual);
  void PutOther(Code code, absl::string_view text, absl::string_view actual);
  void Add(Code code);
  void Flush();

  std::string codes_;
  Code last_ = Code::kSame;
  uint64_t count_ = 0;
  int64_t shift_ = 0;
  std::string scratch_;
};

class TextDecoder {
 public:
  explicit TextDecoder(absl::string_view codes) : rest_(codes) {}

  // False: the codes are at an end, or none.
  bool Next(const CallScope& scope, absl::string_view text, std::string* actual);
  bool at_end() const { return rest_.empty() && count_ == 0; }

 private:
  using Code = TextCoder::Code;

  bool NextCode();
  bool TakeOther(absl::string_view base, std::string* actual);

  absl::string_view rest_;
  Code code_ = Code::kSame;
  uint64_t count_ = 0;
  int64_t shift_ = 0;
};

// Numbers in that form: seven bits a byte, low ones first.
bool TakeVarint(absl::string_view* bytes, uint64_t* value);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_FOLDS_TEXT_CODES_H_
