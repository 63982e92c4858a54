// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/choice/nccl_choice.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "collectives/algorithms/algorithm_table.h"
#include "collectives/choice/algorithm_list.h"
#include "collectives/choice/protocol_choice.h"
#include "collectives/tuner/tuner.h"
#include "core/base/check.h"
#include "topology/graph/gpu_types.h"

namespace heddle {
namespace {

/// A bit for each algorithm of a list; all, without a list.
std::uint32_t BitsOf(const std::vector<std::string>& list) {
  if (list.empty()) return TunerRules::kAllAlgorithms;
  const auto has = [&](const std::string& word) {
    return std::find(list.begin(), list.end(), word) != list.end();
  };
  std::uint32_t bits = 0;
  for (const TunerAlgorithmRow& row : TunerAlgorithmRows()) {
    if (has(row.word)) bits |= 1U << static_cast<unsigned>(row.algorithm);
  }
  // NCCL calls it NVLS, over several servers.
  if (has(RowOf(Algorithm::kNvlsCollNet).word))
    bits |= 1U << static_cast<unsigned>(TunerAlgorithm::kNvls);
  return bits;
}

/// Turns off what the simulation cannot do with this group, which the tuner's own rules leave.
void TurnOffObstacles(Operation operation, const GroupShape& shape,
                      const CollectiveOptions& options, std::vector<TunerEntry>* entries) {
  for (TunerEntry& entry : *entries) {
    if (!entry.why_off.empty()) continue;
    if (const auto algorithm = SimulatedAs(operation, entry.algorithm, shape.servers()))
      entry.why_off = WhyNot(RowOf(*algorithm), operation, shape, options);
  }
}

/// What the tuner says of the group, less what the simulation cannot do.
std::vector<TunerEntry> EntriesFor(const CollectiveSpec& spec, const GroupShape& shape,
                                   const std::string& gpu_type, const CollectiveOptions& options,
                                   const TunerRules& rules) {
  const TunerQuestion question = {spec.operation, spec.bytes,
                                  TunerGroupOf(shape, gpu_type, options.nic_rate())};
  std::vector<TunerEntry> entries = Tune(question, rules);
  TurnOffObstacles(spec.operation, shape, options, &entries);
  return entries;
}

/// The words of the algorithms that `entries` leave to a run.
std::vector<std::string> WordsLeft(const std::vector<TunerEntry>& entries) {
  std::vector<std::string> words;
  for (const TunerEntry& entry : entries) {
    const std::string word = RowOf(entry.algorithm).word;
    if (entry.why_off.empty() && entry.simulated &&
        std::find(words.begin(), words.end(), word) == words.end())
      words.push_back(word);
  }
  return words;
}

/// Why none is left: of each algorithm that was asked for.
std::string ReasonsOf(const CollectiveSpec& spec, const CollectiveOptions& options,
                      const std::vector<TunerEntry>& entries) {
  const std::vector<std::string> asked = AlgorithmsIn(options.AlgorithmOf(spec.operation));
  std::vector<std::string> reasons;
  for (const std::string& word : asked) {
    const auto entry = std::find_if(entries.rbegin(), entries.rend(), [&](const TunerEntry& e) {
      return word == RowOf(e.algorithm).word ||
             (e.algorithm == TunerAlgorithm::kNvls && word == RowOf(Algorithm::kNvlsCollNet).word);
    });
    const std::string why = entry == entries.rend()   ? "NCCL has none for this operation"
                            : !entry->why_off.empty() ? entry->why_off
                                                      : "not simulated";
    reasons.push_back(word + ": " + why);
  }
  return fmt::format("{}", fmt::join(reasons, "; "));
}

}  // namespace

bool ChoosesAsNccl(const CollectiveSpec& spec, const GroupShape& shape,
                   const CollectiveOptions& options) {
  return options.as_nccl() && IsTuned(spec.operation) && shape.ranks() > 1;
}

TunerRules TunerRulesOf(Operation operation, const CollectiveOptions& options) {
  TunerRules rules;
  rules.algorithms = BitsOf(AlgorithmsIn(options.AlgorithmOf(operation)));
  rules.protocols = 0;
  for (const Protocol protocol : {Protocol::kLl, Protocol::kLl128, Protocol::kSimple}) {
    if (AllowsProtocol(options, protocol)) rules.protocols |= 1U << static_cast<unsigned>(protocol);
  }
  rules.nvls = options.nvls;
  rules.collnet = options.collnet;
  rules.collnet_servers = options.collnet_servers;
  rules.pat = options.pat;
  rules.pat_forced = options.pat_forced;
  return rules;
}

std::optional<AlgorithmChoice> FindAsNccl(const CollectiveSpec& spec, const GroupShape& shape,
                                          const std::string& gpu_type,
                                          const CollectiveOptions& options) {
  const std::vector<TunerEntry> entries =
      EntriesFor(spec, shape, gpu_type, options, TunerRulesOf(spec.operation, options));
  const auto best = ShortestOf(entries, true);
  if (!best) return std::nullopt;
  AlgorithmChoice choice;
  choice.algorithm = *SimulatedAs(spec.operation, entries[*best].algorithm, shape.servers());
  const bool none = options.protocol == CollectiveOptions::Protocols::kNone;
  choice.protocol = none ? Protocol::kNone : entries[*best].protocol;
  return choice;
}

bool NamesOne(Operation operation, const std::string& gpu_type, const CollectiveOptions& options) {
  const std::vector<std::string> asked = AlgorithmsIn(options.AlgorithmOf(operation));
  if (asked.size() != 1 || SimcclAlgorithm(operation, asked.front()).empty()) return false;
  const bool by_nvls = asked.front().rfind("nvls", 0) == 0;
  const bool pat = asked.front() == RowOf(Algorithm::kPat).word;
  return !(by_nvls && !(options.nvls && HasNvls(gpu_type))) && !(pat && !options.pat);
}

void RefuseAsNccl(const CollectiveSpec& spec, const GroupShape& shape, const std::string& gpu_type,
                  const CollectiveOptions& options) {
  TunerRules rules = TunerRulesOf(spec.operation, options);
  const std::string reasons =
      ReasonsOf(spec, options, EntriesFor(spec, shape, gpu_type, options, rules));
  rules.algorithms = TunerRules::kAllAlgorithms;
  throw UserError(fmt::format(
      "{} of a {} group of {} GPUs as NCCL chooses: {}. Expected: {}, or algorithm.choice=simccl",
      ToText(spec.operation), ToText(spec.group), shape.ranks(), reasons,
      fmt::join(WordsLeft(EntriesFor(spec, shape, gpu_type, options, rules)), ", ")));
}

}  // namespace heddle
