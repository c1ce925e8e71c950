// SPDX-License-Identifier: Apache-2.0

// The module of each kernel.
//
//   const std::vector<KernelPlace> places = PlaceKernels(hierarchy, profile);
//
// A kernel whose name means nodes of several modules is what holds them all; one that was fused
// around a weight belongs to the module that has the weight.
#ifndef ONNX_HIER_LIB_PROFILE_PLACING_H_
#define ONNX_HIER_LIB_PROFILE_PLACING_H_

#include <vector>

#include "onnx_hier/hierarchy.h"
#include "onnx_hier/profile.h"

namespace onnx_hier {

// One place for each kernel.
std::vector<KernelPlace> PlaceKernels(const Hierarchy& hierarchy, const Profile& profile);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_PROFILE_PLACING_H_
