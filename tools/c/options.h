// SPDX-License-Identifier: Apache-2.0

// The options of a function of the C API, as what they mean.
//
//   Options options(given, count, {"depth"});
//   const uint32_t depth = options.Number("depth").value_or(kAll);
//   if (!options.status().ok()) return options.status();   // of all that was asked before
#ifndef ONNX_HIER_TOOLS_C_OPTIONS_H_
#define ONNX_HIER_TOOLS_C_OPTIONS_H_

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "onnx_hier/c.h"
#include "onnx_hier/hierarchy.h"
#include "onnx_hier/onnx_hier.h"

namespace onnx_hier::c {

class Options {
 public:
  // What is not among `known` is an error.
  Options(const onnx_hier_option* given, size_t count,
          std::initializer_list<absl::string_view> known);

  // kInvalidArgument: an option is not known, or cannot be read as what was asked of it.
  const absl::Status& status() const { return status_; }

  bool Has(absl::string_view name) const { return Find(name) != nullptr; }
  std::string Text(absl::string_view name) const;
  std::vector<std::string> Texts(absl::string_view name) const;
  // "" if it is not given.
  std::string Path(absl::string_view name);
  bool Flag(absl::string_view name, bool usual = false);
  std::optional<uint64_t> Number(absl::string_view name, uint64_t most = 0xFFFFFFFF);
  // From 0 to `most`.
  std::optional<double> Real(absl::string_view name, double most);
  // Of things of which there are so many.
  std::vector<uint32_t> Numbers(absl::string_view name, size_t things);
  // Number of the word that it is; of the first one if it is not given.
  size_t Word(absl::string_view name, std::initializer_list<absl::string_view> words);

 private:
  const onnx_hier_option* Find(absl::string_view name) const;
  void Fail(absl::string_view name, absl::string_view wanted);

  const onnx_hier_option* given_;
  size_t count_;
  absl::Status status_;
};

// The modules that `modules` and `pattern` mean together. An error if a pattern means none.
absl::StatusOr<std::vector<ModuleId>> ModulesMeant(const Hierarchy& hierarchy, Options& options);

// `module_map`, `checkpoint`, `min_confidence` and `rules`.
absl::StatusOr<AnnotateOptions> AnnotateOptionsOf(Options& options);

}  // namespace onnx_hier::c

#endif  // ONNX_HIER_TOOLS_C_OPTIONS_H_
