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

/// State of a port that has been paused: by priority, since when, until when at the latest, and
/// what began it.
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

  /// Pauses the sender at `ingress` if its account exceeds the threshold. Called after a packet
  /// from there was queued at `egress`.
  void CheckPause(DomainState& state, const Node& node, SharedBuffer* buffer, std::uint32_t ingress,
                  int priority, std::uint32_t egress);
  /// Resumes the sender at `ingress` if its account is small enough. Called after a packet from
  /// there has left.
  void CheckResume(DomainState& state, const Node& node, SharedBuffer* buffer,
                   std::uint32_t ingress, int priority) {
    if (buffer->any_paused()) CheckPaused(state, node, buffer, ingress, priority);
  }
  /// Counts a packet that has joined a queue (`sign` 1) or left it (-1) in the shares of its
  /// ingress. Called if DomainState::watches_.
  void QueueChanged(const DomainState& state, const Port& port, int queue, const Packet& p,
                    int sign);
  /// Takes a frame that arrives at `port`: pauses the priority, or resumes it. On a link that can
  /// lose frames a pause expires.
  void Receive(DomainState& state, std::uint32_t port, const Packet& frame);
  /// Ends all pauses of a port whose link has gone down.
  void Forget(DomainState& state, std::uint32_t port);
  /// Whether a timer's event still means something: a pause that expires now, or one that is
  /// renewed now and whose account moved within the watchdog's time. `argument`: the event's.
  /// `buffer` may be null if the node has none.
  bool TimerIsDue(DomainState& state, const SharedBuffer* buffer, std::uint32_t argument,
                  Time time);
  /// Ends a pause that expires, or sends the frame that renews one.
  void Timer(DomainState& state, const SharedBuffer* buffer, std::uint32_t argument);
  /// Returns the port of a timer's event, numbered within the domain.
  static std::uint32_t PortOfTimer(std::uint32_t argument) { return argument >> 4; }
  /// Whether a timer's event renews a pause; else a pause expires.
  static bool Renews(std::uint32_t argument) { return (argument & 1) != 0; }

  /// Returns the pauses by where they began; pauses that last are counted until `end`.
  std::vector<PauseCauseRecord> Causes(const DomainState& state, Time end) const;
  /// Returns the time that a port's priorities were paused, summed over priorities, until `end`.
  Time PausedTime(const DomainState& state, std::uint32_t port, Time end) const;
  /// Returns which paused transmitters wait for which ports of the switches here (deadlock.h).
  /// `buffers`: by Node::forwards.
  std::vector<PauseEdge> Edges(const DomainState& state,
                               const std::vector<SharedBuffer>& buffers) const;

  std::size_t memory() const { return states_.memory() + shares_.memory(); }  ///< bytes allocated
  /// Checks one loaded port: throws UserError "the saved state has ...".
  void Check(const DomainState& state, std::uint32_t port) const;

  /// Saves all but the shares, which are counted again when they are asked for.
  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    archive& states_;
  }

 private:
  /// Does what CheckResume() says, once any account of the buffer is paused.
  void CheckPaused(DomainState& state, const Node& node, SharedBuffer* buffer,
                   std::uint32_t ingress, int priority);
  /// Sends a pause or a resume out of `ingress`, unless its link is down. `egress`: queued there
  /// last, which a pause names if no egress holds more.
  void SendFrame(DomainState& state, const Node& node, const SharedBuffer& buffer,
                 std::uint32_t ingress, int priority, bool pause, std::uint32_t egress);
  /// Returns the egress that holds most of what came in there, the reason for pausing it; of equal
  /// ones the lowest, and `egress` if none does.
  std::uint32_t FullestEgress(DomainState& state, const Node& node, const SharedBuffer& buffer,
                              std::uint32_t ingress, int priority, std::uint32_t egress);
  /// Counts what queues hold of an account, and keeps the counts up to date from now on. Returns
  /// them, by egress (QueueShares).
  std::uint32_t* WatchShares(DomainState& state, const Node& node, std::uint32_t ingress,
                             int priority);
  /// Pauses a priority of the port, with the cause and the root that the frame names.
  void Start(DomainState& state, std::uint32_t port, int priority, const Packet& frame);
  /// Ends a pause: counts its time for the port and for its root, and sends what waited.
  void End(DomainState& state, std::uint32_t port, int priority);
  /// Samples a pause or a resume.
  void Record(DomainState& state, std::uint32_t port, int priority, bool pauses);
  /// Adds an event that expires a pause, or with `renew` one that renews it.
  void ScheduleTimer(DomainState& state, std::uint32_t port, int priority, bool renew, Time time);
  /// Returns the port's state, made at the first call.
  PauseState& StateOf(DomainState& state, std::uint32_t port);

  SlotPool<PauseState> states_;  ///< PortExtras::pause_state is a slot
  QueueShares shares_;
};

}  // namespace heddle
