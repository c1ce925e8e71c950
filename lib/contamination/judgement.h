// The trial as its witnesses see it, and what they may say.
//
// Witnesses come in two kinds. Names and parameters are believed alone: a node for which one of
// them speaks is settled. The others (twins, order, neighbours) compare a node with nodes around
// it, whose tags may be wrong as well: they are heard in rounds, on the tags as repaired so far,
// and must agree or be sure.
#ifndef ONNX_HIER_LIB_CONTAMINATION_JUDGEMENT_H_
#define ONNX_HIER_LIB_CONTAMINATION_JUDGEMENT_H_

#include <vector>

#include "lib/contamination/findings.h"
#include "lib/contamination/siblings.h"
#include "lib/contamination/statements.h"
#include "lib/contamination/tags.h"
#include "onnx_hier/graph.h"
#include "onnx_hier/ids.h"

namespace onnx_hier {

struct Trial {
  const Graph& graph;
  const Siblings& siblings;
  IdVector<NodeId, PathId> tags;  // the primary tags, as repaired so far; none: no tag
};

// What one witness says of one node.
struct Proposal {
  NodeId node;
  FindingKind kind = FindingKind::kCrossLayer;
  PathId expected;
  TagWitness witness = TagWitness::kName;
  float confidence = 0;
};

// What names and parameters settle.
struct Verdicts {
  IdVector<NodeId, char> settled;  // innocent or guilty, but not open to the other witnesses
  std::vector<Finding> findings;
};

// Tags that are instance names ("/encoder/layer.0"): compared with the scopes in names, then with
// the modules of parameters. New paths may be added to `paths`.
void JudgePathTags(const Trial& trial, const IdVector<NodeId, NodeStatements>& statements,
                   ModulePaths& paths, Verdicts& verdicts);

// The same for tags that are class names, of nodes in modules whose classes are known.
void JudgeByKnownClasses(const Trial& trial, const IdVector<NodeId, NodeStatements>& statements,
                         ModulePaths& paths, Verdicts& verdicts);

// Tags that are class names ("/BertModel/BertEncoder/BertLayer.0"): which number in a name stands
// for which number in a tag, and which tag goes with which name, is learned from the
// file itself; after JudgeByKnownClasses.
void JudgeClassTags(const Trial& trial, const IdVector<NodeId, NodeStatements>& statements,
                    ModulePaths& paths, Verdicts& verdicts);

// Where the resolver puts the nodes, in the form that the tags have.
struct FreshTags {
  IdVector<NodeId, PathId> places;
  IdVector<NodeId, float> confidences;
};
// For tags that are instance names. New paths may be added to `paths`.
FreshTags ResolveFresh(const Trial& trial, const Evidence& evidence, ModulePaths& paths);
// A witness that compares: a node that would be tagged with another layer.
void AskFresh(const Trial& trial, const ModulePaths& paths, const FreshTags& fresh,
              std::vector<Proposal>& proposals);

// Another: a node of which all neighbours are in one other layer; of nodes that are not
// settled.
void AskNeighbours(const Trial& trial, const ModulePaths& paths,
                   const IdVector<NodeId, char>& settled, std::vector<Proposal>& proposals);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_CONTAMINATION_JUDGEMENT_H_
