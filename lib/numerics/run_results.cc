// SPDX-License-Identifier: Apache-2.0
#include "lib/numerics/run_results.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "lib/base/json_scanner.h"
#include "lib/base/status_macros.h"
#include "lib/files/posix_io.h"

namespace onnx_hier {
namespace {

constexpr size_t kTextPiece = 1 << 16;
constexpr size_t kDeepest = 64;
// Of texts so much is kept: those of arrays are longer, and only their places count.
constexpr size_t kLongestKept = 1 << 16;

// A text that is longer than memory: JsonScanner keeps strings as a whole.
class ArrayFinder {
 public:
  ArrayFinder(int fd, uint64_t size) : fd_(fd), size_(size), piece_(new char[kTextPiece]) {}

  absl::StatusOr<std::vector<EncodedArray>> Find() {
    while (true) {
      OH_ASSIGN_OR_RETURN(const int byte, Next());
      if (byte < 0) break;
      OH_RETURN_IF_ERROR(Take(static_cast<char>(byte)));
    }
    if (!open_.empty() || !has_begun_) return Wrong("it ends early, or is no JSON");
    return std::move(arrays_);
  }

 private:
  struct Open {
    bool is_object = false;
    std::string key;       // of an object: the one whose value is next
    bool has_key = false;  // it was read, and not its value
    size_t index = 0;      // of an array
  };

  absl::Status Wrong(absl::string_view what) const {
    return absl::InvalidArgumentError(absl::StrCat("byte ", at_, ": ", what));
  }

  // -1: it has ended.
  absl::StatusOr<int> Next() {
    if (at_ == size_) return -1;
    if (at_ == end_) {
      const uint64_t count = std::min<uint64_t>(kTextPiece, size_ - at_);
      OH_RETURN_IF_ERROR(ReadFully(fd_, piece_.get(), count, at_));
      begin_ = at_;
      end_ = at_ + count;
    }
    return static_cast<unsigned char>(piece_[at_++ - begin_]);
  }

  absl::Status Take(char c) {
    switch (c) {
      case '{':
      case '[':
        if (open_.size() == kDeepest) return Wrong("it is nested too deeply");
        has_begun_ = true;
        open_.emplace_back().is_object = c == '{';
        return absl::OkStatus();
      case '}':
      case ']':
        if (open_.empty() || open_.back().is_object != (c == '}')) {
          return Wrong("a bracket closes what is not open");
        }
        open_.pop_back();
        EndValue();
        return absl::OkStatus();
      case '"':
        return TakeString();
      case ',':
        if (!open_.empty() && !open_.back().is_object) ++open_.back().index;
        if (!open_.empty()) open_.back().has_key = false;
        return absl::OkStatus();
      default:
        return open_.empty() && static_cast<unsigned char>(c) > ' ' ? Wrong("this is no JSON")
                                                                    : absl::OkStatus();
    }
  }

  void EndValue() {
    if (!open_.empty()) open_.back().has_key = false;
  }

  absl::Status TakeString() {
    if (open_.empty()) return Wrong("this is no JSON of Polygraphy's");
    const uint64_t begin = at_;
    std::string text = "\"";
    bool is_escaped = false;
    while (true) {
      OH_ASSIGN_OR_RETURN(const int byte, Next());
      if (byte < 0) return Wrong("it ends inside of a text");
      if (text.size() < kLongestKept) text.push_back(static_cast<char>(byte));
      if (byte == '"' && !is_escaped) break;
      is_escaped = byte == '\\' && !is_escaped;
    }
    Open& in = open_.back();
    if (in.is_object && !in.has_key) {
      in.key = Unescaped(text);
      in.has_key = true;
      return absl::OkStatus();
    }
    if (in.is_object && in.key == "array") {
      Note(begin, at_ - 1);
    } else if (IsRunner()) {
      runner_ = Unescaped(text);
    }
    EndValue();
    return absl::OkStatus();
  }

  static std::string Unescaped(absl::string_view text) {
    JsonScanner json(text);
    return json.Next() && json.IsString() ? std::string(json.text()) : std::string();
  }

  // [name, [...]], in the list of all runners.
  bool IsRunner() const {
    const size_t depth = open_.size();
    return depth >= 3 && !open_[depth - 1].is_object && open_[depth - 1].index == 0 &&
           !open_[depth - 2].is_object && open_[depth - 3].key == "lst";
  }

  // The innermost key that is none of Polygraphy's own.
  void Note(uint64_t begin, uint64_t end) {
    EncodedArray array;
    array.runner = runner_;
    array.begin = begin;
    array.end = end;
    bool has_name = false;
    for (size_t i = open_.size() - 1; i-- > 0;) {
      const Open& around = open_[i];
      if (!around.is_object) {
        array.run = around.index;
        break;
      }
      if (!has_name && around.key != "values") {
        array.name = around.key;
        has_name = true;
      }
    }
    if (has_name) arrays_.push_back(std::move(array));
  }

  const int fd_;
  const uint64_t size_;
  const std::unique_ptr<char[]> piece_;
  uint64_t begin_ = 0;  // of what is at hand
  uint64_t end_ = 0;
  uint64_t at_ = 0;
  bool has_begun_ = false;
  std::vector<Open> open_;
  std::string runner_;
  std::vector<EncodedArray> arrays_;
};

}  // namespace

absl::StatusOr<std::vector<EncodedArray>> FindEncodedArrays(int fd, uint64_t size) {
  return ArrayFinder(fd, size).Find();
}

}  // namespace onnx_hier
