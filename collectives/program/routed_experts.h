// SPDX-License-Identifier: GPL-2.0-only
/// Experts of a program: what the ranks of expert groups exchange, and how long theirs compute, by
/// the experts that tokens choose.
///
/// Lines with an AllToAll of expert groups come in pairs within a micro-batch: the first dispatches
/// tokens, the second brings them back (combine). Backward, the combine's line sends gradients
/// where tokens went, and the dispatch's line brings them back. Lines between the two are the
/// experts' own; they compute in proportion to the choices of a rank's experts.
///
/// Omitted: all expert groups of a layer have the same tokens, and so have its micro-batches and
/// all passes; collectives of other groups between dispatch and combine keep their bytes.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "collectives/experts/expert_options.h"
#include "collectives/experts/routed_tokens.h"
#include "collectives/program/groups.h"
#include "core/base/units.h"
#include "core/traffic/pair_sizes.h"
#include "core/traffic/workload.h"

namespace heddle {

struct Program;
struct ProgramStep;

/// What a program keeps of them; its specs point to the tables.
struct RoutedExperts {
  static constexpr std::uint32_t kNone = ~0U;

  ExpertOptions options;
  std::vector<std::shared_ptr<const RoutedTokens>> layers;  ///< expert layers of a micro-batch
  std::vector<std::unique_ptr<const PairSizes>> tables;     ///< of all operations
  /// By line of the workload: the expert layer whose experts compute there; kNone: none.
  std::vector<std::uint32_t> computes;
};

/// Gives the expert groups' AllToAlls their sizes, and the program its experts; nothing with even
/// routing. Throws UserError for options that do not fit each other or the groups.
void RouteExperts(const ExpertOptions& options, const Workload& workload,
                  const ParallelGroups& groups, Program* program);

/// Returns how long a step computes on a rank of the job.
Time TimeOnRank(const Program& program, const ProgramStep& step, const ParallelGroups& groups,
                std::uint32_t rank);

/// Describes how uneven the experts' loads are: "experts  256, top 8, ...", a line with its end;
/// empty without routing.
std::string DescribeExperts(const Program& program);

}  // namespace heddle
