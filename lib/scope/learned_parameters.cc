#include "lib/scope/learned_parameters.h"

#include <algorithm>
#include <cstdint>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "absl/types/span.h"
#include "lib/base/common_prefix.h"
#include "lib/base/hash.h"
#include "lib/graph/weight.h"
#include "lib/scope/derived_name.h"
#include "lib/scope/number.h"
#include "lib/scope/parameter_name.h"
#include "lib/scope/printed_scopes.h"

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

bool IsOperator(absl::string_view component) {
  return !component.empty() && absl::ascii_isupper(static_cast<unsigned char>(component[0]));
}

// "model/dense" of "model/dense/MatMul/ReadVariableOp:0" and "model/dense/BiasAdd/y:0": TensorFlow
// names values after operators, which begin with a capital. "": it is no such name.
absl::string_view AroundOperators(absl::string_view name) {
  const size_t colon = name.rfind(':');
  if (colon == absl::string_view::npos || !IsNumber(name.substr(colon + 1))) return "";
  bool any = IsOperator(name.substr(name.rfind('/') + 1));
  for (size_t slash; (slash = name.rfind('/')) != absl::string_view::npos;) {
    name = name.substr(0, slash);
    if (!IsOperator(name.substr(name.rfind('/') + 1))) return any ? name : "";
    any = true;
  }
  return "";
}

// "linear_7_MatMul" of a MatMul -> "linear_7".
absl::string_view WithoutOperator(absl::string_view stem, absl::string_view op_type) {
  absl::string_view around = stem;
  if (!absl::ConsumeSuffix(&around, op_type) || around.size() < 2) return stem;
  return IsSeparator(around.back()) ? around.substr(0, around.size() - 1) : stem;
}

class Learner {
 public:
  explicit Learner(const Graph& graph) : graph_(graph) {}

  std::vector<LearnedOwner> Learn() {
    if (!Collect()) return {};
    if (!PartAll()) reads_.clear();
    reads_.insert(reads_.end(), of_operators_.begin(), of_operators_.end());
    FindAround();
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

  // Nodes with slashes in their own names say themselves where they are, and what is dequantised is
  // read by another one.
  void Add(ValueId id, absl::string_view name) {
    const absl::Span<const Use> uses = graph_.uses(id);
    const bool is_own = uses.size() == 1 &&
                        !absl::StrContains(graph_.node(uses[0].node).name, '/') &&
                        graph_.op(uses[0].node).type != "DequantizeLinear";
    const absl::string_view around = AroundOperators(name);
    if (around.empty()) ++named_;
    if (!is_own) return;
    if (around.empty()) {
      reads_.push_back({uses[0].node, id, uses[0].slot, WithoutCounter(name), ""});
    } else if (graph_.dims(HeldTensor(graph_, id)).size() > 1) {
      // A vector may be what was folded from several operators.
      of_operators_.push_back({uses[0].node, id, uses[0].slot, name, WithoutCallWrappers(around)});
    }
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

  uint64_t KindOf(const Read& read) const {
    return MixHash(MixHash(graph_.node(read.node).op.index(), read.slot), HashBytes(read.tail()));
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

  static absl::string_view FirstName(absl::string_view path) {
    return path.substr(0, path.find('/'));
  }

  // What names of nodes and values always have around a stem's first name: "model" around
  // "conv2d_7", where one is called "model/conv2d_7/Relu:0".
  void FindAround() {
    for (const Read& read : reads_) around_.try_emplace(FirstName(read.stem), Around());
    const auto look_at = [&](absl::string_view name) {
      absl::ConsumePrefix(&name, "/");
      name = WithoutCallWrappers(name);
      for (size_t begin = 0, end; (end = name.find('/', begin)) != absl::string_view::npos;
           begin = end + 1) {
        const auto found = around_.find(name.substr(begin, end - begin));
        if (found == around_.end()) continue;
        Around& around = found->second;
        const absl::string_view path = name.substr(0, begin);
        around.several = around.several || (around.known && around.path != path);
        around.known = true;
        around.path = path;
      }
    };
    for (NodeId id : graph_.node_ids()) look_at(graph_.node(id).name);
    for (ValueId id : graph_.value_ids()) {
      if (!HeldTensor(graph_, id).valid()) look_at(graph_.value(id).name);
    }
  }

  std::string PathOf(const Read& read) const {
    const Around& around = around_.at(FirstName(read.stem));
    return around.several ? std::string(read.stem) : absl::StrCat(around.path, read.stem);
  }

  struct Around {
    bool known = false;
    bool several = false;
    absl::string_view path;  // with the slash behind
  };

  const Graph& graph_;
  size_t named_ = 0;  // weights whose names may part, in no known grammar
  std::vector<Read> reads_;
  std::vector<Read> of_operators_;  // in TensorFlow's grammar
  absl::flat_hash_set<absl::string_view> tails_;
  absl::flat_hash_map<absl::string_view, Around> around_;
};

}  // namespace

std::vector<LearnedOwner> LearnParameterOwners(const Graph& graph) {
  return Learner(graph).Learn();
}

}  // namespace onnx_hier
