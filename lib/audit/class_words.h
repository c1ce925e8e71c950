// SPDX-License-Identifier: Apache-2.0

// Classes that are named like the modules of which they are: BertIntermediate of `intermediate`.
// Below a layer, the words of a node's scope are compared with all classes that tags of the file
// have there:
//
//   scope  encoder.layer.0.intermediate.dense
//   tag    BertModel.BertEncoder.BertLayer.0.BertAttention       it should be BertIntermediate
//   others ...BertLayer.#.BertIntermediate, ...BertLayer.#.BertOutput
//
// A word counts only where a single class holds it.
#ifndef ONNX_HIER_LIB_AUDIT_CLASS_WORDS_H_
#define ONNX_HIER_LIB_AUDIT_CLASS_WORDS_H_

#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "lib/audit/class_numbers.h"
#include "onnx_hier/module_paths.h"

namespace onnx_hier {

class ClassWords {
 public:
  // `skeletons` must outlive this.
  ClassWords(const std::vector<ScopeAndTag>& cases, Skeletons& skeletons);

  struct Answer {
    PathId tag;         // what the words ask for instead, with the numbers of the tag; or none
    bool fits = false;  // they say that the module below the layer is of such a class
  };
  // What the scope's words say of the tag. Paths are added to `paths`.
  Answer Judge(PathId scope, PathId tag, ModulePaths& paths) const;

 private:
  // The class in `place` that is named so; none: there is none, or several.
  PathId OnlyClass(PathId place, absl::string_view word) const;

  // Goes on from `tag`, which stands at `place`, as far as words name single classes.
  PathId Extend(PathId tag, PathId place, absl::Span<const PathId> words, ModulePaths& paths) const;

  Skeletons& skeletons_;
  struct Class {
    PathId skeleton;
    std::string lower_case;
  };
  absl::flat_hash_map<PathId, std::vector<Class>> classes_;  // inside each place of tags
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_AUDIT_CLASS_WORDS_H_
