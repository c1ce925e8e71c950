// SPDX-License-Identifier: Apache-2.0
#include "tools/onnx-hier/review_model.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "onnx_hier/user_rules.h"
#include "onnx_hier_program/review.h"
#include "onnx_hier_program/tasks.h"
#include "onnx_hier_program/text.h"
#include "tools/cli/terminal.h"
#include "tools/onnx-hier/commands.h"
#include "tools/onnx-hier/write_flags.h"

namespace onnx_hier::cli {
namespace {

constexpr size_t kShownNodes = 8;

bool IsTerminal() { return isatty(STDIN_FILENO) != 0 && isatty(STDOUT_FILENO) != 0; }

class Reviewer {
 public:
  Reviewer(const Model& model, std::string rules_file, std::string rules_text,
           AnnotateOptions options, float below)
      : model_(model),
        file_(std::move(rules_file)),
        text_(std::move(rules_text)),
        options_(std::move(options)),
        below_(below) {}

  absl::StatusOr<int> Ask() {
    absl::Status status = Find();
    if (!status.ok()) return status;
    Print(absl::StrCat(Counted(review_.doubtful, "node"), " less sure than ",
                       absl::StrFormat("%.2g", below_), ", ", review_.followers,
                       " of them constants that follow others; ",
                       Counted(waiting_.size(), "question"), "\n"));
    while (!waiting_.empty() && !is_done_) {
      const ReviewQuestion question = std::move(waiting_.front());
      waiting_.erase(waiting_.begin());
      status = AskOne(question);
      if (!status.ok()) return status;
    }
    Print(absl::StrCat("\n", Counted(answers_, "answer"), ", ", Counted(placed_, "node"), " placed",
                       placed_ == 0 ? "" : absl::StrCat(": ", SafeForTerminal(file_)), "\n"));
    return waiting_.empty() && skipped_.empty() ? kDone : kFound;
  }

 private:
  // What is to be asked by the rules so far.
  absl::Status Find() {
    absl::StatusOr<UserRules> rules = ReadUserRules(text_, FileName(file_));
    if (!rules.ok()) return Named(InputName(file_), rules.status());
    options_.rules = std::make_shared<const UserRules>(*std::move(rules));
    review_ = FindQuestions(model_, options_, below_);
    waiting_ = review_.questions;
    std::erase_if(waiting_, [this](const ReviewQuestion& question) {
      return std::all_of(question.nodes.begin(), question.nodes.end(),
                         [this](NodeId node) { return skipped_.contains(node); });
    });
    return absl::OkStatus();
  }

  absl::Status AskOne(const ReviewQuestion& question) {
    Show(question, kShownNodes);
    std::string line;
    while (true) {
      Print("number, module ('*': its own number), s(plit), l(ist), n(ext), q(uit): ");
      if (!std::getline(std::cin, line)) line = "q";
      const std::string word(absl::StripAsciiWhitespace(line));
      size_t number = 0;
      if (word == "q" || word == "quit") {
        is_done_ = true;
        waiting_.insert(waiting_.begin(), question);
        return absl::OkStatus();
      }
      if (word == "n" || word == "next") {
        skipped_.insert(question.nodes.begin(), question.nodes.end());
        return absl::OkStatus();
      }
      if (word == "l" || word == "list") {
        Show(question, question.nodes.size());
      } else if (word == "s" || word == "split") {
        std::vector<ReviewQuestion> parts = SplitQuestion(model_.graph(), question);
        if (parts.empty()) {
          Print("it is about one node\n");
          continue;
        }
        waiting_.insert(waiting_.begin(), std::make_move_iterator(parts.begin()),
                        std::make_move_iterator(parts.end()));
        return absl::OkStatus();
      } else if (absl::SimpleAtoi(word, &number) && number >= 1 &&
                 number <= question.choices.size()) {
        return Take(question, question.choices[number - 1]);
      } else if (absl::StrContains(word, '/') || absl::StrContains(word, '.')) {
        return Take(question, ChoiceOf(question, word));
      } else {
        Print("that is none of these\n");
      }
    }
  }

  void Show(const ReviewQuestion& question, size_t most) const {
    const Graph& graph = model_.graph();
    std::string text = absl::StrCat("\n", Counted(question.nodes.size(), "node"), "\n");
    for (size_t i = 0; i < std::min(most, question.nodes.size()); ++i) {
      const NodeId node = question.nodes[i];
      absl::StrAppend(&text, "    ", graph.NodePath(node), " ",
                      SafeForTerminal(graph.op(node).type), " ",
                      SafeForTerminal(graph.node(node).name, kLongestShownName), "  (",
                      SafeForTerminal(question.choices[0].modules[i]), ")\n");
    }
    if (question.nodes.size() > most) {
      absl::StrAppend(&text, "    and ", question.nodes.size() - most, " more\n");
    }
    for (size_t i = 0; i < question.choices.size(); ++i) {
      const ReviewChoice& choice = question.choices[i];
      absl::StrAppend(&text, "  ", i + 1, "  ", SafeForTerminal(choice.module),
                      absl::StrFormat("  %.3f\n", choice.probability));
    }
    Print(text);
  }

  absl::Status Take(const ReviewQuestion& question, const ReviewChoice& choice) {
    if (!text_.empty() && text_.back() != '\n') text_.push_back('\n');
    text_ += RulesFor(model_.graph(), question, choice);
    ++answers_;
    placed_ += question.nodes.size();
    WriteOptions options;
    options.replace = true;
    absl::Status status =
        Write(model_, {{Document("rules", text_), Destination::File(file_)}}, options);
    if (!status.ok()) return Named(OutputName(file_), status);
    // Parts of a question that was split come before what the answer may have made of the others.
    const std::vector<ReviewQuestion> parts = std::move(waiting_);
    status = Find();
    if (status.ok()) KeepParts(parts);
    return status;
  }

  // Of earlier questions those whose nodes are all in doubt still, and in none of the new ones as
  // they are: parts of what is asked as a whole now.
  void KeepParts(const std::vector<ReviewQuestion>& earlier) {
    for (size_t i = earlier.size(); i-- > 0;) {
      const ReviewQuestion& part = earlier[i];
      const auto holds_part = [&part](const ReviewQuestion& question) {
        return question.nodes.size() > part.nodes.size() &&
               std::includes(question.nodes.begin(), question.nodes.end(), part.nodes.begin(),
                             part.nodes.end());
      };
      const auto whole = std::find_if(waiting_.begin(), waiting_.end(), holds_part);
      if (whole == waiting_.end()) continue;
      ReviewQuestion rest = *whole;
      Remove(part, rest);
      *whole = std::move(rest);
      waiting_.insert(waiting_.begin(), part);
    }
  }
  static void Remove(const ReviewQuestion& part, ReviewQuestion& from) {
    for (size_t i = from.nodes.size(); i-- > 0;) {
      if (!std::binary_search(part.nodes.begin(), part.nodes.end(), from.nodes[i])) continue;
      from.nodes.erase(from.nodes.begin() + static_cast<ptrdiff_t>(i));
      for (ReviewChoice& choice : from.choices) {
        choice.modules.erase(choice.modules.begin() + static_cast<ptrdiff_t>(i));
      }
    }
  }

  const Model& model_;
  const std::string file_;
  std::string text_;  // of the rules
  AnnotateOptions options_;
  const float below_;
  Review review_;
  std::vector<ReviewQuestion> waiting_;
  absl::flat_hash_set<NodeId> skipped_;
  size_t answers_ = 0;
  size_t placed_ = 0;
  bool is_done_ = false;
};

}  // namespace

absl::StatusOr<int> ReviewModel(const std::string& path, const ParsedFlags& flags,
                                AnnotateOptions options) {
  const Weights weights = options.checkpoint == nullptr ? Weights::kZeros : Weights::kCopied;
  const absl::StatusOr<Model> model = OpenFlatModel(path, weights, options.threads);
  if (!model.ok()) return model.status();
  std::vector<std::string> warnings;
  absl::StatusOr<AnnotateOptions> named = OptionsFor(*model, path, std::move(options), warnings);
  if (!named.ok()) return named.status();
  options = *std::move(named);
  WarnOf(warnings, flags);
  float below = kDoubtfulBelow;
  if (flags.Has("below")) {
    const absl::StatusOr<float> asked = ParseProbability(flags, "below");
    if (!asked.ok()) return asked.status();
    below = *asked;
  }
  const std::string file = flags.Has("rules") ? flags.Value("rules")
                           : path == "-"      ? "review.rules"
                                              : absl::StrCat(Stem(path), ".rules");
  std::string text;
  if (flags.Has("rules") || std::filesystem::exists(file)) {
    absl::StatusOr<std::string> read = ReadText(file);
    if (!read.ok()) return read.status();
    text = *std::move(read);
    absl::StatusOr<UserRules> rules = ReadUserRules(text, FileName(file));
    if (!rules.ok()) return Named(InputName(file), rules.status());
    options.rules = std::make_shared<const UserRules>(*std::move(rules));
  }
  if (!flags.Has("json") && IsTerminal() && path != "-") {
    return Reviewer(*model, file, std::move(text), std::move(options), below).Ask();
  }
  const Review review = FindQuestions(*model, options, below);
  const int printed = PrintOrFail(ReviewJson(model->graph(), review, FileName(path)));
  return printed == kDone && !review.questions.empty() ? kFound : printed;
}

}  // namespace onnx_hier::cli
