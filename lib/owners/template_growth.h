// SPDX-License-Identifier: Apache-2.0

// Takes nodes around a module into it, one after the other, always in the same order: modules that
// are built alike take the same steps.
#ifndef ONNX_HIER_LIB_OWNERS_TEMPLATE_GROWTH_H_
#define ONNX_HIER_LIB_OWNERS_TEMPLATE_GROWTH_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "lib/graph/flow.h"
#include "lib/owners/context.h"

namespace onnx_hier {

struct TemplateStep {
  Rank rank;
  uint64_t key = 0;         // the operator, and how it is wired to the steps before
  bool is_cut = false;      // with it, and all before, one value comes in and one goes out
  bool is_plain = false;    // it passes on one value, and reads no weight
  bool has_matrix = false;  // it reads a weight
  bool joins = false;       // behind the module: it reads what comes into that as well
  // At a cut: what makes the value that comes in, or, behind the module, what first reads the one
  // that goes out; none: an input, an output.
  Rank beyond;
};

class TemplateGrower {
 public:
  explicit TemplateGrower(const Context& context);

  // What is before the span of a module, and what goes around it: nodes that are there for the
  // module only, the last one first, and those behind that read what comes in, too. `leaf`: the
  // module holds no others.
  std::vector<TemplateStep> GrowBefore(Surroundings::Interval span, bool leaf);

  struct Behind {
    bool may_join = false;  // it may end with a skip connection past all of it
    bool may_pass = false;  // it may go on where one value goes out already
    bool operator==(const Behind& other) const {
      return may_join == other.may_join && may_pass == other.may_pass;
    }
  };
  // What is behind a span, and the steps `before` that were taken with it, and reads nothing else.
  std::vector<TemplateStep> GrowBehind(Surroundings::Interval span,
                                       absl::Span<const TemplateStep> before, Behind behind);

 private:
  void Begin(Surroundings::Interval span, absl::Span<const TemplateStep> before);
  bool IsTaken(Rank rank) const { return taken_in_[rank] == round_; }
  void Take(Rank rank, size_t position);
  bool IsWithinBounds(size_t steps) const;
  // Whether one value comes in, and what makes it; none: an input. Beside it, what modules that
  // hold others read may be read elsewhere, too: an embedding of time, what a decoder attends to.
  bool HasOneEntry(Rank* entry) const;
  // Whether it is read before the last module or behind the next one as well.
  bool IsShared(Rank source) const;
  // What it reads from outside, whether it is read outside, and, where that may be, what is no
  // more.
  void AddEnds(Rank rank, bool may_close = true);
  // The first one outside; of a node with very many readers, one is.
  Rank FirstReader(Rank rank);
  bool Find(TemplateStep* step) { return FindBefore(step) || FindBehind(step); }
  bool FindBefore(TemplateStep* step);
  bool FindBehind(TemplateStep* step);
  uint64_t KeyBehind(Rank rank) const;

  const Context& context_;
  const Flow& flow_;
  IdVector<Rank, uint32_t> taken_in_;  // the round
  IdVector<Rank, uint32_t> position_;  // ... and as which: 0 is the module itself
  uint64_t looks_left_ = 0;            // in this round
  uint32_t round_ = 0;
  Rank before_, behind_;       // the known nodes beside the module
  Rank barrier_;               // a source that is not taken yet
  std::vector<Rank> sources_;  // outside, read inside; ascending
  std::vector<Rank> exits_;    // inside, read outside; ascending
  bool reads_input_ = false;
  bool leaf_ = false;
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_OWNERS_TEMPLATE_GROWTH_H_
