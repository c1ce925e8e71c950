// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/command_table.h"

#include <algorithm>
#include <iterator>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "tests/fuzz/text_mutator.h"

namespace onnx_hier::fuzz {
namespace {

using verify::Relation;

struct Row {
  // Words; `[a|b c]` is one of these, or none of them. IN, OTHER, SIDECAR, PROFILE, MAP, RULES and
  // LIST are files of the scene, OUT and OUTS a file and a folder to be written, PATTERN and NODE
  // what may mean something in the model.
  const char* words;
  // Of OUT to IN.
  std::optional<Relation> relation;
};

constexpr Row kRows[] = {
    {"tag IN -o OUT --no-sidecar [--min-confidence 0.9|--module-map MAP|-q|--json]",
     Relation::kTags},
    {"tag IN -o OUT --no-sidecar [--metadata|--metadata=torch,ort|--metadata winml]", {}},
    {"tag IN -o OUT --no-sidecar --rules RULES", Relation::kTags},
    {"tree IN --rules RULES [--json|--nodes]", {}},
    {"explain IN NODE --rules RULES [--json]", {}},
    {"check IN --rules RULES [--fresh] [--original OTHER|--coverage] [--json|--lines]", {}},
    {"fold IN -o OUT -q --min-nodes 1 --rules RULES", Relation::kFolded},
    {"place IN --rule PATTERN=cpu -o OUT [-q|--json]", {}},
    {"place IN --rule **=cpu --dry-run --json [--rules RULES|--module-map MAP]", {}},
    {"place IN --verify PROFILE [--json]", {}},
    {"tag IN -o OUT --no-sidecar --name-nodes --json", Relation::kNamed},
    {"tag IN -o OUT --no-sidecar --name-nodes=unique", Relation::kNamed},
    {"tag IN OTHER --output-dir OUTS [--json-lines|--json|-q|--name-nodes]", {}},
    {"tag --files-from LIST --output-dir OUTS --json-lines [--sidecar-only]", {}},
    {"tag IN --sidecar-only --sidecar OUT [--values|--module-map MAP|--json|--min-confidence 1]",
     {}},
    {"strip IN -o OUT [-q]", {}},
    {"tree IN [--classes|--nodes|--depth 1|--sort bytes|--module PATTERN|--module-map MAP]", {}},
    {"tree IN --json [--nodes|--module PATTERN|--min-confidence 0.9|--module-map MAP]", {}},
    {"tree IN [--profile PROFILE|--compare OTHER|--json --compare OTHER]", {}},
    {"explain IN NODE [NODE] [--json|--module-map MAP]", {}},
    {"explain IN [--below 0.99|--module PATTERN|--op Relu,MatMul] [--json]", {}},
    {"check IN [--coverage --contamination|--fresh|--coverage] [--json|--lines|--json-lines|-q]",
     {}},
    {"check IN --fix -o OUT [--json|-q]", Relation::kTags},
    {"check IN [--original OTHER|--tags SIDECAR|--module-map MAP|--module PATTERN] [--json]", {}},
    {"select IN PATTERN [PATTERN|--not PATTERN|--own|--strict] [--values inputs|--values outputs]",
     {}},
    {"select IN PATTERN --format json [--below 0.9|--op Add|--values inputs|--own]", {}},
    {"select IN ** --format [nul|csv|trtexec|polygraphy|regex|ids|ort-dynamic|genai|nncf|qnn]", {}},
    {"extract IN PATTERN -o OUT --json [--up-to|--from|--call 1|--strict]", Relation::kPart},
    {"extract IN PATTERN PATTERN -o OUT -q [--module-map MAP]", Relation::kPart},
    {"extract IN PATTERN --probe OUT --json", Relation::kProbe},
    {"probe IN -o OUT [-q|--json|--depth 2]", Relation::kProbe},
    {"probe IN --max-outputs 1MB -o OUT --json", {}},
    {"probe IN [PATTERN] --like OTHER -o OUT [--json|--isolated --json]", {}},
    {"probe IN --isolated -o OUT --json", {}},
    {"numerics IN PROFILE OTHER PROFILE [--json]", {}},
    {"weights IN --checkpoint OTHER [--json|--sort error --top 0|--require all|--format csv]", {}},
    {"weights IN --checkpoint IN [--module PATTERN|--require PATTERN --tolerance 0] [--json]", {}},
    {"weights IN --checkpoint OTHER --rename -o OUT -q", {}},
    {"weights IN --restore -o OUT -q", {}},
    {"tag IN -o OUT --no-sidecar --checkpoint OTHER [-q]", Relation::kTags},
    {"check IN --fresh --checkpoint OTHER [--coverage|--json]", {}},
    {"split IN --output-dir OUTS [--parts 3|--parts 2 --by nodes|--at PATTERN|--max-bytes 100]",
     {}},
    {"split IN --output-dir OUTS --dry-run --json [--parts 3|--at PATTERN]", {}},
    {"split IN --parts 3 --olive", {}},
    {"fold IN -o OUT --json --min-nodes 1 [--repeated|--depth 1|--only PATTERN|--module-map MAP]",
     Relation::kFolded},
    {"unfold IN -o OUT -q", {}},
    {"unfold IN -o OUT -q --all", {}},
    {"profile IN PROFILE [--format csv|--format folded|--format trace|--compare PROFILE]", {}},
    {"profile IN PROFILE --format json [--original OTHER|--sum-runs|--warm-up 0]", {}},
    {"cost IN --symbolic [--values|--json|--module PATTERN|--depth 1]", {}},
    {"cost IN [--device 10:1|--format csv|--sort macs|--json|--shape x=1x8|--dim n=4]", {}},
    {"report IN -o OUT [--profile PROFILE|--compare OTHER|--original OTHER] [-q]", {}},
    {"export IN [--format model-explorer|--format graphml|--format dot] [--module PATTERN]", {}},
    {"export IN --node-data [confidence|findings|time --profile PROFILE]", {}},
    {"apply SIDECAR IN -o OUT [-q|--strict|--verbose]", Relation::kTags},
    {"apply OTHER IN -o OUT --json", Relation::kTags},
    {"diff OTHER IN [--json|--weights|--structure|--depth 1]", {}},
    {"diff IN IN --json", {}},
};

constexpr absl::string_view kPatterns[] = {
    "**",
    "*",
    "/",
    "",
    "layer.*",
    "layer.[0-2]",
    "**.fc*",
    "@Linear",
    "!**",
    "/layer.0",
    "[5-2]",
    "a{b{c,d},e}",
    "{,}",
    "@",
    "\\*",
    "***",
    "[^a]",
    "[0-99999999999999999999]",
    "**.**.**.**.**.**.x",
    "*a*a*a*a*a*a*a*b",
    "{layer.0,layer.1}",
};

std::string APattern(const Scene& scene, testing::Random& random) {
  if (!scene.modules().empty() && !random.OneIn(3)) {
    return scene.modules()[random.Below(scene.modules().size())];
  }
  if (random.OneIn(4)) return std::string(OddWord(random));
  return std::string(kPatterns[random.Below(std::size(kPatterns))]);
}

std::string ANode(const Scene& scene, testing::Random& random) {
  if (scene.nodes().empty() || random.OneIn(8)) return APattern(scene, random);
  return scene.nodes()[random.Below(scene.nodes().size())];
}

std::string Filled(absl::string_view word, const Scene& scene, testing::Random& random) {
  if (word == "PATTERN=cpu") return absl::StrCat(APattern(scene, random), "=cpu");
  if (word == "IN") return scene / "in.onnx";
  if (word == "OTHER") return scene / "other.onnx";
  if (word == "SIDECAR") return scene / "sidecar.json";
  if (word == "PROFILE") return scene / "profile";
  if (word == "MAP") return scene / "map.json";
  if (word == "RULES") return scene / "rules.txt";
  if (word == "LIST") return scene / "list.txt";
  if (word == "OUTS") return scene / "outs";
  if (word == "PATTERN") return APattern(scene, random);
  if (word == "NODE") return ANode(scene, random);
  return std::string(word);
}

// The words of a row in which each `[...]` is what chance made of it.
std::string WithoutChoices(absl::string_view words, testing::Random& random) {
  std::string chosen;
  while (!words.empty()) {
    const size_t begin = std::min(words.find('['), words.size());
    absl::StrAppend(&chosen, words.substr(0, begin));
    const size_t end = std::min(words.find(']', begin), words.size());
    if (begin < end) {
      const absl::string_view inside = words.substr(begin + 1, end - begin - 1);
      std::vector<absl::string_view> choices = absl::StrSplit(inside, '|');
      // What has to be there follows a flag that takes it.
      if (!absl::EndsWith(chosen, "--format ") && !absl::EndsWith(chosen, "--node-data ")) {
        choices.push_back("");
      }
      absl::StrAppend(&chosen, choices[random.Below(choices.size())]);
    }
    words.remove_prefix(std::min(end + 1, words.size()));
  }
  return chosen;
}

// Pages and graphs have an ending of their own.
std::string OutputOf(absl::string_view command, const Scene& scene) {
  if (command == "report") return scene / "out.html";
  return scene / "out.onnx";
}

}  // namespace

ChosenCommand ChooseCommand(const Scene& scene, testing::Random& random) {
  const Row& row = kRows[random.Below(std::size(kRows))];
  const std::string chosen_words = WithoutChoices(row.words, random);
  const bool sidecar = chosen_words.find("--sidecar OUT") != std::string::npos;
  ChosenCommand chosen;
  for (absl::string_view word : absl::StrSplit(chosen_words, ' ', absl::SkipEmpty())) {
    const bool is_output = word == "OUT";
    const std::string output =
        sidecar ? scene / "out.json"
                : OutputOf(chosen_words.substr(0, chosen_words.find(' ')), scene);
    chosen.words.push_back(is_output ? output : Filled(word, scene, random));
    if (is_output && row.relation.has_value()) chosen.promise = {output, *row.relation};
  }
  return chosen;
}

}  // namespace onnx_hier::fuzz
