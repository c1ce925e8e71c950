// SPDX-License-Identifier: Apache-2.0
#include "lib/names/learned_parameters.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/container/inlined_vector.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "absl/types/span.h"
#include "lib/base/common_prefix.h"
#include "lib/base/hash.h"
#include "lib/base/slash_path.h"
#include "lib/graph/weight.h"
#include "lib/names/derived_name.h"
#include "lib/names/number.h"
#include "lib/names/parameter_name.h"
#include "onnx_hier/module_paths.h"

namespace onnx_hier {
namespace {

// Operators that call a parameter alike: fewer may do so by chance.
constexpr uint32_t kFewestAlike = 3;
// A known grammar that names so much of the weights is the file's.
constexpr size_t kWeightsForEachKnown = 10;
// Of operators with several parameters, so many have one name in front of all of them for each one
// that has not.
constexpr size_t kAgreeingForEach = 9;
// Ways to call a parameter, in one file: for operators that have only one.
constexpr size_t kMostTails = 32;

// Paths that end alike and may be spelled by one name: real ones have fewer.
constexpr size_t kMostAlike = 8;

// Names around each other, in what is looked at for such paths: real ones have half as many.
constexpr size_t kDeepestSpelled = 32;

constexpr char kSeparators[] = "/_.";

bool IsSeparator(char c) {
  return absl::string_view(kSeparators).find(c) != absl::string_view::npos;
}

// "conv2d_1/kernel:0" -> "conv2d_1"; "": the name does not part there.
absl::string_view StemOf(absl::string_view name, const char* separators) {
  const size_t at = name.find_last_of(separators);
  if (at == absl::string_view::npos || at + 1 == name.size()) return "";
  return IsNumber(name.substr(at + 1, name.find(':', at) - at - 1)) ? "" : name.substr(0, at);
}

// "conv_1" of "conv_1_W_new" and "conv_1_B_new".
absl::string_view CommonStem(absl::string_view a, absl::string_view b) {
  const auto ends = [](absl::string_view name, size_t at) {
    return at == name.size() || IsSeparator(name[at]);
  };
  size_t end = CommonPrefix(a, b);
  while (end > 0 && !(ends(a, end) && ends(b, end))) --end;
  return a.substr(0, end);
}

// "model/dense" of "model/dense/MatMul/ReadVariableOp:0": TensorFlow names values after operators,
// which begin with a capital. "": it is no such name.
absl::string_view AroundOperators(absl::string_view name) {
  const size_t colon = name.rfind(':');
  if (colon == absl::string_view::npos || !IsNumber(name.substr(colon + 1))) return "";
  absl::string_view around = name;
  while (BeginsWithCapital(LastComponent(around))) around = FolderOf(around);
  return around.size() == name.size() ? "" : around;
}

// "linear_7_MatMul" of a MatMul -> "linear_7".
absl::string_view WithoutOperator(absl::string_view stem, absl::string_view op_type) {
  absl::string_view around = stem;
  if (!absl::ConsumeSuffix(&around, op_type) || around.size() < 2) return stem;
  return IsSeparator(around.back()) ? around.substr(0, around.size() - 1) : stem;
}

class NameEndLearner {
 public:
  explicit NameEndLearner(const Graph& graph) : graph_(graph) {}

  std::vector<LearnedOwner> Learn() {
    if (!Collect()) return {};
    if (!PartAll()) reads_.clear();
    reads_.insert(reads_.end(), of_operators_.begin(), of_operators_.end());
    if (reads_.empty()) return {};
    FindSpelled();
    FindFiller();
    std::vector<LearnedOwner> owners;
    owners.reserve(reads_.size());
    for (const Read& read : reads_) owners.push_back({read.parameter, PathOf(read)});
    return owners;
  }

 private:
  struct Read {
    NodeId node;
    ValueId parameter;
    uint32_t slot = 0;
    absl::string_view name;
    absl::string_view stem;  // of the name
    absl::string_view tail() const { return name.substr(stem.size()); }
  };
  using Reads = absl::Span<Read>;

  // False: nothing common shows.
  bool PartAll() {
    if (reads_.size() < kFewestAlike || !PartOperators()) return false;
    PartLoneParameters();
    KeepCommon();
    return 2 * reads_.size() >= named_ && AreDistinct();
  }

  // Weights that one node alone reads, by node. False: a known grammar names them.
  bool Collect() {
    size_t known = 0;
    for (ValueId id : graph_.value_ids()) {
      const TensorId tensor = HeldTensor(graph_, id);
      if (!tensor.valid() || !IsWeight(graph_.tensor(tensor))) continue;
      const absl::string_view name = graph_.value(id).name;
      const absl::string_view owner = OwnerInParameterName(name);
      if (!owner.empty() && !IsNamedAfterReader(graph_, id, owner)) {
        ++known;
      } else if (name.find_first_of(kSeparators) != absl::string_view::npos &&
                 !IsMadeUpName(name)) {
        Add(id, name);
      }
    }
    std::stable_sort(reads_.begin(), reads_.end(),
                     [](const Read& a, const Read& b) { return a.node < b.node; });
    return kWeightsForEachKnown * known <= named_ + of_operators_.size();
  }

  // Nodes with slashes in their own names say themselves where they are.
  void Add(ValueId id, absl::string_view name) {
    // A quantised weight is read where it is dequantised.
    absl::ConsumeSuffix(&name, "_quantized");
    const absl::string_view around = AroundOperators(name);
    if (around.empty()) ++named_;
    const Use use = ReaderOf(id);
    if (!use.node.valid() || absl::StrContains(graph_.node(use.node).name, '/')) return;
    if (around.empty()) {
      reads_.push_back({use.node, id, use.slot, WithoutCounter(name), ""});
    } else if (graph_.dims(HeldTensor(graph_, id)).size() > 1) {
      // A vector may be what was folded from several operators.
      of_operators_.push_back({use.node, id, use.slot, name, around});
    }
  }

  // The only one, that of the dequantised value where it is a DequantizeLinear; none: there are
  // several, or it reads a scale.
  Use ReaderOf(ValueId id) const {
    const absl::Span<const Use> uses = graph_.uses(id);
    if (uses.size() != 1) return Use();
    if (graph_.op(uses[0].node).type != "DequantizeLinear") return uses[0];
    const absl::Span<const ValueId> outputs = graph_.outputs(uses[0].node);
    if (uses[0].slot > 0 || outputs.empty() || !outputs[0].valid()) return Use();
    const absl::Span<const Use> readers = graph_.uses(outputs[0]);
    return readers.size() == 1 ? readers[0] : Use();
  }

  template <class Visit>
  void ForEachNode(const Visit& visit) {
    for (size_t begin = 0; begin < reads_.size();) {
      size_t end = begin + 1;
      while (end < reads_.size() && reads_[end].node == reads_[begin].node) ++end;
      visit(absl::MakeSpan(reads_).subspan(begin, end - begin));
      begin = end;
    }
  }

  // Of operators with several parameters, what these have in front. False: too many have nothing.
  bool PartOperators() {
    size_t agreeing = 0;
    size_t different = 0;
    ForEachNode([&](Reads reads) {
      if (reads.size() == 1) return;
      absl::string_view stem = reads[0].name;
      for (const Read& read : reads.subspan(1)) stem = CommonStem(stem, read.name);
      const bool agree = std::none_of(reads.begin(), reads.end(), [&](const Read& read) {
        return stem.empty() || read.name.size() == stem.size();
      });
      ++(agree ? agreeing : different);
      if (!agree) return;
      for (Read& read : reads) {
        read.stem = read.name.substr(0, stem.size());
        if (tails_.size() < kMostTails) tails_.insert(read.tail());
      }
    });
    return agreeing >= kAgreeingForEach * different;
  }

  // Of operators with one parameter, what is in front of a tail that others have, or of what stands
  // behind the last slash or the last separator: as tails of others begin, or as more of them do.
  void PartLoneParameters() {
    const auto for_each_lone = [&](const auto& visit) {
      ForEachNode([&](Reads reads) {
        if (reads.size() == 1) visit(reads[0]);
      });
    };
    absl::flat_hash_map<uint64_t, uint32_t> counts;
    const auto count_at = [&](Read& read, const char* separators) -> uint32_t& {
      read.stem = StemOf(read.name, separators);
      return counts[KindOf(read)];
    };
    for_each_lone([&](Read& read) {
      for (const char* separators : {"/", kSeparators}) ++count_at(read, separators);
    });
    const auto with_slash = std::count_if(tails_.begin(), tails_.end(), [](absl::string_view tail) {
      return absl::StartsWith(tail, "/");
    });
    const auto others = static_cast<ptrdiff_t>(tails_.size()) - with_slash;
    for_each_lone([&](Read& read) {
      const uint32_t by_any = count_at(read, kSeparators);
      const absl::string_view last = read.stem;
      const uint32_t by_slash = count_at(read, "/");
      if (read.stem.empty() || others > with_slash || (tails_.empty() && by_any > by_slash)) {
        read.stem = last;
      }
      absl::string_view known = read.name;
      for (absl::string_view tail : tails_) {
        absl::string_view stem = read.name;
        if (absl::ConsumeSuffix(&stem, tail) && stem.size() < known.size()) known = stem;
      }
      if (known.size() < read.name.size()) read.stem = known;
    });
  }

  // Operators with a weight are one kind: a small network has few of each.
  uint64_t KindOf(const Read& read) const {
    const OpId op = graph_.node(read.node).op;
    const uint64_t kind = IsWeighted(graph_.op(op).type) ? 0 : op.index() + 1;
    return MixHash(MixHash(kind, read.slot), HashBytes(read.tail()));
  }

  // What operators of their kind call so too, and is not named after its reader: "MatMul_0_param".
  void KeepCommon() {
    absl::flat_hash_map<uint64_t, uint32_t> counts;
    for (const Read& read : reads_) ++counts[KindOf(read)];
    const auto is_rare = [&](const Read& read) {
      return read.stem.empty() || counts[KindOf(read)] < kFewestAlike ||
             WithoutCounter(read.stem) == graph_.op(read.node).type;
    };
    reads_.erase(std::remove_if(reads_.begin(), reads_.end(), is_rare), reads_.end());
    for (Read& read : reads_) read.stem = WithoutOperator(read.stem, graph_.op(read.node).type);
  }

  // Whether most operators have a name of their own in front.
  bool AreDistinct() {
    absl::flat_hash_set<absl::string_view> stems;
    size_t nodes = 0;
    ForEachNode([&](Reads reads) {
      ++nodes;
      stems.insert(reads[0].stem);
    });
    return 2 * stems.size() >= nodes;
  }

  // How names of nodes and values spell a path of the file, where they have more around or between
  // its names: "model/block/conv" for "model/conv".
  struct Spelled {
    absl::string_view path;
    bool several = false;
  };
  // Paths that end with the same name.
  using Alike = absl::InlinedVector<absl::string_view, 1>;

  // Whether all names of `path` are among those of `whole`, in that order, and both end alike.
  static bool IsSpelledBy(absl::string_view path, absl::string_view whole) {
    absl::string_view next = path.substr(0, path.find('/'));
    for (absl::string_view name : absl::StrSplit(whole, '/')) {
      if (name != next) continue;
      const auto end = static_cast<size_t>(next.data() + next.size() - path.data());
      if (end == path.size()) return true;
      path = path.substr(end + 1);
      next = path.substr(0, path.find('/'));
    }
    return false;
  }

  void FindSpelled() {
    absl::flat_hash_map<absl::string_view, Alike> by_last;
    for (const Read& read : reads_) {
      if (read.stem.size() > ModulePaths::kLongest) continue;
      for (absl::string_view path = read.stem; !path.empty() && spelled_.try_emplace(path).second;
           path = FolderOf(path)) {
        Alike& alike = by_last[LastComponent(path)];
        if (alike.size() < kMostAlike) alike.push_back(path);
      }
    }
    absl::flat_hash_set<absl::string_view> seen;
    const auto look_at = [&](absl::string_view name) {
      absl::ConsumePrefix(&name, "/");
      name = name.substr(0, ModulePaths::kLongest);
      size_t depth = 0;
      for (size_t begin = 0, end;
           (end = name.find('/', begin)) != absl::string_view::npos && depth++ < kDeepestSpelled;
           begin = end + 1) {
        const absl::string_view whole = name.substr(0, end);
        const auto alike = by_last.find(name.substr(begin, end - begin));
        if (alike == by_last.end() || !seen.insert(whole).second) continue;
        for (absl::string_view path : alike->second) {
          if (!IsSpelledBy(path, whole)) continue;
          Spelled& spelled = spelled_[path];
          spelled.several = spelled.several || (!spelled.path.empty() && spelled.path != whole);
          spelled.path = whole;
        }
      }
    };
    for (NodeId id : graph_.node_ids()) {
      // Named after what it reads.
      if (absl::EndsWith(graph_.op(id).type, "uantizeLinear")) continue;
      look_at(graph_.node(id).name);
      for (ValueId value : graph_.outputs(id)) {
        if (value.valid() && !HeldTensor(graph_, value).valid()) look_at(graph_.value(value).name);
      }
    }
  }

  // What all have in front that is no module: "param_", and the device in "gpu_0/conv1_w_0".
  void FindFiller() {
    absl::string_view shared = reads_[0].stem;
    for (const Read& read : reads_) shared = shared.substr(0, CommonPrefix(shared, read.stem));
    absl::string_view before = shared;
    if (!absl::ConsumeSuffix(&before, "param_")) {
      shared = before = shared.substr(0, shared.rfind('/') + 1);
      absl::ConsumeSuffix(&before, "/");
      const size_t size = before.size();
      while (!before.empty() && absl::ascii_isdigit(before.back())) before.remove_suffix(1);
      const bool is_device = before.size() < size && (absl::ConsumeSuffix(&before, "gpu_") ||
                                                      absl::ConsumeSuffix(&before, "dev_"));
      if (!is_device) return;
    }
    filler_ = {before.size(), shared.size()};
  }

  std::string PathOf(const Read& read) const {
    std::string path = SpelledOut(read);
    const auto [begin, end] = filler_;
    // What names of nodes spell has none.
    if (end > begin && absl::StartsWith(path, read.stem)) path.erase(begin, end - begin);
    return path;
  }

  std::string SpelledOut(const Read& read) const {
    for (absl::string_view path = read.stem; !path.empty(); path = FolderOf(path)) {
      const auto spelled = spelled_.find(path);
      if (spelled == spelled_.end() || spelled->second.several) break;
      if (!spelled->second.path.empty()) {
        return absl::StrCat(spelled->second.path, read.stem.substr(path.size()));
      }
    }
    return std::string(read.stem);
  }

  const Graph& graph_;
  std::pair<size_t, size_t> filler_;  // where it begins and ends in each stem
  size_t named_ = 0;                  // weights whose names may part, in no known grammar
  std::vector<Read> reads_;
  std::vector<Read> of_operators_;  // in TensorFlow's grammar
  absl::flat_hash_set<absl::string_view> tails_;
  absl::flat_hash_map<absl::string_view, Spelled> spelled_;  // of stems, and what is around them
};

}  // namespace

std::vector<LearnedOwner> LearnParameterOwners(const Graph& graph) {
  return NameEndLearner(graph).Learn();
}

}  // namespace onnx_hier
