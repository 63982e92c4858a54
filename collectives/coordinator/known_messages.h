// SPDX-License-Identifier: GPL-2.0-only
/// Whether the names of messages and collectives in a checkpoint are the jobs'.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "collectives/execution/execution_context.h"
#include "collectives/execution/participation.h"

namespace heddle {

/// Whose rank a GPU is.
struct Seat {
  static constexpr std::uint32_t kNobody = ~0U;

  std::uint32_t job = kNobody, rank = 0;
};

/// Whether a job has the message, from `source` (invalid: any node) to `destination` (the same):
/// then its schedule can be asked about it.
bool KnowsMessage(const ExecutionContext& context, const MessageName& name, NodeId source,
                  NodeId destination);

/// Returns the call of a collective by the GPU at `node`; nothing if no job has the collective, or
/// the GPU takes no part in it. `seats`: by GPU, of all domains.
std::optional<CollectiveCall> CallOfGpu(const ExecutionContext& context,
                                        const std::vector<Seat>& seats, const CollectiveName& name,
                                        NodeId node);

/// Returns the call of a collective by its first rank; nothing if no job has the collective.
std::optional<CollectiveCall> CallOfFirst(const ExecutionContext& context,
                                          const CollectiveName& name);

}  // namespace heddle
