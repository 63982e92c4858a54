// SPDX-License-Identifier: GPL-2.0-only
/// The islands of a domain, and what collectives that are replayed whole need of whoever keeps
/// their episodes (replay_side.h).
#pragma once

#include <cstdint>
#include <vector>

#include "transport/domain/replay/island.h"
#include "transport/domain/state/domain_state.h"
#include "transport/model/nic/queue_pair.h"
#include "transport/model/replay/episode_key.h"
#include "transport/model/replay/episode_memo.h"
#include "transport/model/replay/replay_figures.h"

namespace heddle {

class IslandKeeper {
 public:
  std::vector<Island>& islands() { return islands_; }              ///< of this domain, by number
  const std::vector<Island>& islands() const { return islands_; }  ///< the same, to read
  const IslandMap& map() const { return map_; }                    ///< fixed after the start
  ReplayFigures& figures() { return figures_; }                    ///< counts, which users add to
  /// Returns the number of the island of a queue pair that is under way there.
  virtual std::uint32_t IslandOf(std::uint32_t slot) const = 0;
  /// Sets the island's event, of which there is one at most, to `time` and this place in the order.
  virtual void WakeAt(DomainState& state, Island* island, Time time, std::uint64_t order) = 0;
  /// Names the path of a pair's data and of its ACKs, by labels of ports. Returns false if it
  /// leaves the island, or if there are several and a hash decides.
  virtual bool FindOnlyPath(const DomainState& state, std::uint32_t island, const QueuePair& pair,
                            std::uint32_t port, EpisodeKey* way) = 0;
  /// Adds what an episode that was not simulated leaves at the island's ports, and counts it.
  virtual void AddReplayed(DomainState& state, Island* island, const EpisodePtr& record) = 0;
  /// Ends the island's jump, whose end is past: counts the rest of its load.
  virtual void EndJump(DomainState& state, Island* island) = 0;

 protected:
  ~IslandKeeper() = default;

  std::vector<Island> islands_;
  IslandMap map_;
  ReplayFigures figures_;
};

}  // namespace heddle
