#include "lib/api/doc_edits.h"

#include <optional>
#include <utility>

#include "absl/strings/ascii.h"
#include "lib/api/model_source.h"
#include "lib/onnx/long_spans.h"

namespace onnx_hier {
namespace {

std::optional<absl::string_view> OriginalText(const Node& node, const OriginalDoc& original) {
  if (original.written_by_us) {
    if (!original.present) return std::nullopt;
    return absl::string_view(original.text);
  }
  if (!node.has_doc_string) return std::nullopt;
  return node.doc_string;
}

// Takes the edits of tagging in node order, and pads them at the end.
class TagEditor {
 public:
  TagEditor(const Model& model, DocStringWriter& writer)
      : model_(model.source().scanned),
        writer_(writer),
        spans_(LongSpans(model_, model.file_size(), kLongSpan)) {
    edits_.docs.reserve(model_.graph.node_count());
  }

  void Tag(NodeId id) {
    const Node& node = model_.graph.node(id);
    OriginalDoc original = ReadOriginalDoc(node.doc_string);
    edits_.docs.push_back({id, true, writer_.Text(id, OriginalText(node, original))});
    if (spans_.empty()) return;
    if (original.written_by_us) {
      AddOriginal(id, std::move(original));
    } else if (node.has_doc_string) {
      untagged_.push_back({id, true, node.doc_string});
    }
  }

  // An earlier run's tag stays, but its padding was for other texts than there will be.
  void Keep(NodeId id) {
    if (spans_.empty()) return;
    const Node& node = model_.graph.node(id);
    OriginalDoc original = ReadOriginalDoc(node.doc_string);
    if (!original.written_by_us) return;
    edits_.docs.push_back({id, true, absl::StripTrailingAsciiWhitespace(node.doc_string)});
    AddOriginal(id, std::move(original));
  }

  DocEdits Take() {
    if (!spans_.empty()) AlignSpans(model_, spans_, untagged_, edits_.docs, edits_.texts);
    return std::move(edits_);
  }

 private:
  void AddOriginal(NodeId id, OriginalDoc original) {
    originals_.push_back(std::move(original.text));
    untagged_.push_back({id, original.present, originals_.back()});
  }

  const ScannedModel& model_;
  DocStringWriter& writer_;
  const std::vector<uint64_t> spans_;  // none: nothing is padded
  DocEdits edits_;
  // The doc_strings before any tagging: where spans stand with these, they stand for good.
  std::vector<DocEdit> untagged_;
  std::deque<std::string> originals_;
};

}  // namespace

DocEdits TagEdits(const Model& model, DocStringWriter& writer) {
  TagEditor editor(model, writer);
  for (NodeId id : model.graph().node_ids()) editor.Tag(id);
  return editor.Take();
}

DocEdits GivenTagEdits(const Model& model, const std::vector<GivenTag>& tags,
                       DocStringWriter& writer) {
  std::vector<bool> given(model.graph().node_count(), false);
  for (const GivenTag& tag : tags) given[tag.node.index()] = true;
  TagEditor editor(model, writer);
  for (NodeId id : model.graph().node_ids()) {
    if (given[id.index()]) {
      editor.Tag(id);
    } else {
      editor.Keep(id);
    }
  }
  return editor.Take();
}

DocEdits StripEdits(const Graph& graph) {
  DocEdits edits;
  for (NodeId id : graph.node_ids()) {
    OriginalDoc original = ReadOriginalDoc(graph.node(id).doc_string);
    if (!original.written_by_us) continue;
    edits.texts.push_back(std::move(original.text));
    edits.docs.push_back({id, original.present, edits.texts.back()});
  }
  return edits;
}

}  // namespace onnx_hier
