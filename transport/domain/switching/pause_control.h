// SPDX-License-Identifier: GPL-2.0-only
/// Priority flow control (IEEE 802.1Qbb): when a switch pauses the sender of a priority, and what a
/// pause does where it arrives.
///
/// A pause frame's fields: `priority`, `last` (1 pause, 0 resume), `source` (the switch that sends
/// it), `flow_number` (its egress port that fills up), `queue_pair` and `source_port` (node and
/// port where the chain of pauses began), `note` (its length). Frames jump all queues and are never
/// paused. While its link can lose frames (error rate above zero, or a failure to come) a pause is
/// renewed every half pause time by the switch that sent it and ends by itself after a whole one;
/// elsewhere that would change nothing and is left out. The first frame after a link's last failure
/// therefore holds until the resume.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "core/containers/slot_pool.h"
#include "transport/domain/state/domain_state.h"
#include "transport/model/switch/deadlock.h"
#include "transport/model/switch/queue_shares.h"
#include "transport/model/switch/shared_buffer.h"

namespace heddle {

/// The egress port where congestion began, and how many pausing switches lie between it and here.
struct PauseCause {
  NodeId node;
  PortId port;
  std::uint32_t depth = 0;

  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    archive& node& port& depth;
  }
};

/// Of a port that has been paused: by priority, since when, until when at the latest, and what
/// began it.
struct PauseState {
  Time since[kPriorities];
  Time expires[kPriorities];  ///< on links that can lose frames
  Time renews[kPriorities];   ///< when the pause that this port's switch sent out of it is renewed
  Time moved[kPriorities];    ///< when a packet last left the account for which it was sent
  PauseCause cause[kPriorities];
  PauseCause root[kPriorities];

  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    archive& since& expires& renews& moved& cause& root;
  }
};
static_assert(std::is_trivially_copyable_v<PauseState>);

/// The pauses of one domain's ports. `buffer` is always that of the node in question.
class PauseControl {
 public:
  using Node = DomainState::Node;

  /// After a packet from `ingress` was queued at `egress`.
  void CheckPause(DomainState& state, const Node& node, SharedBuffer* buffer, std::uint32_t ingress,
                  int priority, std::uint32_t egress);
  /// After a packet from `ingress` has left.
  void CheckResume(DomainState& state, const Node& node, SharedBuffer* buffer,
                   std::uint32_t ingress, int priority) {
    if (buffer->any_paused()) CheckPaused(state, node, buffer, ingress, priority);
  }
  /// If DomainState::watches_, after a packet has joined a queue (`sign` 1) or left it (-1).
  void QueueChanged(const DomainState& state, const Port& port, int queue, const Packet& p,
                    int sign);
  void Receive(DomainState& state, std::uint32_t port, const Packet& frame);
  /// The link has gone down: its port is not paused any more.
  void Forget(DomainState& state, std::uint32_t port);
  /// `argument`: of the timer's event. `buffer` may be null if the node has none.
  bool TimerIsDue(DomainState& state, const SharedBuffer* buffer, std::uint32_t argument,
                  Time time);
  void Timer(DomainState& state, const SharedBuffer* buffer, std::uint32_t argument);
  static std::uint32_t PortOfTimer(std::uint32_t argument) { return argument >> 4; }
  static bool Renews(std::uint32_t argument) { return (argument & 1) != 0; }

  /// Pauses by where they began; those that last are counted until `end`.
  std::vector<PauseCauseRecord> Causes(const DomainState& state, Time end) const;
  /// Time that a port's priorities were paused, together, until `end`.
  Time PausedTime(const DomainState& state, std::uint32_t port, Time end) const;
  /// Which paused transmitters wait for which ports of the switches here (deadlock.h). `buffers`:
  /// by Node::forwards.
  std::vector<PauseEdge> Edges(const DomainState& state,
                               const std::vector<SharedBuffer>& buffers) const;

  std::size_t memory() const { return states_.memory() + shares_.memory(); }
  /// Of what was loaded, for one port: throws UserError "the saved state has ...".
  void Check(const DomainState& state, std::uint32_t port) const;

  /// Without the shares, which are counted again when they are asked for.
  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    archive& states_;
  }

 private:
  void CheckPaused(DomainState& state, const Node& node, SharedBuffer* buffer,
                   std::uint32_t ingress, int priority);
  void SendFrame(DomainState& state, const Node& node, const SharedBuffer& buffer,
                 std::uint32_t ingress, int priority, bool pause, std::uint32_t egress);
  /// The egress that holds most of what came in there, the reason for pausing it; of equal ones the
  /// lowest, and `egress` if none does.
  std::uint32_t FullestEgress(DomainState& state, const Node& node, const SharedBuffer& buffer,
                              std::uint32_t ingress, int priority, std::uint32_t egress);
  /// Counts what queues hold of an account, and keeps it (QueueShares).
  std::uint32_t* WatchShares(DomainState& state, const Node& node, std::uint32_t ingress,
                             int priority);
  void Start(DomainState& state, std::uint32_t port, int priority, const Packet& frame);
  void End(DomainState& state, std::uint32_t port, int priority);
  void Record(DomainState& state, std::uint32_t port, int priority, bool pauses);
  void ScheduleTimer(DomainState& state, std::uint32_t port, int priority, bool renew, Time time);
  PauseState& StateOf(DomainState& state, std::uint32_t port);

  SlotPool<PauseState> states_;  ///< PortExtras::pause_state is a slot
  QueueShares shares_;
};

}  // namespace heddle
