// SPDX-License-Identifier: Apache-2.0

// What users are told of data files that could not be compared.
#ifndef ONNX_HIER_LIB_RELATE_DATA_FAULTS_H_
#define ONNX_HIER_LIB_RELATE_DATA_FAULTS_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "lib/onnx/data_file_reader.h"
#include "lib/onnx/model_source.h"
#include "lib/onnx/stored_tensor_hashes.h"
#include "lib/onnx/stored_tensor_values.h"
#include "onnx_hier/model.h"

namespace onnx_hier {

// Of what a model's tensors hold, in its file and in data files beside it.
StoredTensorHashes HashesOf(const Model& model);
StoredTensorValues ValuesOf(const Model& model);

// Appends a line where data files were asked for and could not be read:
//
//   "external data of the original could not be read: 'w.bin': No such file or directory, and 3
//   more files"
void TellFaults(absl::string_view whose, const std::vector<DataFileReader::Fault>& faults,
                std::vector<std::string>& lines);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_RELATE_DATA_FAULTS_H_
