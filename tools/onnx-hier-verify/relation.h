// SPDX-License-Identifier: Apache-2.0

// How one model relates to another: the question of this program.
//
//   const Verdict verdict = Judge(in, out, std::nullopt);
//   verdict.relation    // Relation::kTags: only doc_strings of nodes differ
//   verdict.difference  // "" here; for kDifferent the first difference, in words
#ifndef ONNX_HIER_TOOLS_VERIFY_RELATION_H_
#define ONNX_HIER_TOOLS_VERIFY_RELATION_H_

#include <onnx/onnx_pb.h>

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "tools/onnx-hier-verify/model_file.h"

namespace onnx_hier::verify {

// The strongest first.
enum class Relation {
  kSame,    // the same message
  kTags,    // the same but for nodes' doc_strings, and metadata of ours
  kNamed,   // the same as that, and names for nodes that had none, or numbers behind shared ones
  kProbe,   // the same, and more graph outputs
  kPart,    // some of its nodes, with what they need
  kFolded,  // the same once its functions are inlined
  kDifferent,
};

absl::string_view RelationName(Relation relation);
// Nothing for a name that is none, or that of kDifferent, which nobody requires.
std::optional<Relation> RelationOf(absl::string_view name);
// Whether what is related in one way is so in the other as well.
bool Implies(Relation stronger, Relation weaker);

struct Verdict {
  Relation relation = Relation::kDifferent;
  bool holds = false;               // it is what was required, or nothing was and it is one
  std::string difference;           // why it does not hold; "" if it does
  std::set<std::string> metadata;   // keys of ours that are not the same in both
  std::vector<std::string> probes;  // graph outputs that OUT has and IN lacks, for kProbe
};

Verdict Judge(const ModelFile& in_file, const ModelFile& out_file,
              std::optional<Relation> required);

}  // namespace onnx_hier::verify

#endif  // ONNX_HIER_TOOLS_VERIFY_RELATION_H_
