// SPDX-License-Identifier: GPL-2.0-only
/// Flows that agents post while the simulation runs: their start in canonical order, and who hears
/// of their end.
///
/// SimAI tells both ends of a flow at the moment of the last ACK at the sender, wherever the other
/// end is. Here the notice takes the driver's notice delay, the least that any message waits before
/// it is sent, and carries the moment: so nothing that follows from it comes later than it would in
/// SimAI, and no domain needs to know another's present.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "core/base/memory_account.h"
#include "core/containers/flat_map.h"
#include "core/containers/recent_map.h"
#include "core/containers/slot_pool.h"
#include "core/records/flow_vocabulary.h"
#include "core/traffic/flow_agent.h"
#include "transport/domain/host/path_client.h"
#include "transport/domain/requests/request_desk.h"
#include "transport/domain/state/domain_state.h"
#include "transport/domain/state/message_reports.h"
#include "transport/model/nic/lasting_connections.h"
#include "transport/model/nic/posted_flows.h"
#include "transport/model/nic/queue_pair.h"

namespace heddle {

/// The posted messages of a domain's hosts. `post` is the slot of one that has started
/// (QueuePair::post).
class MessageDesk final : public MessageReports {
 public:
  using Node = DomainState::Node;

  /// Takes the posts of `agent` for this many hosts; null: nobody posts flows. Before the first
  /// event only.
  void Attach(const FabricContext& context, std::size_t hosts, FlowAgent* agent);
  FlowAgent* agent() const { return agent_; }

  // What the agent asks for (FlowPoster).
  void Post(DomainState& state, const FlowPost& flow);
  void WakeAt(DomainState& state, Time when);

  // Events of a node.
  /// Requests to the controller are due.
  void AskForPaths(DomainState& state, std::uint32_t node);
  /// Posted flows are due: starts each of their queue pairs (FlowStarter).
  void StartFlows(DomainState& state, std::uint32_t node);
  void PollRequests(DomainState& state, std::uint32_t connection) {
    requests_.Poll(state, connection);
  }
  /// `slot`: of the cargo, a CompletionNotice's. It is free afterwards.
  void ReceiveNotice(DomainState& state, std::uint32_t slot);

  RequestDesk& requests() { return requests_; }
  const RequestDesk& requests() const { return requests_; }

  void AddFlow(std::uint32_t post) override;
  void CloseMessage(DomainState& state, const QueuePair& first,
                    const std::vector<std::uint32_t>& queue_pairs) override;
  void AbandonMessage(const QueuePair& first) override;
  void ReturnGrant(DomainState& state, std::uint32_t grant) override;
  void ReportSent(DomainState& state, std::uint32_t post, Time when) override;
  void Forget(std::uint32_t post) override;
  void ReportReceived(DomainState& state, FlowId flow) override;

  /// A flow of a message whose collective is replayed whole (transport/domain/replay/whole_side.h)
  /// has ended, at rest: the numbers that it would have got. `ends`: with source, destination and
  /// connection; `part`: of its message, from 0. In the order in which its source's flows start.
  FlowNumbers NumberReplayed(DomainState& state, const FlowPost& ends, std::uint16_t part);
  /// A message has all its answers of the controller.
  void StartWhenDue(DomainState& state, const FlowHeap::Item& item);
  /// One of its flows is acknowledged; with the last one the post is over.
  void ReportAcked(DomainState& state, std::uint32_t post);
  /// The first packet of a flow has come to `node`, a switch. Returns the input that it is
  /// (StreamDesk); QueuePair::kParked: it feeds no stream.
  std::uint32_t ReportBegun(DomainState& state, const Node& node, FlowId flow);

  const FlowOrigin& OriginOf(std::uint32_t post) const { return posts_[post].origin; }
  /// Rows of all posts that have not started, and of those that will come.
  void AddPosted(const DomainState& state, std::vector<FlowRecord>* open) const;
  /// Notices that went to other domains, since this process began, by domain, if
  /// FabricContext::counts_notices.
  const std::map<DomainId, std::uint64_t>& notices_sent() const { return notices_sent_; }

  /// Brings near what StartFlows() looks at, in two visits.
  void PrefetchHost(std::uint32_t host) const {
    const char* queue = reinterpret_cast<const char*>(&post_queues_[host]);
    for (std::size_t at = 0; at < sizeof(PostQueue); at += 64) __builtin_prefetch(queue + at);
  }
  void PrefetchStarts(std::uint32_t host) const { post_queues_[host].starts.Prefetch(); }

  void AddMemory(MemoryAccount* account) const;

  /// Counts, in a loaded state, what others have for its messages. Throws UserError "the saved
  /// state has ...".
  class Claims {
   public:
    /// Both outlive it.
    Claims(const MessageDesk& desk, const DomainState& state);
    /// By a queue pair.
    void ClaimStarted(const QueuePair& pair);
    void ClaimStarted(std::uint32_t post, NodeId source, NodeId destination);
    /// By a message that posts requests: until it is closed, it counts as a flow itself.
    void ClaimOpen(const QueuePair& first);
    /// By an event of a host, FabricEvent::kAskPath or kFlowStart.
    void ClaimEvent(std::uint32_t kind, std::uint32_t node);
    const MessageDesk& desk() const { return desk_; }

   private:
    friend class MessageDesk;

    const MessageDesk& desk_;
    const DomainState& state_;
    std::vector<bool> posts_;                 ///< by slot: used
    std::vector<std::uint32_t> open_;         ///< queue pairs under way, by post
    std::vector<std::size_t> starts_, asks_;  ///< pending events, by node
  };
  // Of what was loaded: throw UserError "the saved state has ...".
  /// When all have claimed theirs. `grants`: claims those of messages that start.
  void Check(const DomainState& state, std::size_t hosts, const Claims& claims,
             PathClient::Claims* grants) const;
  /// Of a message that `node` has not started.
  void CheckPost(const DomainState& state, const FlowPost& post, const Node& node) const;
  void CheckNotice(const DomainState& state, const CompletionNotice& notice) const;

  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    archive& post_queues_& posts_& connections_& expected_& expectations_& requests_;
  }

 private:
  static void Schedule(DomainState& state, FlowHeap* heap, Time delay, FabricEvent::Kind kind,
                       std::uint32_t node);
  /// Whether a message that is due starts now. If not, its connection has it, or it will be due
  /// again.
  bool HasTurn(DomainState& state, PostQueue* queue, FlowHeap::Item item);
  void StartMessage(DomainState& state, std::uint32_t node, const FlowHeap::Item& item);
  /// A link of a tree that adds; `pair`: as StartMessage makes it.
  void StartInTree(DomainState& state, std::uint32_t node, const FlowPost& flow, QueuePair pair);
  /// Of a message that is divided into requests; `first`: without its numbers and its port.
  void StartRequests(DomainState& state, std::uint32_t node, const FlowHeap::Item& item,
                     QueuePair first);
  /// What will be reported of it, a slot of posts_; QueuePair::kParked if nobody listens.
  /// A message of this many flows has started. `announced`: its destination is told of it, and
  /// then knows its end by itself.
  std::uint32_t OpenMessage(DomainState& state, const FlowPost& flow, std::uint32_t first_flow,
                            std::int64_t parts, bool announced);
  /// Bytes that it may have in flight.
  std::int64_t WindowOf(const FabricContext& context, const FlowPost& flow);
  /// Whether the message leaves by a scale-up link; then it has started.
  bool StartOnScaleUp(DomainState& state, std::uint32_t node, const FlowPost& flow);
  /// Its receiver is to know when all of its flows have arrived.
  void Announce(DomainState& state, NodeId destination, const CompletionNotice& notice);
  void SendNotice(DomainState& state, NodeId to, Time at, const CompletionNotice& notice);
  void Expect(const CompletionNotice& notice);
  /// Whether its connection, if it lasts, may: its end is known, and its ports are its own choice.
  static bool MayLast(const FabricContext& context, const FlowPost& flow);
  /// Asks for the paths of a message.
  static void Ask(DomainState& state, const FlowPost& flow, std::uint32_t* next_request);
  /// How a message that is due becomes flows: a flow of a trace that has asked is one already.
  static MessageSplit SplitOf(const FabricContext& context, const FlowHeap::Item& item);
  void StartOneOnScaleUp(DomainState& state, std::uint32_t node, const FlowPost& flow,
                         const FlowNumbers& numbers);
  /// Rows of a message that has not started: one for each flow, if it is known how many it becomes.
  static void AddRows(const FabricContext& context, const FlowPost& message, std::uint32_t grant,
                      std::vector<FlowRecord>* open);
  /// Of a post that has not started. `grant`: the first, if it has asked.
  static FlowRecord RowOf(const FabricContext& context, const FlowPost& flow, std::uint32_t grant);
  void CheckPostQueue(const DomainState& state, const Node& node, PathClient::Claims* grants,
                      LastingConnections::Claims* turns) const;
  void CheckConnections(const DomainState& state, const Claims& claims,
                        LastingConnections::Claims* turns) const;
  void CheckExpectations() const;

  FlowAgent* agent_ = nullptr;
  bool acked_ = true;  ///< a message is complete when it is acknowledged, not when it arrives
  std::vector<PostQueue> post_queues_;  ///< by host; empty without an agent
  SlotPool<PostedMessage> posts_;
  LastingConnections connections_;
  RequestDesk requests_;
  RecentMap<NodePair, std::int64_t> windows_;
  FlatMap expected_;  ///< FlowId::packed() to a slot of expectations_
  SlotPool<ExpectedMessage> expectations_;
  std::map<DomainId, std::uint64_t> notices_sent_;
};

}  // namespace heddle
