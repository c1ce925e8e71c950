// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>
#include <string>

#include "lib/show/profile_formats.h"
#include "onnx_hier_program/reports.h"

namespace onnx_hier {
namespace {

struct NamedProfileFormat {
  absl::string_view name;
  ProfileFormat format;
};

constexpr NamedProfileFormat kProfileFormats[] = {
    {"table", ProfileFormat::kTable},   {"markdown", ProfileFormat::kMarkdown},
    {"csv", ProfileFormat::kCsv},       {"json", ProfileFormat::kJson},
    {"folded", ProfileFormat::kFolded}, {"speedscope", ProfileFormat::kSpeedscope},
    {"trace", ProfileFormat::kTrace},
};

}  // namespace

std::optional<ProfileFormat> ProfileFormatNamed(absl::string_view name) {
  for (const NamedProfileFormat& known : kProfileFormats) {
    if (known.name == name) return known.format;
  }
  return std::nullopt;
}

bool HasColumns(ProfileFormat format) {
  return format == ProfileFormat::kTable || format == ProfileFormat::kMarkdown ||
         format == ProfileFormat::kCsv || format == ProfileFormat::kJson;
}

absl::Status WriteProfile(const ProfileReport& report, ProfileFormat format, ByteSink& sink) {
  switch (format) {
    case ProfileFormat::kTable:
    case ProfileFormat::kMarkdown: {
      const TableFormat table =
          format == ProfileFormat::kTable ? TableFormat::kText : TableFormat::kMarkdown;
      return report.other ? WriteProfileComparison(report, *report.other, table, sink)
                          : WriteProfileTable(report, table, sink);
    }
    case ProfileFormat::kCsv:
      return WriteProfileCsv(report, sink);
    case ProfileFormat::kJson:
      return WriteProfileJson(report, sink);
    case ProfileFormat::kFolded:
      return WriteProfileFolded(report, sink);
    case ProfileFormat::kSpeedscope:
      return WriteProfileSpeedscope(report, sink);
    case ProfileFormat::kTrace:
      break;
  }
  return WriteProfileTrace(report, sink);
}

ModuleId ShownModule(const Hierarchy& hierarchy, ModuleId module, uint32_t depth) {
  const ModuleTree& tree = hierarchy.modules();
  for (uint32_t at = tree.DepthOf(module); at > depth; --at) module = tree.module(module).parent;
  return module;
}

}  // namespace onnx_hier
