// SPDX-License-Identifier: GPL-2.0-only
/// What all parts of a fabric's domain share: its clock, nodes, ports, packets and events, and what
/// it writes down.
///
/// Plain on purpose: the parts (pause_control.h, sampler.h, ...) and FabricDomain, which owns them,
/// read and write it; whoever uses a domain from outside asks FabricDomain. Each part keeps what is
/// its alone and takes the state as an argument.
#pragma once

#include <algorithm>
#include <cstdint>
#include <new>

#include "core/events/domain.h"
#include "core/events/post_office.h"
#include "transport/domain/state/domain_parts.h"
#include "transport/domain/state/domain_ports.h"
#include "transport/domain/state/fabric_context.h"
#include "transport/domain/state/port.h"
#include "transport/domain/state/sampler.h"
#include "transport/model/nic/queue_pair.h"
#include "transport/model/record/flow_ledger.h"
#include "transport/model/record/flow_records.h"
#include "transport/model/record/tier_load.h"
#include "transport/model/wire/event_kinds.h"
#include "transport/model/wire/packet.h"

namespace heddle {

class ReplayWatcher;

/// When a domain is, and in which of two lives: what replays have skipped may be executed again.
struct DomainClock {
  Time now;   ///< of the event that runs
  Time last;  ///< of the last event that happened to the fabric
  // Set in runs with a watcher only:
  std::uint64_t order = 0;    ///< of the event that runs
  std::uint64_t reached = 0;  ///< the highest order of the events that have run at `now`
  bool reexecutes = false;    ///< events run again: nobody is notified
  bool bounded = false;       ///< no event after `bound` runs
  Event bound{};
};

class DomainState : public Domain, public DomainPorts {
 public:
  /// Packet::next of a packet on a link: the egress port, once somebody looked it up.
  static constexpr std::uint32_t kNotRouted = ~0U;
  static constexpr std::uint32_t kNoRoute = ~1U;
  /// Packet::ingress of what waits in a queue and is not in the shared buffer: what a switch made
  /// itself, and lossy packets.
  static constexpr std::uint32_t kOwnPacket = ~0U;

  /// Without nodes.
  DomainState(DomainId id, const FabricContext* context, PostOffice* post_office)
      : Domain(id),
        context_(context),
        post_office_(post_office),
        own_index_(post_office->AddressOf(id).index),
        ledger_(&context->sample),
        sampler_(context->options.monitors) {}

  Packet& packet(std::uint32_t slot) {
    return *std::launder(reinterpret_cast<Packet*>(cargo_[slot].bytes));
  }
  const Packet& packet(std::uint32_t slot) const {
    return *std::launder(reinterpret_cast<const Packet*>(cargo_[slot].bytes));
  }
  std::uint32_t StorePacket(const Packet& p) {
    const std::uint32_t slot = cargo_.Allocate();
    packet(slot) = p;
    return slot;
  }
  /// A copy of the telemetry behind a packet, good until the next call; null in runs without.
  MessageTail* HoldTail(std::uint32_t slot) {
    if (!context_->tails) return nullptr;
    held_tail_ = tails_[slot];
    return &held_tail_;
  }

  /// Whether a node of the graph, in whatever domain, may end flows.
  bool IsEnd(NodeId node) const {
    return node.value < context_->graph->node_count() && context_->graph->ends_flows(node);
  }

  /// Whether a flow may name this lane (FlowPost::lane).
  bool HasLane(std::uint16_t lane) const;

  /// An event begins to run. One that is made at its own time may come before others that have run
  /// at this time.
  void Reach(const Event& event) {
    clock_.reached = event.time > clock_.now ? event.order : std::max(clock_.reached, event.order);
    clock_.order = event.order;
  }
  Time WireTime(const Port& port, std::int64_t bytes) const;
  /// Between the starts of two packets of this size at this rate.
  Time PacedTime(const Port& port, BitRate rate, std::int64_t bytes) const;  // transmit.h
  /// Puts the packet on the port's link; `p` must not lie in the pool, which may grow.
  void Transmit(Port& port, const Packet& p, const MessageTail* tail);  // transmit.h
  /// The same of a port whose far end is in another domain; then the packet may lie in the pool.
  void TransmitAway(Port& port, const Packet& p, const MessageTail* tail);
  /// Whether the far end is in this domain.
  bool StaysHere(const Port& port) const {
    return port.far_address.is_local != 0 && port.far_address.index == own_index_;
  }
  /// The packet begins to leave; returns when it arrives.
  Time Load(Port& port, const Packet& p);
  [[noreturn]] void FailRate(const Port& port) const;
  void Enqueue(Port& port, int queue, std::uint32_t slot);
  std::uint32_t Dequeue(Port& port, int queue);
  /// Be called again when the port is free, or at `time` if that is later.
  void WakePort(Port& port, std::uint32_t index, Time time);
  void Drop(const Node& node, PortId port, DropReason reason, const Packet& p);
  /// Queue a packet that this node made itself, and send it if the port is free.
  void SendOwn(std::uint32_t index, const Packet& p, int queue, const MessageTail* tail);

  /// Of the domain, once it is whole (FabricDomain). Never null while events run.
  const DomainParts& parts() const { return *parts_; }
  /// Null in runs without replay.
  ReplayWatcher* watcher() const { return watcher_; }
  /// Runs the events of a past that is simulated again: those before `time`, and of those at `time`
  /// the ones whose order is at most `reached`. Only a FabricDomain has a past.
  virtual void RunPast(Time time, std::uint64_t reached);

  /// What is the same for all domains; outlives this.
  const FabricContext& context() const { return *context_; }
  PostOffice& post_office() const { return *post_office_; }  ///< takes what leaves the domain
  Time now() const { return clock_.now; }                    ///< of the event that runs
  DomainClock& clock() { return clock_; }                    ///< to be set by replays and tests
  const DomainClock& clock() const { return clock_; }
  DomainBooks& books() { return books_; }  ///< what is conserved, counted
  const DomainBooks& books() const { return books_; }
  TierLoad& tier_load() { return tier_load_; }  ///< bytes by tier of links and bin of time
  const TierLoad& tier_load() const { return tier_load_; }
  FlowLedger& ledger() { return ledger_; }  ///< flows that ended
  const FlowLedger& ledger() const { return ledger_; }
  Sampler& sampler() { return sampler_; }  ///< of monitors
  const Sampler& sampler() const { return sampler_; }
  EventQueue& queue() { return queue_; }  ///< future events
  const EventQueue& queue() const { return queue_; }
  SlotPool<Cargo>& cargo() { return cargo_; }  ///< packets and notices, by slot
  const SlotPool<Cargo>& cargo() const { return cargo_; }
  std::vector<MessageTail>& tails() { return tails_; }  ///< telemetry, by slot of cargo()
  const std::vector<MessageTail>& tails() const { return tails_; }
  /// Lets QueueChanged() be called, from now on.
  void WatchQueues() { watches_ = true; }
  bool watches_queues() const { return watches_; }  ///< whether QueueChanged() is to be called
  /// Sets what watches flows for replays. Before the first event only.
  void SetWatcher(ReplayWatcher* watcher) { watcher_ = watcher; }

 protected:
  const FabricContext* context_;
  PostOffice* post_office_;
  const DomainParts* parts_ = nullptr;
  std::uint32_t own_index_;
  DomainClock clock_;
  DomainBooks books_;
  TierLoad tier_load_;
  FlowLedger ledger_;
  Sampler sampler_;
  bool watches_ = false;
  ReplayWatcher* watcher_ = nullptr;

 private:
  MessageTail held_tail_;
};

}  // namespace heddle
