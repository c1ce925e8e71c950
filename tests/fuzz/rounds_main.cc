// SPDX-License-Identifier: Apache-2.0

// Runs a fuzz target a fixed number of times on models that are changed at random, without a
// fuzzer:
//
//   TARGET --rounds N [--seed S] [--findings FOLDER] FILE_OR_FOLDER...
//
// A round's model is one of the files, changed field by field, of the version that is the round's
// number: what a target makes up beside it follows from that. The same N, S and files give the same
// rounds. A round that breaks something, or takes over a minute of CPU time, is written to FOLDER
// (default: here) and the next one goes on. Exit code: 0 nothing found, 1 something.

#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <new>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/text_mutator.h"
#include "tests/fuzz/wire_mutator.h"

namespace onnx_hier::fuzz {
namespace {

constexpr uint64_t kMostChanges = 12;
constexpr int kMostSeconds = 60;
// Sanitizers keep freed memory for a while: a process of its own for so many rounds.
constexpr uint64_t kRoundsAProcess = 500;
constexpr int kMostFindings = 20;
constexpr uintmax_t kLargestModel = 60'000;

struct Options {
  uint64_t rounds = 0;
  uint64_t seed = 0;
  std::string findings = ".";
  std::vector<std::string> models;  // what the files hold
};

std::string ReadModel(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return std::string((std::istreambuf_iterator<char>(file)), {});
}

void AddModels(const std::filesystem::path& path, std::vector<std::string>& models) {
  std::vector<std::filesystem::path> files;
  if (std::filesystem::is_directory(path)) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(path)) {
      if (entry.path().extension() == ".onnx") files.push_back(entry.path());
    }
  } else {
    files.push_back(path);
  }
  std::sort(files.begin(), files.end());
  for (const std::filesystem::path& file : files) {
    if (std::filesystem::file_size(file) <= kLargestModel) models.push_back(ReadModel(file));
  }
}

bool ReadOptions(int argc, char** argv, Options& options) {
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const bool has_value = i + 1 < argc;
    if (word == "--rounds" && has_value) {
      if (!absl::SimpleAtoi(argv[++i], &options.rounds)) return false;
    } else if (word == "--seed" && has_value) {
      if (!absl::SimpleAtoi(argv[++i], &options.seed)) return false;
    } else if (word == "--findings" && has_value) {
      options.findings = argv[++i];
    } else {
      AddModels(word, options.models);
    }
  }
  return options.rounds > 0 && !options.models.empty();
}

std::string ModelOf(const Options& options, uint64_t round) {
  testing::Random random(round);
  const std::string& model = options.models[random.Below(options.models.size())];
  const std::string versioned = WithModelVersion(model, round);
  return MutatedModel(versioned, random, kMostChanges, MutateText).value_or(versioned);
}

// In a process of its own; `current` is the round that it is at.
[[noreturn]] void RunRounds(const Options& options, uint64_t end, std::atomic<uint64_t>& current) {
  for (; current < end; ++current) {
    const itimerval limit = {{}, {kMostSeconds, 0}};
    setitimer(ITIMER_PROF, &limit, nullptr);
    const std::string model = ModelOf(options, current);
    LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(model.data()), model.size());
  }
  // Destructors clear folders away.
  std::exit(0);
}

void Keep(const Options& options, uint64_t round, int status) {
  const std::string path = absl::StrCat(options.findings, "/round_", round, ".onnx");
  std::ofstream(path, std::ios::binary) << ModelOf(options, round);
  std::printf("round %llu: %s: %s\n", static_cast<unsigned long long>(round),
              WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "a sanitizer's finding",
              path.c_str());
}

int Run(const Options& options) {
  void* const shared = mmap(nullptr, sizeof(std::atomic<uint64_t>), PROT_READ | PROT_WRITE,
                            MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  Require(shared != MAP_FAILED, "memory can be shared");
  auto& current = *new (shared) std::atomic<uint64_t>(options.seed);
  const uint64_t end = options.seed + options.rounds;
  int found = 0;
  while (current < end && found < kMostFindings) {
    std::fflush(nullptr);
    const pid_t child = fork();
    Require(child >= 0, "a process can be started");
    if (child == 0) RunRounds(options, std::min(end, current + kRoundsAProcess), current);
    int status = 0;
    Require(waitpid(child, &status, 0) == child, "a process can be waited for");
    if (status == 0) continue;
    ++found;
    Keep(options, current++, status);
  }
  std::printf("%llu rounds, %d findings\n", static_cast<unsigned long long>(current - options.seed),
              found);
  return found == 0 ? 0 : 1;
}

}  // namespace
}  // namespace onnx_hier::fuzz

int main(int argc, char** argv) {
  onnx_hier::fuzz::Options options;
  if (!onnx_hier::fuzz::ReadOptions(argc, argv, options)) {
    std::fprintf(stderr, "usage: TARGET --rounds N [--seed S] [--findings FOLDER] MODEL...\n");
    return 2;
  }
  return onnx_hier::fuzz::Run(options);
}
