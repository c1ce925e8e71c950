#include "lib/resolve/resolve.h"

namespace onnx_hier {
namespace {

struct Seen {
  Place place = kNowhere;
  uint32_t call = 0;
};

}  // namespace

// A decided node is in the call whose own nodes stand nearest to it.
bool ResolveCalls(const Flow& flow, const KnownModules& known, Assignments& assignments) {
  std::vector<Seen> last;
  std::vector<uint32_t> distance(flow.size(), kNowhere);
  bool changed = false;
  const auto visit = [&](Place i) {
    Assignment& assignment = assignments[flow.node(i)];
    const size_t path = assignment.primary.index();
    if (path >= last.size()) last.resize(path + 1);
    if (!known.is_open(i)) {
      last[path] = {i, assignment.call};
      return;
    }
    const Seen& seen = last[path];
    if (seen.place == kNowhere) return;
    const uint32_t away = i > seen.place ? i - seen.place : seen.place - i;
    if (away >= distance[i]) return;
    distance[i] = away;
    changed |= assignment.call != seen.call;
    assignment.call = seen.call;
  };
  for (Place i = 0; i < flow.size(); ++i) visit(i);
  last.clear();
  for (Place i = flow.size(); i-- > 0;) visit(i);
  return changed;
}

}  // namespace onnx_hier
