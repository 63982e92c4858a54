// SPDX-License-Identifier: GPL-2.0-only
/// A domain of the fabric: servers or switches with their ports, queues and queue pairs, driven by plain events.
///
/// Models SimAI's ns-3 transport: store and forward, output-queued switches with a FIFO a priority and no pipeline latency;
/// NICs that send ACKs first, then round robin over queue pairs that the window and the pacing allow; an ACK every so many
/// bytes; per-flow ECMP by hash. An event is an arrival, a port that becomes free while something waits, or a flow's start.
/// Not modelled in this version: congestion control, PFC, ECN, retransmission.
#ifndef HEDDLE_TRANSPORT_FABRIC_DOMAIN_H_
#define HEDDLE_TRANSPORT_FABRIC_DOMAIN_H_

#include <cstdint>
#include <new>
#include <vector>

#include "core/domain.h"
#include "core/flat_map.h"
#include "core/post_office.h"
#include "transport/flow_plan.h"
#include "transport/forwarding.h"
#include "transport/packet.h"
#include "transport/port.h"
#include "transport/queue_pair.h"
#include "transport/round_robin.h"
#include "transport/transport_options.h"

namespace heddle {

/// What is the same for all domains of a rank and never changes during a run.
struct FabricContext {
  const Graph* graph = nullptr;
  const Routes* routes = nullptr;
  TransportOptions options;
  bool prefetch = false;                  ///< the fabric is too large for the processor's caches
  std::vector<HostPlace> places;          ///< by GPU
  std::vector<DomainId> domain_of;        ///< by node
  std::vector<std::uint32_t> first_port;  ///< by node: number of its port 0 within its domain
};

/// A flow whose last byte was acknowledged.
struct FlowRecord {
  FlowId flow;
  NodeId destination;
  std::uint16_t source_port = 0;
  std::uint16_t destination_port = 0;
  std::uint8_t priority = 0;
  std::int64_t size = 0;
  Time start;
  Time completion;  ///< from the start to the last ACK; negative: unfinished
  Time ideal;

  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    archive& flow& destination& source_port& destination_port& priority& size& start& completion& ideal;
  }
};

/// A flow whose last byte has arrived, seen at the receiver.
struct FlowArrival {
  FlowId flow;
  Time time;

  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    archive& flow& time;
  }
};

/// Bytes and packets of a domain's books. Summed over all domains: injected = received + dropped + in flight.
struct DomainBooks {
  std::int64_t injected_packets = 0, injected_bytes = 0;  ///< sent by hosts
  std::int64_t received_packets = 0, received_bytes = 0;  ///< taken in by hosts
  std::int64_t dropped_packets = 0, dropped_bytes = 0;
  std::int64_t link_packets = 0;                          ///< packet-hops: packets sent over any link
  std::int64_t flows_started = 0, flows_finished = 0;
  std::int64_t out_of_order = 0;                          ///< data beyond a gap, discarded by the receiver

  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    archive& injected_packets& injected_bytes& received_packets& received_bytes& dropped_packets& dropped_bytes&
        link_packets& flows_started& flows_finished& out_of_order;
  }
};

/// Packets lost at one switch port for want of buffer.
struct DropRecord {
  NodeId node;
  PortId port;  ///< egress port that the packet was meant for
  std::int64_t packets = 0;

  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    archive& node& port& packets;
  }
};

class FabricDomain final : public Domain {
 public:
  /// `nodes` ascending. `post_office` takes what leaves the domain.
  FabricDomain(DomainId id, const FabricContext* context, PostOffice* post_office, const std::vector<NodeId>& nodes);

  /// Make the flows of this domain's GPUs known, in any order. Before the first event only.
  void Plan(const std::vector<PlannedFlow>& flows);

  void RunUntil(Time end) override;

  const std::vector<FlowRecord>& finished() const { return finished_; }
  const std::vector<FlowArrival>& arrivals() const { return arrivals_; }
  const std::vector<DropRecord>& drops() const { return drops_; }
  const DomainBooks& books() const { return books_; }
  Time now() const { return now_; }
  /// Flows that started and have not finished, and those still to start.
  std::vector<FlowRecord> Unfinished() const;
  /// Packets that are on a link into this domain or wait in one of its queues, counted one by one.
  void CountInFlight(std::int64_t* packets, std::int64_t* bytes) const;

  struct NodeView {
    NodeId id;
    std::uint32_t first_port, ports;
  };
  std::vector<NodeView> nodes() const;
  const Port& port(std::uint32_t index) const { return ports_[index]; }
  std::size_t memory() const;

  /// The state that changes during a run; what the topology fixes is rebuilt by the constructor.
  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    SerializeBase(archive);
    archive& now_& ports_& hosts_& switches_& nics_& queue_pairs_& receivers_& receive_slots_& finished_& arrivals_&
        drops_& books_& host_packets_;
  }

 private:
  enum Kind : std::uint32_t { kArrival = 1, kPortFree = 2, kFlowStart = 3 };

  struct Node {
    NodeId id;
    bool is_gpu = false;
    std::uint32_t model = 0;  ///< index into hosts_ or switches_
    std::uint32_t first_port = 0, ports = 0;
  };
  struct Host {
    std::vector<PlannedFlow> plan;  ///< by (start, number)
    std::size_t next = 0;           ///< first that has not started

    template <class Archive>
    void serialize(Archive& archive, unsigned /*version*/) {
      archive& next;
    }
  };
  struct Switch {
    std::int64_t buffered = 0;      ///< bytes in its queues

    template <class Archive>
    void serialize(Archive& archive, unsigned /*version*/) {
      archive& buffered;
    }
  };

  Packet& packet(std::uint32_t slot) { return *std::launder(reinterpret_cast<Packet*>(cargo_[slot].bytes)); }
  const Packet& packet(std::uint32_t slot) const {
    return *std::launder(reinterpret_cast<const Packet*>(cargo_[slot].bytes));
  }
  std::uint32_t StorePacket(const Packet& p) {
    const std::uint32_t slot = cargo_.Allocate();
    packet(slot) = p;
    return slot;
  }

  // fabric_domain.cc: what hosts and switches share.
  void AddNode(NodeId id);
  void ConnectPort(NodeId id, PortId number);
  /// Bring near what the next events in line will touch.
  void Prefetch();
  Time WireTime(const Port& port, std::int64_t bytes) const;
  /// Puts the packet on the port's link; `p` must not lie in the pool, which may grow.
  void Transmit(Port& port, Packet& p);  // transmit.h
  [[noreturn]] void FailRate(const Port& port) const;
  void Enqueue(Port& port, int queue, std::uint32_t slot);
  std::uint32_t Dequeue(Port& port, int queue);
  /// Be called again when the port is free, or at `time` if that is later.
  void WakePort(Port& port, std::uint32_t index, Time time);

  // host.cc
  void ScheduleNextStart(std::uint32_t node);
  void StartFlows(std::uint32_t node);
  void StartFlow(const Node& node, const PlannedFlow& flow);
  std::uint32_t ChooseNic(const Node& node, NodeId peer, std::uint16_t source_port, std::uint16_t destination_port);
  void HostReceive(const Port& in, std::uint32_t slot);
  void ReceiveData(const Node& node, const Packet& data);
  void ReceiveAck(const Packet& ack);
  void SendAck(const ReceiveQueuePair& receiver, const Packet& data);
  void Finish(std::uint32_t slot);
  void NicSend(Port& port, std::uint32_t index);
  Packet NextDataPacket(std::uint32_t slot);

  // switch.cc
  /// Packet::next of a packet on a link: the egress port, once somebody looked it up.
  static constexpr std::uint32_t kNotRouted = ~0U;
  std::uint32_t Egress(const Node& node, const Packet& p) const;
  void Forward(const Port& in, std::uint32_t slot);
  void SwitchSend(Port& port, std::uint32_t index);
  void Drop(const Node& node, const Port& out, std::uint32_t egress, std::uint32_t slot);

  const FabricContext* context_;
  PostOffice* post_office_;
  std::uint32_t own_index_;
  Time now_;
  std::vector<Node> nodes_;
  std::vector<Port> ports_;
  std::vector<Host> hosts_;
  std::vector<Switch> switches_;
  std::vector<ForwardingTable> tables_;  ///< of the switches, by the same index
  std::vector<RoundRobin> nics_;
  SlotPool<QueuePair> queue_pairs_;
  FlatMap receivers_;                         ///< FlowId::packed() to a slot
  SlotPool<ReceiveQueuePair> receive_slots_;
  std::vector<FlowRecord> finished_;
  std::vector<FlowArrival> arrivals_;
  std::vector<DropRecord> drops_;
  DomainBooks books_;
  std::int64_t host_packets_ = 0;             ///< counted for debug.lose_packet only
  std::vector<PortId> scratch_;
};

}  // namespace heddle

#endif  // HEDDLE_TRANSPORT_FABRIC_DOMAIN_H_
