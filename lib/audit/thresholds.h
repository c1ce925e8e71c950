// SPDX-License-Identifier: Apache-2.0

// Thresholds that several witnesses share. All were set by hand on exports with known owners: with
// wrong tags put into them, comparisons find nearly all of these there, and hardly anything else.
#ifndef ONNX_HIER_LIB_AUDIT_THRESHOLDS_H_
#define ONNX_HIER_LIB_AUDIT_THRESHOLDS_H_

namespace onnx_hier {

// What is placed, or wanted elsewhere, with this much confidence stands by itself.
constexpr float kSure = 0.75f;
// Of the nodes of a list, how many must stand in the layer that their tags name, so that those that
// do not mean something. Layers that run several times, or at once, do not reach it.
constexpr double kLeastAgreement = 0.72;

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_AUDIT_THRESHOLDS_H_
