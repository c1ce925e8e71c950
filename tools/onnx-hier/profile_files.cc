// SPDX-License-Identifier: Apache-2.0
#include "tools/onnx-hier/profile_files.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "onnx_hier/apply.h"
#include "onnx_hier_program/tasks.h"
#include "tools/onnx-hier/files_read.h"
#include "tools/onnx-hier/write_flags.h"

namespace onnx_hier::cli {

namespace {

struct NamedAdds {
  const char* flag;
  TableAdds adds;
};

constexpr NamedAdds kAdds[] = {{"sum", TableAdds::kSum},
                               {"mean", TableAdds::kMean},
                               {"max", TableAdds::kMost},
                               {"count", TableAdds::kCount}};

}  // namespace

std::string WrongTableFlags(const ParsedFlags& flags) {
  std::string given;
  for (const NamedAdds& each : kAdds) {
    if (!flags.Has(each.flag)) continue;
    if (!given.empty())
      return absl::StrCat("--", given, " and --", each.flag, " exclude each other");
    given = each.flag;
  }
  if (flags.Has("count") && flags.Has("value")) {
    return "--count counts rows, and takes no --value";
  }
  return "";
}

absl::StatusOr<ProfileOptions> ReadProfileOptions(const ParsedFlags& flags) {
  ProfileOptions options;
  options.sum_runs = flags.Has("sum-runs");
  options.table.key = flags.Value("key");
  options.table.value = flags.Value("value");
  for (const NamedAdds& each : kAdds) {
    if (flags.Has(each.flag)) options.table.adds = each.adds;
  }
  const absl::Status status = ReadCount(flags, "warm-up", 0, options.warm_up_runs);
  if (!status.ok()) return status;
  return options;
}

namespace {

absl::StatusOr<Profile> ReadWithLayers(const std::string& path, const ProfileOptions& options,
                                       const ParsedFlags& flags) {
  NoteRead(path);
  absl::StatusOr<Profile> profile =
      path == "-" ? ReadProfileStream(0, options) : ReadProfile(path, options);
  if (!profile.ok()) {
    return Named(InputName(path), profile.status());
  }
  if (!flags.Has("layer-info")) return profile;
  const std::string info = flags.Value("layer-info");
  const absl::StatusOr<std::string> text = ReadText(info);
  if (!text.ok()) return text.status();
  const absl::Status status = AddLayerInfo(*text, *profile);
  if (status.ok()) return profile;
  return Named(info, status);
}

}  // namespace

absl::StatusOr<OpenedProfile> OpenProfile(const std::string& path, const std::string& shown,
                                          const ProfileOptions& options, const Model& model,
                                          const Hierarchy& hierarchy, const ParsedFlags& flags) {
  ProfileOptions bounded = options;
  bounded.most_names = std::min(options.most_names, MostNamesOf(model.graph()));
  absl::StatusOr<Profile> profile = ReadWithLayers(path, bounded, flags);
  if (!profile.ok()) return profile.status();
  return OpenedProfileOf(shown, *std::move(profile), hierarchy, InputName(model.path()));
}

absl::StatusOr<OpenedProfile> OpenOtherProfile(const OpenedProfile& first, const char* flag,
                                               const ProfileOptions& options, const Model& model,
                                               const Hierarchy& hierarchy,
                                               const ParsedFlags& flags) {
  const std::string path = flags.Value(flag);
  absl::StatusOr<OpenedProfile> other =
      OpenProfile(path, ShownFileName(path), options, model, hierarchy, flags);
  if (!other.ok()) return other;
  const absl::Status status = CheckComparable(first, *other);
  if (!status.ok()) return Named(absl::StrCat("--", flag), status);
  return other;
}

absl::StatusOr<Annotation> AnnotateByOriginal(const Model& model, const std::string& path,
                                              const ParsedFlags& flags,
                                              const AnnotateOptions& options) {
  if (!flags.Has("original")) return AnnotateModel(model, path, options);
  const absl::StatusOr<Model> original = OpenFlatModel(flags.Value("original"), Weights::kCopied);
  if (!original.ok()) return original.status();
  std::vector<std::string> warnings;
  absl::StatusOr<Annotation> annotation = AnnotateFrom(*original, model, options, &warnings);
  const absl::Status order = CheckOrder(*original, model);
  if (annotation.ok() && !order.ok())
    warnings.push_back(absl::StrCat("the model ", order.message()));
  WarnOf(warnings, flags);
  if (annotation.ok()) return annotation;
  return Named(InputName(path), annotation.status());
}

}  // namespace onnx_hier::cli
