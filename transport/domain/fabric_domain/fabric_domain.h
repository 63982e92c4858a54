// SPDX-License-Identifier: GPL-2.0-only
/// A domain of the fabric: servers or switches with their ports, queues and queue pairs, driven by
/// plain events.
///
/// Models SimAI's ns-3 transport: store and forward, output-queued switches with a FIFO a priority
/// and no pipeline latency; NICs that send ACKs first, then round robin over queue pairs that
/// window, pace and PFC allow; per-flow ECMP by hash. An event is an arrival, a port that becomes
/// free while something waits, a flow's start, or a timer. What all mechanisms share is DomainState
/// (transport/domain/state/domain_state.h); each mechanism is a type with its own members, and
/// FabricDomain owns them. Its own files:
///   link_failures.cc  losses, failing links, new routes
///   prefetch.cc       what the next events will touch
///   fabric_domain.cc  construction, and which event is whose
///   part_calls.cc     what its parts ask of each other
///   wiring.cc         its nodes and ports
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "core/containers/flat_map.h"
#include "core/containers/state_count.h"
#include "core/events/post_office.h"
#include "core/traffic/flow_agent.h"
#include "transport/domain/host/nic_routing.h"
#include "transport/domain/host/path_client.h"
#include "transport/domain/host/receiver.h"
#include "transport/domain/messages/message_desk.h"
#include "transport/domain/replay/replay_side.h"
#include "transport/domain/requests/request_desk.h"
#include "transport/domain/scale_up/scale_up_side.h"
#include "transport/domain/sending/sender.h"
#include "transport/domain/state/domain_state.h"
#include "transport/domain/state/fabric_context.h"
#include "transport/domain/streams/stream_desk.h"
#include "transport/domain/switching/pause_control.h"
#include "transport/domain/switching/switch_side.h"
#include "transport/domain/uec/uec_receiver.h"
#include "transport/model/record/monitor_records.h"
#include "transport/model/switch/shared_buffer.h"
#include "transport/model/wire/packet.h"

namespace heddle {

class FabricDomain final : public DomainState, private FlowPoster {
 public:
  /// `nodes` ascending. `post_office` takes what leaves the domain.
  FabricDomain(DomainId id, const FabricContext* context, PostOffice* post_office,
               const std::vector<NodeId>& nodes);

  /// Let `agent` post flows from this domain's hosts, from now on. Before the first event only.
  void Attach(FlowAgent* agent);

  void RunUntil(Time end) override;
  void RunMessages(Time end, Message* const* messages, std::size_t count) override;
  /// Of this domain's islands, records are kept and used; `memo` outlives it. Before the first
  /// event only.
  void Replay(EpisodeMemo* memo) {
    replay_.Begin(*this, memo);
    runs_in_place_ = false;
  }
  /// Nothing is replayed at this cut any more (ReplaySide::Settle).
  void Settle() { replay_.Settle(*this, run_until_); }
  const ReplayFigures& replay_figures() const { return replay_.figures(); }
  void RunPast(Time time, std::uint64_t reached) override;
  /// Null if nobody posts flows here.
  FlowAgent* agent() const { return desk_.agent(); }

  /// Of the flows that ended, in any order, whether or not they were recorded.
  std::uint64_t flow_digest() const { return ledger_.digest(); }
  /// Of the flows that finished, recorded or not.
  const FlowStatistics& statistics() const { return ledger_.statistics(); }
  /// Those that the sample keeps, and all that failed.
  const std::vector<FlowRecord>& finished() const { return ledger_.finished(); }
  const std::vector<FlowArrival>& arrivals() const { return ledger_.arrivals(); }
  /// Forgets both.
  void DropRecords() { ledger_.Drop(); }
  const std::vector<DropRecord>& drops() const { return ledger_.drops(); }
  /// Pauses by where they began; those that last are counted until `end`.
  std::vector<PauseCauseRecord> PauseCauses(Time end) const { return pause_.Causes(*this, end); }
  /// Paths that the central controller holds for flows of this domain, as far as it knows.
  std::size_t HeldPaths() const { return paths_.HeldPaths(); }
  /// Time of the last event of the traffic. Notices and held-back requests are none: when their
  /// events run depends on the window, and with it on the partition. Nor are failures while no flow
  /// is under way.
  Time LastTime() const { return clock_.last; }
  Time now() const = delete;  // LastTime(), or DomainState's
  /// Flows that have not finished, with the reason: failed, under way, and those still to start.
  std::vector<FlowRecord> Unfinished() const;
  /// Which paused transmitters wait for which ports of the switches here (deadlock.h).
  std::vector<PauseEdge> PauseEdges() const;
  /// Packets that are on a link into this domain or wait in one of its queues, counted one by one.
  void CountInFlight(std::int64_t* packets, std::int64_t* bytes) const;
  /// Takes the samples that are due before `end`, and returns all of a time before it that were
  /// taken since the last call. `end`: the latest now() of all domains of the run (TrafficEnd).
  /// `is_end`: nothing is sent any more; the last samples are taken at `end`, and all are returned.
  MonitorRecords TakeMonitorRecords(Time end, bool is_end);

  const Port& port(std::uint32_t index) const { return ports_[index]; }
  const PortExtras& extras(std::uint32_t index) const { return extras_[index]; }
  /// Time that a port's priorities were paused, together, until `end`.
  Time PausedTime(std::uint32_t index, Time end) const {
    return pause_.PausedTime(*this, index, end);
  }
  /// What it has allocated, itself included.
  void AddMemory(MemoryAccount* account) const;
  /// Notices that went to other domains, since this process began, by domain, if
  /// FabricContext::counts_notices.
  const std::map<DomainId, std::uint64_t>& notices_sent() const { return desk_.notices_sent(); }

  /// The state that changes during a run; what the topology fixes is rebuilt by the constructor.
  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    SerializeBase(archive);
    archive& clock_.now& clock_
        .last& sender_& receiver_& pause_& books_& ledger_& tier_load_& desk_& requests_& paths_&
            host_packets_& switch_side_& sampler_& uec_receiver_& scale_up_& streams_;
    for (Port& port : ports_) archive& port;
    for (PortExtras& extras : extras_) archive& extras;
    if constexpr (Archive::is_loading::value) {
      switch_side_.Restore(*this);
      nic_routing_.UseEpoch(*context_, switch_side_.epoch());
      next_due_ = Time{0};
      replay_.Restore(*this);
    }
  }

 private:
  friend class StateCheck;

  /// Whether a timer or wake-up was overtaken, so that nothing happens: it must not even move the
  /// clock.
  bool IsStale(const Event& event);
  /// Events of timers and messages; few, and not inlined into the loop over all events.
  [[gnu::noinline]] bool IsStaleTimer(const Event& event);
  void RunEvent(const Event& event);
  [[gnu::noinline]] void RunRareEvent(const Event& event);
  /// A step of an island that is not simulated.
  [[gnu::noinline]] void RunReplay(const Event& event);
  /// Inlined: half of all events are arrivals, and a call costs 2 % of the instructions.
  [[gnu::always_inline]] inline void Arrive(std::uint32_t slot);
  /// Sets the clock to an event's time, and counts the event; returns whether it is due, and not
  /// overtaken by another. Throws InvariantError if the event is in the past.
  [[gnu::always_inline]] inline bool Enter(const Event& event);
  [[noreturn]] void FailOrder(Time time) const;

  // in_place.cc.
  /// As Enter(), for an arrival or a free port.
  void EnterPlain(Time time) {
    if (time < clock_.now) FailOrder(time);
    if (time > next_due_) CatchUp(time);
    clock_.now = time;
    clock_.last = time;
    ++events_;
  }
  [[gnu::noinline]] void RunQueued(const Event& event);
  /// Runs a message that is not a packet of Ethernet.
  [[gnu::noinline]] void RunRareMessage(const Message& message);
  /// As Arrive(), of a packet outside the pool. Writes to it.
  [[gnu::always_inline]] inline void ArriveInPlace(Packet* p);
  void ReceiveInPlace(const Port& in, const Packet& p);

  // fabric_domain.cc again.
  void ReceiveAnswer(std::uint32_t slot);
  /// Of the node whose pause timer this is; null if that does not forward.
  SharedBuffer* BufferOfTimer(std::uint32_t argument) {
    return switch_side_.BufferOf(*this, ports_[PauseControl::PortOfTimer(argument)]);
  }

  // prefetch.cc: what the next events in line will touch is brought near, in several visits to
  // each.
  static constexpr std::size_t kOpenAtOnce = 64;  ///< events; enough to look ahead in
  void Prefetch();
  /// As EventQueue::PeekOpen, without what is replayed.
  const Event* Peek(std::size_t ahead) const;
  void FetchPort(const Port& port, int queue) const;
  void PrefetchFirst(const Event& event) const;
  void PrefetchSecond(const Event& event) const;
  void PrefetchThird(const Event& event);
  void PrefetchLast(const Event& event) const;
  void PrefetchPathOut(const Node& node, Packet* p);
  /// The same for messages that run in place: `index` is that of the next.
  void PrefetchMessages(Message* const* messages, std::size_t count, std::size_t index);
  void PrefetchThird(Packet* p);
  void PrefetchLast(const Packet& p, Time time) const;

  // fabric_domain.cc again.
  void ScaleUpArrive(std::uint32_t slot);
  void HostReceive(const Port& in, std::uint32_t slot);
  /// Probes, and what is Ultra Ethernet's.
  [[gnu::noinline]] void ReceiveOther(const Port& in, const Packet& p, const MessageTail* tail);

  /// Their places are known at compile time, unlike those of parts().
  DomainParts Own() {
    return {pause_,    switch_side_, nic_routing_, receiver_,     uec_receiver_,
            scale_up_, sender_,      desk_,        paths_,        streams_,
            requests_, replay_,      desk_,        sender_.life()};
  }

  // FlowPoster.
  void Post(const FlowPost& flow) override { desk_.Post(*this, flow); }
  Time Now() const override { return clock_.now; }
  void WakeAt(Time when) override { desk_.WakeAt(*this, when); }
  void ParticipationEnded(const CollectiveName& name, NodeId node, Time when) override {
    if (watcher_ != nullptr) replay_.whole().ParticipationEnded(*this, name, node, when);
  }

  // link_failures.cc
  bool IsLost(std::uint32_t index, const Packet& p);
  void ApplyFaults(std::uint32_t index);
  void ApplyLinkEvent(const Node& node, const LinkEvent& event);
  void TakeDown(std::uint32_t index);
  void Reroute();

  // fabric_domain.cc once more.
  /// Whether a failure or a credit comes when there is nothing left that it could change.
  [[gnu::noinline]] bool IsLate(const Event& event) const;
  /// Whether a late event of this kind has no packet in flight here that a sample would count.
  [[gnu::noinline]] bool IsAlone(std::uint32_t kind) const;
  /// What is due before an event of this time: samples, a new bin of the tiers' load.
  void CatchUp(Time before);

  PauseControl pause_;
  SwitchSide switch_side_;
  NicRouting nic_routing_;
  Receiver receiver_;
  UecReceiver uec_receiver_;
  ScaleUpSide scale_up_;
  Sender sender_;
  MessageDesk desk_;
  PathClient paths_;
  StreamDesk streams_;
  RequestDesk requests_;
  ReplaySide replay_;
  const DomainParts own_parts_ = Own();
  std::int64_t host_packets_ = 0;  ///< counted for debug.lose_packet only
  Time run_until_;                 ///< all events before have run
  Time next_due_;  ///< nothing is due for an event of this time or earlier (CatchUp)
};

}  // namespace heddle
