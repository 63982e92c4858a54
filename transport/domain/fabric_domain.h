// SPDX-License-Identifier: GPL-2.0-only
/// A domain of the fabric: servers or switches with their ports, queues and queue pairs, driven by
/// plain events.
///
/// Models SimAI's ns-3 transport: store and forward, output-queued switches with a FIFO a priority
/// and no pipeline latency; NICs that send ACKs first, then round robin over queue pairs that
/// window, pace and PFC allow; per-flow ECMP by hash. An event is an arrival, a port that becomes
/// free while something waits, a flow's start, or a timer. One file a mechanism:
///   nic.cc           flows start, the NIC chooses what to send
///   receiver.cc       in order or not, ACK or NACK
///   sender.cc         what ACKs, NACKs and timeouts do
///   message_desk.cc        flows posted while it runs, their ends reported
///   path_client.cc  source ports that the central controller chooses
///   switch_side.cc         route, admit, queue, mark, stamp
///   pause.cc          PFC frames, pauses, their root cause
///   link_failures.cc         losses, failing links, new routes
///   sampler.cc       samples
///   prefetch.cc       what the next events will touch
///   transmit.h        onto the wire; included by those who transmit
#ifndef HEDDLE_TRANSPORT_DOMAIN_FABRIC_DOMAIN_H_
#define HEDDLE_TRANSPORT_DOMAIN_FABRIC_DOMAIN_H_

#include <cstdint>
#include <map>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "core/base/flat_map.h"
#include "core/base/state_count.h"
#include "core/events/domain.h"
#include "core/events/post_office.h"
#include "core/traffic/flow_agent.h"
#include "transport/domain/fabric_context.h"
#include "transport/domain/port.h"
#include "transport/nic/flow_plan.h"
#include "transport/nic/path_grant.h"
#include "transport/nic/posted_flows.h"
#include "transport/nic/queue_pair.h"
#include "transport/nic/round_robin.h"
#include "transport/nic/selective_repeat.h"
#include "transport/record/flow_records.h"
#include "transport/record/flow_statistics.h"
#include "transport/record/monitor_records.h"
#include "transport/record/tier_load.h"
#include "transport/switch/deadlock.h"
#include "transport/switch/forwarding.h"
#include "transport/switch/queue_shares.h"
#include "transport/switch/shared_buffer.h"
#include "transport/wire/packet.h"

namespace heddle {

class FabricDomain final : public Domain, private FlowPort {
 public:
  /// `nodes` ascending. `post_office` takes what leaves the domain.
  FabricDomain(DomainId id, const FabricContext* context, PostOffice* post_office,
               const std::vector<NodeId>& nodes);

  /// Make the flows of this domain's nodes known, in any order. Before the first event only.
  void Plan(const std::vector<PlannedFlow>& flows);

  /// Let `agent` post flows from this domain's hosts, from now on. Before the first event only;
  /// instead of Plan().
  void Attach(FlowAgent* agent);

  void RunUntil(Time end) override;
  /// Null if nobody posts flows here.
  FlowAgent* agent() const { return agent_; }

  /// Of the flows that ended, in any order, whether or not they were recorded.
  std::uint64_t flow_digest() const { return flow_digest_; }
  /// Of the flows that finished, recorded or not.
  const FlowStatistics& statistics() const { return statistics_; }
  const TierLoad& tier_load() const { return tier_load_; }
  /// Those that the sample keeps, and all that failed.
  const std::vector<FlowRecord>& finished() const { return finished_; }
  const std::vector<FlowArrival>& arrivals() const { return arrivals_; }
  /// Moves both out; the domain forgets them.
  void TakeRecords(std::vector<FlowRecord>* finished, std::vector<FlowArrival>* arrivals);
  const std::vector<DropRecord>& drops() const { return drops_; }
  /// Pauses by where they began; those that last are counted until `end`.
  std::vector<PauseCauseRecord> PauseCauses(Time end) const;
  const DomainBooks& books() const { return books_; }
  /// Paths that the central controller holds for flows of this domain, as far as it knows.
  std::size_t HeldPaths() const;
  /// Time of the last event that happened to the fabric. Notices and held-back requests are none:
  /// when their events run depends on the window, and with it on how the fabric was cut.
  Time now() const { return last_; }
  /// Flows that have not finished, with the reason: failed, under way, and those still to start.
  std::vector<FlowRecord> Unfinished() const;
  /// Which paused transmitters wait for which ports of the switches here (deadlock.h).
  std::vector<PauseEdge> PauseEdges() const;
  /// Packets that are on a link into this domain or wait in one of its queues, counted one by one.
  void CountInFlight(std::int64_t* packets, std::int64_t* bytes) const;
  /// Take the samples that are due at `time` or before, and hand over all that were taken since the
  /// last call.
  MonitorRecords TakeMonitorRecords(Time time);

  struct NodeView {
    NodeId id;
    std::uint32_t first_port, ports;
  };
  std::vector<NodeView> nodes() const;
  const Port& port(std::uint32_t index) const { return ports_[index]; }
  const PortExtras& extras(std::uint32_t index) const { return extras_[index]; }
  /// Time that a port's priorities were paused, together, until `end`.
  Time PausedTime(std::uint32_t index, Time end) const;
  /// What it has allocated, itself included.
  void AddMemory(MemoryAccount* account) const;
  /// Notices that went to other domains, since this process began, by domain, if
  /// FabricContext::counts_notices.
  const std::map<DomainId, std::uint64_t>& notices_sent() const { return notices_sent_; }

  /// The state that changes during a run; what the topology fixes is rebuilt by the constructor.
  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    SerializeBase(archive);
    const std::size_t hosts = hosts_.size();
    archive& now_& last_& hosts_& nics_& queue_pairs_& rate_states_& senders_& receivers_&
        receive_slots_& selective_receivers_& pause_states_& finished_& arrivals_& drops_&
            drop_index_& causes_& cause_index_& books_& flow_digest_& statistics_& tier_load_&
                post_queues_& posts_& expected_& expectations_& grants_& grant_index_& asking_&
                    host_packets_& epoch_& next_sample_& next_queue_sample_& next_link_sample_&
                        next_pair_sample_& seen_queues_;
    for (Port& port : ports_) archive& port;
    for (PortExtras& extras : extras_) archive& extras;
    for (SharedBuffer& buffer : buffers_) archive& buffer;
    if constexpr (Archive::is_loading::value) {
      ExpectState(hosts_.size() == hosts, "other hosts than the fabric");
      ExpectState(epoch_ < context_->epochs.size(), "routes of a failure that does not happen");
      UseEpoch(epoch_);
      next_due_ = Time{0};
    }
  }

 private:
  friend class StateCheck;

  /// Kinds of events; at equal times of a port they run in this order.
  enum Kind : std::uint32_t {
    kFault = 0,    ///< links change or routes do; argument: index into context_->faults
    kArrival = 1,  ///< argument: the packet's slot
    kNotice = 2,   ///< argument: the slot of a FlowNotice
    kPathAnswer = kPathAnswerKind,  ///< argument: the slot of a PathAnswer
    kPortFree = 4,                  ///< argument: the port
    kAskPath = 5,                   ///< requests to the controller are due; argument: the node
    kFlowStart = 6,                 ///< argument: the node
    kPauseTimer = 7,  ///< argument: port, priority and whether it renews or expires (pause.cc)
    kRateTimer = 8,   ///< congestion control; argument: the queue pair's slot
    kTimeout = 9,     ///< retransmission; argument: the node
  };

  struct Node {
    NodeId id;
    NodeKind kind = NodeKind::kGpu;
    std::uint32_t host = kNone;      ///< index into hosts_: GPUs, and NVSwitches that end flows
    bool pauses = false;             ///< it sends PFC frames
    std::uint32_t forwards = kNone;  ///< index into buffers_ and tables_: switches and NVSwitches
    std::uint32_t first_port = 0, ports = 0;
  };
  /// A planned flow that the controller has answered.
  struct ReadyFlow {
    Time start;
    std::uint32_t number = 0;  ///< of the flow
    std::uint32_t grant = 0;

    template <class Archive>
    void serialize(Archive& archive, unsigned /*version*/) {
      archive& start& number& grant;
    }
  };
  struct Host {
    std::vector<PlannedFlow> plan;    ///< by (start, number)
    std::size_t next = 0;             ///< first that has not started
    std::vector<PlannedFlow> asking;  ///< those that ask the controller first; by (start, number)
    std::size_t next_ask = 0;         ///< first that has not asked
    std::vector<ReadyFlow> ready;     ///< a heap by (start, number)
    Time timeout_at = Time::Max();    ///< when its pending timeout event fires

    template <class Archive>
    void serialize(Archive& archive, unsigned /*version*/) {
      archive& next& next_ask& ready& timeout_at;
    }
  };
  static bool LaterReady(const ReadyFlow& a, const ReadyFlow& b) {
    return a.start != b.start ? a.start > b.start : a.number > b.number;
  }
  static constexpr std::uint32_t kNone = ~0U;

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

  /// Of AddMemory(): open flows, posted and planned.
  void AddFlowMemory(MemoryAccount* account) const;

  // fabric_domain.cc: what hosts and switches share.
  void AddNode(NodeId id);
  void ConnectPort(const Node& node, PortId number);
  /// Port::flags, but for kDown.
  std::uint8_t FixedFlags(NodeKind kind, const PortExtras& extras) const;
  /// Port::ps_per_byte.
  std::uint32_t PsPerByte(BitRate rate) const;
  void SetRate(std::uint32_t index, BitRate rate);
  /// Whether a timer or wake-up was overtaken, so that nothing happens: it must not even move the
  /// clock.
  bool IsStale(const Event& event);
  void RunEvent(const Event& event);
  void Arrive(std::uint32_t slot);

  // prefetch.cc: what the next events in line will touch is brought near, in several visits to
  // each.
  static constexpr std::size_t kOpenAtOnce = 64;  ///< events; enough to look ahead in
  void Prefetch();
  void FetchPort(const Port& port, int queue) const;
  void PrefetchFirst(const Event& event) const;
  void PrefetchSecond(const Event& event) const;
  void PrefetchThird(const Event& event);
  void PrefetchLast(const Event& event) const;
  void PrefetchWayOut(const Node& node, std::uint32_t slot);

  // fabric_domain.cc again.
  Time WireTime(const Port& port, std::int64_t bytes) const;
  /// Puts the packet on the port's link; `p` must not lie in the pool, which may grow.
  void Transmit(Port& port, Packet& p, const MessageTail* tail);  // transmit.h
  [[noreturn]] void FailRate(const Port& port) const;
  void Enqueue(Port& port, int queue, std::uint32_t slot);
  std::uint32_t Dequeue(Port& port, int queue);
  /// Be called again when the port is free, or at `time` if that is later.
  void WakePort(Port& port, std::uint32_t index, Time time);
  /// Send the next packet if the port is free; what that is depends on whose port it is.
  void Send(Port& port, std::uint32_t index);
  void Drop(const Node& node, PortId port, DropReason reason, const Packet& p);
  const Node* FindNode(NodeId id) const;
  Node* FindNode(NodeId id) { return const_cast<Node*>(std::as_const(*this).FindNode(id)); }
  PortId NumberOf(std::uint32_t port) const {
    return PortId(port - nodes_[ports_[port].node].first_port);
  }

  // nic.cc
  Host& HostOf(Node* node);
  void ScheduleNextStart(std::uint32_t node);
  void StartFlows(std::uint32_t node);
  void StartPlanned(std::uint32_t node);
  void StartFlow(std::uint32_t node, const PlannedFlow& flow,
                 std::uint32_t post = QueuePair::kParked, std::uint32_t grant = PathGrant::kNone);
  /// The port towards `peer` that the flow's hash chooses; QueuePair::kParked if there is no route.
  std::uint32_t ChooseNic(const Node& node, NodeId peer, std::uint16_t source_port,
                          std::uint16_t destination_port);
  RoundRobin& NicOf(Port& port);
  void JoinNic(std::uint32_t slot, std::uint32_t port);
  void LeaveNic(std::uint32_t slot);
  void NicSend(Port& port, std::uint32_t index);
  bool SendQueued(Port& port);
  bool SendFromQueuePair(Port& port, std::uint32_t index);
  std::uint32_t PickQueuePair(Port& port, Time* earliest);
  Packet NextDataPacket(std::uint32_t slot);
  /// Between the starts of two packets at this rate.
  Time PacedTime(const Port& port, BitRate rate, std::int64_t bytes) const;
  void NvSwitchSend(Port& port, std::uint32_t index);
  void HostReceive(const Port& in, std::uint32_t slot);

  // receiver.cc
  void ReceiveData(const Node& node, const Packet& data, const MessageTail* tail);
  std::uint32_t ReceiverOf(const Node& node, const Packet& data);
  ReceiveQueuePair NewReceiver(const Node& node, const Packet& data);
  /// Go-back-N: whether the packet is the next in order; a gap is reported.
  bool AcceptInOrder(ReceiveQueuePair* receiver, const Packet& data, const MessageTail* tail);
  /// Selective repeat: keeps what is new; whether the next byte in order moved. What came out of
  /// order is reported.
  bool AcceptSelectively(std::uint32_t slot, const Packet& data, const MessageTail* tail);
  void AcknowledgeAgain(const Node& node, const Packet& data, const MessageTail* tail);
  void SendAck(const ReceiveQueuePair& receiver, PacketKind kind, const Packet& data,
               const MessageTail* tail, std::int64_t note = 0);

  // sender.cc
  void ReceiveAck(const Packet& ack, const MessageTail* tail);
  void AdaptRate(std::uint32_t slot, const Packet& ack, const MessageTail* tail);
  void ApplyRate(std::uint32_t slot, BitRate before);
  void ScheduleRateTimer(std::uint32_t slot);
  bool RateTimerIsDue(std::uint32_t slot, Time time, EventOrder order);
  void RateTimer(std::uint32_t slot);
  /// Send again from the first byte that is not acknowledged.
  void GoBack(QueuePair* pair);
  /// Selective repeat: what an ACK or NACK says about packets above the gap.
  void LearnSelectively(std::uint32_t slot, const Packet& ack);
  std::int64_t NextResend(std::uint32_t slot);
  /// Tell the NIC whether the queue pair may send, and let it.
  void UpdateReadiness(std::uint32_t slot);
  /// When it gives up waiting for an ACK.
  Time TimeoutOf(const QueuePair& pair) const {
    return pair.last_progress + context_->options.reliability.TimeoutAfter(pair.timeouts);
  }
  void ArmTimeout(std::uint32_t node, Time deadline);
  bool TimeoutIsDue(std::uint32_t node, Time time);
  Time NextTimeout(const Node& node) const;
  void Timeouts(std::uint32_t node);
  void TimeOut(std::uint32_t slot);
  void End(std::uint32_t slot, FlowState state);
  void SampleLast(QueuePair* pair);
  FlowRecord RecordOf(const QueuePair& pair, FlowState state, Time completion) const;
  FlowState StateOf(const QueuePair& pair) const;

  // message_desk.cc
  void Post(const FlowPost& flow) override;
  void Schedule(FlowHeap* heap, Time delay, Kind kind, std::uint32_t node);
  void StartPosted(std::uint32_t node, const FlowHeap::Item& item);
  /// A message's bytes are shared by this many queue pairs; all but the last carry PartSize().
  std::int64_t PartsOf(const FlowPost& flow) const;
  std::int64_t PartSize(const FlowPost& flow) const;
  void ReportSent(std::uint32_t post, Time when);
  void ReportAcked(std::uint32_t post);
  void ReportReceived(FlowId flow);
  void SendNotice(NodeId to, Time at, const FlowNotice& notice);
  void ReceiveNotice(std::uint32_t slot);
  void Expect(const FlowNotice& notice);
  void Record(const FlowRecord& record);
  /// Planned flows, posted flows that have not started.
  void AddPlanned(std::vector<FlowRecord>* open) const;
  void AddPosted(std::vector<FlowRecord>* open) const;

  // path_client.cc
  /// Whether the controller is asked about a flow whose software hands it over then.
  bool AsksController(NodeId source, NodeId destination, Time asked) const;
  Time AskedAt(const PlannedFlow& flow) const;
  void ScheduleNextAsk(std::uint32_t node);
  void AskForPaths(std::uint32_t node);
  void AskForPlanned(std::uint32_t node);
  void AskForPosted(std::uint32_t node, const FlowPost& flow);
  std::uint32_t SendRequest(const PathRequest& request);
  void ReceiveAnswer(std::uint32_t slot);
  void TakeFirstAnswer(std::uint32_t grant);
  /// The source port of a flow that starts, or goes on, with this grant.
  std::uint16_t PortOfGrant(std::uint32_t grant) const;
  void GiveBack(std::uint32_t grant);
  template <class Question>
  void SendToController(Time at, const Question& question);

  // switch_side.cc
  /// Packet::next of a packet on a link: the egress port, once somebody looked it up.
  static constexpr std::uint32_t kNotRouted = ~0U;
  static constexpr std::uint32_t kNoRoute = ~1U;
  static constexpr std::uint32_t kOwnPacket =
      ~0U;  ///< Packet::ingress of what a switch made itself
  std::uint32_t Egress(const Node& node, const Packet& p) const;
  void Forward(const Port& in, std::uint32_t slot);
  void EnqueueForwarded(const Node& node, Port& out, std::uint32_t egress, std::uint32_t slot);
  void SwitchSend(Port& port, std::uint32_t index);
  int NextQueue(Port& port);
  void LeaveBuffer(const Port& port, int queue, const Packet& p);
  void Mark(const Port& port, std::uint32_t index, int queue, Packet* p);
  void Stamp(const Port& port, std::uint32_t index, Packet* p, MessageTail* tail);
  /// Queue a packet that this switch made itself, and send it if the port is free.
  void SendOwn(std::uint32_t index, const Packet& p, int queue, const MessageTail* tail);

  // pause.cc
  void CheckPause(const Node& node, std::uint32_t ingress, int priority, std::uint32_t egress);
  void CheckResume(const Node& node, std::uint32_t ingress, int priority);
  void SendPauseFrame(const Node& node, std::uint32_t ingress, int priority, bool pause,
                      std::uint32_t egress);
  /// The egress that holds most of what came in there, the reason for pausing it; of equal ones the
  /// lowest, and `egress` if none does.
  std::uint32_t FullestEgress(const Node& node, std::uint32_t ingress, int priority,
                              std::uint32_t egress);
  /// Counts what queues hold of an account, and keeps it (QueueShares).
  std::uint32_t* WatchShares(const Node& node, std::uint32_t ingress, int priority);
  /// If watches_, after a packet has joined a queue (`sign` 1) or left it (-1).
  void QueueChanged(const Port& port, int queue, const Packet& p, int sign);
  void ReceivePauseFrame(std::uint32_t index, const Packet& p);
  void StartPause(std::uint32_t index, int priority, const Packet& frame);
  void EndPause(std::uint32_t index, int priority);
  void RecordPause(std::uint32_t index, int priority, bool pause);
  /// Whether a frame that leaves the port's link at `time` or later may be lost; if not, pauses
  /// need no renewal.
  bool LosesFrames(std::uint32_t index, Time time) const {
    return ports_[index].has(Port::kFaulty) &&
           (extras_[index].error_rate > 0 || time <= extras_[index].fails_until);
  }
  void SchedulePauseTimer(std::uint32_t index, int priority, bool renew, Time time);
  bool PauseTimerIsDue(std::uint32_t argument, Time time);
  void PauseTimer(std::uint32_t argument);
  PauseState& PauseStateOf(std::uint32_t index);
  void ForgetPauses(std::uint32_t index);

  // link_failures.cc
  bool IsLost(std::uint32_t index, const Packet& p);
  void ApplyFaults(std::uint32_t index);
  void ApplyLinkEvent(const Node& node, const LinkEvent& event);
  void TakeDown(std::uint32_t index);
  void UseEpoch(std::uint32_t epoch);
  void Reroute();
  void RerouteQueuePair(std::uint32_t slot);
  /// Slots of the live queue pairs, in order of their flows.
  std::vector<std::uint32_t> LiveQueuePairs() const;

  // sampler.cc
  /// What is due before an event of this time: samples, a new bin of the tiers' load.
  void CatchUp(Time before);
  void TakeSamples(Time before);
  void SampleQueues(Time time);
  void SampleLinks(Time time);
  void SamplePairs(Time time);
  void SampleQueue(Time time, std::uint32_t index, int queue);
  void SampleRate(Time time, QueuePair* pair);
  void SampleCnps(Time time, QueuePair* pair);
  void Watch(const Port& port, int queue);

  const FabricContext* context_;
  PostOffice* post_office_;
  std::uint32_t own_index_;
  Time now_;
  Time last_;  ///< now()
  std::map<DomainId, std::uint64_t> notices_sent_;
  std::uint32_t epoch_ = 0;  ///< of the routes
  const Routes* routes_;
  const std::vector<HostPlace>* places_;
  std::vector<Node> nodes_;
  std::vector<Port> ports_;
  std::vector<PortExtras> extras_;  ///< by port
  std::vector<Host> hosts_;
  std::vector<SharedBuffer> buffers_;
  std::vector<ForwardingTable> tables_;  ///< of the switches, by the same index
  std::vector<RoundRobin> nics_;
  SlotPool<QueuePair> queue_pairs_;
  std::vector<CongestionControl::State>
      rate_states_;  ///< by slot of queue_pairs_; empty without congestion control
  std::vector<SelectiveSender> senders_;  ///< by slot of queue_pairs_; with selective repeat only
  FlatMap receivers_;                     ///< FlowId::packed() to a slot
  SlotPool<ReceiveQueuePair> receive_slots_;
  std::vector<SelectiveReceiver>
      selective_receivers_;  ///< by slot of receive_slots_; with selective repeat only
  SlotPool<PauseState> pause_states_;
  std::vector<FlowRecord> finished_;  ///< those that are kept; all that failed
  std::vector<FlowArrival> arrivals_;
  std::vector<DropRecord> drops_;
  FlatMap drop_index_;  ///< by node, port and reason
  std::vector<PauseCauseRecord> causes_;
  FlatMap cause_index_;  ///< by node and port
  DomainBooks books_;
  std::uint64_t flow_digest_ = 0;
  FlowStatistics statistics_;
  TierLoad tier_load_;
  FlowAgent* agent_ = nullptr;
  bool acked_ = true;  ///< a message is complete when it is acknowledged, not when it arrives
  std::vector<PostQueue> post_queues_;  ///< by host; empty without an agent
  SlotPool<PostedMessage> posts_;
  FlatMap expected_;  ///< FlowId::packed() to a slot of expectations_
  SlotPool<ExpectedMessage> expectations_;
  SlotPool<PathGrant> grants_;
  FlatMap grant_index_;  ///< RequestId::packed() to a slot of grants_
  SlotPool<AskingMessage> asking_;
  std::int64_t host_packets_ = 0;  ///< counted for debug.lose_packet only
  std::vector<PortId> scratch_;
  MessageTail held_tail_;
  QueueShares shares_;
  bool watches_ = false;  ///< queues, for monitors or for shares_
  bool watch_queues_ = false, watch_rates_ = false,
       watch_cnps_ = false;  ///< a sample at every change
  Time next_due_;            ///< nothing is due for an event of this time or earlier (CatchUp)
  Time next_sample_ = Time::Max();  ///< earliest of the three below
  Time next_queue_sample_, next_link_sample_, next_pair_sample_;
  std::vector<std::uint32_t> seen_queues_;  ///< bytes by port and priority at the last sample
  MonitorRecords monitored_;
};

}  // namespace heddle

#endif  // HEDDLE_TRANSPORT_DOMAIN_FABRIC_DOMAIN_H_
