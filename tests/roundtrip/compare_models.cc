// Are two ONNX files the same model but for the doc_strings of their nodes?
//
//   compare_models A.onnx B.onnx
//
// Exit code: 0 the same, 1 different, 2 one of them cannot be read.
// A line on standard output says how many nodes and node doc_strings each file
// has, or where the first difference lies:
//
//   same: 257 nodes; node doc_strings: 0 and 257
//   different: graph.node[3].input[1]: "x" against "y"
//
// This is the independent witness for the promise that tagging changes nothing
// else: it shares no code with the tool and sees the files through protobuf's
// own reader. Both models are parsed, the doc_strings of nodes at any depth are
// cleared, and what remains is compared as serialized bytes, because message
// comparison would let NaN payloads and the sign of zero pass. Unknown fields
// take part. The order of fields does not: parsing forgets it.
//
// Memory: about three times the size of the file.

#include <fcntl.h>
#include <google/protobuf/descriptor.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl.h>
#include <google/protobuf/stubs/logging.h>
#include <google/protobuf/wire_format_lite.h>
#include <onnx/onnx_pb.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::RepeatedPtrField;
using google::protobuf::internal::WireFormatLite;
using google::protobuf::io::CodedInputStream;
using google::protobuf::io::FileInputStream;

// Nested messages followed before a file counts as unreadable. protobuf's own
// limit of 100 is 33 nested Ifs; its parser recurses, so the stack sets the end.
constexpr int kMaxMessageDepth = 1000;

struct Content {
  std::string bytes;  // The model without node doc_strings, serialized.
  std::size_t nodes = 0;
  std::size_t doc_strings = 0;  // Nodes that had one.
};

// Clears the doc_strings of all nodes: main graph, local functions, training
// graphs, and the graphs that node attributes hold. No recursion.
void ClearNodeDocStrings(onnx::ModelProto& model, Content& content) {
  std::vector<RepeatedPtrField<onnx::NodeProto>*> pending;
  const auto visit = [&pending](onnx::GraphProto* graph) {
    pending.push_back(graph->mutable_node());
  };
  // mutable_X() creates X where it was absent, which would hide a difference.
  if (model.has_graph()) visit(model.mutable_graph());
  for (onnx::FunctionProto& function : *model.mutable_functions())
    pending.push_back(function.mutable_node());
  for (onnx::TrainingInfoProto& training : *model.mutable_training_info()) {
    if (training.has_initialization()) visit(training.mutable_initialization());
    if (training.has_algorithm()) visit(training.mutable_algorithm());
  }
  while (!pending.empty()) {
    RepeatedPtrField<onnx::NodeProto>* nodes = pending.back();
    pending.pop_back();
    for (onnx::NodeProto& node : *nodes) {
      ++content.nodes;
      content.doc_strings += node.has_doc_string() ? 1 : 0;
      node.clear_doc_string();
      for (onnx::AttributeProto& attribute : *node.mutable_attribute()) {
        if (attribute.has_g()) visit(attribute.mutable_g());
        for (onnx::GraphProto& graph : *attribute.mutable_graphs()) visit(&graph);
      }
    }
  }
}

// Nothing when the file cannot be opened or is no protobuf ModelProto.
std::optional<Content> Read(const char* path) {
  const int descriptor = open(path, O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return std::nullopt;
  onnx::ModelProto model;
  {
    constexpr int kBlockBytes = 1 << 20;
    FileInputStream file(descriptor, kBlockBytes);
    file.SetCloseOnDelete(true);
    CodedInputStream input(&file);
    input.SetTotalBytesLimit(std::numeric_limits<int>::max());
    input.SetRecursionLimit(kMaxMessageDepth);
    if (!model.ParsePartialFromCodedStream(&input) || !input.ConsumedEntireMessage() ||
        file.GetErrno() != 0) {
      return std::nullopt;
    }
  }
  Content content;
  ClearNodeDocStrings(model, content);
  if (!model.SerializePartialToString(&content.bytes)) return std::nullopt;
  return content;
}

// One field of a serialized message. `bytes` is the payload of a
// length-delimited field, the encoded value of any other.
struct Field {
  int number = 0;
  WireFormatLite::WireType wire_type = WireFormatLite::WIRETYPE_VARINT;
  std::string_view bytes;

  bool operator==(const Field&) const = default;
};

// Reads the fields of one serialized message in order.
class FieldReader {
 public:
  explicit FieldReader(std::string_view message)
      : message_(message),
        input_(reinterpret_cast<const std::uint8_t*>(message.data()),
               static_cast<int>(message.size())) {
    input_.SetRecursionLimit(kMaxMessageDepth);
  }

  // Nothing at the end of the message.
  std::optional<Field> Next() {
    const std::uint32_t tag = input_.ReadTag();
    if (tag == 0) return std::nullopt;
    auto begin = static_cast<std::size_t>(input_.CurrentPosition());
    if (!WireFormatLite::SkipField(&input_, tag)) return std::nullopt;
    const auto end = static_cast<std::size_t>(input_.CurrentPosition());
    const WireFormatLite::WireType wire_type = WireFormatLite::GetTagWireType(tag);
    if (wire_type == WireFormatLite::WIRETYPE_LENGTH_DELIMITED) {
      while ((static_cast<unsigned char>(message_[begin]) & 0x80U) != 0) ++begin;
      ++begin;
    }
    return Field{WireFormatLite::GetTagFieldNumber(tag), wire_type,
                 message_.substr(begin, end - begin)};
  }

 private:
  std::string_view message_;
  CodedInputStream input_;
};

bool IsText(const FieldDescriptor* descriptor) {
  return descriptor != nullptr && descriptor->type() == FieldDescriptor::TYPE_STRING;
}

bool IsMessage(const FieldDescriptor* descriptor) {
  return descriptor != nullptr && descriptor->type() == FieldDescriptor::TYPE_MESSAGE;
}

// A field's value in a few readable characters, from its byte `from` on.
std::string Show(const std::optional<Field>& field, const FieldDescriptor* descriptor,
                 std::size_t from) {
  if (!field) return "nothing";
  const std::string size = std::to_string(field->bytes.size()) + " bytes";
  if (IsMessage(descriptor)) return size;
  constexpr std::size_t kShownBytes = 48;
  constexpr char kHex[] = "0123456789abcdef";
  std::string shown = IsText(descriptor) ? "\"" : "";
  const std::string_view window = field->bytes.substr(from, kShownBytes);
  for (const char c : window) {
    const auto byte = static_cast<unsigned char>(c);
    if (IsText(descriptor) && byte >= 0x20 && byte != 0x7f) {
      shown += c;
    } else {
      shown += "\\x";
      shown += kHex[byte >> 4U];
      shown += kHex[byte & 0xfU];
    }
  }
  if (IsText(descriptor)) shown += '"';
  if (from + window.size() < field->bytes.size()) shown += "... of " + size;
  return shown;
}

// What stands in one file against what stands in the other. Long values are
// shown from their first differing byte on.
std::string ShowBoth(const std::optional<Field>& a, const std::optional<Field>& b,
                     const FieldDescriptor* descriptor) {
  std::size_t from = 0;
  if (a && b && !IsText(descriptor)) {
    const std::size_t shorter = std::min(a->bytes.size(), b->bytes.size());
    while (from < shorter && a->bytes[from] == b->bytes[from]) ++from;
  }
  const std::string place = from == 0 ? "" : "from byte " + std::to_string(from) + " on ";
  return place + Show(a, descriptor, from) + " against " + Show(b, descriptor, from);
}

// Names a field as `name[index]`, or `name` where it cannot repeat.
std::string Name(const Field& field, const FieldDescriptor* descriptor, std::size_t index) {
  if (descriptor == nullptr)
    return "field_" + std::to_string(field.number) + "[" + std::to_string(index) + "]";
  return descriptor->is_repeated() ? descriptor->name() + "[" + std::to_string(index) + "]"
                                   : descriptor->name();
}

// Where two serialized messages of one type part, and what stands there.
// Goes down level by level instead of reporting the first differing byte, which
// would always be the length of the outermost message.
std::string FirstDifference(const Descriptor* type, std::string_view a, std::string_view b) {
  std::string place;
  while (true) {
    FieldReader reader_a(a);
    FieldReader reader_b(b);
    std::map<int, std::size_t> seen;  // Fields met so far, by number.
    std::optional<Field> field_a = reader_a.Next();
    std::optional<Field> field_b = reader_b.Next();
    while (field_a && field_a == field_b) {
      ++seen[field_a->number];
      field_a = reader_a.Next();
      field_b = reader_b.Next();
    }
    // In serialized order a missing field shows as a later one in its place.
    const bool same_field = field_a && field_b && field_a->number == field_b->number;
    if (field_a && field_b && !same_field) {
      (field_a->number < field_b->number ? field_b : field_a).reset();
    }
    if (!field_a && !field_b) return place + ": the same fields in another encoding";
    const Field& present = field_a ? *field_a : *field_b;
    const FieldDescriptor* descriptor =
        type == nullptr ? nullptr : type->FindFieldByNumber(present.number);
    if (!place.empty()) place += '.';
    place += Name(present, descriptor, seen[present.number]);
    const bool both_messages = same_field && IsMessage(descriptor) &&
                               field_a->wire_type == WireFormatLite::WIRETYPE_LENGTH_DELIMITED &&
                               field_b->wire_type == WireFormatLite::WIRETYPE_LENGTH_DELIMITED;
    if (!both_messages) return place + ": " + ShowBoth(field_a, field_b, descriptor);
    type = descriptor->message_type();
    a = field_a->bytes;
    b = field_b->bytes;
  }
}

}  // namespace

int main(int argc, char** argv) {
  constexpr int kSame = 0;
  constexpr int kDifferent = 1;
  constexpr int kUnreadable = 2;
  if (argc != 3) {
    std::fputs("usage: compare_models A.onnx B.onnx\n", stderr);
    return kUnreadable;
  }
  google::protobuf::SetLogHandler(nullptr);  // Its lines would double ours.
  std::vector<Content> contents;
  for (const char* path : {argv[1], argv[2]}) {
    std::optional<Content> content = Read(path);
    if (!content) {
      std::fprintf(stderr, "compare_models: %s: cannot be read as an ONNX model\n", path);
      return kUnreadable;
    }
    contents.push_back(*std::move(content));
  }
  const Content& a = contents[0];
  const Content& b = contents[1];
  if (a.bytes != b.bytes) {
    const std::string difference =
        FirstDifference(onnx::ModelProto::descriptor(), a.bytes, b.bytes);
    std::printf("different: %s\n", difference.c_str());
    return kDifferent;
  }
  std::printf("same: %zu nodes; node doc_strings: %zu and %zu\n", a.nodes, a.doc_strings,
              b.doc_strings);
  return kSame;
}
