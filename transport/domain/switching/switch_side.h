// SPDX-License-Identifier: GPL-2.0-only
/// Switches of a domain: a packet is routed by hash, admitted into the shared buffer, queued by
/// priority, marked and stamped at the way out. NVSwitches alike, without PFC, ECN and telemetry
/// (as SimAI's NVSwitchNode).
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/memory_account.h"
#include "transport/domain/state/domain_state.h"
#include "transport/domain/uec/lossy_queues.h"
#include "transport/model/balance/port_chooser.h"
#include "transport/model/switch/forwarding.h"
#include "transport/model/switch/shared_buffer.h"

namespace heddle {

/// Buffers and forwarding tables of the nodes that forward.
class SwitchSide {
 public:
  using Node = DomainState::Node;

  /// Without nodes, in the first epoch of the routes.
  explicit SwitchSide(const FabricContext& context) : places_(context.places[0].get()) {}

  /// Returns Node::forwards of the new node. `first_port`: of the node, numbered within the domain.
  std::uint32_t AddNode(const FabricContext& context, NodeId id, std::uint32_t first_port);

  /// The egress port of a packet by the hash of its flow, numbered within the domain;
  /// DomainState::kNoRoute if none is.
  std::uint32_t Egress(const Node& node, const Packet& p) const;
  /// Among how many ports Egress() chooses for a destination that it has a route to.
  std::size_t PathsOf(const Node& node, NodeId destination) const;
  /// The port towards `destination` for a packet of a scale-up link.
  std::uint32_t EgressTo(const Node& node, NodeId source, NodeId destination,
                         std::uint32_t flow_number) const;
  /// Whether Egress() says before a packet arrives which port it will take: no port is chosen at
  /// arrival (port_chooser.h), and no route changes.
  bool paths_stay() const { return paths_stay_; }
  /// A packet that is in transit has arrived at `in`.
  void Forward(DomainState& state, const Port& in, std::uint32_t slot);
  /// The same of a packet that is not in the pool, in runs without tails. May write to it.
  void ForwardInPlace(DomainState& state, const Port& in, Packet* p);
  /// Send the packet whose turn it is, if one may leave. The transmitter must be free.
  void SendNext(DomainState& state, Port& port, std::uint32_t index);
  /// A packet has left its queue without being sent.
  void Discard(DomainState& state, const Port& port, int queue, const Packet& p);
  /// A port's link has gone down: its other end does not know any more that it was paused.
  void ForgetPauses(const Node& node, PortId number);
  void SetRate(const Node& node, PortId number, BitRate rate) {
    buffers_[node.forwards].SetRate(number.value, rate);
  }
  LossyQueues& lossy() { return lossy_; }
  /// Tables follow the routes of an epoch, the next one or any other.
  void UseEpoch(const DomainState& state, std::uint32_t epoch);

  std::uint32_t epoch() const { return epoch_; }
  /// By Node::forwards.
  const std::vector<SharedBuffer>& buffers() const { return buffers_; }
  /// Of the port's node; null if that does not forward.
  SharedBuffer* BufferOf(const DomainState& state, const Port& port) {
    const Node& node = state.NodeOf(port);
    return node.forwards != DomainState::kNone ? &buffers_[node.forwards] : nullptr;
  }
  /// Bring near what admits a packet that will come in by `ingress`.
  void PrefetchBuffer(const Node& node, std::uint32_t ingress) const {
    buffers_[node.forwards].Prefetch(ingress - node.first_port);
  }

  void AddMemory(MemoryAccount* account) const;
  /// After loading: makes the tables. Throws UserError "the saved state has ...".
  void Restore(const DomainState& state);
  /// Of what was loaded, for one node that forwards: throws UserError "the saved state has ...".
  /// All packets in its queues must be sound.
  void Check(const DomainState& state, const Node& node) const;

  /// Without the tables, which Restore() makes.
  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    archive& epoch_;
    for (SharedBuffer& buffer : buffers_) archive& buffer;
    for (PortChooser& chooser : choosers_) archive& chooser;
    archive& lossy_;
  }

 private:
  static bool Passes(const DomainState& state, const SharedBuffer& buffer, const Port& out,
                     const Packet& p);
  [[gnu::always_inline]] inline std::uint32_t PathByHash(const Node& node, const Packet& p) const;
  [[gnu::always_inline]] inline std::uint32_t PathOut(const DomainState& state, const Node& node,
                                                      const Packet& p);
  void EnqueueForwarded(DomainState& state, const Node& node, Port& out, std::uint32_t egress,
                        std::uint32_t slot);
  /// The egress port of a packet that arrives now, by the switch's PortChooser if it has one.
  [[gnu::noinline]] std::uint32_t Choose(const DomainState& state, const Node& node,
                                         const Packet& p);
  /// What a port and the switches behind it carry towards a packet's destination.
  BitRate Onward(const DomainState& state, const Node& node, std::uint32_t index,
                 const Packet& p) const;
  /// Something has joined a queue of the port, which was `idle` before.
  static void SendOrWait(DomainState& state, Port& out, std::uint32_t egress, bool idle);
  [[gnu::always_inline]] static inline std::uint32_t HashOf(const Node& node, const Packet& p);
  static int NextQueue(Port& port);
  void LeaveBuffer(const DomainState& state, const Port& port, int queue, const Packet& p);
  void Mark(DomainState& state, const Port& port, std::uint32_t index, int queue, Packet* p);
  static void Stamp(DomainState& state, const Port& port, std::uint32_t index, Packet* p,
                    MessageTail* tail);

  std::uint32_t epoch_ = 0;  ///< of the routes
  const std::vector<HostPlace>* places_;
  std::vector<SharedBuffer> buffers_;
  std::vector<ForwardingTable> tables_;  ///< by the same index
  std::vector<PortChooser> choosers_;    ///< likewise; empty if all go by hash
  LossyQueues lossy_;
  std::uint32_t capacities_ = 0;  ///< step of FabricContext::capacities
  bool chooses_ = false;          ///< whether there are choosers
  bool paths_stay_ = false;       ///< see paths_stay()
};

}  // namespace heddle
