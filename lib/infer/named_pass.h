// Judges the open nodes of a file in which some names are left.
#ifndef ONNX_HIER_LIB_INFER_NAMED_PASS_H_
#define ONNX_HIER_LIB_INFER_NAMED_PASS_H_

#include <vector>

#include "absl/types/span.h"
#include "lib/features/context.h"
#include "lib/infer/decisions.h"
#include "lib/infer/scorer.h"

namespace onnx_hier {

// Sets decisions[p] for each p of `open`. `paths` is the context's own and grows by modules that
// twins suggest. `options.parallel`: a second thread may help; the result is the same.
void DecideNamed(const Context& context, absl::Span<const Rank> open, const InferOptions& options,
                 ModulePaths& paths, IdVector<Rank, OpenDecision>& decisions);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_INFER_NAMED_PASS_H_
