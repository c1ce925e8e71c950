// SPDX-License-Identifier: Apache-2.0

// Doubtful owners, put to somebody who knows the network: as few questions as there are, each about
// nodes that one answer settles, in all layers that are alike.
#ifndef ONNX_HIER_PROGRAM_REVIEW_H_
#define ONNX_HIER_PROGRAM_REVIEW_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "onnx_hier/ids.h"
#include "onnx_hier/onnx_hier.h"

namespace onnx_hier {

// What is asked about if nothing else is said.
constexpr float kDoubtfulBelow = 0.9f;

struct ReviewChoice {
  // "/encoder/layer.*/attention": of modules that differ by numbers of members
  std::string module;
  std::vector<std::string> modules;  // tags, of each of the question's nodes
  float probability = 0;             // the mean of what the nodes were weighed with
};

struct ReviewQuestion {
  std::vector<NodeId> nodes;          // in graph order
  std::vector<ReviewChoice> choices;  // the likeliest first
};

struct Review {
  size_t doubtful = 0;   // nodes
  size_t followers = 0;  // of these, constants, which are where those are that read them
  std::vector<ReviewQuestion> questions;  // the largest first
};

// Of nodes whose module is less sure than `below`. The model is flat.
Review FindQuestions(const Model& model, const AnnotateOptions& options, float below);

// Smaller ones for a question with no one answer: by operator, else by where the nodes stand, else
// by halves. None: it is about one node.
std::vector<ReviewQuestion> SplitQuestion(const Graph& graph, const ReviewQuestion& question);

// What a choice means, or a module in which '*' stands for numbers as they are in the nodes' own
// choices: rules, a line for each node.
std::string RulesFor(const Graph& graph, const ReviewQuestion& question,
                     const ReviewChoice& choice);
ReviewChoice ChoiceOf(const ReviewQuestion& question, absl::string_view module);

// Just the questions, as a page asks them, without those about names that cannot be shown: a list
// as JSON.
std::string QuestionsJson(const Graph& graph, const Review& review);
// All of it, as JSON (schemas/review.schema.json).
std::string ReviewJson(const Graph& graph, const Review& review, absl::string_view file);

}  // namespace onnx_hier

#endif  // ONNX_HIER_PROGRAM_REVIEW_H_
