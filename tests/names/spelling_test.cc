// SPDX-License-Identifier: Apache-2.0
#include "lib/names/spelling.h"

#include <string>

#include "doctest/doctest.h"
#include "lib/names/dialects/torchscript.h"
#include "lib/names/printed_scopes.h"
#include "onnx_hier/module_paths.h"

namespace onnx_hier {
namespace {

// Of a module, by its qualified name, and a scope: "" or "outer of module" where the scope's last
// component is printed for it, and what the two are to each other.
std::string Told(const char* module, const char* scope) {
  PrintedScopes printed(TorchScopes());
  ModulePaths paths;
  const PathId path = paths.Parse(module);
  const ScopeId id = printed.Intern(scope);
  const Spelling spelling(printed, paths);
  std::string told;
  ScopeId outer;
  if (const PathId around = spelling.WithoutComponent(path, id, &outer); around.valid()) {
    CHECK(outer == printed.scope(id).parent);
    told = "in " + paths.QualifiedName(around);
  }
  if (spelling.EndsAlike(path, id)) told += " alike";
  if (spelling.IsCompatible(path, id)) told += " compatible";
  CHECK(spelling.MayMean(path, id) ==
        (spelling.EndsAlike(path, id) && spelling.IsCompatible(path, id)));
  return told;
}

TEST_CASE("what a scope is to a module") {
  CHECK(Told("encoder.layers.0.conv1", "encoder/layers.0/conv1") ==
        "in encoder.layers.0 alike compatible");
  CHECK(Told("model.decoder.fc", "decoder/fc") == "in model.decoder alike compatible");
  CHECK(Told("decoder.fc", "model/decoder/fc") == "in decoder alike compatible");
  CHECK(Told("a.b.c.fc", "a/c/fc") == "in a.b.c alike compatible");
  // Names in another order, or others.
  CHECK(Told("a.b.fc", "b/a/fc") == "in a.b alike");
  CHECK(Told("a.c.fc", "a/b/fc") == "in a.c alike");
  CHECK(Told("a.b.fc", "a/b/act").empty());
  // The scope goes on.
  CHECK(Told("a.fc", "a/fc/act") == " compatible");
}

TEST_CASE("numbers are printed with the name before them") {
  CHECK(Told("stem.0", "stem/stem.0") == "in stem alike compatible");
  // It would be "stem.1.0".
  CHECK(Told("stem.1.0", "stem/stem.0") == "in stem.1 compatible");
  CHECK(Told("net.0", "net.0") == "in  alike compatible");
  CHECK(Told("net.1", "net.0").empty());
  CHECK(Told("0", "0") == "in  alike compatible");
}

}  // namespace
}  // namespace onnx_hier
