// SPDX-License-Identifier: Apache-2.0
#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "lib/api/given_annotation.h"
#include "lib/api/large_graph.h"
#include "lib/api/model_source.h"
#include "lib/edits/edit_list.h"
#include "lib/edits/long_spans.h"
#include "lib/files/file_place.h"
#include "lib/names/given_name.h"
#include "lib/names/own_metadata.h"
#include "lib/onnx/value_types.h"
#include "lib/tags/doc_string.h"
#include "lib/tags/metadata_tags.h"
#include "lib/tags/sidecar.h"
#include "onnx_hier/apply.h"
#include "onnx_hier/onnx_hier.h"

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

// Whether the node still has a name that this tool gave it.
bool HasGivenName(const Graph& graph, NodeId id, const OriginalDoc& original) {
  return original.name != NameBefore::kSame && LooksGiven(graph.node(id).name, graph.op(id).type);
}

// Takes the edits of tagging in node order, and pads them at the end.
class TagEditor {
 public:
  // Both arguments must outlive this.
  TagEditor(const Model& model, const Annotation& annotation, std::vector<uint64_t> spans,
            bool metadata)
      : model_(ModelAccess::Source(model).scanned),
        annotation_(annotation),
        writer_(annotation),
        spans_(std::move(spans)),
        metadata_(metadata) {}
  // Entries of metadata move all that follows: there would be nothing to keep in its place.
  TagEditor(const Model& model, const Annotation& annotation, bool metadata)
      : TagEditor(model, annotation,
                  metadata
                      ? std::vector<uint64_t>()
                      : LongSpans(ModelAccess::Source(model).scanned, model.file_size(), kLongSpan),
                  metadata) {
    list_.docs.reserve(model_.graph.node_count());
  }

  // With a name that lives as long as this, if it is not "".
  void Tag(NodeId id, absl::string_view name = "") {
    const Graph& graph = model_.graph;
    const OriginalDoc& original = before_.Read(graph.doc_string(id));
    NameBefore name_before = NameBefore::kSame;
    if (!name.empty()) {
      name_before = graph.node(id).has_name ? NameBefore::kEmpty : NameBefore::kNone;
      list_.names.push_back({id, true, name});
      if (!spans_.empty()) names_.edits.push_back(NameChange(model_, id, true, name));
    } else if (HasGivenName(graph, id, original)) {
      name_before = original.name;
    }
    list_.docs.push_back(
        {id, true, writer_.Text(id, OriginalText(graph, id, original), name_before)});
    const bool is_tagged_there =
        metadata_ || (graph.has_metadata() && HasOwnMetadata(graph.metadata(id)));
    if (is_tagged_there) tagged_.push_back(id);
    if (spans_.empty()) return;
    if (original.written_by_us) {
      AddOriginal(id, original);
    } else if (graph.has_doc_string(id)) {
      untagged_.push_back({id, true, graph.doc_string(id)});
    }
  }

  // An earlier run's tag stays, but its padding was for other texts than there will be.
  void Keep(NodeId id) {
    if (spans_.empty()) return;
    const absl::string_view doc = model_.graph.doc_string(id);
    const OriginalDoc& original = before_.Read(doc);
    if (!original.written_by_us) return;
    list_.docs.push_back({id, true, absl::StripTrailingAsciiWhitespace(doc)});
    AddOriginal(id, original);
  }

  Edits Take() && {
    list_.texts = std::move(writer_).TakeTexts();
    for (NameEdit& edit : list_.names) edit.name = list_.texts.emplace_back(edit.name);
    list_.metadata.reserve(MetadataTagWriter::kEntries * tagged_.size());
    MetadataTagWriter metadata(model_.graph, annotation_, edits_);
    for (NodeId id : tagged_) metadata.Put(id);
    if (!spans_.empty()) AlignSpans(model_, spans_, untagged_, list_.docs, list_.texts, names_);
    return std::move(edits_);
  }

 private:
  void AddOriginal(NodeId id, const OriginalDoc& original) {
    originals_.push_back(original.text);
    untagged_.push_back({id, original.present, originals_.back()});
    if (HasGivenName(model_.graph, id, original)) {
      names_.untagged.push_back(
          NameChange(model_, id, /*present=*/original.name == NameBefore::kEmpty, ""));
    }
  }

  const ScannedModel& model_;
  const Annotation& annotation_;
  DocStringWriter writer_;
  OriginalDocs before_;
  const std::vector<uint64_t> spans_;  // none: nothing is padded
  const bool metadata_;                // every tag is put there, too, not only where one is
  std::vector<NodeId> tagged_;         // whose tags are
  Edits edits_;
  EditList& list_ = EditsAccess::List(edits_);
  // The doc_strings before any tagging: where spans stand with these, they stand for good.
  std::vector<DocEdit> untagged_;
  std::deque<std::string> originals_;
  NameChanges names_;  // only where something is padded
};

class StripEditor {
 public:
  explicit StripEditor(const Model& model) : graph_(model.graph()) {}

  void Strip(NodeId id) {
    TakeOutMetadataTag(graph_, id, edits_);
    const OriginalDoc& original = docs_.Read(graph_.doc_string(id));
    if (!original.written_by_us) return;
    if (!original.text.empty()) list_.texts.push_back(original.text);
    list_.docs.push_back(
        {id, original.present, original.text.empty() ? "" : absl::string_view(list_.texts.back())});
    if (HasGivenName(graph_, id, original)) {
      list_.names.push_back({id, /*present=*/original.name == NameBefore::kEmpty, ""});
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
  TagEditor editor(model, annotation, forms.metadata || HasMetadataTags(model.graph()));
  for (NodeId id : model.graph().node_ids()) editor.Tag(id, names[id]);
  return std::move(editor).Take();
}

Edits TagEdits(const Model& model, const Annotation& annotation, absl::Span<const NodeId> nodes) {
  TagEditor editor(model, annotation, {}, /*metadata=*/false);
  for (NodeId id : nodes) editor.Tag(id);
  return std::move(editor).Take();
}

Edits GivenTagEdits(const Model& model, const std::vector<GivenTag>& tags,
                    const ModuleMap& classes) {
  // Where no tag is written, nothing is asked of the model.
  const Annotation annotation =
      tags.empty() ? Annotation() : AnnotationOf(model.graph(), tags, classes);
  std::vector<bool> given(model.graph().node_count(), false);
  for (const GivenTag& tag : tags) given[tag.node.index()] = true;
  TagEditor editor(model, annotation, HasMetadataTags(model.graph()));
  for (NodeId id : model.graph().node_ids()) {
    if (given[id.index()]) {
      editor.Tag(id);
    } else {
      editor.Keep(id);
    }
  }
  return std::move(editor).Take();
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
    if (docs.Read(model.graph().doc_string(id)).written_by_us) ++count;
  }
  return count;
}

Document SidecarOf(const Model& model, const Annotation& annotation) {
  return Document("sidecar", [&model, &annotation](ByteSink& sink) {
    return WriteSidecarJson({model.graph(), annotation, {}, nullptr, ThreadsFor(model)},
                            FileNameOf(model.path()), sink);
  });
}

Document SidecarOf(const Model& model, const Annotation& annotation, const GivenNames& names,
                   const TagForms& forms) {
  return Document("sidecar", [&model, &annotation, &names, forms](ByteSink& sink) {
    const std::string file = FileNameOf(model.path());
    const int threads = ThreadsFor(model);
    if (!forms.values) {
      return WriteSidecarJson({model.graph(), annotation, names, nullptr, threads}, file, sink);
    }
    const ModelSource& source = ModelAccess::Source(model);
    const absl::StatusOr<ValueTypes> types = ValueTypes::Find(source.image, source.scanned);
    if (!types.ok()) return types.status();
    const NodeValues values(model.graph(), *types);
    return WriteSidecarJson({model.graph(), annotation, names, &values, threads}, file, sink);
  });
}

}  // namespace onnx_hier
