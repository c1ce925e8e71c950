// SPDX-License-Identifier: Apache-2.0
#include "lib/owners/walk_facts.h"

#include <algorithm>
#include <iterator>
#include <string>

#include "absl/container/inlined_vector.h"
#include "absl/strings/ascii.h"
#include "absl/strings/string_view.h"
#include "lib/base/hash.h"
#include "lib/graph/parameter_parts.h"
#include "lib/graph/weight.h"

namespace onnx_hier {
namespace {

// Nearest anchors that are kept of a node, the nearest ones.
constexpr size_t kMostAnchors = 12;
// A branch of more anchors is none that tells where a module ends.
constexpr size_t kMostAnchorsOfBranch = 256;
// A tensor of no more elements is an index, a shape or a number.
constexpr uint64_t kFewElements = 8;

struct NamedKind {
  absl::string_view type;
  OpKind kind;
};

// What does the like has one number; operators without a row share the last one.
constexpr OpKind kOther = 63;
constexpr OpKind kSmallKinds = 64;  // added to the kind of a small node
// In the order of their names.
constexpr NamedKind kKinds[] = {{"Abs", 9},
                                {"Add", 15},
                                {"And", 8},
                                {"ArgMax", 10},
                                {"AveragePool", 3},
                                {"BatchNormalization", 2},
                                {"BiasGelu", 1},
                                {"Cast", 34},
                                {"Ceil", 9},
                                {"Celu", 1},
                                {"Clip", 1},
                                {"Concat", 31},
                                {"Constant", 42},
                                {"ConstantOfShape", 44},
                                {"Conv", 5},
                                {"ConvTranspose", 5},
                                {"Cos", 9},
                                {"CumSum", 10},
                                {"DepthToSpace", 4},
                                {"DequantizeLinear", 13},
                                {"Div", 18},
                                {"Dropout", 14},
                                {"Einsum", 47},
                                {"Elu", 1},
                                {"Equal", 8},
                                {"Erf", 1},
                                {"Exp", 9},
                                {"Expand", 29},
                                {"FastGelu", 1},
                                {"Flatten", 26},
                                {"Floor", 9},
                                {"FusedConv", 5},
                                {"FusedGemm", 6},
                                {"FusedMatMul", 48},
                                {"GRU", 7},
                                {"Gather", 33},
                                {"GatherElements", 10},
                                {"GatherND", 10},
                                {"Gelu", 1},
                                {"Gemm", 6},
                                {"GlobalAveragePool", 3},
                                {"GlobalMaxPool", 3},
                                {"Greater", 8},
                                {"GreaterOrEqual", 8},
                                {"GroupNormalization", 2},
                                {"HardSigmoid", 1},
                                {"HardSwish", 1},
                                {"Identity", 14},
                                {"If", 12},
                                {"InstanceNormalization", 2},
                                {"LSTM", 7},
                                {"LayerNormalization", 2},
                                {"LeakyRelu", 1},
                                {"Less", 8},
                                {"LessOrEqual", 8},
                                {"Log", 9},
                                {"LogSoftmax", 23},
                                {"Loop", 12},
                                {"LpNormalization", 2},
                                {"MatMul", 21},
                                {"Max", 36},
                                {"MaxPool", 3},
                                {"Min", 37},
                                {"Mish", 1},
                                {"Mul", 16},
                                {"Neg", 9},
                                {"NonMaxSuppression", 10},
                                {"NonZero", 10},
                                {"Not", 8},
                                {"OneHot", 10},
                                {"Or", 8},
                                {"PRelu", 1},
                                {"Pad", 46},
                                {"Pow", 19},
                                {"QuantizeLinear", 13},
                                {"QuickGelu", 1},
                                {"RMSNormalization", 2},
                                {"RNN", 7},
                                {"Range", 45},
                                {"Reciprocal", 9},
                                {"ReduceL2", 41},
                                {"ReduceMax", 40},
                                {"ReduceMean", 38},
                                {"ReduceSum", 39},
                                {"Relu", 1},
                                {"ReorderInput", 11},
                                {"ReorderOutput", 11},
                                {"Reshape", 25},
                                {"Resize", 4},
                                {"Round", 9},
                                {"Scan", 12},
                                {"ScatterElements", 10},
                                {"ScatterND", 10},
                                {"Selu", 1},
                                {"Shape", 43},
                                {"Sigmoid", 1},
                                {"Sign", 9},
                                {"SimplifiedLayerNormalization", 2},
                                {"Sin", 9},
                                {"SkipLayerNormalization", 2},
                                {"Slice", 32},
                                {"Softmax", 22},
                                {"Softplus", 1},
                                {"SpaceToDepth", 4},
                                {"Split", 14},
                                {"Sqrt", 20},
                                {"Squeeze", 27},
                                {"Sub", 17},
                                {"Tanh", 1},
                                {"Tile", 30},
                                {"TopK", 10},
                                {"Transpose", 24},
                                {"Trilu", 10},
                                {"Unsqueeze", 28},
                                {"Upsample", 4},
                                {"Where", 35}};

OpKind KindOf(absl::string_view type) {
  const auto* const row = std::lower_bound(
      std::begin(kKinds), std::end(kKinds), type,
      [](const NamedKind& kind, absl::string_view name) { return kind.type < name; });
  return row == std::end(kKinds) || row->type != type ? kOther : row->kind;
}

// Without what counts.
uint64_t HashWithoutNumbers(absl::string_view name) {
  std::string letters;
  for (const char c : name) {
    if (!absl::ascii_isdigit(c)) {
      letters += c;
    } else if (letters.empty() || letters.back() != '#') {
      letters += '#';
    }
  }
  return HashBytes(letters);
}

bool IsShapeOperator(absl::string_view type) {
  return type == "Shape" || type == "Size" || type == "Constant" || type == "ConstantOfShape";
}

}  // namespace

Walk::Facts::Facts(const Context& context)
    : context_(context),
      flow_(context.flow),
      anchors_(flow_.size()),
      small_(flow_.size()),
      pure_(flow_.size()),
      outputs_(flow_.size()),
      again_(flow_.size()),
      kinds_(flow_.size()),
      operators_(flow_.size()),
      weights_(flow_.size()),
      places_(flow_.size()),
      branches_(flow_.size()),
      parameters_(context.paths.size()),
      signatures_(context.paths.size()),
      names_(context.paths.size()),
      complete_(context.paths.size()) {
  ReadParameters();
  SignModules();
  FindSmall();
  FindAnchors();
  FindNeighbours();
  FindBranches();
}

void Walk::Facts::ReadParameters() {
  const Graph& graph = flow_.graph();
  for (ValueId value : graph.value_ids()) {
    const PathId owner = context_.evidence.value_owners[value];
    if (!owner.valid()) continue;
    const TensorId tensor = HeldTensor(graph, value);
    const uint64_t dimensions = tensor.valid() ? graph.dims(tensor).size() : 0;
    parameters_[owner].emplace_back(HashBytes(LeafOfParameterName(graph.value(value).name)),
                                    dimensions);
  }
  for (auto& of_module : parameters_) std::sort(of_module.begin(), of_module.end());
}

// Paths come after those around them: children are complete before their parent is signed.
void Walk::Facts::SignModules() {
  const ModulePaths& paths = context_.paths;
  IdVector<PathId, std::vector<uint64_t>> children(paths.size());
  for (size_t i = paths.size(); i-- > 0;) {
    const PathId path(static_cast<uint32_t>(i));
    names_[path] = HashWithoutNumbers(paths.name(path));
    uint64_t signature = MixParameters(path, 0);
    std::vector<uint64_t>& kids = children[path];
    std::sort(kids.begin(), kids.end());
    kids.erase(std::unique(kids.begin(), kids.end()), kids.end());
    for (uint64_t kid : kids) signature = MixHash(signature, kid + 1);
    signatures_[path] = signature;
    kids = {};
    if (path == paths.root()) continue;
    const uint64_t name = paths.is_number(path) ? 1 : HashBytes(paths.name(path));
    children[paths.parent(path)].push_back(MixHash(name, signature));
  }
}

void Walk::Facts::FindSmall() {
  const Graph& graph = flow_.graph();
  IdSet<ValueId> given_out(graph.value_count());
  for (ValueId value : graph.outputs(graph.main_block())) {
    if (value.valid()) given_out.Add(value);
  }
  for (Rank rank : flow_.ranks()) {
    const NodeId node = flow_.node(rank);
    const absl::string_view type = graph.op(node).type;
    bool reads_small = false;
    bool all_small = true;  // and numbers
    bool all_known = true;  // before anything runs
    for (ValueId input : graph.inputs(node)) {
      if (!input.valid()) continue;
      const Value& value = graph.value(input);
      if (value.producer.valid()) {
        const Rank maker = flow_.rank(value.producer);
        const bool is_small = maker < rank && small_.Has(maker);
        reads_small = reads_small || is_small;
        all_small = all_small && is_small;
        all_known = all_known && (is_small || (maker < rank && pure_.Has(maker)));
      } else if (value.kind == ValueKind::kInitializer) {
        const bool is_number = !context_.evidence.value_owners[input].valid() &&
                               graph.tensor(value.tensor).elements <= kFewElements;
        all_small = all_small && is_number;
        if (!context_.evidence.value_owners[input].valid() && !is_number) {
          weights_[rank] = static_cast<uint8_t>(
              std::min<size_t>(1 + graph.dims(value.tensor).size(), kWorkedOut - 1));
        }
      } else {
        all_small = all_known = false;
      }
    }
    for (ValueId input : graph.inputs(node)) {
      if (!input.valid() || !graph.value(input).producer.valid()) continue;
      const Rank maker = flow_.rank(graph.value(input).producer);
      if (maker < rank && pure_.Has(maker)) weights_[rank] = kWorkedOut;
    }
    const bool is_small =
        IsShapeOperator(type) || (type == "Range" && all_small) || (all_small && reads_small);
    if (is_small) {
      small_.Add(rank);
    } else if (all_known && !graph.inputs(node).empty()) {
      pure_.Add(rank);
    }
    for (ValueId output : graph.outputs(node)) {
      if (output.valid() && given_out.Has(output)) outputs_.Add(rank);
    }
    kinds_[rank] = static_cast<OpKind>(KindOf(type) + (is_small ? kSmallKinds : 0));
    operators_[rank] = HashBytes(type);
  }
}

void Walk::Facts::FindAnchors() {
  const Graph& graph = flow_.graph();
  IdSet<ValueId> read(graph.value_count());
  for (Rank rank : flow_.ranks()) {
    const PathId known = context_.known[rank];
    if (!known.valid() || flow_.is_constant(rank)) continue;
    anchors_[rank] = known;
    places_[rank] = static_cast<uint32_t>(order_.size());
    order_.push_back(rank);
    bool is_first = false;
    bool reads_any = false;
    for (ValueId input : graph.inputs(flow_.node(rank))) {
      if (!input.valid() || !context_.evidence.value_owners[input].valid()) continue;
      reads_any = true;
      if (read.Has(input)) continue;
      read.Add(input);
      is_first = true;
      for (PathId path = context_.evidence.value_owners[input]; path.valid();
           path = context_.paths.parent(path)) {
        complete_[path] = rank;
      }
    }
    if (reads_any && !is_first) again_.Add(rank);
  }
}

void Walk::Facts::FindNeighbours() {
  using Near = absl::InlinedVector<Rank, kMostAnchors>;
  // A rank behind all stands for the graph's inputs and outputs.
  const Rank edge(static_cast<uint32_t>(flow_.size()));
  IdVector<Rank, Near> near(flow_.size());
  // Of the nodes next to one on a side: those of them that are anchors, or what is near these.
  const auto gather = [&](Rank rank, absl::Span<const Flow::Edge> side, bool is_at_edge) -> Near& {
    Near& of = near[rank];
    of.clear();
    for (const Flow::Edge& next : side) {
      if (is_anchor(next.rank)) {
        of.push_back(next.rank);
      } else {
        of.insert(of.end(), near[next.rank].begin(), near[next.rank].end());
      }
    }
    if (is_at_edge) of.push_back(edge);
    std::sort(of.begin(), of.end());
    of.erase(std::unique(of.begin(), of.end()), of.end());
    return of;
  };
  const auto modules = [&](Grouped<Rank, PathId>& to) {
    for (const Near& of : near) {
      for (Rank rank : of) to.Add(rank == edge ? PathId() : anchors_[rank]);
      to.Close();
    }
  };
  for (Rank rank : flow_.ranks()) {
    Near& of = gather(rank, flow_.producers(rank), !is_small(rank) && flow_.reads_input(rank));
    if (of.size() > kMostAnchors) of.erase(of.begin(), of.end() - kMostAnchors);
  }
  modules(sources_);
  for (size_t i = flow_.size(); i-- > 0;) {
    const Rank rank(static_cast<uint32_t>(i));
    Near& of = gather(rank, flow_.consumers(rank), is_output(rank));
    if (of.size() > kMostAnchors) of.resize(kMostAnchors);
  }
  modules(readers_);
}

// From the last node on: of the joins that are met, the latest whose branch has not begun yet.
void Walk::Facts::FindBranches() {
  std::vector<Branch> open;
  for (size_t i = flow_.size(); i-- > 0;) {
    const Rank rank(static_cast<uint32_t>(i));
    while (!open.empty() && rank <= open.back().begin) open.pop_back();
    const Rank begin = context_.dominators.dominator(rank);
    if (begin.valid() && context_.dominators.is_skip_join(rank)) {
      open.push_back({begin, rank, ModuleBetween(begin, rank)});
    }
    if (!open.empty()) branches_[rank] = open.back();
  }
}

PathId Walk::Facts::ModuleBetween(Rank begin, Rank join) const {
  const auto first = std::upper_bound(order_.begin(), order_.end(), begin);
  const auto last = std::lower_bound(first, order_.end(), join);
  if (static_cast<size_t>(last - first) > kMostAnchorsOfBranch) return context_.paths.root();
  PathId module;
  for (auto at = first; at != last; ++at) module = context_.paths.Join(module, anchors_[*at]);
  return module;
}

Rank Walk::Facts::last_reader(Rank rank) const {
  const absl::Span<const Flow::Edge> readers = flow_.consumers(rank);
  return readers.empty() ? Rank() : readers.back().rank;
}

bool Walk::Facts::is_list(PathId path) const {
  return context_.children.is_list(path) && parameters_[path].empty();
}

uint64_t Walk::Facts::anchor_type(Rank rank) const {
  return rank.valid() ? MixParameters(anchors_[rank], 1 + kinds_[rank]) : 0;
}

uint64_t Walk::Facts::MixParameters(PathId module, uint64_t seed) const {
  for (const auto& [name, dimensions] : parameters_[module]) {
    seed = MixHash(MixHash(seed, name), dimensions);
  }
  return seed;
}

uint64_t Walk::Facts::below(PathId module, PathId inner) const {
  uint64_t names = 0;
  for (PathId path = inner; path != module && path != context_.paths.root();
       path = context_.paths.parent(path)) {
    names = MixHash(names, names_[path]);
  }
  return names;
}

std::vector<uint64_t> Walk::Facts::HashesFrom(const WalkRun& run, bool backwards) const {
  const size_t count = std::min(run.nodes.size(), kMostOperators);
  std::vector<uint64_t> hashes = {0};
  for (size_t i = 0; i < count; ++i) {
    const Rank rank = run.nodes[backwards ? run.nodes.size() - 1 - i : i];
    hashes.push_back(MixHash(hashes.back(), operators_[rank]));
  }
  return hashes;
}

uint64_t Walk::Facts::GroupOf(const WalkRun& run, size_t step) const {
  const PathId module = run.crossed(step);
  const bool leaves = run.leaves(step);
  const PathId inner = leaves ? run.first() : run.last();
  return MixHash(MixHash(leaves ? 1 : 2, signatures_[module]), below(module, inner));
}

uint64_t Walk::Facts::SurroundingsOf(const WalkRun& run, size_t step) const {
  const ModulePaths& paths = context_.paths;
  const PathId module = run.crossed(step);
  const PathId other = run.leaves(step) ? run.last() : run.first();
  const uint64_t around =
      module == paths.root() ? 0 : MixHash(signatures_[paths.parent(module)], names_[module]);
  return MixHash(around, below(paths.CommonAncestor(module, other), other));
}

void Walk::Facts::CountBeginnings(absl::Span<const WalkRun> runs) {
  for (const WalkRun& run : runs) {
    const std::vector<uint64_t> from_begin = HashesFrom(run, /*backwards=*/false);
    const std::vector<uint64_t> from_end = HashesFrom(run, /*backwards=*/true);
    for (size_t step = 0; step + 1 < run.way.size(); ++step) {
      const uint64_t group = GroupOf(run, step);
      const uint64_t surroundings = SurroundingsOf(run, step);
      for (uint64_t operators : run.leaves(step) ? from_begin : from_end) {
        Count& count = beginnings_[{group, operators}];
        if (count.runs++ == 0) count.surroundings = surroundings;
        count.differ = count.differ || count.surroundings != surroundings;
      }
    }
  }
}

std::vector<Walk::Facts::Share> Walk::Facts::SharesOf(const WalkRun& run, size_t step) const {
  const std::vector<uint64_t> hashes = HashesFrom(run, !run.leaves(step));
  const uint64_t group = GroupOf(run, step);
  const uint32_t others = beginnings_.at({group, 0}).runs - 1;
  std::vector<Share> shares;
  for (size_t i = 1; i < hashes.size(); ++i) {
    const Count& count = beginnings_.at({group, hashes[i]});
    const uint32_t alike = count.runs - 1;
    const auto as = [&](Share same, Share elsewhere) { return count.differ ? elsewhere : same; };
    shares.push_back(others == 0          ? Share::kAlone
                     : alike == 0         ? as(Share::kNobody, Share::kNobodyElse)
                     : alike == others    ? as(Share::kAll, Share::kAllElse)
                     : 2 * alike < others ? as(Share::kFew, Share::kFewElse)
                                          : as(Share::kMany, Share::kManyElse));
  }
  return shares;
}

}  // namespace onnx_hier
