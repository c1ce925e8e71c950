// SPDX-License-Identifier: Apache-2.0

// Scopes in which underscores stand for slashes and dots, read by what is known of their modules:
//
//   layers_0_self_attn_q_proj   with a parameter of net.layers.0.self_attn.q_proj
//                               ->  /layers.0/self_attn/q_proj
//   fire_squeeze_act            with a parameter of fire.squeeze  ->  /fire/squeeze_act
//   stem_stem_1, relu_1         ->  /stem/stem.1, /relu_1: a member of a list, a second call
//
// What parameters call a module stays one name. Of other words the scopes tell together which
// begin another module: those behind a scope of its own, behind a number, where a Sequential's
// member repeats its name, and, where nothing known is around, those where names part.
#ifndef ONNX_HIER_LIB_NAMES_SCOPE_WORDS_H_
#define ONNX_HIER_LIB_NAMES_SCOPE_WORDS_H_

#include <cstddef>
#include <deque>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "lib/names/word_tree.h"

namespace onnx_hier {

// "encoder.layer.0" -> "layer.0": what a module is printed as, its last name that is no number and
// what is behind it. `separator`: between names.
absl::string_view PrintedComponent(absl::string_view module, char separator);

class ScopeWords {
 public:
  // `names_part`: also inside of modules that parameters name, which had no dots either.
  explicit ScopeWords(bool names_part) : names_part_(names_part) {}

  // A module that has a parameter: "encoder.layer.0.fc". All of them first.
  void Know(absl::string_view owner);
  // A scope that has a node; the words must outlive this.
  void Add(absl::Span<const absl::string_view> words);

  // "/encoder/layer.0"; "" if no node has such a scope.
  std::string ModulesOf(absl::Span<const absl::string_view> words) const;

 private:
  // A module as the last component of its scope.
  struct Component {
    std::string printed;     // "layers.0"
    bool is_around = false;  // other modules
    bool is_list = false;
  };
  // A scope's words, and the modules that they are; null for words of others.
  struct Parts {
    std::vector<absl::string_view> texts;
    std::vector<const Component*> known;
  };

  Component& ComponentOf(absl::string_view printed);
  const Component* KnownFrom(absl::Span<const absl::string_view> words, const Component* around,
                             size_t* count) const;
  Parts PartsOf(absl::Span<const absl::string_view> words) const;
  static bool Ends(absl::Span<const absl::string_view> texts, size_t begin, size_t end,
                   const WordPrefix& before, bool may_part);

  const bool names_part_;
  bool keeps_dots_ = false;  // in "layer.0", where slashes are gone
  WordTree tree_;            // a known module's name is one word of it
  std::deque<Component> components_;
  // By how they are written: "layers_0", "layers.0".
  absl::flat_hash_map<std::string, Component*> known_;
  size_t longest_component_ = 0;  // in words
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_NAMES_SCOPE_WORDS_H_
