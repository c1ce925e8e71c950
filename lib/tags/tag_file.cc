// SPDX-License-Identifier: Apache-2.0
#include "onnx_hier/tag_file.h"

#include <limits>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "lib/base/parsed_json.h"
#include "lib/tags/sidecar.h"
#include "nlohmann/json.hpp"

namespace onnx_hier {
namespace {

using Json = nlohmann::json;

constexpr absl::string_view kSchema = "onnx-hier/sidecar";
constexpr const char* kTopKeys[] = {"generator", "model", "modules", "nodes", "summary"};
constexpr const char* kNodeTexts[] = {"id", "name", "op_type", "output", "tag", "method"};
constexpr const char* kOtherForms[] = {"nodes", "node_tags", "tagged_nodes"};
constexpr const char* kTagKeys[] = {"hierarchy_path", "hierarchy_tag", "tag"};
constexpr char kAuxiliary[] = "auxiliary";
constexpr size_t kMostProblems = 20;

const std::string* TextAt(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found == json.end() ? nullptr : found->get_ptr<const std::string*>();
}

std::string TextOr(const Json& json, const char* key) {
  const std::string* text = TextAt(json, key);
  return text == nullptr ? std::string() : *text;
}

// "/", or "/a/b" without an empty part.
bool IsModulePath(absl::string_view tag) {
  return tag == "/" ||
         (absl::StartsWith(tag, "/") && !absl::EndsWith(tag, "/") && !absl::StrContains(tag, "//"));
}

void AppendStrings(const Json& json, const char* key, std::vector<std::string>* texts) {
  const auto list = json.find(key);
  if (list == json.end() || !list->is_array()) return;
  for (const Json& item : *list) {
    const auto* text = item.get_ptr<const std::string*>();
    if (text != nullptr && (texts->empty() || *text != texts->front())) texts->push_back(*text);
  }
}

// Our own sidecar, read as far as it can be; whatever breaks the schema is noted. Modules and nodes
// are taken as they come: a whole sidecar as JSON is many times its text.
class SidecarReader {
 public:
  // False: the text is no JSON object. Anything else may be none of ours.
  bool Parse(absl::string_view text) {
    rest_ = ParsedJson(text, [this](size_t depth, JsonEvent event, Json& value) {
      return Keep(depth, event, value);
    });
    return rest_.is_object();
  }

  // What is left of it: texts and numbers at the top, in the model and in the summary.
  const Json& rest() const { return rest_; }

  TagFile Finish() {
    file_.is_sidecar = true;
    std::swap(file_.problems, of_items_);
    for (const char* key : kTopKeys) {
      if (!keys_.contains(key)) Complain(absl::StrCat("has no \"", key, "\""));
    }
    const auto version = rest_.find("schema_version");
    if (version == rest_.end() || *version < 1) {
      Complain(absl::StrCat("schema_version is not 1 to ", kSidecarVersion));
    }
    for (std::string& problem : of_items_) Complain(std::move(problem));
    if (const auto model = rest_.find("model"); model != rest_.end() && model->is_object()) {
      file_.graph_name = TextOr(*model, "graph_name");
    }
    ReadSummary();
    return std::move(file_);
  }

 private:
  static constexpr size_t kItemDepth = 2;  // of an array at the top

  bool Keep(size_t depth, JsonEvent event, Json& value) {
    const bool is_start = event == JsonEvent::kObjectStart || event == JsonEvent::kArrayStart;
    if (depth == 0) return true;
    if (event == JsonEvent::kKey) {
      if (depth == 1) keys_.insert(section_ = value.get<std::string>());
      if (depth > kItemDepth) key_ = value.get<std::string>();
      return true;
    }
    if (section_ == "modules" || section_ == "nodes") {
      return depth == 1 ? IsArray(event) : KeepOfItem(depth, event, value);
    }
    return !is_start || (depth == 1 && (section_ == "model" || section_ == "summary"));
  }

  bool IsArray(JsonEvent event) {
    const bool is = event == JsonEvent::kArrayStart || event == JsonEvent::kArrayEnd;
    if (!is) Complain(absl::StrCat("\"", section_, "\" is no array"));
    return is;
  }

  // Of an item, texts and numbers are kept until its end, and one list of texts.
  bool KeepOfItem(size_t depth, JsonEvent event, Json& value) {
    if (depth > kItemDepth) {
      return event != JsonEvent::kObjectStart &&
             (event != JsonEvent::kArrayStart || (depth == kItemDepth + 1 && key_ == kAuxiliary));
    }
    if (event == JsonEvent::kObjectStart) return true;
    section_ == "modules" ? ReadModule(value) : ReadNode(value);
    return false;
  }

  void Complain(std::string text) {
    if (file_.problems.size() < kMostProblems) {
      file_.problems.push_back(std::move(text));
    } else if (file_.problems.size() == kMostProblems) {
      file_.problems.push_back("and more");
    }
  }

  void ReadModule(const Json& module) {
    const std::string place = absl::StrCat("modules[", module_count_++, "]");
    const std::string* path = module.is_object() ? TextAt(module, "path") : nullptr;
    if (path == nullptr || !IsModulePath(*path)) {
      return Complain(absl::StrCat(place, " has no module path"));
    }
    if (!modules_.insert(*path).second) {
      Complain(absl::StrCat(place, ": ", *path, " is listed twice"));
    }
    const std::string* parent = TextAt(module, "parent");
    if (parent != nullptr && !modules_.contains(*parent)) {
      Complain(absl::StrCat(place, ": its parent ", *parent, " is not listed before it"));
    }
    const std::string* name = TextAt(module, "qualified_name");
    const std::string* class_name = TextAt(module, "class");
    if (name != nullptr && class_name != nullptr) file_.classes.push_back({*name, *class_name});
  }

  void ReadNode(const Json& node) {
    const std::string place = absl::StrCat("nodes[", node_count_++, "]");
    if (!node.is_object()) return Complain(absl::StrCat(place, " is no object"));
    for (const char* key : kNodeTexts) {
      if (TextAt(node, key) == nullptr) Complain(absl::StrCat(place, " has no text \"", key, "\""));
    }
    TagEntry entry;
    entry.id = TextOr(node, "id");
    entry.name = TextOr(node, "name");
    entry.output = TextOr(node, "output");
    entry.op_type = TextOr(node, "op_type");
    entry.method = TextOr(node, "method");
    if (std::string tag = TextOr(node, "tag"); !tag.empty()) {
      if (!IsModulePath(tag)) {
        Complain(absl::StrCat(place, ": ", tag, " is no module path"));
      } else if (!modules_.empty() && !modules_.contains(tag)) {
        Complain(absl::StrCat(place, ": ", tag, " is not among the modules"));
      }
      entry.tags.push_back(std::move(tag));
      AppendStrings(node, kAuxiliary, &entry.tags);
    }
    entry.confidence = ReadProbability(node, "confidence", place);
    entry.containment = ReadProbability(node, "containment", place);
    if (const auto call = node.find("call"); call != node.end()) {
      const bool fits = call->is_number_unsigned() && *call <= std::numeric_limits<uint32_t>::max();
      if (fits) entry.call = call->get<uint32_t>();
      if (!fits) Complain(absl::StrCat(place, ": its call is no count"));
    }
    // One that means no node and says nothing is not kept.
    if (entry.id.empty() && entry.name.empty() && entry.output.empty() && entry.tags.empty())
      return;
    file_.entries.push_back(std::move(entry));
  }

  std::optional<double> ReadProbability(const Json& node, const char* key,
                                        const std::string& place) {
    const auto number = node.find(key);
    if (number == node.end()) return std::nullopt;
    if (number->is_number() && *number >= 0 && *number <= 1) return number->get<double>();
    Complain(absl::StrCat(place, ": its ", key, " is no number from 0 to 1"));
    return std::nullopt;
  }

  void ReadSummary() {
    const auto summary = rest_.find("summary");
    if (summary == rest_.end()) return;
    const auto nodes = summary->find("nodes");
    if (nodes == summary->end() || *nodes != node_count_) {
      Complain(absl::StrCat("the summary does not count the ", node_count_, " nodes"));
    }
  }

  Json rest_;
  std::string section_;                    // the key at the top that is read
  std::string key_;                        // ... of an item, or in it
  absl::flat_hash_set<std::string> keys_;  // at the top
  TagFile file_;
  std::vector<std::string> of_items_;  // problems of modules and nodes
  absl::flat_hash_set<std::string> modules_;
  size_t module_count_ = 0;
  size_t node_count_ = 0;
};

TagEntry ReadOther(const std::string& name, const Json& value) {
  TagEntry entry;
  entry.name = name;
  if (const auto* text = value.get_ptr<const std::string*>()) {
    entry.tags.push_back(*text);
  } else if (value.is_object()) {
    for (const char* key : kTagKeys) {
      const std::string* tag = TextAt(value, key);
      if (tag != nullptr && entry.tags.empty()) entry.tags.push_back(*tag);
    }
    AppendStrings(value, "hierarchy_tags", &entry.tags);
  }
  if (!entry.tags.empty() && entry.tags[0].empty()) entry.tags.clear();
  return entry;
}

// The path of a qualified name ("/encoder/layer.0" of "encoder.layer.0"), or "" of what is none.
std::string PathOfName(absl::string_view name) {
  std::string path;
  for (absl::string_view part : absl::StrSplit(name, '.')) {
    if (part.empty()) return "";
    bool is_number = true;
    for (char c : part) {
      const auto byte = static_cast<unsigned char>(c);
      if (!absl::ascii_isalnum(byte) && c != '_') return "";
      is_number = is_number && absl::ascii_isdigit(byte);
    }
    absl::StrAppend(&path, is_number && !path.empty() ? "." : "/", part);
  }
  return path;
}

// Tags are paths; where there are none, all of them may be qualified names. Else only a path is a
// tag: a file like this has other texts as well.
std::deque<TagEntry> ReadOthers(const Json& json) {
  std::deque<TagEntry> entries;
  std::deque<TagEntry> named;
  if (!json.is_object()) return entries;
  for (const auto& [name, value] : json.items()) {
    TagEntry entry = ReadOther(name, value);
    if (entry.tags.empty()) continue;
    if (absl::StartsWith(entry.tags[0], "/")) {
      entries.push_back(std::move(entry));
    } else if (std::string path = PathOfName(entry.tags[0]); !path.empty()) {
      entry.tags = {std::move(path)};
      named.push_back(std::move(entry));
    }
  }
  return entries.empty() && named.size() == json.size() ? named : entries;
}

}  // namespace

absl::StatusOr<TagFile> ParseTagFile(absl::string_view text) {
  SidecarReader sidecar;
  if (!sidecar.Parse(text)) {
    return absl::InvalidArgumentError(text.empty() ? "is empty: not a sidecar"
                                                   : "is not a JSON object: not a sidecar");
  }
  if (TextOr(sidecar.rest(), "schema") == kSchema) {
    const auto version = sidecar.rest().find("schema_version");
    if (version != sidecar.rest().end() && version->is_number() && *version > kSidecarVersion) {
      return absl::InvalidArgumentError(absl::StrCat(
          "was made by a newer version of onnx-hier (its schema_version is ", version->dump(),
          ", this one knows 1 to ", kSidecarVersion, "): update this one, or make it again"));
    }
    if (version != sidecar.rest().end() && !version->is_number_unsigned()) {
      return absl::InvalidArgumentError(
          absl::StrCat("is no sidecar that this program knows: its schema_version is not 1 to ",
                       kSidecarVersion, "; make it again"));
    }
    return sidecar.Finish();
  }
  const Json json = ParsedJson(text);
  TagFile file;
  for (const char* key : kOtherForms) {
    if (file.entries.empty() && json.contains(key)) file.entries = ReadOthers(json[key]);
  }
  if (file.entries.empty()) file.entries = ReadOthers(json);
  if (file.entries.empty()) {
    return absl::InvalidArgumentError(
        "has no tags: neither a sidecar of onnx-hier nor a JSON object from node names to tags");
  }
  return file;
}

}  // namespace onnx_hier
