#include "tools/fit-weights/joins.h"

#include <algorithm>
#include <array>
#include <map>

#include "absl/strings/str_format.h"
#include "lib/features/residual.h"

namespace onnx_hier::fit {
namespace {

struct Tally {
  size_t joins = 0, cross = 0;
  std::array<size_t, 4> result{};
};

// What the rules that are compared say of one join; none: nothing.
struct Answers {
  PathId consumer, consuming_layer, neighbours, branch, order, combined;
};

class JoinScene {
 public:
  JoinScene(Scene& scene, Rank join, const KnownModules& known)
      : scene_(scene), flow_(scene.flow()), join_(join), known_(known) {
    known_.Reopen(join);
  }

  Answers Ask() const {
    const ModulePaths& paths = scene_.paths;
    const Context context(*scene_.analysis, scene_.evidence, known_, paths);
    ResidualOwners owners(context);
    Answers answers;
    for (const Flow::Edge& edge : flow_.consumers(join_)) {
      if (!answers.consumer.valid()) answers.consumer = known_[edge.rank];
      Join(known_[edge.rank], answers.neighbours);
    }
    for (const Flow::Edge& edge : flow_.producers(join_))
      Join(known_[edge.rank], answers.neighbours);
    answers.consuming_layer = LayerOf(answers.consumer);
    answers.branch = owners.OwnerOf(join_);
    const Rank before = context.surroundings.previous(join_);
    const Rank after = context.surroundings.next(join_);
    if (before.valid() && after.valid()) {
      answers.order = paths.CommonAncestor(known_[before], known_[after]);
    }
    answers.combined = ResidualRule(answers.branch, answers.order, paths);
    return answers;
  }

 private:
  void Join(PathId path, PathId& common) const {
    if (!path.valid()) return;
    common = common.valid() ? scene_.paths.CommonAncestor(common, path) : path;
  }

  // Up to its outermost number.
  PathId LayerOf(PathId path) const {
    PathId layer = path;
    for (PathId at = path; at.valid(); at = scene_.paths.parent(at)) {
      if (at != scene_.paths.root() && scene_.paths.is_number(at)) layer = at;
    }
    return layer;
  }

  const Scene& scene_;
  const Flow& flow_;
  Rank join_;
  KnownModules known_;
};

// Whether anything between the join and its dominator reads a weight.
bool SkipsWeights(const Flow& flow, const Dominators& dominators, Rank join) {
  const Graph& graph = flow.graph();
  std::vector<Rank> stack = {join};
  IdSet<Rank> seen(flow.size());
  while (!stack.empty()) {
    const Rank at = stack.back();
    stack.pop_back();
    for (const Flow::Edge& edge : flow.producers(at)) {
      if (edge.rank <= dominators.dominator(join) || seen.Has(edge.rank)) continue;
      seen.Add(edge.rank);
      stack.push_back(edge.rank);
      for (ValueId value : graph.inputs(flow.node(edge.rank))) {
        if (value.valid() && graph.value(value).kind == ValueKind::kInitializer &&
            graph.dims(graph.value(value).tensor).size() >= 2) {
          return true;
        }
      }
    }
  }
  return false;
}

}  // namespace

std::string CompareJoinRules(const std::vector<KnownExport>& exports) {
  std::map<std::string, Tally> tallies;
  for (const KnownExport& source : exports) {
    Scene scene = MakeScene(source, 0, 1, 0);
    const KnownModules known = scene.Known();
    const Dominators& dominators = scene.analysis->dominators();
    for (Rank join : scene.flow().ranks()) {
      const NodeId node = scene.flow().node(join);
      const std::vector<PathId>& owners = scene.owners[node.index()];
      if (!dominators.is_skip_join(join) || owners.empty() ||
          scene.flow().graph().op(node).type != "Add" ||
          !SkipsWeights(scene.flow(), dominators, join)) {
        continue;
      }
      const Answers answers = JoinScene(scene, join, known).Ask();
      const auto judge = [&](const char* rule, PathId answer) {
        Tally& tally = tallies[rule];
        bool cross = false;
        const PathId said = answer.valid() ? answer : scene.paths.root();
        ++tally.result[static_cast<size_t>(Compare(said, owners, scene.paths, &cross))];
        ++tally.joins;
        tally.cross += cross;
      };
      judge("1 module of the reader", answers.consumer);
      judge("2 layer of the reader", answers.consuming_layer);
      judge("3 common ancestor of neighbours", answers.neighbours);
      judge("4 common ancestor in file order", answers.order);
      judge("5 owner of the branch", answers.branch);
      judge("6 deeper of 4 and 5", answers.combined);
    }
  }
  std::string text = absl::StrFormat("%-34s %6s %6s %6s %6s %6s %5s\n", "rule", "joins", "exact",
                                     "ances", "deeper", "wrong", "cross");
  for (const auto& [rule, tally] : tallies) {
    const auto percent = [&tally = tally](Verdict verdict) {
      return 100.0 * static_cast<double>(tally.result[static_cast<size_t>(verdict)]) /
             static_cast<double>(tally.joins);
    };
    absl::StrAppendFormat(&text, "%-34s %6d %6.1f %6.1f %6.1f %6.1f %5d\n", rule, tally.joins,
                          percent(Verdict::kExact), percent(Verdict::kAncestor),
                          percent(Verdict::kDeeper), percent(Verdict::kWrong), tally.cross);
  }
  return text;
}

}  // namespace onnx_hier::fit
