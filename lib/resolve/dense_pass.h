// Judges the open nodes of a file in which some names are left.
#ifndef ONNX_HIER_LIB_RESOLVE_DENSE_PASS_H_
#define ONNX_HIER_LIB_RESOLVE_DENSE_PASS_H_

#include <vector>

#include "absl/types/span.h"
#include "lib/resolve/context.h"
#include "lib/resolve/decisions.h"
#include "lib/resolve/scorer.h"

namespace onnx_hier {

// Sets decisions[p] for each p of `open`. `paths` is the context's own and grows by modules that
// twins suggest. `options.beside`: a second thread may help; the result is the same.
void JudgeDense(const Context& context, absl::Span<const Place> open, const ResolveOptions& options,
                ModulePaths& paths, std::vector<OpenDecision>& decisions);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_RESOLVE_DENSE_PASS_H_
