// SPDX-License-Identifier: Apache-2.0
#include "lib/parts/scopes.h"

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "lib/base/slash_path.h"
#include "lib/parts/distinct_names.h"

namespace onnx_hier {
namespace {

// The folder that most names are in, of those called like the module; of equals the first.
class FolderCount {
 public:
  explicit FolderCount(absl::string_view last) : last_(last) {}
  void Add(absl::string_view folder) {
    if (folder.empty() || !absl::StartsWith(LastComponent(folder), last_)) return;
    const uint32_t count = ++counts_[folder];
    if (count <= most_) return;
    most_ = count;
    best_ = folder;
  }
  absl::string_view best() const { return best_; }

 private:
  absl::string_view last_;
  absl::flat_hash_map<absl::string_view, uint32_t> counts_;
  uint32_t most_ = 0;
  absl::string_view best_;
};

std::string PlainName(absl::string_view name) {
  constexpr size_t kLongest = 128;
  std::string plain(name.substr(0, kLongest));
  for (char& c : plain) {
    if (!absl::ascii_isalnum(static_cast<unsigned char>(c)) && c != '.' && c != '_') c = '_';
  }
  return plain;
}

// "encoder.layer.1.query" -> "encoder.layer.query".
std::string NameWithoutNumbers(const ModulePaths& paths, PathId path) {
  std::vector<PathId> chain;
  for (; path != paths.root(); path = paths.parent(path)) chain.push_back(path);
  std::string name;
  for (size_t i = chain.size(); i-- > 0;) {
    if (paths.is_number(chain[i])) continue;
    absl::StrAppend(&name, name.empty() ? "" : ".", paths.name(chain[i]));
  }
  return name.empty() ? "layer" : PlainName(name);
}

// "transformers.models.bert.modeling_bert.BertLayer" -> "BertLayer".
std::string ShortClass(absl::string_view class_name) {
  return PlainName(class_name.substr(class_name.rfind('.') + 1));
}

}  // namespace

IdVector<ItemId, std::string> FindScopes(const Contraction& contraction, const Units& units,
                                         const FoldRuns& runs, const Hierarchy& hierarchy) {
  IdVector<ItemId, std::string> scopes(contraction.items.size());
  DistinctNames names("_", 1);
  // Calls stand among these: names of nodes stay.
  for (ItemId id : contraction.top) {
    const Unit unit = contraction.items[id].unit;
    if (unit.valid()) names.Claim(units.graph().node(units.node(unit)).name);
  }
  for (ItemId id : IdRange<ItemId>(contraction.items.size())) {
    const FoldItem& call = contraction.items[id];
    if (call.unit.valid()) continue;
    const FoldRun& run = runs.run(call.run);
    const std::string tag =
        hierarchy.annotation().paths.Tag(hierarchy.modules().module(run.module).path);
    FolderCount own(LastComponent(tag));
    FolderCount inner(LastComponent(tag));
    for (ItemId item : call.items) {
      const Unit unit = contraction.items[item].unit;
      if (unit.valid()) {
        own.Add(FolderOf(units.graph().node(units.node(unit)).name));
      } else {
        inner.Add(FolderOf(scopes[item]));
      }
    }
    std::string scope(own.best().empty() ? inner.best() : own.best());
    if (scope.empty()) scope = run.call == 0 ? tag : absl::StrCat(tag, "_", run.call);
    scopes[id] = names.Take(scope);
  }
  return scopes;
}

IdVector<FoldFunctionId, std::string> NameFunctions(const Contraction& contraction,
                                                    const FoldBodies& bodies, const FoldRuns& runs,
                                                    const Hierarchy& hierarchy) {
  const auto module_of = [&](const FoldFunction& function) -> const Module& {
    return hierarchy.modules().module(runs.run(contraction.items[function.model].run).module);
  };
  absl::flat_hash_map<std::string, uint32_t> of_class;
  for (const FoldFunction& function : bodies.functions) {
    ++of_class[ShortClass(module_of(function).class_name)];
  }
  DistinctNames unique(".", 2);
  IdVector<FoldFunctionId, std::string> names;
  for (const FoldFunction& function : bodies.functions) {
    const Module& module = module_of(function);
    std::string name = ShortClass(module.class_name);
    if (name.empty() || of_class[name] > 1) {
      name = NameWithoutNumbers(hierarchy.annotation().paths, module.path);
    }
    names.push_back(unique.Take(name));
  }
  return names;
}

}  // namespace onnx_hier
