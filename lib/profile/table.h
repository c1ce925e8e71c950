// SPDX-License-Identifier: Apache-2.0

// Tables whose rows name nodes, or values that nodes make: CSV, TSV and JSON of other tools.
//
//   name,ep                                      onnxruntime's nodes by provider: words
//   #name,input_sizes,...,total_dynamic_sizes    its memory by node: bytes
//   Message,Time,Unit of Measurement,Event Level,Event Identifier      QNN's op trace:
//   cycles
//   {"/fc/MatMul": 0.5}                          AIMET, and whoever writes a number by name
//   [{"node": "/fc/MatMul", "loss": 0.5}]        records; {"/fc/MatMul": {"loss": 0.5}} likewise
//   {"nodes_to_exclude": ["/fc/MatMul"]}         lists: the list's name is the word
//
// Rows of one name, operator and word are one kernel of what is given back. Memory grows with
// names, up to `most_names`; the rows of all others are put together.
#ifndef ONNX_HIER_LIB_PROFILE_TABLE_H_
#define ONNX_HIER_LIB_PROFILE_TABLE_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "lib/profile/profile_text.h"
#include "onnx_hier/profile.h"

namespace onnx_hier {

// Whether lines have several fields, as many as each other: a text begins so.
bool LooksLikeTable(absl::string_view ahead);

// `lines_before` were read.
absl::StatusOr<Profile> ReadCsvTable(ProfileText& text, const ProfileOptions& options,
                                     size_t lines_before);
absl::StatusOr<Profile> ReadJsonTable(ProfileText& text, const ProfileOptions& options);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_PROFILE_TABLE_H_
