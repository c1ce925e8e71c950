// SPDX-License-Identifier: Apache-2.0

// Patterns that mean modules (onnx_hier/hierarchy.h), matched name by name on the way down the
// tree.
#ifndef ONNX_HIER_LIB_TREE_MODULE_PATTERN_H_
#define ONNX_HIER_LIB_TREE_MODULE_PATTERN_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace onnx_hier {

class ModulePattern {
 public:
  // How much of each alternative the names so far have used up.
  using State = std::vector<bool>;

  // kInvalidArgument: see Hierarchy::Match().
  static absl::StatusOr<ModulePattern> Parse(absl::string_view pattern);

  // At the root.
  State Start() const;
  // After one name more. `class_name` is that of the module which the name ends, and `role` is what
  // it does (module_roles.h); "" where that is not known, or the name is only a part of a module's
  // name.
  State Enter(const State& state, absl::string_view name, absl::string_view class_name,
              absl::string_view role) const;
  // Whether roles make a difference.
  bool has_roles() const { return has_roles_; }
  // Whether the module reached is meant.
  bool Accepts(const State& state) const;

 private:
  // An alternative is a row of names; the rows of all stand one after the other, each with an end.
  struct Step {
    enum class Kind { kName, kAnyNames, kClass, kRole, kEnd };
    Kind kind = Kind::kEnd;
    std::string text;  // of kName, kClass and kRole
  };

  void AddAlternative(absl::string_view text);
  // Marks what is reached without another name.
  void Close(State& state) const;

  std::vector<Step> steps_;
  std::vector<size_t> starts_;  // in steps_
  bool has_roles_ = false;
};

// Whether a name is what one part of a pattern says: "layer_[0-3]*".
bool MatchesName(absl::string_view pattern, absl::string_view name);

// Adds what stands for each '*' of `pattern` in `name`, as few characters as can be; false: the
// name is not so.
bool CaptureStars(absl::string_view pattern, absl::string_view name,
                  std::vector<absl::string_view>& captured);
// `pattern` with these in the places of its stars; stars for which there is none stay.
std::string FillStars(absl::string_view pattern, absl::Span<const absl::string_view> captured);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_TREE_MODULE_PATTERN_H_
