// SPDX-License-Identifier: Apache-2.0
#include "lib/show/diff_lists.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/names/numbered_name.h"
#include "lib/show/diff_words.h"
#include "lib/show/figures.h"
#include "onnx_hier_program/safe_text.h"

namespace onnx_hier {
namespace {

// Whether a path is the member that follows another one.
bool Follows(const ModulePaths& paths, PathId path, PathId before) {
  return paths.parent(path) == paths.parent(before) &&
         NumberedName(paths.name(before)).Precedes(NumberedName(paths.name(path)));
}

// Members in a row, which are told of alike.
struct ListRun {
  PathId first;
  PathId last;
  // "layer.2", "layer.[2-11]"
  std::string Name(const ModulePaths& paths) const {
    const std::string tag = paths.Tag(first);
    std::string last_part = tag.substr(tag.rfind('/') + 1);
    if (first == last) return last_part;
    const NumberedName name(paths.name(first));
    const NumberedName end(paths.name(last));
    return absl::StrCat(last_part.substr(0, last_part.size() - name.size()), name.before(), "[",
                        name.digits(), "-", end.digits(), "]", name.after());
  }
  // "/encoder/"
  std::string Around(const ModulePaths& paths) const {
    const std::string tag = paths.Tag(first);
    return tag.substr(0, tag.rfind('/') + 1);
  }
};

class Lines {
 public:
  explicit Lines(const DiffReport& report) : report_(report) {}

  std::string Text() && {
    AddOnly();
    AddRenumbered();
    std::string text;
    for (const Line& line : lines_) {
      const std::string name = line.count == 1
                                   ? absl::StrCat(line.around, line.name)
                                   : absl::StrCat(WithoutNumbers(line.around), line.name, " x",
                                                  WithThousands(line.count));
      absl::StrAppend(&text, SafeForTerminal(absl::StrCat(name, "  ", line.says)), "\n");
    }
    return text;
  }

 private:
  struct Line {
    std::string around;
    std::string name;
    std::string says;
    size_t count = 1;
  };

  void Add(const ModulePaths& paths, const ListRun& run, std::string says) {
    Line line = {run.Around(paths), run.Name(paths), std::move(says)};
    const std::string key =
        absl::StrCat(WithoutNumbers(line.around), line.name, std::string(1, '\0'), line.says);
    const auto [known, is_new] = known_.emplace(key, lines_.size());
    if (is_new) {
      lines_.push_back(std::move(line));
    } else {
      ++lines_[known->second].count;
    }
  }

  std::string SaysOf(const OnlyInOne& only) const {
    std::string says = !only.is_member  ? only.a.valid() ? "only in A" : "only in B"
                       : only.a.valid() ? "removed"
                                        : "inserted";
    if (only.copy_of.valid()) {
      const PathId copy = only.copy_of;
      absl::StrAppend(&says, ", a copy of ", ListRun{copy, copy}.Name(report_.a.paths));
    }
    return absl::StrCat(says, ": ", FiguresText(only.figures));
  }

  // One module alone is told of with what is in it, unless it is a member of a list.
  void AddOnly() {
    const std::vector<OnlyInOne>& all = report_.diff.only;
    for (size_t i = 0; i < all.size();) {
      const bool is_a = all[i].a.valid();
      const ModulePaths& paths = is_a ? report_.a.paths : report_.b.paths;
      const auto path_of = [is_a](const OnlyInOne& only) { return is_a ? only.a : only.b; };
      const std::string says = SaysOf(all[i]);
      ListRun run = {path_of(all[i]), path_of(all[i])};
      const size_t first = i++;
      if (IsToldAlone(all[first])) continue;
      while (i < all.size() && all[i].a.valid() == is_a && all[first].is_member &&
             all[i].is_member && Follows(paths, path_of(all[i]), run.last) &&
             SaysOf(all[i]) == says) {
        run.last = path_of(all[i++]);
      }
      Add(paths, run, run.first == run.last ? says : absl::StrCat(says, " each"));
    }
  }

  void AddRenumbered() {
    const std::vector<Renumbered>& all = report_.diff.renumbered;
    const ModulePaths& paths_a = report_.a.paths;
    const ModulePaths& paths_b = report_.b.paths;
    for (size_t i = 0; i < all.size();) {
      const Renumbered& first = all[i++];
      ListRun run_a = {first.a, first.a};
      ListRun run_b = {first.b, first.b};
      while (i < all.size() && all[i].moved == first.moved && all[i].same == first.same &&
             Follows(paths_a, all[i].a, run_a.last) && Follows(paths_b, all[i].b, run_b.last)) {
        run_a.last = all[i].a;
        run_b.last = all[i++].b;
      }
      const std::string now = run_b.Name(paths_b);
      Add(paths_a, run_a,
          absl::StrCat(first.moved                 ? absl::StrCat("moved to ", now)
                       : run_a.first == run_a.last ? absl::StrCat("is ", now, " now")
                                                   : absl::StrCat("are ", now, " now"),
                       first.same ? ", the same" : ", changed inside"));
    }
  }

  const DiffReport& report_;
  std::vector<Line> lines_;
  std::map<std::string, size_t> known_;
};

}  // namespace

std::string WithoutNumbers(absl::string_view tag) {
  std::string text;
  bool after_separator = false;
  for (size_t i = 0; i < tag.size(); ++i) {
    const auto is_digit = [&tag](size_t at) {
      return at < tag.size() && tag[at] >= '0' && tag[at] <= '9';
    };
    size_t end = i;
    while (after_separator && is_digit(end)) ++end;
    if (end > i && (end == tag.size() || tag[end] == '.' || tag[end] == '/')) {
      text.push_back('*');
      i = end - 1;
      after_separator = false;
      continue;
    }
    text.push_back(tag[i]);
    after_separator = tag[i] == '.' || tag[i] == '/';
  }
  return text;
}

std::string ListLines(const DiffReport& report) { return Lines(report).Text(); }

}  // namespace onnx_hier
