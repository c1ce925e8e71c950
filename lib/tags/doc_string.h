// SPDX-License-Identifier: Apache-2.0

// The text that tagging writes into a node's doc_string (schemas/doc_string.schema.json):
//
//   {"hierarchy_path":"/encoder/layer.0","hierarchy_method":"node_name",
//    "hierarchy_confidence":1.0,"hierarchy_tags":["/encoder/layer.0"],"hierarchy_count":1}
//
// on one line, of which viewers show the beginning. What stood in the doc_string before is kept
// under "doc_string", or, if it is not UTF-8, under "doc_string_base64"; of a node that was given a
// name, "name" says what it had before.
#ifndef ONNX_HIER_LIB_TAGS_DOC_STRING_H_
#define ONNX_HIER_LIB_TAGS_DOC_STRING_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "absl/base/casts.h"
#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "lib/base/hash.h"
#include "lib/base/kept_texts.h"
#include "lib/names/given_name.h"
#include "lib/tags/tag_texts.h"
#include "onnx_hier/annotation.h"

namespace onnx_hier {

// Equality and hash of nodes, as containers take them, by all that is written of their place: many
// are equal, and mostly those that stand side by side, so that their text need not be put together
// for each of them.
struct SamePlacement {
  const Annotation* annotation;

  size_t operator()(NodeId node) const {
    const Assignment& assignment = annotation->assignments[node];
    uint64_t hash = MixHash(assignment.primary.index(), assignment.call);
    hash = MixHash(hash, static_cast<uint64_t>(assignment.method));
    hash = MixHash(hash, absl::bit_cast<uint32_t>(assignment.confidence));
    hash = MixHash(hash, absl::bit_cast<uint32_t>(assignment.containment));
    for (PathId path : annotation->auxiliary_of(node)) hash = MixHash(hash, path.index());
    return hash;
  }
  bool operator()(NodeId a, NodeId b) const {
    const Assignment& first = annotation->assignments[a];
    const Assignment& second = annotation->assignments[b];
    return first.primary == second.primary && first.method == second.method &&
           first.confidence == second.confidence && first.containment == second.containment &&
           first.call == second.call && first.auxiliary.size() == second.auxiliary.size() &&
           (first.auxiliary.size() == 0 ||
            annotation->auxiliary_of(a) == annotation->auxiliary_of(b));
  }
};

// What stood in a node's doc_string before this tool wrote to it.
struct OriginalDoc {
  bool written_by_us = false;
  NameBefore name = NameBefore::kSame;
  bool present = false;  // there was a doc_string, perhaps an empty one
  std::string text;      // only where written_by_us; else the doc_string itself is the original
};
OriginalDoc ReadOriginalDoc(absl::string_view doc_string);

// The same for one node after the other: neighbours mostly share a text.
class OriginalDocs {
 public:
  // `doc_string` must outlive this; the result, the next call.
  const OriginalDoc& Read(absl::string_view doc_string) {
    if (doc_string != last_text_) {
      last_ = ReadOriginalDoc(doc_string);
      last_text_ = doc_string;
    }
    return last_;
  }

 private:
  absl::string_view last_text_;
  OriginalDoc last_;
};

// Renders doc_strings; nodes with the same assignment share one text.
class DocStringWriter {
 public:
  // Both must outlive this; `tags` are of the annotation's paths.
  DocStringWriter(const Annotation& annotation, const TagTexts& tags);

  // The text for `node`; `original` is what stood there before, if anything, `name` what it had for
  // a name. The result lives as long as this.
  absl::string_view Text(NodeId node, std::optional<absl::string_view> original,
                         NameBefore name = NameBefore::kSame);
  // All of them, to outlive this.
  KeptTexts TakeTexts() && { return std::move(texts_); }

 private:
  // The first node of each text stands for all.
  using Shared = absl::flat_hash_map<NodeId, absl::string_view, SamePlacement, SamePlacement>;

  absl::string_view SharedText(NodeId node, NameBefore name);
  absl::string_view Render(NodeId node, NameBefore name);
  absl::string_view Standing(const Assignment& assignment);

  const Annotation& annotation_;
  const TagTexts& tags_;
  const SamePlacement same_;
  std::array<Shared, kNamesBefore> shared_;  // by NameBefore
  NodeId last_;                              // asked about
  NameBefore last_name_ = NameBefore::kSame;
  absl::string_view last_text_;
  KeptTexts texts_;
  Assignment standing_of_;               // where standing_ is not empty
  std::string standing_;                 // the method and the confidence, with their keys
  std::string auxiliary_, more_, text_;  // kept for their memory
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_TAGS_DOC_STRING_H_
