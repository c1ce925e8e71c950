// SPDX-License-Identifier: Apache-2.0
#include "onnx_hier/tag_edits.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/ascii.h"
#include "lib/base/kept_texts.h"
#include "lib/edits/edit_list.h"
#include "lib/edits/long_spans.h"
#include "lib/names/given_name.h"
#include "lib/names/own_metadata.h"
#include "lib/onnx/large_graph.h"
#include "lib/onnx/model_source.h"
#include "lib/tags/doc_string.h"
#include "lib/tags/metadata_tags.h"
#include "lib/tags/some_tag_edits.h"
#include "lib/tags/tag_texts.h"
#include "onnx_hier_program/threads.h"

namespace onnx_hier {
namespace {

std::optional<absl::string_view> OriginalText(const Graph& graph, NodeId id,
                                              const OriginalDoc& original) {
  if (original.written_by_us) {
    if (!original.present) return std::nullopt;
    return absl::string_view(original.text);
  }
  if (!graph.has_doc_string(id)) return std::nullopt;
  return graph.doc_string(id);
}

// What the node had for a name, if it still has one that this tool gave it.
std::optional<absl::string_view> NameBeforeTagging(const Graph& graph, NodeId id,
                                                   const OriginalDoc& original) {
  if (original.name == NameBefore::kSame) return std::nullopt;
  return NameBeforeGiven(original.name, graph.node(id).name, graph.op(id).type);
}

// What tagging makes of some nodes, in their order.
struct SpanEdits {
  std::vector<DocEdit> docs;
  std::vector<NameEdit> names;
  std::vector<NodeId> in_metadata;  // whose tags are there, too
  // The doc_strings before any tagging: where spans of the file stand with these, they stand for
  // good. These and the following only where something is padded.
  std::vector<DocEdit> untagged;
  NameChanges name_changes;
  KeptTexts texts;
};

// What all nodes are tagged with.
struct Tagging {
  const ScannedModel& model;
  const Annotation& annotation;
  const TagTexts& tags;
  bool metadata;  // every tag is put there, too, not only where one is
  bool pads;
};

// Takes the edits of tagging in node order.
class SpanEditor {
 public:
  // Of `count` nodes. `tagging` must outlive this.
  SpanEditor(const Tagging& tagging, size_t count)
      : tagging_(tagging), writer_(tagging.annotation, tagging.tags) {
    edits_.docs.reserve(count);
  }

  // With a name, if it is not "".
  void Tag(NodeId id, absl::string_view name = "") {
    const ScannedModel& model = tagging_.model;
    const Graph& graph = model.graph;
    const OriginalDoc& original = before_.Read(graph.doc_string(id));
    NameBefore name_before = NameBefore::kSame;
    if (!name.empty()) {
      const Node& node = graph.node(id);
      // Of a node that was copied with the name that it was given, that one was none.
      const bool had_none =
          NameBeforeTagging(graph, id, original) && original.name != NameBefore::kShared;
      name_before = had_none             ? original.name
                    : !node.name.empty() ? NameBefore::kShared
                    : node.has_name      ? NameBefore::kEmpty
                                         : NameBefore::kNone;
      name = edits_.texts.Add(name);
      edits_.names.push_back({id, true, name});
      if (tagging_.pads) edits_.name_changes.edits.push_back(NameChange(model, id, true, name));
    } else if (NameBeforeTagging(graph, id, original)) {
      name_before = original.name;
    }
    edits_.docs.push_back(
        {id, true, writer_.Text(id, OriginalText(graph, id, original), name_before)});
    const bool is_tagged_there =
        tagging_.metadata || (graph.has_metadata() && HasOwnMetadata(graph.metadata(id)));
    if (is_tagged_there) edits_.in_metadata.push_back(id);
    if (!tagging_.pads) return;
    if (original.written_by_us) {
      AddOriginal(id, original);
    } else if (graph.has_doc_string(id)) {
      edits_.untagged.push_back({id, true, graph.doc_string(id)});
    }
  }

  // An earlier run's tag stays, but its padding was for other texts than there will be.
  void Keep(NodeId id) {
    if (!tagging_.pads) return;
    const absl::string_view doc = tagging_.model.graph.doc_string(id);
    const OriginalDoc& original = before_.Read(doc);
    if (!original.written_by_us) return;
    edits_.docs.push_back({id, true, absl::StripTrailingAsciiWhitespace(doc)});
    AddOriginal(id, original);
  }

  SpanEdits Take() && {
    edits_.texts.Take(std::move(writer_).TakeTexts());
    return std::move(edits_);
  }

 private:
  void AddOriginal(NodeId id, const OriginalDoc& original) {
    const absl::string_view text = edits_.texts.Add(original.text);
    edits_.untagged.push_back({id, original.present, text});
    if (const auto name = NameBeforeTagging(tagging_.model.graph, id, original)) {
      edits_.name_changes.untagged.push_back(
          NameChange(tagging_.model, id, original.name != NameBefore::kNone, *name));
    }
  }

  const Tagging& tagging_;
  DocStringWriter writer_;
  OriginalDocs before_;
  SpanEdits edits_;
};

template <class T>
void MoveTo(std::vector<T>& from, std::vector<T>& to) {
  if (to.capacity() == 0) {
    to = std::move(from);
  } else {
    to.insert(to.end(), from.begin(), from.end());
  }
}

// Nodes that a thread tags at once, where there are several threads.
constexpr size_t kTaggedAtOnce = 1 << 13;

// Of `count` nodes, for each of which `edit` is called with its place among them, in order but from
// several threads; pads them at the end. `forms`: for whom tags are in metadata as well;
// `puts_anew`: also for those for whom they are there.
Edits EditTags(const Model& model, const Annotation& annotation, std::vector<std::string> forms,
               bool puts_anew, bool pads, size_t count,
               absl::FunctionRef<void(SpanEditor&, size_t)> edit) {
  const ScannedModel& scanned = ModelAccess::Source(model).scanned;
  // What is there already is written anew.
  const std::vector<std::string> earlier = FormsInMetadata(model.graph());
  const bool metadata = !forms.empty() || (puts_anew && !earlier.empty());
  forms.insert(forms.end(), earlier.begin(), earlier.end());
  // Entries of metadata move all that follows: there would be nothing to keep in its place.
  const std::vector<uint64_t> spans = pads && !metadata
                                          ? LongSpans(scanned, model.file_size(), kLongSpan)
                                          : std::vector<uint64_t>();
  const size_t threads = count > kTaggedAtOnce ? ThreadsFor(model) : 1;
  TagTexts tags(annotation.paths);
  if (threads > 1) tags.RenderAll();
  const Tagging tagging = {scanned, annotation, tags, metadata, !spans.empty()};
  Edits edits;
  EditList& list = EditsAccess::List(edits);
  SpanEdits all;
  const size_t at_once = threads > 1 ? kTaggedAtOnce : std::max<size_t>(count, 1);
  const auto make = [&](size_t begin, size_t end) {
    SpanEditor editor(tagging, end - begin);
    for (size_t i = begin; i < end; ++i) edit(editor, i);
    return std::move(editor).Take();
  };
  if (at_once < count) list.docs.reserve(count);
  RunInOrder<SpanEdits>(count, at_once, threads, make, [&](SpanEdits made) {
    MoveTo(made.docs, list.docs);
    MoveTo(made.names, list.names);
    MoveTo(made.in_metadata, all.in_metadata);
    MoveTo(made.untagged, all.untagged);
    MoveTo(made.name_changes.edits, all.name_changes.edits);
    MoveTo(made.name_changes.untagged, all.name_changes.untagged);
    list.texts.Take(std::move(made.texts));
  });
  MetadataTagWriter in_metadata(scanned, annotation, forms, edits);
  for (NodeId id : all.in_metadata) in_metadata.Put(id);
  if (!spans.empty()) {
    AlignSpans(scanned, spans, all.untagged, list.docs, list.texts, all.name_changes);
  }
  return edits;
}

class StripEditor {
 public:
  explicit StripEditor(const Model& model) : graph_(model.graph()) {}

  void Strip(NodeId id) {
    TakeOutMetadataTag(graph_, id, edits_);
    const OriginalDoc& original = docs_.Read(graph_.doc_string(id));
    if (!original.written_by_us) return;
    const absl::string_view text =
        original.text.empty() ? absl::string_view() : list_.texts.Add(original.text);
    list_.docs.push_back({id, original.present, text});
    if (const auto name = NameBeforeTagging(graph_, id, original)) {
      list_.names.push_back({id, original.name != NameBefore::kNone, *name});
    }
  }

  Edits Take() && { return std::move(edits_); }

 private:
  const Graph& graph_;
  OriginalDocs docs_;
  Edits edits_;
  EditList& list_ = EditsAccess::List(edits_);
};

}  // namespace

Edits TagEdits(const Model& model, const Annotation& annotation, const GivenNames& names,
               const TagForms& forms) {
  const auto tag = [&](SpanEditor& editor, size_t i) { editor.Tag(NodeId(i), names[NodeId(i)]); };
  return EditTags(model, annotation, forms.metadata, /*puts_anew=*/true,
                  /*pads=*/true, model.graph().node_count(), tag);
}

Edits TagEdits(const Model& model, const Annotation& annotation, absl::Span<const NodeId> nodes) {
  return EditTags(model, annotation, {}, /*puts_anew=*/false, /*pads=*/false, nodes.size(),
                  [&](SpanEditor& editor, size_t i) { editor.Tag(nodes[i]); });
}

Edits SomeTagEdits(const Model& model, const Annotation& annotation,
                   const std::vector<bool>& given) {
  return EditTags(model, annotation, {}, /*puts_anew=*/true, /*pads=*/true, given.size(),
                  [&](SpanEditor& editor, size_t i) {
                    if (given[i]) {
                      editor.Tag(NodeId(i));
                    } else {
                      editor.Keep(NodeId(i));
                    }
                  });
}

Edits StripEdits(const Model& model) {
  StripEditor editor(model);
  for (NodeId id : model.graph().node_ids()) editor.Strip(id);
  return std::move(editor).Take();
}

Edits StripEdits(const Model& model, absl::Span<const NodeId> nodes) {
  StripEditor editor(model);
  for (NodeId id : nodes) editor.Strip(id);
  return std::move(editor).Take();
}

uint64_t CountTagged(const Model& model) {
  uint64_t count = 0;
  OriginalDocs docs;
  for (NodeId id : model.graph().node_ids()) {
    const bool is_placed = FindMetadata(model.graph().metadata(id), kDeviceKey) != nullptr;
    if (is_placed || docs.Read(model.graph().doc_string(id)).written_by_us) ++count;
  }
  return count;
}

}  // namespace onnx_hier
