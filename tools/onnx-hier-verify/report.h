// SPDX-License-Identifier: Apache-2.0

// What is said of the models that were compared: a line each for people, one object for machines.
#ifndef ONNX_HIER_TOOLS_VERIFY_REPORT_H_
#define ONNX_HIER_TOOLS_VERIFY_REPORT_H_

#include <optional>
#include <string>
#include <vector>

#include "tools/onnx-hier-verify/checker.h"
#include "tools/onnx-hier-verify/nodes.h"
#include "tools/onnx-hier-verify/relation.h"

namespace onnx_hier::verify {

// A model, in figures.
struct Figures {
  std::string file;
  NodeCounts all;      // in all graphs and functions
  int main_nodes = 0;  // of the main graph alone
  int functions = 0;
  int inputs = 0;
  int outputs = 0;
};

Figures FiguresOf(const ModelFile& file);

// What became of one OUT.
struct Result {
  Figures figures;
  Verdict verdict;
  std::optional<CheckResult> check;
  std::string error;  // why it could not be read; then nothing but the file's name is known
};

// "bert_tagged.onnx: tags: 300 nodes, the same but for doc_strings (0 in IN, 300 in OUT)"
std::string ResultLine(const Figures& in, const Result& result, std::optional<Relation> required);

std::string ResultsJson(const Figures& in, const std::vector<Result>& results);

}  // namespace onnx_hier::verify

#endif  // ONNX_HIER_TOOLS_VERIFY_REPORT_H_
