// SPDX-License-Identifier: GPL-2.0-only
/// The scale-up links of a domain: the second link layer beside Ethernet. Flows leave, packets pass
/// through and arrive, under credits, without loss.
///
/// Source: ASTRA-SIM (ISPASS 2020) and its Garnet network, section III; the parameters are
/// ScaleUpLevel's. A port sends its own flows one after the other, or a packet of each in turn
/// (ScaleUpLevel::turns), and packets that pass through in
/// the order of their arrival; the two take turns. A packet leaves when the port is free and one
/// virtual channel of the far end has room for its flits; channels are tried in turn. It keeps that
/// room until its last bit has left the far node, or is consumed there; the credit then takes the
/// link's delay back. Packets behind a blocked one that go elsewhere pass it (virtual output
/// queues).
///
/// Where the run has only flows between neighbours, and the far end's buffers outlast the round
/// trip of credits, nothing can part the packets of a flow, and nothing has to wait for credits:
/// then a flow's packets are one train, one event. It is cut where a sample or a bin of the tiers'
/// load ends, so that every result is the same (tests/invariance/cases/scale_up_cases.cc).
///
/// Where messages do not meet (scale_up.congestion=false), each leaves at once and whole, as a
/// train; its bits pass the nodes on the way without waiting, unless a link there is slower.
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

  /// The port with this index is one of a scale-up link. Ports come in their order.
  void AddPort(const DomainState& state, std::uint32_t port, const Attachment& far,
               const Link& link);
  /// Call it when the run's traffic is known (ScaleUpRun::neighbours_only), before the first event.
  void Begin(const DomainState& state);
  bool Has(std::uint32_t port) const { return port < at_port_.size() && at_port_[port] != kNone; }

  /// A flow of a node here starts now, at its port.
  void Start(DomainState& state, ScaleUpFlow flow);
  /// The port may be free: sends what is next.
  void SendNext(DomainState& state, Port& port, std::uint32_t index);
  /// The data in `slot` have come to the node of their ingress port; `egress` is the port by which
  /// they go on, unused if the node is their destination.
  void Arrive(DomainState& state, std::uint32_t slot, std::uint32_t egress);
  /// The credit or report in `slot` has come.
  void Learn(DomainState& state, std::uint32_t slot);

  /// Whether something waits for what is in `slot`, so that it may be sent.
  bool Heeds(const DomainState& state, std::uint32_t slot) const {
    const ScaleUpPacket& p = At(state, slot);
    if (p.kind != ScaleUpKind::kCredit) return false;
    const Lane& lane = LaneOf(p.ingress);
    return lane.first != kNone || lane.head != kNone;
  }
  ScaleUpPacket PacketAt(const DomainState& state, std::uint32_t slot) const {
    return At(state, slot);
  }
  /// Adds the rows of flows that have not ended.
  void AddOpen(const DomainState& state, std::vector<FlowRecord>* open) const;
  /// Adds data that wait here to pass through. Books count their payload, as each link has packets
  /// of its own.
  void CountWaiting(const DomainState& state, std::int64_t* packets, std::int64_t* bytes) const;
  /// What waits for credits, and the ports whose packets hold them.
  std::vector<PauseEdge> Edges(const DomainState& state) const;
  void AddMemory(MemoryAccount* account) const;

  // Of what was loaded: throw UserError "the saved state has ...".
  /// `claim(slot)` takes a slot of the cargo, `claim_post(flow)` a message.
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
  void CheckData(const DomainState& state, std::uint32_t slot) const;
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

  static ScaleUpPacket& At(DomainState& state, std::uint32_t slot);
  static const ScaleUpPacket& At(const DomainState& state, std::uint32_t slot);
  Lane& LaneOf(std::uint32_t port) { return lanes_[at_port_[port]]; }
  const Lane& LaneOf(std::uint32_t port) const { return lanes_[at_port_[port]]; }

  /// Everything at once, of a lane whose packets do not wait.
  void SendAll(DomainState& state, Lane* lane, Port& port);
  bool SendOwn(DomainState& state, Lane* lane, Port& port);
  /// The first flow has sent a packet, and is over if `done`: which flow is next?
  void TakeTurns(Lane* lane, bool done);
  bool SendPassing(DomainState& state, Lane* lane, Port& port);
  /// How many packets, at most `most`, begin before something is due that counts them.
  static std::int64_t TrainOf(const DomainState& state, const Lane& lane, std::int64_t most);
  /// Takes room for a packet of this payload in one of the far end's channels.
  bool TakeCredit(Lane* lane, std::int64_t payload, std::uint8_t* channel);
  /// Puts the packet on the link, of which it takes `wire` bytes and `time`. It arrives after
  /// `reach`.
  static void Transmit(DomainState& state, const Lane& lane, Port& port, ScaleUpPacket& p,
                       std::int64_t wire, Time time, Time reach);
  /// The room that `p` held at this node is free at `when`.
  void ReturnCredit(DomainState& state, const ScaleUpPacket& p, Time when);
  void Receive(DomainState& state, const ScaleUpPacket& p, NodeId node);
  void Complete(DomainState& state, const ScaleUpPacket& p);
  void End(DomainState& state, std::uint32_t slot, Time arrival);
  static FlowRecord RowOf(const ScaleUpFlow& flow, FlowState how);
  void CheckWaiting(const DomainState& state, const Lane& lane, std::uint32_t slot) const;
  void CheckFlows(const DomainState& state) const;
  void CheckLane(const Lane& lane, const std::vector<bool>& used, std::vector<bool>* queued) const;
  void CheckArriving(const DomainState& state) const;

  std::vector<std::uint32_t> at_port_;  ///< index of its lane, by port of the domain
  std::vector<Lane> lanes_;
  std::vector<std::uint32_t> credits_;  ///< free flits, by lane and channel
  SlotPool<ScaleUpFlow> flows_;
  FlatMap index_;  ///< FlowId::packed() to a slot of arriving_
  SlotPool<ScaleUpArriving> arriving_;
};

}  // namespace heddle
