// SPDX-License-Identifier: Apache-2.0
#include "tools/onnx-hier/profile_files.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "onnx_hier/apply.h"
#include "tools/onnx-hier/files_read.h"
#include "tools/onnx-hier/write_flags.h"

namespace onnx_hier::cli {

absl::StatusOr<ProfileOptions> ReadProfileOptions(const ParsedFlags& flags) {
  ProfileOptions options;
  options.sum_runs = flags.Has("sum-runs");
  if (!flags.Has("warm-up")) return options;
  const absl::StatusOr<uint32_t> runs = ParseCount(flags, "warm-up", 0);
  if (!runs.ok()) return runs.status();
  options.warm_up_runs = *runs;
  return options;
}

namespace {

absl::StatusOr<Profile> ReadWithLayers(const std::string& path, const ProfileOptions& options,
                                       const ParsedFlags& flags) {
  NoteRead(path);
  absl::StatusOr<Profile> profile =
      path == "-" ? ReadProfileStream(0, options) : ReadProfile(path, options);
  if (!profile.ok()) {
    return absl::Status(profile.status().code(),
                        absl::StrCat(InputName(path), ": ", profile.status().message()));
  }
  if (!flags.Has("layer-info")) return profile;
  const std::string info = flags.Value("layer-info");
  const absl::StatusOr<std::string> text = ReadText(info);
  if (!text.ok()) return text.status();
  const absl::Status status = AddLayerInfo(*text, *profile);
  if (status.ok()) return profile;
  return absl::Status(status.code(), absl::StrCat(info, ": ", status.message()));
}

absl::Status CheckPlaced(const TimedProfile& profile, const std::string& model) {
  if (profile.times.unplaced < profile.times.total || profile.times.total == 0) {
    return absl::OkStatus();
  }
  return absl::NotFoundError(
      absl::StrCat(InputName(profile.file), ": no kernel has a name of ", InputName(model),
                   ", such as '", profile.profile.kernels.front().name,
                   "'; profile the model that ran: onnxruntime saves it as it was optimised with "
                   "optimized_model_filepath"));
}

}  // namespace

absl::StatusOr<PlacedProfile> OpenProfile(const std::string& path, const std::string& shown,
                                          const ProfileOptions& options, const Model& model,
                                          const Hierarchy& hierarchy, const ParsedFlags& flags) {
  absl::StatusOr<Profile> profile = ReadWithLayers(path, options, flags);
  if (!profile.ok()) return profile.status();
  PlacedProfile placed = {shown, *std::move(profile), {}};
  placed.times = TimesOf(hierarchy, placed.profile);
  const absl::Status status = CheckPlaced(placed.timed(), model.path());
  if (!status.ok()) return status;
  return placed;
}

absl::StatusOr<Annotation> AnnotateByOriginal(const Model& model, const std::string& path,
                                              const ParsedFlags& flags,
                                              const AnnotateOptions& options) {
  if (!flags.Has("original")) return AnnotateModel(model, path, options);
  const absl::StatusOr<Model> original = OpenFlatModel(flags.Value("original"), Weights::kCopied);
  if (!original.ok()) return original.status();
  std::vector<std::string> warnings;
  absl::StatusOr<Annotation> annotation = AnnotateFrom(*original, model, options, &warnings);
  WarnOf(warnings, flags);
  if (annotation.ok()) return annotation;
  return absl::Status(annotation.status().code(),
                      absl::StrCat(InputName(path), ": ", annotation.status().message()));
}

}  // namespace onnx_hier::cli
