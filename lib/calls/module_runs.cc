#include "lib/calls/module_runs.h"

#include <algorithm>

#include "lib/base/hash.h"
#include "lib/calls/parameter_reads.h"

namespace onnx_hier {
namespace {

// Nodes and edges that are looked at to see whether a module was left, or feeds itself, for each of
// those of the file: many times what real models need, where a module is left soon after it ended.
constexpr uint64_t kBudget = 8;

}  // namespace

ModuleRuns::ModuleRuns(const Flow& flow, const Evidence& evidence, const ModulePaths& paths,
                       const Assignments& assignments)
    : flow_(flow),
      evidence_(evidence),
      paths_(paths),
      assignments_(assignments),
      facts_(paths.size()),
      budget_(kBudget * (flow.size() + flow.edge_count())) {
  ListNodes();
  ReadParameters();
  // Parents are made before their children. The root is what the file describes: it runs once.
  for (size_t i = paths.size(); i-- > 1;) CountByParameters(PathId(i));
  for (size_t i = 1; i < paths.size(); ++i) CountByRepetition(PathId(i));
}

// A counting sort by module.
void ModuleRuns::ListNodes() {
  const Graph& graph = flow_.graph();
  const auto each_node = [&](const auto& visit) {
    for (Place i = 0; i < flow_.size(); ++i) {
      if (graph.node(flow_.node(i)).block == graph.main_block()) visit(i, facts_[ModuleOf(i)]);
    }
  };
  each_node([](Place, Facts& facts) { ++facts.nodes.end; });
  uint32_t begin = 0;
  for (Facts& facts : facts_) {
    const uint32_t size = facts.nodes.end;
    facts.nodes = {begin, begin};
    begin += size;
  }
  nodes_.resize(begin);
  each_node([this](Place place, Facts& facts) { nodes_[facts.nodes.end++] = place; });
}

// A parameter that equal modules share after optimisation is read in other modules too: that says
// nothing about this one.
void ModuleRuns::ReadParameters() {
  FindParameterReads(
      flow_, evidence_,
      [this](PathId owner, Place place) {
        const PathId module = ModuleOf(place);
        return owner == module || paths_.Contains(owner, module) || paths_.Contains(module, owner);
      },
      [this](PathId owner, absl::Span<const Place> readers) {
        const auto begin = static_cast<uint32_t>(runs_.size());
        for (Place place : readers) runs_.push_back({place, place});
        AddSign(owner, {begin, static_cast<uint32_t>(runs_.size())});
        facts_[owner].reads = true;
      });
}

void ModuleRuns::AddSign(PathId module, Range runs) {
  signs_.push_back({runs, facts_[module].signs});
  facts_[module].signs = static_cast<uint32_t>(signs_.size());
}

void ModuleRuns::CountByParameters(PathId module) {
  Facts& facts = facts_[module];
  if (facts.signs == 0) return;
  facts.counted = true;
  const uint32_t count = UsualCount(facts);
  if (count > 1) {
    const Range runs = MergeSigns(facts, count);
    if (AreRuns(module, runs)) facts.runs = runs;
  }
  Range told = facts.runs;
  if (told.size() == 0) {
    told = signs_[facts.signs - 1].runs;
    told.end = told.begin + 1;
  }
  AddSign(paths_.parent(module), told);
}

// What most signs say; of two that are as many, the smaller.
uint32_t ModuleRuns::UsualCount(const Facts& facts) {
  if (signs_[facts.signs - 1].next == 0) return signs_[facts.signs - 1].runs.size();
  counts_.clear();
  for (uint32_t i = facts.signs; i != 0; i = signs_[i - 1].next) {
    counts_.push_back(signs_[i - 1].runs.size());
  }
  std::sort(counts_.begin(), counts_.end());
  uint32_t usual = 0;
  size_t most = 0;
  for (size_t begin = 0; begin < counts_.size();) {
    size_t end = begin + 1;
    while (end < counts_.size() && counts_[end] == counts_[begin]) ++end;
    if (end - begin > most) usual = counts_[begin];
    most = std::max(most, end - begin);
    begin = end;
  }
  return usual;
}

Range ModuleRuns::MergeSigns(const Facts& facts, uint32_t count) {
  const auto merged = static_cast<uint32_t>(runs_.size());
  runs_.resize(merged + count, {kNowhere, 0});
  for (uint32_t i = facts.signs; i != 0; i = signs_[i - 1].next) {
    const Range runs = signs_[i - 1].runs;
    if (runs.size() != count) continue;
    for (uint32_t run = 0; run < count; ++run) {
      Run& whole = runs_[merged + run];
      whole.begin = std::min(whole.begin, runs_[runs.begin + run].begin);
      whole.end = std::max(whole.end, runs_[runs.begin + run].end);
    }
  }
  return {merged, merged + count};
}

// Whether that is the module running again and again, or one run in which what it holds, or uses,
// is used again and again.
bool ModuleRuns::AreRuns(PathId module, Range runs) {
  bool left = true;
  for (uint32_t i = runs.begin + 1; i < runs.end; ++i) {
    if (runs_[i].begin <= runs_[i - 1].end) return false;
    left = left && IsLeft(module, runs_[i - 1].end, runs_[i].begin);
  }
  if (!NodesRepeat(module, runs.size())) return false;
  return facts_[module].reads || left || Feeds(module, runs_[runs.begin], runs_[runs.begin + 1]);
}

// Not whether it reads parameters or copies of them: exporters copy what is used again.
uint64_t ModuleRuns::LookAt(Place place) const {
  const NodeId node = flow_.node(place);
  return MixHash(flow_.graph().node(node).op.index(), flow_.graph().inputs(node).size());
}

// The nodes that a run of the module shows itself by. One may compute from constants alone, where
// others do the same from the graph's inputs; what always does prepares parameters.
std::vector<ModuleRuns::Shown> ModuleRuns::ShownNodes(PathId module) const {
  std::vector<Shown> shown;
  std::vector<uint64_t> computed;
  for (Place place : nodes(module)) {
    if (flow_.graph().inputs(flow_.node(place)).empty()) continue;
    shown.push_back({place, LookAt(place)});
    if (!flow_.is_constant(place)) computed.push_back(shown.back().look);
  }
  std::sort(computed.begin(), computed.end());
  const auto never_computed = [&](const Shown& node) {
    return !std::binary_search(computed.begin(), computed.end(), node.look);
  };
  shown.erase(std::remove_if(shown.begin(), shown.end(), never_computed), shown.end());
  return shown;
}

// Whether most kinds of its own nodes are there once for each run. A node that was only guessed to
// be in the module says nothing against its parameters.
bool ModuleRuns::NodesRepeat(PathId module, uint32_t count) const {
  std::vector<Shown> shown = ShownNodes(module);
  std::sort(shown.begin(), shown.end(),
            [](const Shown& a, const Shown& b) { return a.look < b.look; });
  size_t often = 0;
  size_t seldom = 0;
  for (size_t begin = 0; begin < shown.size();) {
    bool guessed = false;
    size_t end = begin;
    for (; end < shown.size() && shown[end].look == shown[begin].look; ++end) {
      guessed |= !evidence_.nodes[flow_.node(shown[end].place)].place.valid();
    }
    if (end - begin >= count) {
      ++often;
    } else if (!guessed || !facts_[module].reads) {
      ++seldom;
    }
    begin = end;
  }
  return often >= seldom;
}

// Whether something outside the module runs between two of its nodes.
bool ModuleRuns::IsLeft(PathId module, Place from, Place to) {
  const uint32_t constants = flow_.constants_before(to) - flow_.constants_before(from + 1);
  if (to - from - 1 == constants) return false;
  for (Place i = from + 1; i < to; ++i) {
    if (budget_ == 0) return false;
    --budget_;
    if (!flow_.is_constant(i) && !paths_.Contains(module, ModuleOf(i))) return true;
  }
  return false;
}

// Whether the next run computes from the one before it.
bool ModuleRuns::Feeds(PathId module, const Run& run, const Run& next) {
  const Place span = next.end - run.begin + 1;
  if (budget_ < span) return false;
  std::vector<bool> reached(span);
  for (Place i = run.begin; i <= next.end; ++i) {
    const uint64_t looks = 1 + flow_.producers(i).size();
    if (budget_ < looks) return false;
    budget_ -= looks;
    const bool inside = paths_.Contains(module, ModuleOf(i));
    bool fed = i <= run.end && inside;
    for (const Flow::Edge& edge : flow_.producers(i)) {
      fed = fed || (edge.place >= run.begin && reached[edge.place - run.begin]);
    }
    if (fed && inside && i >= next.begin) return true;
    reached[i - run.begin] = fed && !flow_.is_constant(i);
  }
  return false;
}

// Whether a node does to the last one's result just what that did: one operator, used twice.
bool ModuleRuns::DoesAgain(Place last, Place place) const {
  const Node& a = flow_.graph().node(flow_.node(last));
  const Node& b = flow_.graph().node(flow_.node(place));
  const absl::Span<const Flow::Edge> producers = flow_.producers(place);
  return a.op == b.op && a.attribute_hash == b.attribute_hash && a.inputs.size() == 1 &&
         b.inputs.size() == 1 && producers.size() == 1 && producers[0].place == last;
}

// A module without parameters runs in each run of the module around it, and again whenever it was
// left and all its operators come again.
void ModuleRuns::CountByRepetition(PathId module) {
  Facts& facts = facts_[module];
  if (facts.counted || facts.nodes.size() < 2) return;
  const std::vector<Shown> shown = ShownNodes(module);
  PathId around = paths_.parent(module);
  while (around.valid() && facts_[around].runs.size() == 0) around = paths_.parent(around);
  const Range outer = around.valid() ? facts_[around].runs : Range();
  const auto first = static_cast<uint32_t>(runs_.size());
  if (outer.size() == 0) {
    AddRepeats(module, shown);
  } else {
    const auto run_of = [&](size_t i) { return NearestRun(Slice(runs_, outer), shown[i].place); };
    for (size_t begin = 0; begin < shown.size();) {
      size_t end = begin + 1;
      while (end < shown.size() && run_of(end) == run_of(begin)) ++end;
      AddRepeats(module, absl::MakeConstSpan(shown).subspan(begin, end - begin));
      begin = end;
    }
  }
  const auto last = static_cast<uint32_t>(runs_.size());
  if (last - first > 1) facts.runs = {first, last};
}

// Appends the runs that the nodes, all in one run of the module around, stand in.
void ModuleRuns::AddRepeats(PathId module, absl::Span<const Shown> nodes) {
  if (nodes.empty()) return;
  std::vector<uint64_t> looks;
  for (const Shown& node : nodes) looks.push_back(node.look);
  std::sort(looks.begin(), looks.end());
  bool all_again = nodes.size() > 1;
  for (size_t i = 0; i < looks.size(); ++i) {
    all_again = all_again && ((i > 0 && looks[i] == looks[i - 1]) ||
                              (i + 1 < looks.size() && looks[i] == looks[i + 1]));
  }
  const uint64_t first = nodes[0].look;
  runs_.push_back({nodes[0].place, nodes[0].place});
  for (size_t i = 1; i < nodes.size(); ++i) {
    const Place last = nodes[i - 1].place;
    const Place place = nodes[i].place;
    if (all_again && nodes[i].look == first &&
        (IsLeft(module, last, place) || DoesAgain(last, place))) {
      runs_.push_back({place, place});
    }
    runs_.back().end = place;
  }
}

uint32_t ModuleRuns::NearestRun(absl::Span<const Run> runs, Place place) {
  const auto next = std::upper_bound(runs.begin(), runs.end(), place,
                                     [](Place p, const Run& run) { return p < run.begin; });
  if (next == runs.begin()) return 0;
  const auto before = static_cast<uint32_t>(next - runs.begin()) - 1;
  if (next == runs.end() || place <= runs[before].end) return before;
  return next->begin - place < place - runs[before].end ? before + 1 : before;
}

std::vector<uint32_t> ModuleRuns::RunsOfNodes(PathId module) const {
  const absl::Span<const Run> runs = of(module);
  const absl::Span<const Place> places = nodes(module);
  std::vector<std::pair<uint64_t, uint32_t>> sorted;
  std::vector<uint32_t> result;
  for (uint32_t i = 0; i < places.size(); ++i) {
    sorted.emplace_back(LookAt(places[i]), i);
    result.push_back(NearestRun(runs, places[i]));
  }
  std::sort(sorted.begin(), sorted.end());
  // A node between two runs is in the one that has no such node yet.
  for (size_t begin = 0; begin < sorted.size();) {
    size_t end = begin + 1;
    while (end < sorted.size() && sorted[end].first == sorted[begin].first) ++end;
    const size_t each = (end - begin) / runs.size();
    for (size_t i = begin; i < end && each * runs.size() == end - begin; ++i) {
      uint32_t& run = result[sorted[i].second];
      const Place place = places[sorted[i].second];
      const auto usual = static_cast<uint32_t>((i - begin) / each);
      const bool before = usual + 1 == run && place < runs[run].begin;
      const bool behind = usual == run + 1 && place > runs[run].end;
      if (before || behind) run = usual;
    }
    begin = end;
  }
  return result;
}

}  // namespace onnx_hier
