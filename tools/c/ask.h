// SPDX-License-Identifier: Apache-2.0

// Questions by their names, about a model, an annotation, a product.
#ifndef ONNX_HIER_TOOLS_C_ASK_H_
#define ONNX_HIER_TOOLS_C_ASK_H_

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <mutex>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "onnx_hier/c.h"
#include "tools/c/handles.h"
#include "tools/c/options.h"

namespace onnx_hier::c {

using Answer = absl::StatusOr<std::string>;

// One that can be asked about a `Subject`.
template <class Subject>
struct Question {
  absl::string_view name;
  std::initializer_list<absl::string_view> options;
  Answer (*answer)(Subject&, Options&);
};

// Answers one of `questions` about `subject`, which is "a model" or the like, when no other thread
// uses the model that the mutex is of.
template <class Subject, size_t kCount>
absl::Status Ask(onnx_hier_call& call, absl::string_view kind, Subject& subject, std::mutex& mutex,
                 const Question<Subject> (&questions)[kCount], absl::string_view question,
                 const onnx_hier_option* given, size_t count) {
  const auto* const known =
      std::find_if(std::begin(questions), std::end(questions),
                   [&](const Question<Subject>& each) { return each.name == question; });
  if (known == std::end(questions)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "there is no question '", question, "' about ", kind,
        "; known: ", absl::StrJoin(questions, ", ", [](std::string* out, const auto& each) {
          absl::StrAppend(out, each.name);
        })));
  }
  Options options(given, count, known->options);
  if (!options.status().ok()) return options.status();
  const std::lock_guard<std::mutex> lock(mutex);
  Answer answer = known->answer(subject, options);
  if (!answer.ok()) return answer.status();
  call.text = *std::move(answer);
  return absl::OkStatus();
}

}  // namespace onnx_hier::c

#endif  // ONNX_HIER_TOOLS_C_ASK_H_
