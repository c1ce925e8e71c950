// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bitset>
#include <iterator>
#include <limits>
#include <memory>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/functional/function_ref.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "lib/base/json_scanner.h"
#include "lib/base/kept_texts.h"
#include "lib/base/parsed_json.h"
#include "lib/base/status_macros.h"
#include "lib/tags/sidecar.h"
#include "nlohmann/json.hpp"
#include "onnx_hier/tags.h"

namespace onnx_hier {
namespace {

using Json = nlohmann::json;

constexpr absl::string_view kSchema = "onnx-hier/sidecar";
constexpr absl::string_view kTopKeys[] = {"generator", "model", "modules", "nodes", "summary"};
constexpr absl::string_view kNodeTexts[] = {"id", "name", "op_type", "output", "tag", "method"};
constexpr const char* kOtherForms[] = {"nodes", "node_tags", "tagged_nodes"};
constexpr const char* kTagKeys[] = {"hierarchy_path", "hierarchy_tag", "tag"};
constexpr absl::string_view kAuxiliary = "auxiliary";
constexpr size_t kMostProblems = 20;

const std::string* TextAt(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found == json.end() ? nullptr : found->get_ptr<const std::string*>();
}

// "/", or "/a/b" without an empty part.
bool IsModulePath(absl::string_view tag) {
  return tag == "/" ||
         (absl::StartsWith(tag, "/") && !absl::EndsWith(tag, "/") && !absl::StrContains(tag, "//"));
}

// Our own sidecar, read as far as it can be; whatever breaks the schema is noted. Modules and nodes
// are taken as they come: a whole sidecar as JSON is many times its text.
class SidecarReader {
 public:
  explicit SidecarReader(absl::string_view text) : json_(text) {}

  // False: the text is no JSON object. Anything else may be none of ours.
  bool Read() {
    if (!json_.Next() || json_.event() != JsonEvent::kObject) return false;
    ReadObject([this](absl::string_view key) { ReadTop(key); });
    return json_.Finish();
  }

  bool is_ours() const { return schema_ == kSchema; }

  absl::StatusOr<TagFile> Finish() {
    OH_RETURN_IF_ERROR(CheckVersion());
    file_.is_sidecar = true;
    std::swap(file_.problems, of_items_);
    for (size_t i = 0; i < std::size(kTopKeys); ++i) {
      if (!has_key_[i]) Complain(absl::StrCat("has no \"", kTopKeys[i], "\""));
    }
    if (version_count_.value_or(0) < 1) {
      Complain(absl::StrCat("schema_version is not 1 to ", kSidecarVersion));
    }
    for (std::string& problem : of_items_) Complain(std::move(problem));
    file_.texts = std::make_shared<const KeptTexts>(std::move(texts_));
    if (has_summary_ && nodes_in_summary_ != node_count_) {
      Complain(absl::StrCat("the summary does not count the ", node_count_, " nodes"));
    }
    return std::move(file_);
  }

 private:
  absl::Status CheckVersion() const {
    if (version_.has_value() && *version_ > kSidecarVersion) {
      return absl::InvalidArgumentError(
          absl::StrCat("was made by a newer version of onnx-hier (its schema_version is ",
                       absl::StrFormat("%.17g", *version_), ", this one knows 1 to ",
                       kSidecarVersion, "): update this one, or make it again"));
    }
    if (has_version_ && !version_count_.has_value()) {
      return absl::InvalidArgumentError(
          absl::StrCat("is no sidecar that this program knows: its schema_version is not 1 to ",
                       kSidecarVersion, "; make it again"));
    }
    return absl::OkStatus();
  }

  // What follows a key at the top.
  void ReadTop(absl::string_view key) {
    const auto top = std::find(std::begin(kTopKeys), std::end(kTopKeys), key);
    if (top != std::end(kTopKeys)) has_key_[static_cast<size_t>(top - std::begin(kTopKeys))] = true;
    if (key == "schema") {
      schema_ = TextHere();
    } else if (key == "schema_version") {
      has_version_ = true;
      if (!json_.IsNumber()) return;
      version_ = json_.number();
      version_count_ = json_.Unsigned();
    } else if (key == "model") {
      ReadObject([this](absl::string_view name) {
        if (name == "graph_name") file_.graph_name = TextHere();
      });
    } else if (key == "summary") {
      has_summary_ = true;
      ReadObject([this](absl::string_view name) {
        if (name == "nodes") nodes_in_summary_ = json_.Unsigned();
      });
    } else if (key == "modules" || key == "nodes") {
      if (json_.event() != JsonEvent::kArray) {
        return Complain(absl::StrCat("\"", key, "\" is no array"));
      }
      const bool are_modules = key == "modules";
      while (json_.NextItem()) {
        are_modules ? ReadModule() : ReadNode();
        json_.Skip();
      }
    }
  }

  // Calls `read` for each key, with the scanner at what follows. What begins there may be left.
  // Where no object begins, there is none.
  void ReadObject(absl::FunctionRef<void(absl::string_view key)> read) {
    if (json_.event() != JsonEvent::kObject) return;
    std::string storage;
    while (json_.NextKey()) {
      const absl::string_view key = json_.KeptText(storage);
      if (!json_.Next()) return;
      read(key);
      json_.Skip();
    }
  }

  std::string TextHere() const {
    return json_.IsString() ? std::string(json_.text()) : std::string();
  }

  void Complain(std::string text) {
    if (file_.problems.size() < kMostProblems) {
      file_.problems.push_back(std::move(text));
    } else if (file_.problems.size() == kMostProblems) {
      file_.problems.push_back("and more");
    }
  }

  void ReadModule() {
    const auto place = [number = module_count_++] { return absl::StrCat("modules[", number, "]"); };
    std::string path;
    std::optional<std::string> parent;
    std::optional<std::string> name;
    std::optional<std::string> class_name;
    ReadObject([&](absl::string_view key) {
      if (!json_.IsString()) return;
      if (key == "path") path = TextHere();
      if (key == "parent") parent = TextHere();
      if (key == "qualified_name") name = TextHere();
      if (key == "class") class_name = TextHere();
    });
    if (!IsModulePath(path)) return Complain(absl::StrCat(place(), " has no module path"));
    if (parent && !modules_.contains(*parent) && *parent != path) {
      Complain(absl::StrCat(place(), ": its parent ", *parent, " is not listed before it"));
    }
    if (!modules_.insert(path).second) {
      Complain(absl::StrCat(place(), ": ", path, " is listed twice"));
    }
    if (name && class_name) file_.classes.push_back({*std::move(name), *std::move(class_name)});
  }

  void ReadNode() {
    const auto place = [number = node_count_++] { return absl::StrCat("nodes[", number, "]"); };
    if (json_.event() != JsonEvent::kObject) {
      return Complain(absl::StrCat(place(), " is no object"));
    }
    TagEntry entry;
    absl::string_view tag;
    // As in kNodeTexts.
    absl::string_view* const texts[] = {&entry.id,     &entry.name, &entry.op_type,
                                        &entry.output, &tag,        &entry.method};
    std::bitset<std::size(kNodeTexts)> has_text;
    auxiliary_.clear();
    const auto complain = [&](absl::string_view what) { Complain(absl::StrCat(place(), what)); };
    ReadObject([&](absl::string_view key) {
      const auto found = std::find(std::begin(kNodeTexts), std::end(kNodeTexts), key);
      if (found != std::end(kNodeTexts)) {
        const auto text = static_cast<size_t>(found - std::begin(kNodeTexts));
        has_text[text] = json_.IsString();
        *texts[text] = json_.IsString() ? Kept(text, json_.text()) : absl::string_view();
      } else if (key == kAuxiliary) {
        ReadTexts(auxiliary_);
      } else if (key == "confidence") {
        entry.confidence = Probability(key, complain);
      } else if (key == "containment") {
        entry.containment = Probability(key, complain);
      } else if (key == "call") {
        const std::optional<uint64_t> call = json_.Unsigned();
        const bool fits = call && *call <= std::numeric_limits<uint32_t>::max();
        if (fits) entry.call = static_cast<uint32_t>(*call);
        if (!fits) complain(": its call is no count");
      }
    });
    for (size_t i = 0; i < std::size(kNodeTexts); ++i) {
      if (!has_text[i]) complain(absl::StrCat(" has no text \"", kNodeTexts[i], "\""));
    }
    if (!tag.empty()) {
      CheckTag(tag, complain);
      entry.tags.reserve(1 + auxiliary_.size());
      entry.tags.push_back(tag);
      for (absl::string_view other : auxiliary_) {
        if (other != tag) entry.tags.push_back(other);
      }
    }
    // One that means no node and says nothing is not kept.
    if (entry.id.empty() && entry.name.empty() && entry.output.empty() && entry.tags.empty())
      return;
    file_.entries.push_back(std::move(entry));
  }

  // Neighbours mostly have the same.
  void CheckTag(absl::string_view tag, absl::FunctionRef<void(absl::string_view)> complain) {
    if (tag.data() == last_fit_.data()) return;
    if (!IsModulePath(tag)) return complain(absl::StrCat(": ", tag, " is no module path"));
    if (!modules_.empty() && !modules_.contains(tag)) {
      return complain(absl::StrCat(": ", tag, " is not among the modules"));
    }
    last_fit_ = tag;
  }

  // One of kNodeTexts; often it is what the last node had.
  absl::string_view Kept(size_t which, absl::string_view text) {
    absl::string_view& last = last_[which];
    return text == last ? last : last = texts_.Add(text);
  }

  // Of an array, the texts.
  void ReadTexts(std::vector<absl::string_view>& texts) {
    texts.clear();
    if (json_.event() != JsonEvent::kArray) return;
    while (json_.NextItem()) {
      if (json_.IsString()) texts.push_back(texts_.Add(json_.text()));
      json_.Skip();
    }
  }

  std::optional<double> Probability(absl::string_view key,
                                    absl::FunctionRef<void(absl::string_view)> complain) const {
    const double number = json_.IsNumber() ? json_.number() : -1;
    if (number >= 0 && number <= 1) return number;
    complain(absl::StrCat(": its ", key, " is no number from 0 to 1"));
    return std::nullopt;
  }

  JsonScanner json_;
  std::bitset<std::size(kTopKeys)> has_key_;
  std::string schema_;
  std::optional<double> version_;  // where it is a number
  std::optional<uint64_t> version_count_;
  bool has_version_ = false;
  bool has_summary_ = false;
  std::optional<uint64_t> nodes_in_summary_;
  TagFile file_;
  std::vector<std::string> of_items_;         // problems of modules and nodes
  std::vector<absl::string_view> auxiliary_;  // of a node
  KeptTexts texts_;
  absl::string_view last_[std::size(kNodeTexts)];
  absl::flat_hash_set<std::string> modules_;
  absl::string_view last_fit_;  // the last tag with which nothing is wrong
  size_t module_count_ = 0;
  size_t node_count_ = 0;
};

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

// Of files of other tools.
class OthersReader {
 public:
  // Tags are paths; where there are none, all of them may be qualified names. Else only a path is a
  // tag: a file like this has other texts as well.
  std::deque<TagEntry> Read(const Json& json) {
    std::deque<TagEntry> entries;
    std::deque<TagEntry> named;
    if (!json.is_object()) return entries;
    for (const auto& [name, value] : json.items()) {
      TagEntry entry;
      entry.tags = TagsIn(value);
      if (entry.tags.empty()) continue;
      entry.name = texts_.Add(name);
      if (absl::StartsWith(entry.tags[0], "/")) {
        entries.push_back(std::move(entry));
      } else if (const std::string path = PathOfName(entry.tags[0]); !path.empty()) {
        entry.tags = {texts_.Add(path)};
        named.push_back(std::move(entry));
      }
    }
    return entries.empty() && named.size() == json.size() ? named : entries;
  }

  KeptTexts TakeTexts() && { return std::move(texts_); }

 private:
  TagList TagsIn(const Json& value) {
    TagList tags;
    if (const auto* text = value.get_ptr<const std::string*>()) {
      tags.push_back(texts_.Add(*text));
    } else if (value.is_object()) {
      for (const char* key : kTagKeys) {
        const std::string* tag = TextAt(value, key);
        if (tag != nullptr && tags.empty()) tags.push_back(texts_.Add(*tag));
      }
      AppendStrings(value, "hierarchy_tags", tags);
    }
    if (!tags.empty() && tags[0].empty()) tags.clear();
    return tags;
  }

  void AppendStrings(const Json& json, const char* key, TagList& texts) {
    const auto list = json.find(key);
    if (list == json.end() || !list->is_array()) return;
    for (const Json& item : *list) {
      const auto* text = item.get_ptr<const std::string*>();
      if (text == nullptr || (!texts.empty() && *text == texts.front())) continue;
      texts.push_back(texts_.Add(*text));
    }
  }

  KeptTexts texts_;
};

}  // namespace

absl::StatusOr<TagFile> ParseTagFile(absl::string_view text) {
  SidecarReader sidecar(text);
  if (!sidecar.Read()) {
    return absl::InvalidArgumentError(text.empty() ? "is empty: not a sidecar"
                                                   : "is not a JSON object: not a sidecar");
  }
  if (sidecar.is_ours()) return sidecar.Finish();
  const Json json = ParsedJson(text);
  TagFile file;
  OthersReader others;
  for (const char* key : kOtherForms) {
    if (file.entries.empty() && json.contains(key)) file.entries = others.Read(json[key]);
  }
  if (file.entries.empty()) file.entries = others.Read(json);
  file.texts = std::make_shared<const KeptTexts>(std::move(others).TakeTexts());
  if (file.entries.empty()) {
    return absl::InvalidArgumentError(
        "has no tags: neither a sidecar of onnx-hier nor a JSON object from node names to tags");
  }
  return file;
}

}  // namespace onnx_hier
