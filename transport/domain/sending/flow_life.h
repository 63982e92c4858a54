// SPDX-License-Identifier: GPL-2.0-only
/// The life of a flow at its sender: it starts, may take more work, may move to another path, and
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
  /// Works on parts of the domain's sender, which outlive this object.
  FlowLife(SendState* own, NicSending* nic) : own_(*own), nic_(*nic) {}

  /// Starts a queue pair now and sends its first packet if its port is free. It waits at no port if
  /// there is no route, or if it is replayed. Returns its slot.
  std::uint32_t Start(DomainState& state, std::uint32_t node, const QueuePair& pair) override;
  /// Sets what requests give the queue pair to send, up to byte `size`, and sends. `open`: more may
  /// come.
  void Grow(DomainState& state, std::uint32_t slot, std::int64_t size, bool open) override;
  /// Sets the bytes of a sum that may leave by now, and sends. `all`: no more will come.
  void GrowStream(DomainState& state, std::uint32_t slot, std::int64_t size, bool all) override;
  /// Returns a slot with room for congestion control and reliable delivery, for a flow that starts
  /// or is simulated again.
  std::uint32_t Reserve(DomainState& state);
  /// Starts a flow that is simulated again at `port`. `pair`: as it was before it joined a port.
  void StartAgain(DomainState& state, std::uint32_t slot, const QueuePair& pair,
                  std::uint32_t port);
  /// Returns the time on the link of the last packet of a flow.
  static Time LastWireTime(const DomainState& state, const QueuePair& pair, const Port& port);
  /// Writes the flow's row, notifies the desk, the requests, the sum and the controller that have a
  /// part in it, and frees the slot.
  void End(DomainState& state, std::uint32_t slot, FlowState how);

  /// Chooses the NIC again of flows of which `concerns(sender, receiver)`.
  template <class Concerns>
  void Reroute(DomainState& state, const Concerns& concerns) {
    for (std::uint32_t slot : LiveQueuePairs(own_.pairs)) {
      const QueuePair& pair = own_.pairs[slot];
      if (concerns(pair.flow.source, pair.destination)) nic_.Choose(state, slot);
    }
  }
  /// Gives the queue pair another source port, and so perhaps another NIC. Counts the move.
  void ChangePort(DomainState& state, std::uint32_t slot, std::uint16_t source_port);

  /// Adds rows of the flows that have started and not ended.
  void AddOpen(const DomainState& state, std::vector<FlowRecord>* open) const;

 private:
  /// Ends a flow that is simulated again: its row and its notices were written before.
  void EndAgain(DomainState& state, std::uint32_t slot);

  SendState& own_;
  NicSending& nic_;
};

}  // namespace heddle
