// SPDX-License-Identifier: Apache-2.0
#include "lib/relate/module_hashes.h"

#include <string>

#include "lib/base/hash.h"
#include "lib/base/status_macros.h"
#include "lib/graph/weight.h"
#include "lib/relate/module_text.h"

namespace onnx_hier {
namespace {

uint64_t HashOfStructure(const ModuleFlow& flow, GroupId id) {
  uint64_t hash = flow.alone().groups[id];
  for (const auto& [kind, count] : ParametersOf(flow.groups(), id)) {
    hash = MixHash(MixHash(hash, HashBytes(kind)), count);
  }
  return hash;
}

}  // namespace

ModuleHashes::ModuleHashes(const ModuleFlow& flow)
    : groups_(flow.groups()),
      exists_(groups_.paths().size()),
      has_parameters_(groups_.paths().size()),
      unknown_(groups_.paths().size()),
      own_(groups_.paths().size(), 0) {
  const ModulePaths& paths = groups_.paths();
  for (GroupId id : groups_.ids()) {
    const ModuleGroup& group = groups_.group(id);
    own_[group.path] = HashOfStructure(flow, id);
    paths.AddWithAround(group.path, exists_);
    if (!group.parameters.empty()) paths.AddWithAround(group.path, has_parameters_);
  }
  unknown_ = has_parameters_;
  structure_ = Total(own_);
  contents_ = structure_;
}

absl::Status ModuleHashes::Read(TensorHashes& tensors) {
  if (is_read_) return absl::OkStatus();
  is_read_ = true;
  unknown_ = IdSet<PathId>(groups_.paths().size());
  IdVector<PathId, uint64_t> own = own_;
  for (GroupId id : groups_.ids()) {
    uint64_t sum = 0;  // in whatever order they are
    for (ValueId value : groups_.group(id).parameters) {
      const TensorId tensor = HeldTensor(groups_.graph(), value);
      if (!tensor.valid()) continue;
      OH_ASSIGN_OR_RETURN(const uint64_t sample, tensors.Sample(tensor));
      sum += MixHash(0, sample);
      if (sample == 0) groups_.paths().AddWithAround(groups_.group(id).path, unknown_);
    }
    uint64_t& hash = own[groups_.group(id).path];
    hash = MixHash(hash, sum);
  }
  contents_ = Total(own);
  return absl::OkStatus();
}

IdVector<PathId, uint64_t> ModuleHashes::Total(const IdVector<PathId, uint64_t>& own) const {
  const ModulePaths& paths = groups_.paths();
  IdVector<PathId, uint64_t> total = own;
  // What is around a path comes before it.
  for (size_t i = paths.size(); i > 1; --i) {
    const PathId path(static_cast<uint32_t>(i - 1));
    if (!exists_.Has(path)) continue;
    total[paths.parent(path)] += MixHash(HashBytes(paths.name(path)), total[path]);
  }
  return total;
}

}  // namespace onnx_hier
