// SPDX-License-Identifier: Apache-2.0
#include "lib/numerics/zip_file.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "lib/base/load_word.h"
#include "lib/base/status_macros.h"
#include "lib/files/posix_io.h"
#include "onnx_hier_program/text.h"

namespace onnx_hier {
namespace {

constexpr uint32_t kLocal = 0x04034b50;
constexpr uint32_t kCentral = 0x02014b50;
constexpr uint32_t kEnd = 0x06054b50;
constexpr uint32_t kEnd64 = 0x06064b50;
constexpr uint32_t kLocator64 = 0x07064b50;
constexpr size_t kLocalSize = 30;
constexpr size_t kCentralSize = 46;
constexpr size_t kEndSize = 22;
constexpr size_t kEnd64Size = 56;
constexpr size_t kLocatorSize = 20;
constexpr size_t kLongestComment = 65535;
// An archive of a million values takes some 100 MB; nobody dumps so many.
constexpr uint64_t kLargestList = 32 << 20;
// What deflate makes of a byte at most.
constexpr uint64_t kMostOfByte = 1032;

template <class Number>
Number Load(absl::string_view bytes, size_t at) {
  return LoadWord<Number>(bytes.data() + at);
}

absl::Status Damaged(uint64_t at, absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("byte ", at, ": ", what));
}

class ZipReader {
 public:
  ZipReader(int fd, uint64_t size) : fd_(fd), size_(size) {}

  absl::StatusOr<std::vector<ZipEntry>> Read() {
    OH_RETURN_IF_ERROR(FindList());
    OH_ASSIGN_OR_RETURN(const std::string list, ReadAt(list_at_, list_size_));
    std::vector<ZipEntry> entries;
    absl::flat_hash_set<std::string> names;
    for (size_t at = 0; at < list.size();) {
      OH_ASSIGN_OR_RETURN(ZipEntry entry, TakeEntry(list, &at));
      if (!names.insert(entry.name).second) return Wrong(entry, "stands there twice");
      entries.push_back(std::move(entry));
    }
    if (entries.size() != count_) {
      return Damaged(list_at_,
                     absl::StrCat("the list has ", entries.size(), " entries, not ", count_));
    }
    OH_RETURN_IF_ERROR(CheckPlaces(entries));
    return entries;
  }

 private:
  absl::StatusOr<std::string> ReadAt(uint64_t offset, uint64_t size) const {
    if (offset > size_ || size > size_ - offset) {
      return Damaged(size_, absl::StrCat("it ends here, before byte ", offset, " + ", size));
    }
    std::string bytes(size, '\0');
    OH_RETURN_IF_ERROR(ReadFully(fd_, bytes.data(), size, offset));
    return bytes;
  }

  absl::Status FindList() {
    const uint64_t tail_size = std::min<uint64_t>(size_, kEndSize + kLongestComment);
    OH_ASSIGN_OR_RETURN(const std::string tail, ReadAt(size_ - tail_size, tail_size));
    size_t at = tail_size >= kEndSize ? tail_size - kEndSize + 1 : 0;
    while (at > 0 && Load<uint32_t>(tail, at - 1) != kEnd) --at;
    if (at-- == 0) return Damaged(size_, "it ends without the list of what is in it");
    count_ = Load<uint16_t>(tail, at + 10);
    list_size_ = Load<uint32_t>(tail, at + 12);
    list_at_ = Load<uint32_t>(tail, at + 16);
    end_ = size_ - tail_size + at;
    const bool is_64 = count_ == 0xFFFF || list_size_ == 0xFFFFFFFF || list_at_ == 0xFFFFFFFF;
    if (is_64 && end_ >= kLocatorSize) OH_RETURN_IF_ERROR(FindList64());
    if (list_at_ > end_ || list_size_ > end_ - list_at_) {
      return Damaged(end_, "the list of what is in it lies outside of the file");
    }
    if (list_size_ > kLargestList) {
      return Damaged(list_at_, "the list of what is in it is longer than can be");
    }
    return absl::OkStatus();
  }

  absl::Status FindList64() {
    OH_ASSIGN_OR_RETURN(const std::string locator, ReadAt(end_ - kLocatorSize, kLocatorSize));
    if (Load<uint32_t>(locator, 0) != kLocator64) return absl::OkStatus();
    const auto at = Load<uint64_t>(locator, 8);
    OH_ASSIGN_OR_RETURN(const std::string end, ReadAt(at, kEnd64Size));
    if (Load<uint32_t>(end, 0) != kEnd64) return Damaged(at, "there is no end of a list here");
    count_ = Load<uint64_t>(end, 32);
    list_size_ = Load<uint64_t>(end, 40);
    list_at_ = Load<uint64_t>(end, 48);
    end_ = at;
    return absl::OkStatus();
  }

  static absl::Status Wrong(const ZipEntry& entry, absl::string_view what) {
    return absl::InvalidArgumentError(absl::StrCat("entry ", QuotedName(entry.name), " ", what));
  }

  absl::StatusOr<ZipEntry> TakeEntry(absl::string_view list, size_t* at) const {
    const absl::string_view head = list.substr(*at);
    if (head.size() < kCentralSize || Load<uint32_t>(head, 0) != kCentral) {
      return Damaged(list_at_ + *at, "here should be an entry of the list");
    }
    const size_t name_size = Load<uint16_t>(head, 28);
    const size_t extra_size = Load<uint16_t>(head, 30);
    const size_t whole = kCentralSize + name_size + extra_size + Load<uint16_t>(head, 32);
    if (head.size() < whole) return Damaged(list_at_ + *at, "this entry is cut short");
    *at += whole;
    ZipEntry entry;
    entry.name = std::string(head.substr(kCentralSize, name_size));
    entry.crc = Load<uint32_t>(head, 16);
    entry.stored = Load<uint32_t>(head, 20);
    entry.size = Load<uint32_t>(head, 24);
    entry.offset = Load<uint32_t>(head, 42);
    Take64(head.substr(kCentralSize + name_size, extra_size), entry);
    const auto flags = Load<uint16_t>(head, 8);
    const auto method = Load<uint16_t>(head, 10);
    if ((flags & 1) != 0) return Wrong(entry, "is encrypted");
    if (method != 0 && method != 8) {
      return Wrong(
          entry, absl::StrCat("is packed by method ", method, ": numpy.savez_compressed deflates"));
    }
    entry.is_deflated = method == 8;
    if (!entry.is_deflated && entry.stored != entry.size) {
      return Wrong(entry, "is stored, and of two sizes");
    }
    if (entry.size / kMostOfByte > entry.stored) {
      return Wrong(entry,
                   absl::StrCat("cannot become ", entry.size, " bytes out of ", entry.stored));
    }
    return entry;
  }

  // What is too large for 32 bits, in this order.
  static void Take64(absl::string_view extra, ZipEntry& entry) {
    constexpr uint16_t kZip64 = 1;
    while (extra.size() >= 4) {
      const size_t size = Load<uint16_t>(extra, 2);
      if (extra.size() - 4 < size) return;
      absl::string_view numbers = extra.substr(4, size);
      if (Load<uint16_t>(extra, 0) == kZip64) {
        for (uint64_t* number : {&entry.size, &entry.stored, &entry.offset}) {
          if (*number != 0xFFFFFFFF || numbers.size() < 8) continue;
          *number = Load<uint64_t>(numbers, 0);
          numbers.remove_prefix(8);
        }
      }
      extra.remove_prefix(4 + size);
    }
  }

  // Moves offsets from headers to bytes.
  absl::Status CheckPlaces(std::vector<ZipEntry>& entries) const {
    std::vector<std::pair<uint64_t, uint64_t>> places;
    places.reserve(entries.size());
    for (ZipEntry& entry : entries) {
      const uint64_t begin = entry.offset;
      const absl::StatusOr<std::string> head = ReadAt(begin, kLocalSize);
      if (!head.ok() || Load<uint32_t>(*head, 0) != kLocal) {
        return Wrong(entry, absl::StrCat("should begin at byte ", begin, ", and does not"));
      }
      entry.offset = begin + kLocalSize + Load<uint16_t>(*head, 26) + Load<uint16_t>(*head, 28);
      if (entry.offset > list_at_ || entry.stored > list_at_ - entry.offset) {
        return Wrong(entry, "runs into the list at the end");
      }
      places.emplace_back(begin, entry.offset + entry.stored);
    }
    std::sort(places.begin(), places.end());
    for (size_t i = 1; i < places.size(); ++i) {
      if (places[i].first < places[i - 1].second) {
        return Damaged(places[i].first, "two entries share bytes from here on");
      }
    }
    return absl::OkStatus();
  }

  const int fd_;
  const uint64_t size_;
  uint64_t count_ = 0;
  uint64_t list_at_ = 0;
  uint64_t list_size_ = 0;
  uint64_t end_ = 0;  // of the list at latest
};

}  // namespace

absl::StatusOr<std::vector<ZipEntry>> ReadZip(int fd, uint64_t file_size) {
  return ZipReader(fd, file_size).Read();
}

std::unique_ptr<ByteInput> Open(int fd, const ZipEntry& entry) {
  std::unique_ptr<ByteInput> bytes = BytesOfFile(fd, entry.offset, entry.stored);
  if (entry.is_deflated) bytes = Inflated(std::move(bytes));
  return Checked(std::move(bytes), entry.size, entry.crc);
}

}  // namespace onnx_hier
