// SPDX-License-Identifier: GPL-2.0-only
/// The life of a flow at its sender: it starts, may take more work, may move to another way, and
/// ends with a row.
#pragma once

#include <cstdint>
#include <vector>

#include "core/records/flow_vocabulary.h"
#include "transport/domain/sending/nic_sending.h"
#include "transport/domain/sending/send_state.h"
#include "transport/domain/state/domain_state.h"
#include "transport/domain/state/flow_starter.h"

namespace heddle {

/// `slot` is a queue pair's.
class FlowLife final : public FlowStarter {
 public:
  FlowLife(SendState* own, NicSending* nic) : own_(*own), nic_(*nic) {}

  std::uint32_t Start(DomainState& state, std::uint32_t node, const QueuePair& pair) override;
  void Grow(DomainState& state, std::uint32_t slot, std::int64_t size, bool open) override;
  void GrowStream(DomainState& state, std::uint32_t slot, std::int64_t size, bool all) override;
  /// A slot for a flow that is simulated again.
  std::uint32_t Reserve(DomainState& state);
  /// A flow that is simulated again starts at `port`. `pair`: as it was before it joined a port.
  void StartAgain(DomainState& state, std::uint32_t slot, const QueuePair& pair,
                  std::uint32_t port);
  /// How long the last packet of a flow takes to leave.
  static Time LastWireTime(const DomainState& state, const QueuePair& pair, const Port& port);
  /// Writes its row and tells whom it concerns; the slot is free then.
  void End(DomainState& state, std::uint32_t slot, FlowState how);

  /// Chooses the NIC again of flows of which `concerns(sender, receiver)`.
  template <class Concerns>
  void Reroute(DomainState& state, const Concerns& concerns) {
    for (std::uint32_t slot : LiveQueuePairs(own_.pairs)) {
      const QueuePair& pair = own_.pairs[slot];
      if (concerns(pair.flow.source, pair.destination)) nic_.Choose(state, slot);
    }
  }
  /// The queue pair goes on with another source port.
  void ChangePort(DomainState& state, std::uint32_t slot, std::uint16_t source_port);

  /// Rows of the flows that have started and not ended.
  void AddOpen(const DomainState& state, std::vector<FlowRecord>* open) const;

 private:
  /// Of a flow that is simulated again.
  void EndAgain(DomainState& state, std::uint32_t slot);

  SendState& own_;
  NicSending& nic_;
};

}  // namespace heddle
