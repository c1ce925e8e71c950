// SPDX-License-Identifier: Apache-2.0

// File systems that lack something, on a machine whose file systems do not.
#ifndef ONNX_HIER_TESTS_SUPPORT_LACKING_H_
#define ONNX_HIER_TESTS_SUPPORT_LACKING_H_

#include <functional>

namespace onnx_hier::testing {

enum class Lacking {
  kUnnamedFiles,            // O_TMPFILE
  kUnnamedFilesAndRename2,  // and renameat2() with its flags
};

// Runs `body` where these calls fail as they do on such a file system. False, and `body` did not
// run, if the kernel lets nobody arrange that.
bool RunLacking(Lacking lacking, const std::function<void()>& body);

}  // namespace onnx_hier::testing

#endif  // ONNX_HIER_TESTS_SUPPORT_LACKING_H_
