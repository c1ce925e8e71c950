// SPDX-License-Identifier: Apache-2.0
#include "lib/owners/named_modules.h"

#include "doctest/doctest.h"

namespace onnx_hier {
namespace {

TEST_CASE("a module that nothing names may be there where its like is") {
  ModulePaths paths;
  for (const char* name : {"layers.0.attn.query", "layers.0.attn.proj", "layers.1.attn.query",
                           "layers.1.norm", "decoder.layers.0.attn.cross", "blocks.0.0.query",
                           "blocks.0.0.key", "blocks.0.1.fc", "blocks.0.1.act", "transition1.pool",
                           "transition1.norm", "transition2.norm", "post.1", "post.3"}) {
    paths.Parse(name);
  }
  NamedModules named(paths);
  for (PathId path : paths.ids()) named.Add(path);
  named.Finish();
  const auto may_be = [&](const char* module) { return named.MayBeThere(paths.Parse(module)); };
  CHECK(may_be("layers.1.attn.query"));
  CHECK(may_be("layers.1.attn.proj"));
  CHECK(may_be("decoder.layers.0.attn.proj"));  // as long as little is known of either
  CHECK(may_be("transition2.pool"));
  CHECK(may_be("post.2"));
  CHECK_FALSE(may_be("layers.1.attn.gate"));  // nobody is called so
  CHECK_FALSE(may_be("norm.query"));
  CHECK_FALSE(may_be("query"));
  CHECK_FALSE(may_be("layers.2"));  // the list ends
  CHECK_FALSE(may_be("layers.2.attn"));
  CHECK_FALSE(may_be("post.4"));
  // Two kinds of modules take turns in that list.
  CHECK_FALSE(may_be("blocks.0.0.fc"));
  CHECK_FALSE(may_be("blocks.0.1.query"));
}

}  // namespace
}  // namespace onnx_hier
