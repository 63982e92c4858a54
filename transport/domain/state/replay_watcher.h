// SPDX-License-Identifier: GPL-2.0-only
/// What watches a domain's flows to replay what repeats (transport/domain/replay).
///
/// DomainState::watcher() is null in runs without replay. `slot` is a queue pair's.
#pragma once

#include <cstdint>

#include "core/records/flow_vocabulary.h"
#include "transport/model/nic/posted_flows.h"

namespace heddle {

class DomainState;
struct FlowRecord;
enum class EpisodeStep : std::uint8_t;

class ReplayWatcher {
 public:
  /// Takes a message of this node that is due. Returns whether its collective is replayed whole, so
  /// that it must not start.
  virtual bool TakesMessage(DomainState& state, std::uint32_t node, const FlowHeap::Item& item) = 0;
  /// Takes a queue pair that starts at this port. Returns whether it is replayed: then it sends
  /// nothing.
  virtual bool TakesFlow(DomainState& state, std::uint32_t slot, std::uint32_t port) = 0;
  /// Returns whether others are notified of this step of a queue pair. They have been already, if
  /// it is simulated again.
  virtual bool Notifies(DomainState& state, std::uint32_t slot, EpisodeStep step) = 0;
  /// Returns whether others are notified of the arrival of a flow whose packets name this queue
  /// pair.
  virtual bool NotifiesArrival(DomainState& state, std::uint32_t queue_pair, FlowId flow) = 0;
  /// Reports that a queue pair has ended, and its slot is free. `row`: its own, if others are
  /// notified now; null: they had been before.
  virtual void FlowEnded(DomainState& state, std::uint32_t slot, const FlowRecord* row) = 0;
  /// Reports that a port of Port::kRecorded begins to send this many bytes.
  virtual void PortSends(DomainState& state, std::uint32_t port, std::uint32_t bytes) = 0;
  /// Reports that a packet that waits at a port might be marked, by chance.
  virtual void MarkIsDrawn(DomainState& state, std::uint32_t port) = 0;

 protected:
  ~ReplayWatcher() = default;
};

}  // namespace heddle
