// SPDX-License-Identifier: Apache-2.0
#include "lib/parts/fold_table.h"

#include "absl/strings/escaping.h"
#include "lib/base/hash.h"
#include "lib/onnx/wire_reader.h"
#include "lib/onnx/wire_writer.h"

namespace onnx_hier {
namespace {

bool TakeFunctions(absl::string_view* rest, FoldTable& table) {
  uint64_t count = 0;
  // Each of them has at least one byte.
  if (!TakeVarint(rest, &count) || count > rest->size()) return false;
  while (table.functions.size() < count) {
    uint64_t function = 0;
    if (!TakeVarint(rest, &function)) return false;
    table.functions.push_back(static_cast<uint32_t>(function));
  }
  return true;
}

}  // namespace

NodesChecksum::NodesChecksum(const FoldTable& table)
    : counts_all_(table.form != kFirstFoldForm),
      value_(counts_all_ ? static_cast<uint64_t>(table.ir_version) : 0) {}

void NodesChecksum::Add(absl::string_view node) { value_ = MixHash(value_, HashBytes(node)); }

void NodesChecksum::AddStaying() {
  if (counts_all_) value_ = MixHash(value_, 0);
}

void FunctionChecksum::Add(absl::string_view text) { value_ = MixHash(value_, HashBytes(text)); }

// Positions as runs of numbers that follow each other.
std::string WriteFoldTable(const FoldTable& table) {
  std::string bytes;
  AppendVarint(table.form, &bytes);
  AppendVarint(static_cast<uint64_t>(table.ir_version), &bytes);
  AppendVarint(table.checksum, &bytes);
  if (table.form != kFirstFoldForm) {
    AppendVarint(table.functions.size(), &bytes);
    for (uint32_t function : table.functions) AppendVarint(function, &bytes);
  }
  AppendVarint(table.positions.size(), &bytes);
  for (size_t i = 0; i < table.positions.size();) {
    size_t end = i + 1;
    while (end < table.positions.size() && table.positions[end] == table.positions[end - 1] + 1) {
      ++end;
    }
    AppendVarint(table.positions[i], &bytes);
    AppendVarint(end - i, &bytes);
    i = end;
  }
  bytes += table.codes;
  return absl::Base64Escape(bytes);
}

std::optional<FoldTable> ReadFoldTable(absl::string_view text) {
  std::string bytes;
  if (!absl::Base64Unescape(text, &bytes)) return std::nullopt;
  absl::string_view rest = bytes;
  FoldTable table;
  uint64_t ir_version = 0;
  uint64_t count = 0;
  if (!TakeVarint(&rest, &table.form) || table.form < kFirstFoldForm ||
      table.form > kScatteredFoldForm || !TakeVarint(&rest, &ir_version) ||
      !TakeVarint(&rest, &table.checksum) ||
      (table.form != kFirstFoldForm && !TakeFunctions(&rest, table)) ||
      !TakeVarint(&rest, &count) || count > kMostUnfoldedNodes) {
    return std::nullopt;
  }
  table.ir_version = static_cast<int64_t>(ir_version);
  while (table.positions.size() < count) {
    uint64_t begin = 0;
    uint64_t size = 0;
    if (!TakeVarint(&rest, &begin) || !TakeVarint(&rest, &size)) return std::nullopt;
    if (size == 0 || size > count - table.positions.size() || begin > kMostUnfoldedNodes ||
        size > kMostUnfoldedNodes - begin) {
      return std::nullopt;
    }
    for (uint64_t i = 0; i < size; ++i) {
      table.positions.push_back(static_cast<uint32_t>(begin + i));
    }
  }
  table.codes = std::string(rest);
  return table;
}

}  // namespace onnx_hier
