// SPDX-License-Identifier: GPL-2.0-only
/// The scale-up links of a domain: the second link layer beside Ethernet. Flows leave, packets pass
/// through and arrive, under credits, without loss.
///
/// Source: ASTRA-SIM (ISPASS 2020) and its Garnet network, section III; the parameters are
/// ScaleUpLevel's. A port sends its own flows one after the other, or a packet of each in turn
/// (ScaleUpLevel::turns), and packets that pass through in the order of their arrival; the two take
/// turns. A packet leaves when the port is free and one virtual channel of the far end has room for
/// its flits; channels are tried in turn. It keeps that room until its last bit has left the far
/// node, or is consumed there; the credit then takes the link's delay back. Packets after a blocked
/// one that go elsewhere overtake it (virtual output queues).
///
/// Where the run has only flows between neighbours, and the far end's buffers outlast the round
/// trip of credits, nothing can part the packets of a flow, and nothing has to wait for credits:
/// then a flow's packets are one train, one event. It is cut where a sample or a bin of the tiers'
/// load ends, so that every result is the same (tests/invariance/cases/scale_up_cases.cc).
///
/// Where messages do not meet (scale_up.congestion=false), each leaves at once and whole, as a
/// train; its bits pass the nodes of the path without waiting, unless a link there is slower.
///
/// Not modelled: flits of a packet that stretch over routers, errors and retransmission of links,
/// failures (they are refused).
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/memory_account.h"
#include "core/containers/flat_map.h"
#include "core/containers/slot_pool.h"
#include "core/containers/state_count.h"
#include "transport/domain/scale_up/scale_up_flow.h"
#include "transport/domain/state/domain_state.h"
#include "transport/model/scale_up/scale_up_link.h"
#include "transport/model/scale_up/scale_up_packet.h"
#include "transport/model/switch/deadlock.h"

namespace heddle {

class ScaleUpSide {
 public:
  static constexpr std::uint32_t kNone = ~0U;

  /// Adds a port of a scale-up link, with its index in the domain. Ports come in their order.
  void AddPort(const DomainState& state, std::uint32_t port, const Attachment& far,
               const Link& link);
  /// Sets credits and trains of all ports. Called when the run's traffic is known
  /// (ScaleUpRun::neighbours_only), before the first event.
  void Begin(const DomainState& state);
  /// Whether the port is one of a scale-up link.
  bool Has(std::uint32_t port) const { return port < at_port_.size() && at_port_[port] != kNone; }

  /// Starts a flow of a node here now, at its port.
  void Start(DomainState& state, ScaleUpFlow flow);
  /// Sends what is next at the port, if it is free.
  void SendNext(DomainState& state, Port& port, std::uint32_t index);
  /// Takes the data in `slot`, which have reached the node of their ingress port. `egress` is the
  /// port by which they go on, unused if the node is their destination.
  void Arrive(DomainState& state, std::uint32_t slot, std::uint32_t egress);
  /// Takes the credit or report in `slot`, which has come. A report ends its flow.
  void Learn(DomainState& state, std::uint32_t slot);

  /// Whether something waits for what is in `slot`, so that it may be sent.
  bool Heeds(const DomainState& state, std::uint32_t slot) const {
    const ScaleUpPacket& p = At(state, slot);
    if (p.kind != ScaleUpKind::kCredit) return false;
    const Lane& lane = LaneOf(p.ingress);
    return lane.first != kNone || lane.head != kNone;
  }
  /// Returns a copy of the packet in a slot of the cargo.
  ScaleUpPacket PacketAt(const DomainState& state, std::uint32_t slot) const {
    return At(state, slot);
  }
  /// Adds the rows of flows that have not ended.
  void AddOpen(const DomainState& state, std::vector<FlowRecord>* open) const;
  /// Adds data that wait here to pass through. Books count their payload, as each link has packets
  /// of its own.
  void CountWaiting(const DomainState& state, std::int64_t* packets, std::int64_t* bytes) const;
  /// Returns what waits for credits, and the ports whose packets hold them.
  std::vector<PauseEdge> Edges(const DomainState& state) const;
  /// Adds the bytes of ports to Structure::kPorts, and those of flows to kSenders and kReceivers.
  void AddMemory(MemoryAccount* account) const;

  // The checks of a loaded state throw UserError "the saved state has ...".
  /// Checks queues and flows. `claim(slot)` takes a slot of the cargo, `claim_post(flow)` a
  /// message.
  template <class Claim, class ClaimPost>
  void Check(const DomainState& state, const Claim& claim, const ClaimPost& claim_post) const {
    for (const Lane& lane : lanes_) {
      std::uint32_t last = kNone;
      for (std::uint32_t slot = lane.head; slot != kNone; slot = At(state, slot).next) {
        claim(slot);
        CheckWaiting(state, lane, slot);
        last = slot;
      }
      ExpectState(last == lane.tail, "a queue of packets without an end");
    }
    CheckFlows(state);
    const std::vector<bool> used = flows_.used_slots();
    for (std::uint32_t slot = 0; slot < used.size(); ++slot) {
      if (used[slot]) claim_post(flows_[slot]);
    }
  }
  /// Checks data in a slot of the cargo: ends, size, channel, and that they can go on.
  void CheckData(const DomainState& state, std::uint32_t slot) const;
  /// Checks a credit or a report in a slot of the cargo.
  void CheckLearned(const DomainState& state, std::uint32_t slot) const;

  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    StateCount credits(credits_.size());
    archive& flows_& index_& arriving_& credits;
    ExpectState(credits == credits_.size(), "credits of other links");
    for (std::uint32_t& free : credits_) archive& free;
    for (Lane& lane : lanes_)
      archive& lane.first& lane.last& lane.head& lane.tail& lane.own_next& lane.next_channel;
  }

 private:
  /// The transmitter of a port.
  struct Lane {
    ScaleUpLink link;
    std::uint64_t far_order = 0;  ///< EventOrder bits of data that arrive at the far end
    std::uint32_t port = kNone;
    std::uint32_t credits = 0;  ///< its channels' in credits_ begin here
    bool limited = false;       ///< it waits for credits, and the far end returns them
    bool trains = false;
    bool turns = false;         ///< ScaleUpLevel::turns
    bool alone = false;         ///< packets do not wait for each other (scale_up.congestion=false)
    std::uint8_t own_next = 0;  ///< 1: a flow of its own is next
    std::uint8_t next_channel = 0;              ///< that is tried first
    std::uint32_t first = kNone, last = kNone;  ///< of its own flows
    std::uint32_t head = kNone, tail = kNone;   ///< of the packets that pass
  };

  /// Returns the packet in a slot of the cargo.
  static ScaleUpPacket& At(DomainState& state, std::uint32_t slot);
  /// Returns the same to read.
  static const ScaleUpPacket& At(const DomainState& state, std::uint32_t slot);
  /// Returns the transmitter of a port for which Has().
  Lane& LaneOf(std::uint32_t port) { return lanes_[at_port_[port]]; }
  /// Returns the same to read.
  const Lane& LaneOf(std::uint32_t port) const { return lanes_[at_port_[port]]; }

  /// Sends everything at once, at a lane whose packets do not wait.
  void SendAll(DomainState& state, Lane* lane, Port& port);
  /// Sends a packet or a train of the lane's first flow. Returns false if there is no credit.
  bool SendOwn(DomainState& state, Lane* lane, Port& port);
  /// Decides which flow is next after the first one has sent a packet, which is over if `done`.
  void TakeTurns(Lane* lane, bool done);
  /// Sends the first packet that passes through, and returns its room at this node. Returns false
  /// if there is no credit.
  bool SendPassing(DomainState& state, Lane* lane, Port& port);
  /// Returns how many packets, at most `most`, begin before something is due that counts them.
  static std::int64_t TrainOf(const DomainState& state, const Lane& lane, std::int64_t most);
  /// Takes room for a packet of this payload in one of the far end's channels. Returns false if
  /// none has any.
  bool TakeCredit(Lane* lane, std::int64_t payload, std::uint8_t* channel);
  /// Puts the packet on the link, of which it takes `wire` bytes and `time`. It arrives after
  /// `reach`.
  static void Transmit(DomainState& state, const Lane& lane, Port& port, ScaleUpPacket& p,
                       std::int64_t wire, Time time, Time reach);
  /// Sends the credit for the room that `p` held at this node, which is free at `when`.
  void ReturnCredit(DomainState& state, const ScaleUpPacket& p, Time when);
  /// Takes a packet at its destination; with the last one the flow is complete.
  void Receive(DomainState& state, const ScaleUpPacket& p, NodeId node);
  /// Notes the flow's arrival, and reports it to its source with the least delay of a message.
  void Complete(DomainState& state, const ScaleUpPacket& p);
  /// Writes the row of a flow that is complete since `arrival`, and frees its slot.
  void End(DomainState& state, std::uint32_t slot, Time arrival);
  /// Returns the row of a flow, without completion and ideal time.
  static FlowRecord RowOf(const ScaleUpFlow& flow, FlowState how);
  /// Checks a packet that waits at a lane to pass through.
  void CheckWaiting(const DomainState& state, const Lane& lane, std::uint32_t slot) const;
  /// Checks the flows of both ends, and that flows with bytes left are queued once.
  void CheckFlows(const DomainState& state) const;
  /// Checks a lane's flows, channel and credits. `used`: slots of flows; marks in `queued` what the
  /// lane has.
  void CheckLane(const Lane& lane, const std::vector<bool>& used, std::vector<bool>* queued) const;
  /// Checks the flows that arrive here.
  void CheckArriving(const DomainState& state) const;

  std::vector<std::uint32_t> at_port_;  ///< index of its lane, by port of the domain
  std::vector<Lane> lanes_;
  std::vector<std::uint32_t> credits_;  ///< free flits, by lane and channel
  SlotPool<ScaleUpFlow> flows_;
  FlatMap index_;  ///< FlowId::packed() to a slot of arriving_
  SlotPool<ScaleUpArriving> arriving_;
};

}  // namespace heddle
