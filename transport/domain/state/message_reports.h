// SPDX-License-Identifier: GPL-2.0-only
/// What the carriers of a domain's messages report to those who posted them.
///
/// Carriers (queue pairs, requests, scale-up links, trees of switches) are in lower rooms than the
/// desk that posts messages and notifies agents. `post` is the desk's slot of a message that has
/// started.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/units.h"
#include "core/records/flow_vocabulary.h"

namespace heddle {

class DomainState;
struct QueuePair;

class MessageReports {
 public:
  /// Reports that all bytes of a flow to this domain have arrived.
  virtual void ReportReceived(DomainState& state, FlowId flow) = 0;
  /// Reports that the last byte of one of the message's flows leaves its source, a node here, for
  /// the first time at `when`.
  virtual void ReportSent(DomainState& state, std::uint32_t post, Time when) = 0;
  /// Reports that one of the message's flows is acknowledged as a whole.
  virtual void ReportAcked(DomainState& state, std::uint32_t post) = 0;
  /// Reports that the first packet of a flow has reached `node`, a switch. Returns the input of a
  /// stream that it is (transport/domain/streams); QueuePair::kParked: it feeds none.
  virtual std::uint32_t ReportBegun(DomainState& state, NodeId node, FlowId flow) = 0;
  /// Returns what a message was posted for, for the rows of its flows.
  virtual const FlowOrigin& OriginOf(std::uint32_t post) const = 0;
  /// Ends a message of a node here that is whole at its destination, which was notified, and needs
  /// no ACK.
  virtual void Forget(std::uint32_t post) = 0;

  // For messages that are divided into requests (transport/domain/requests):
  /// Adds a flow to a message.
  virtual void AddFlow(std::uint32_t post) = 0;
  /// Closes a message that has all its flows. They are numbered from `first` on; a flow without a
  /// slot in `queue_pairs` has no bytes.
  virtual void CloseMessage(DomainState& state, const QueuePair& first,
                            const std::vector<std::uint32_t>& queue_pairs) = 0;
  /// Reports that one of the message's flows failed before all of the message was posted: it has no
  /// more flows, and never arrives as a whole.
  virtual void AbandonMessage(const QueuePair& first) = 0;
  /// Gives a grant of a source port that no queue pair uses back to the controller.
  virtual void ReturnGrant(DomainState& state, std::uint32_t grant) = 0;

 protected:
  ~MessageReports() = default;
};

}  // namespace heddle
