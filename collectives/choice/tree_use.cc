// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/choice/tree_use.h"

#include <algorithm>
#include <string>

#include "collectives/algorithms/algorithm_table.h"
#include "collectives/choice/algorithm_list.h"
#include "collectives/choice/nccl_choice.h"
#include "collectives/tuner/tuner_algorithms.h"

namespace heddle {
namespace {

bool UsesTrees(const std::string& word, Operation operation) {
  return std::any_of(AlgorithmRows().begin(), AlgorithmRows().end(), [&](const AlgorithmRow& row) {
    return row.uses_trees && row.Does(operation) && row.word != nullptr && word == row.word;
  });
}

/// Whether NCCL's tuner, with these rules, knows an algorithm that uses trees over servers.
bool TunerUsesTrees(Operation operation, const TunerRules& rules) {
  constexpr std::uint32_t kSeveralServers = 2;
  return std::any_of(
      TunerAlgorithmRows().begin(), TunerAlgorithmRows().end(), [&](const TunerAlgorithmRow& row) {
        const auto algorithm = SimulatedAs(operation, row.algorithm, kSeveralServers);
        return row.Does(operation) && rules.Allows(row.algorithm) && algorithm &&
               RowOf(*algorithm).uses_trees;
      });
}

}  // namespace

bool MayUseTrees(Operation operation, const CollectiveOptions& options) {
  if (options.phased.on()) return false;
  const bool tuned = options.as_nccl() && IsTuned(operation);
  if (tuned && options.collnet && TunerUsesTrees(operation, TunerRulesOf(operation, options)))
    return true;
  if (tuned && AlgorithmsIn(options.AlgorithmOf(operation)).size() != 1) return false;
  return UsesTrees(SimcclAlgorithm(operation, options.AlgorithmOf(operation)), operation);
}

}  // namespace heddle
