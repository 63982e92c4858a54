// SPDX-License-Identifier: GPL-2.0-only
#include "io/astra/astra_system.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "core/options/token_reader.h"
#include "io/astra/astra2_system.h"
#include "io/astra/astra_entries.h"
#include "io/astra/astra_keys.h"
#include "io/input/text_file.h"

namespace heddle {
namespace {

using Words = std::vector<std::pair<const char*, const char*>>;

const std::vector<AstraKey>& SystemKeys() {
  using Range = AstraKey::Range;
  static const std::vector<AstraKey> kKeys = {{"preferred-dataset-splits", Range::kPositive},
                                              {"scheduling-policy", Range::kWord},
                                              {"endpoint-delay", Range::kPositive},
                                              {"packet-routing", Range::kWord},
                                              {"injection-policy", Range::kWord},
                                              {"boost-mode", Range::kCount},
                                              {"collective-implementation", Range::kWord},
                                              {"collective-optimization", Range::kWord},
                                              {"L", Range::kCount},
                                              {"o", Range::kCount},
                                              {"g", Range::kCount},
                                              {"G", Range::kCount},
                                              {"model-shared-bus", Range::kCount},
                                              {"local-reduction-delay", Range::kCount}};
  return kKeys;
}

/// Sets `option` by the word of `key`, if the file has it.
void SetByWord(const AstraKeys& keys, const char* key, const char* option, const Words& words,
               OptionSet* options) {
  if (!keys.has(key)) return;
  std::string known;
  for (const auto& [word, value] : words) {
    if (keys.Word(key) == word) {
      options->Set(option, value);
      return;
    }
    known += (known.empty() ? "" : ", ") + std::string(word);
  }
  FailInput(keys.LineOf(key), fmt::format("{}: {}", key, Quote(keys.Word(key))), known);
}

void SetCount(const AstraKeys& keys, const char* key, const char* option, const char* unit,
              OptionSet* options) {
  if (keys.has(key)) options->Set(option, std::to_string(keys.Count(key)) + unit);
}

/// The algorithm of each dimension. Rings and allToAll follow from the fabric: rings on rings,
/// direct through switches. Within a package ASTRA-SIM's all-to-all exchanges directly if routers
/// pass messages on; otherwise it is a ring.
void SetImplementation(const AstraKeys& keys, OptionSet* options) {
  const bool hardware = keys.has("packet-routing") && keys.Word("packet-routing") == "hardware";
  SetByWord(keys, "collective-implementation", "phases.algorithm",
            {{"hierarchicalRing", "auto"},
             {"allToAll", "auto"},
             {"doubleBinaryTree", "doubleBinaryTree"},
             {"doubleBinaryTreeLocalAllToAll",
              hardware ? "direct_doubleBinaryTree" : "ring_doubleBinaryTree"}},
            options);
}

/// Keys of a bus that all NPUs of a package share, which is not modelled.
void CheckSharedBus(const AstraKeys& keys) {
  const char* key = "model-shared-bus";
  if (keys.Count(key, 0) == 0) return;
  FailInput(keys.LineOf(key), fmt::format("{}: {}", key, keys.Count(key)),
            "0, as shared buses are not modelled");
}

}  // namespace

AstraFileNote ParseAstraSystem(std::string_view text, const std::string& name, OptionSet* options) {
  if (IsJson(text)) return ParseAstra2System(text, name, options);
  const AstraKeys keys(text, name, SystemKeys(), "system file");
  options->Set("phases.collectives", "baseline");
  SetByWord(keys, "collective-optimization", "phases.collectives",
            {{"baseline", "baseline"}, {"localBWAware", "enhanced"}}, options);
  SetByWord(keys, "scheduling-policy", "chunks.order", {{"LIFO", "lifo"}, {"FIFO", "fifo"}},
            options);
  SetByWord(keys, "packet-routing", "phases.routing",
            {{"software", "software"}, {"hardware", "hardware"}}, options);
  SetByWord(keys, "injection-policy", "chunks.per_lane",
            {{"normal", "8"},
             {"semiAggressive", "16"},
             {"aggressive", "32"},
             {"extraAggressive", "64"},
             {"infinite", "0"}},
            options);
  SetCount(keys, "endpoint-delay", "phases.endpoint_delay", "ns", options);
  SetCount(keys, "preferred-dataset-splits", "chunks.splits", "", options);
  SetImplementation(keys, options);
  CheckSharedBus(keys);
  AstraFileNote note;
  note.version = "ASTRA-SIM 1.0";
  if (keys.has("boost-mode")) note.unused.emplace_back("boost-mode", "all NPUs are simulated");
  for (const char* key : {"local-reduction-delay", "L", "o", "g", "G"}) {
    if (keys.has(key)) note.unused.emplace_back(key, "belongs to the shared bus");
  }
  return note;
}

AstraFileNote ReadAstraSystem(const std::string& path, OptionSet* options) {
  return ParseAstraSystem(ReadTextFile(path), path, options);
}

}  // namespace heddle
