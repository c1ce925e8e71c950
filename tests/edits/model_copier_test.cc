// SPDX-License-Identifier: Apache-2.0
#include "lib/edits/model_copier.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "lib/edits/weight_sharing.h"
#include "tests/edits/splices.h"
#include "tests/support/temp_folder.h"
#include "tests/support/wire.h"

namespace onnx_hier {
namespace {

using testing::Edited;
using testing::MemoryFile;
using testing::Scan;
using testing::Scanned;
using testing::TempFolder;
using testing::Value;

std::string Weights(size_t size) {
  std::string bytes(size, '\0');
  for (size_t i = 0; i < size; ++i) bytes[i] = static_cast<char>(i * 2654435761u >> 13);
  return bytes;
}

// Nodes before, between and after long spans that nobody reads; nothing stands on a round number.
const std::string& LargeModel() {
  static const std::string file = wire::Model(wire::Graph(
      wire::Node("A", {}, {}, "a") + wire::Initializer("v", {1}, Weights(3 << 20)) +
      wire::Node("B", {}, {}, "b", wire::Doc("old")) +
      wire::Initializer("w", {1}, Weights((19 << 20) + 13)) + wire::Node("C", {}, {}, "c")));
  return file;
}

std::vector<DocEdit> DocEdits(const std::string& text) {
  return {{NodeId(0), true, text}, {NodeId(1), false, ""}, {NodeId(2), true, text}};
}

TEST_CASE("to a file, by any number of threads") {
  const Scanned scanned = Value(Scan(LargeModel()));
  for (size_t size : {0u, 2000001u}) {
    const std::string text(size, 't');
    const std::vector<DocEdit> edits = DocEdits(text);
    const Splices splices(scanned.model, edits);
    const std::string expected = Edited(LargeModel(), edits);
    for (int threads : {1, 2, 5}) {
      const MemoryFile out("");
      std::atomic<uint64_t> progress{0};
      CHECK_OK(CopyToFile(scanned.image, splices, {}, out.fd(),
                          {.threads = threads, .progress = &progress}));
      CHECK((out.Read() == expected));
      CHECK(progress == expected.size());
    }
  }
}

TEST_CASE("to a stream") {
  const Scanned scanned = Value(Scan(LargeModel()));
  const std::string text(1000, 't');
  const std::vector<DocEdit> edits = DocEdits(text);
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  std::string received;
  std::thread reader([&] {
    std::vector<char> buffer(1 << 16);
    for (ssize_t n; (n = read(ends[0], buffer.data(), buffer.size())) > 0;) {
      received.append(buffer.data(), static_cast<size_t>(n));
    }
  });
  CHECK_OK(CopyToStream(scanned.image, Splices(scanned.model, edits), ends[1], {}));
  close(ends[1]);
  reader.join();
  close(ends[0]);
  CHECK((received == Edited(LargeModel(), edits)));
}

TEST_CASE("without edits, the same bytes") {
  const Scanned scanned = Value(Scan(LargeModel()));
  const MemoryFile out("");
  CHECK_OK(CopyToFile(scanned.image, Splices(scanned.model, {}), {}, out.fd(), {}));
  CHECK((out.Read() == LargeModel()));
}

TEST_CASE("what is shared already is stepped over") {
  const Scanned scanned = Value(Scan(LargeModel()));
  const std::string text(1000, 't');
  const std::vector<DocEdit> edits = DocEdits(text);
  const Splices splices(scanned.model, edits);
  const std::string expected = Edited(LargeModel(), edits);
  const size_t from = LargeModel().find(Weights(3 << 20));
  const size_t last = LargeModel().find(Weights((19 << 20) + 13));
  const uint64_t growth = expected.find(Weights(3 << 20)) - from;
  const uint64_t growth_of_last = expected.find(Weights((19 << 20) + 13)) - last;
  for (const std::vector<SharedSpan>& shared : std::vector<std::vector<SharedSpan>>{
           {{from, from + growth, 3 << 20}},
           {{from + 5, from + 5 + growth, 7},
            {from + 99, from + 99 + growth, 2 << 20},
            {last, last + growth_of_last, 1},
            {last + 1, last + 1 + growth_of_last, (18 << 20)}},
       }) {
    const MemoryFile out("");
    std::string wanted = expected;
    for (const SharedSpan& span : shared) {
      // Other bytes, to see that nobody writes there.
      const std::string mark(span.length, '#');
      REQUIRE(pwrite(out.fd(), mark.data(), mark.size(), static_cast<off_t>(span.to)) ==
              static_cast<ssize_t>(mark.size()));
      wanted.replace(span.to, span.length, mark);
    }
    std::atomic<uint64_t> progress{0};
    CHECK_OK(CopyToFile(scanned.image, splices, shared, out.fd(), {.progress = &progress}));
    CHECK((out.Read() == wanted));
    CHECK(progress == expected.size());
  }
}

TEST_CASE("stretches too long to be found between edits") {
  const Scanned scanned = Value(Scan(LargeModel()));
  const std::vector<DocEdit> edits = DocEdits("tag");
  const Splices splices(scanned.model, edits);
  CHECK(splices.MayKeep(19 << 20, LargeModel().size()));
  CHECK_FALSE(splices.MayKeep(20 << 20, LargeModel().size()));
  const Splices none(scanned.model, {});
  CHECK(none.MayKeep(20 << 20, LargeModel().size()));
}

TEST_CASE("a file system that shares no blocks: nothing is shared, and that is no error") {
  const Scanned scanned = Value(Scan(LargeModel()));
  const MemoryFile out("");
  const Splices splices(scanned.model, {});
  CHECK(ShareSpans(scanned.image.fd(), scanned.image.size(), splices, out.fd()).empty());
  CHECK_FALSE(ShareFile(scanned.image.fd(), scanned.image.size(), out.fd()));
  CHECK(out.Read().empty());
}

TEST_CASE("without weights: zeros where they are, and all else") {
  const MemoryFile in(LargeModel());
  FileImage image = Value(FileImage::Open(in.path()));
  const ScannedModel model = Value(ScanModel(image));
  const std::string text(1000, 't');
  const std::vector<DocEdit> edits = DocEdits(text);
  const TempFolder folder;
  const int out = open((folder / "out").c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600);
  REQUIRE(out >= 0);
  CHECK_OK(CopyWithoutWeights(image, Splices(model, edits), out, {}));
  const std::string expected = Edited(LargeModel(), edits);
  const std::string copied = testing::ReadFile(folder / "out");
  REQUIRE(copied.size() == expected.size());
  size_t zeros = 0;
  size_t others = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    if (copied[i] == expected[i]) continue;
    ++(copied[i] == 0 ? zeros : others);
  }
  CHECK(zeros > 20 << 20);
  CHECK(others == 0);
  struct stat status;
  REQUIRE(fstat(out, &status) == 0);
  CHECK(status.st_blocks * 512 < 1 << 20);
  close(out);
}

TEST_CASE("stopped when asked to") {
  const Scanned scanned = Value(Scan(LargeModel()));
  const Splices splices(scanned.model, {});
  const std::atomic<bool> cancel{true};
  for (int threads : {1, 3}) {
    const MemoryFile out("");
    CHECK_ERROR(
        CopyToFile(scanned.image, splices, {}, out.fd(), {.threads = threads, .cancel = &cancel}),
        kCancelled, "interrupted");
  }
}

TEST_CASE("an input that changes or shrinks under the copier is an error") {
  const MemoryFile in(LargeModel());
  FileImage image = Value(FileImage::Open(in.path()));
  const ScannedModel model = Value(ScanModel(image));
  const Splices splices(model, {});
  {
    REQUIRE(pwrite(in.fd(), "x", 1, 10 << 20) == 1);
    const MemoryFile out("");
    CHECK_ERROR(CopyToFile(image, splices, {}, out.fd(), {}), kAborted, "changed");
  }
  REQUIRE(ftruncate(in.fd(), 10 << 20) == 0);
  for (int threads : {1, 3}) {
    const MemoryFile out("");
    CHECK_ERROR(CopyToFile(image, splices, {}, out.fd(), {.threads = threads}), kAborted,
                "shorter");
  }
}

TEST_CASE("an output that cannot be written is an error") {
  const Scanned scanned = Value(Scan(LargeModel()));
  const Splices splices(scanned.model, {});
  CHECK_FALSE(CopyToFile(scanned.image, splices, {}, -1, {.threads = 3}).ok());
  CHECK_FALSE(CopyToStream(scanned.image, splices, -1, {}).ok());
}

}  // namespace
}  // namespace onnx_hier
