// SPDX-License-Identifier: Apache-2.0
#include "lib/numerics/byte_input.h"

#include <algorithm>
#include <cerrno>
#include <optional>
#include <utility>

#include "lib/base/status_macros.h"
#include "lib/files/file_status.h"
#include "lib/files/posix_io.h"

#ifdef ONNX_HIER_ZLIB
#include <zlib.h>
#endif

namespace onnx_hier {
namespace {

constexpr size_t kBytePiece = 1 << 15;

class FileBytes : public ByteInput {
 public:
  FileBytes(int fd, uint64_t offset, uint64_t size) : fd_(fd), offset_(offset), left_(size) {}
  FileBytes(UniqueFd own, uint64_t size) : own_(std::move(own)), fd_(own_.get()), left_(size) {}

  absl::StatusOr<size_t> Read(char* out, size_t size) override {
    const uint64_t count = std::min<uint64_t>(size, left_);
    OH_RETURN_IF_ERROR(ReadFully(fd_, out, count, offset_));
    offset_ += count;
    left_ -= count;
    return static_cast<size_t>(count);
  }

 private:
  const UniqueFd own_;
  const int fd_;
  uint64_t offset_ = 0;
  uint64_t left_;
};

#ifdef ONNX_HIER_ZLIB
class InflatedBytes : public ByteInput {
 public:
  explicit InflatedBytes(std::unique_ptr<ByteInput> input) : input_(std::move(input)) {
    // Without a header of zlib's.
    is_ready_ = inflateInit2(&stream_, -MAX_WBITS) == Z_OK;
  }
  InflatedBytes(const InflatedBytes&) = delete;
  InflatedBytes& operator=(const InflatedBytes&) = delete;
  ~InflatedBytes() override {
    if (is_ready_) inflateEnd(&stream_);
  }

  absl::StatusOr<size_t> Read(char* out, size_t size) override {
    if (!is_ready_) return absl::ResourceExhaustedError("no memory to inflate it");
    if (has_ended_ || size == 0) return size_t{0};
    const auto room = static_cast<uInt>(std::min<size_t>(size, kBytePiece));
    stream_.next_out = reinterpret_cast<Bytef*>(out);
    stream_.avail_out = room;
    while (stream_.avail_out == room && !has_ended_) {
      if (stream_.avail_in == 0) {
        OH_ASSIGN_OR_RETURN(const size_t count, input_->Read(piece_, kBytePiece));
        if (count == 0) return absl::InvalidArgumentError("what was deflated ends early");
        stream_.next_in = reinterpret_cast<Bytef*>(piece_);
        stream_.avail_in = static_cast<uInt>(count);
      }
      const int code = inflate(&stream_, Z_NO_FLUSH);
      if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR) {
        return absl::InvalidArgumentError("what was deflated is damaged");
      }
      has_ended_ = code == Z_STREAM_END;
    }
    return static_cast<size_t>(room - stream_.avail_out);
  }

 private:
  const std::unique_ptr<ByteInput> input_;
  z_stream stream_ = {};
  bool is_ready_ = false;
  bool has_ended_ = false;
  char piece_[kBytePiece];
};

class CheckedBytes : public ByteInput {
 public:
  CheckedBytes(std::unique_ptr<ByteInput> input, uint64_t size, uint32_t crc)
      : input_(std::move(input)), left_(size), crc_(crc) {}

  absl::StatusOr<size_t> Read(char* out, size_t size) override {
    OH_ASSIGN_OR_RETURN(const size_t count, input_->Read(out, size));
    if (count > left_ || (count == 0 && size > 0 && left_ > 0)) {
      return absl::InvalidArgumentError(count == 0 ? "it ends before the size that it should have"
                                                   : "there is more of it than there should be");
    }
    left_ -= count;
    so_far_ = crc32_z(so_far_, reinterpret_cast<const Bytef*>(out), count);
    if (left_ == 0 && so_far_ != crc_) return absl::InvalidArgumentError("its checksum is wrong");
    return count;
  }

 private:
  const std::unique_ptr<ByteInput> input_;
  uint64_t left_;
  const uint32_t crc_;
  uLong so_far_ = 0;
};
#else
// What a build without zlib says of it.
class NoBytes : public ByteInput {
 public:
  absl::StatusOr<size_t> Read(char*, size_t) override {
    return absl::UnimplementedError(
        "this build inflates nothing: save it with numpy.savez, which does not deflate");
  }
};
#endif

class Base64Bytes : public ByteInput {
 public:
  explicit Base64Bytes(std::unique_ptr<ByteInput> input) : input_(std::move(input)) {}

  absl::StatusOr<size_t> Read(char* out, size_t size) override {
    size_t written = 0;
    while (written < size) {
      if (at_ == end_) {
        OH_ASSIGN_OR_RETURN(end_, input_->Read(piece_, kBytePiece));
        at_ = 0;
        if (end_ == 0) break;
      }
      const char c = piece_[at_++];
      if (c == '\\') continue;  // "\/" in JSON
      if (c == '=') {
        ++padding_;
        continue;
      }
      const int digit = DigitOf(c);
      if (digit < 0 || padding_ > 0) return absl::InvalidArgumentError("it is no base64");
      bits_ = bits_ << 6 | static_cast<uint32_t>(digit);
      count_ += 6;
      if (count_ < 8) continue;
      count_ -= 8;
      out[written++] = static_cast<char>(bits_ >> count_ & 0xFF);
    }
    return written;
  }

 private:
  static int DigitOf(char c) {
    if (c >= 'A' && c <= 'Z') return c - 'A';
    if (c >= 'a' && c <= 'z') return c - 'a' + 26;
    if (c >= '0' && c <= '9') return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
  }

  const std::unique_ptr<ByteInput> input_;
  char piece_[kBytePiece];
  size_t at_ = 0;
  size_t end_ = 0;
  uint32_t bits_ = 0;
  int count_ = 0;  // of bits that are left
  int padding_ = 0;
};

}  // namespace

absl::Status ReadAll(ByteInput& input, char* out, size_t size) {
  for (size_t done = 0; done < size;) {
    OH_ASSIGN_OR_RETURN(const size_t count, input.Read(out + done, size - done));
    if (count == 0) return absl::OutOfRangeError("it ends early");
    done += count;
  }
  return absl::OkStatus();
}

std::unique_ptr<ByteInput> BytesOfFile(int fd, uint64_t offset, uint64_t size) {
  return std::make_unique<FileBytes>(fd, offset, size);
}

absl::StatusOr<std::unique_ptr<ByteInput>> BytesOfFile(const std::string& path) {
  UniqueFd fd = OpenForReading(path);
  const std::optional<FileStatus> status = fd.valid() ? StatusOf(fd.get()) : std::nullopt;
  if (!status.has_value()) return ErrnoStatus(errno, "");
  if (!status->is_regular()) return absl::InvalidArgumentError("it is no file");
  return std::make_unique<FileBytes>(std::move(fd), status->identity.size);
}

std::unique_ptr<ByteInput> FromBase64(std::unique_ptr<ByteInput> input) {
  return std::make_unique<Base64Bytes>(std::move(input));
}

#ifdef ONNX_HIER_ZLIB
std::unique_ptr<ByteInput> Inflated(std::unique_ptr<ByteInput> input) {
  return std::make_unique<InflatedBytes>(std::move(input));
}

std::unique_ptr<ByteInput> Checked(std::unique_ptr<ByteInput> input, uint64_t size, uint32_t crc) {
  return std::make_unique<CheckedBytes>(std::move(input), size, crc);
}
#else
std::unique_ptr<ByteInput> Inflated(std::unique_ptr<ByteInput>) {
  return std::make_unique<NoBytes>();
}

std::unique_ptr<ByteInput> Checked(std::unique_ptr<ByteInput> input, uint64_t, uint32_t) {
  return input;
}
#endif

}  // namespace onnx_hier
