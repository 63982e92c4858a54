// SPDX-License-Identifier: GPL-2.0-only
/// Messages that agents post while the simulation runs: their start in canonical order, and the
/// notices of their ends.
///
/// SimAI notifies both ends of a flow at the moment of the last ACK at the sender, wherever the
/// other end is. Here the notice carries that moment and takes the driver's notice delay, the least
/// that any message waits before it is sent. So nothing that follows from it is later than in
/// SimAI, and no domain needs to know another's present.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "core/base/memory_account.h"
#include "core/containers/flat_map.h"
#include "core/containers/slot_pool.h"
#include "core/records/flow_vocabulary.h"
#include "core/traffic/flow_agent.h"
#include "transport/domain/carriers/carriers.h"
#include "transport/domain/carriers/message_start.h"
#include "transport/domain/host/path_client.h"
#include "transport/domain/state/domain_state.h"
#include "transport/domain/state/message_reports.h"
#include "transport/model/nic/lasting_connections.h"
#include "transport/model/nic/posted_flows.h"
#include "transport/model/nic/queue_pair.h"

namespace heddle {

/// The posted messages of a domain's hosts. `post` is the slot of one that has started
/// (QueuePair::post).
class MessageDesk final : public MessageReports, private MessageOpener {
 public:
  using Node = DomainState::Node;

  /// Takes the posts of `agent`, which outlives the desk, for this many hosts; null: nobody posts
  /// flows. Before the first event only.
  void Attach(const FabricContext& context, std::size_t hosts, FlowAgent* agent);
  /// Returns who posts flows and is notified of their ends; null: nobody.
  FlowAgent* agent() const { return agent_; }

  // What the agent calls (FlowPoster).
  /// Queues a message of a host of this domain until its start, or until it is due to ask for
  /// paths. Requires flow.start >= now, and parts of 1 to kMaxFlowBytes bytes.
  void Post(DomainState& state, const FlowPost& flow);
  /// Schedules FabricEvent::kWakeAgent at `when`, which is not in the past.
  void WakeAt(DomainState& state, Time when);

  // Events of a node.
  /// Sends the requests to the controller that are due, and schedules the next.
  void AskForPaths(DomainState& state, std::uint32_t node);
  /// Starts each queue pair of the posted flows that are due (FlowStarter), in canonical order, and
  /// schedules the next.
  void StartFlows(DomainState& state, std::uint32_t node);
  /// Acts on a CompletionNotice: registers the flows to expect, or notifies the agent that a
  /// message is complete. `slot`: of the cargo; it is free afterwards.
  void ReceiveNotice(DomainState& state, std::uint32_t slot);

  /// Counts one more flow of a message, not yet sent and not yet acknowledged.
  void AddFlow(std::uint32_t post) override;
  /// Ends the count of AddFlow(). If a message is complete at its arrival, its receiver now expects
  /// the flows that were used.
  void CloseMessage(DomainState& state, const QueuePair& first,
                    const std::vector<std::uint32_t>& queue_pairs) override;
  /// Ends the count of AddFlow() for good: the failed flow stays counted, so the message is never
  /// complete.
  void AbandonMessage(const QueuePair& first) override;
  /// Forgets the grant, and notifies the controller if it remembers it (PathClient::GiveBack).
  void ReturnGrant(DomainState& state, std::uint32_t grant) override;
  /// Counts a flow as sent. With the message's last flow the agent is notified, and the next
  /// message of a lasting connection is due at `when`.
  void ReportSent(DomainState& state, std::uint32_t post, Time when) override;
  /// Frees the slot of a post.
  void Forget(std::uint32_t post) override;
  /// Counts an expected flow as arrived; with the message's last flow the agent is notified. Flows
  /// that nobody expects change nothing.
  void ReportReceived(DomainState& state, FlowId flow) override;
  /// Counts a flow as acknowledged. With the message's last flow the destination is notified,
  /// unless it expects the flows itself, and the post is over.
  void ReportAcked(DomainState& state, std::uint32_t post) override;
  /// Registers a flow whose first packet has reached `node`, a switch. Returns the input that it is
  /// (StreamDesk); QueuePair::kParked: it feeds no stream.
  std::uint32_t ReportBegun(DomainState& state, NodeId node, FlowId flow) override;

  /// Returns what a message was posted for, for the rows of its flows.
  const FlowOrigin& OriginOf(std::uint32_t post) const override { return posts_[post].origin; }

  /// Returns the numbers that a flow would have got at its start, and takes them from its host's
  /// counts. The flow is of a message whose collective is replayed whole
  /// (transport/domain/replay/whole_side.h), and has ended at rest. `ends`: with source,
  /// destination and connection; `part`: of its message, from 0. Called in the order in which its
  /// source's flows start.
  FlowNumbers NumberReplayed(DomainState& state, const FlowPost& ends, std::uint16_t part);
  /// Queues the start of a message that has all its answers of the controller, or its turn on its
  /// connection.
  void StartWhenDue(DomainState& state, const FlowHeap::Item& item);
  /// Adds rows of all posts that have not started, and of posts to come that the agent knows.
  void AddPosted(const DomainState& state, std::vector<FlowRecord>* open) const;
  /// Returns the notices sent to other domains since this process began, by domain; empty unless
  /// FabricContext::counts_notices.
  const std::map<DomainId, std::uint64_t>& notices_sent() const { return notices_sent_; }

  /// Prefetches the host's queue, the first of two visits before StartFlows().
  void PrefetchHost(std::uint32_t host) const {
    const char* queue = reinterpret_cast<const char*>(&post_queues_[host]);
    for (std::size_t at = 0; at < sizeof(PostQueue); at += 64) __builtin_prefetch(queue + at);
  }
  /// Prefetches the first start of the queue, the second visit.
  void PrefetchStarts(std::uint32_t host) const { post_queues_[host].starts.Prefetch(); }

  /// Adds the bytes of posts, connections and expectations to Structure::kPostedFlows.
  void AddMemory(MemoryAccount* account) const;

  /// Counts, in a loaded state, what others have for its messages. Throws UserError "the saved
  /// state has ...".
  class Claims {
   public:
    /// Starts with nothing claimed. Both arguments outlive it.
    Claims(const MessageDesk& desk, const DomainState& state);
    /// Claims the message of a queue pair that has started.
    void ClaimStarted(const QueuePair& pair);
    /// Claims one flow of a message from `source` to `destination`.
    void ClaimStarted(std::uint32_t post, NodeId source, NodeId destination);
    /// Claims a message that posts requests: until it is closed, it counts as a flow itself.
    void ClaimOpen(const QueuePair& first);
    /// Claims an event of a host, FabricEvent::kAskPath or kFlowStart.
    void ClaimEvent(std::uint32_t kind, std::uint32_t node);
    const MessageDesk& desk() const { return desk_; }  ///< whose messages are claimed

   private:
    friend class MessageDesk;

    const MessageDesk& desk_;
    const DomainState& state_;
    std::vector<bool> posts_;                 ///< by slot: used
    std::vector<std::uint32_t> open_;         ///< queue pairs under way, by post
    std::vector<std::size_t> starts_, asks_;  ///< pending events, by node
  };
  // The checks of a loaded state throw UserError "the saved state has ...".
  /// Checks the loaded desk when all have claimed theirs. `grants`: claims those of messages that
  /// start.
  void Check(const DomainState& state, std::size_t hosts, const Claims& claims,
             PathClient::Claims* grants) const;
  /// Checks a message that `node` has not started.
  void CheckPost(const DomainState& state, const FlowPost& post, const Node& node) const;
  /// Checks a notice that is under way to a node of this domain.
  void CheckNotice(const DomainState& state, const CompletionNotice& notice) const;

  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    archive& post_queues_& posts_& connections_& expected_& expectations_;
  }

 private:
  /// Adds an event of the node at `delay` after the first item of the heap, unless one as early is
  /// pending.
  static void Schedule(DomainState& state, FlowHeap* heap, Time delay, FabricEvent::Kind kind,
                       std::uint32_t node);
  /// Whether a message that is due starts now. If not, its connection keeps it, or it is due again
  /// later.
  bool HasTurn(DomainState& state, PostQueue* queue, FlowHeap::Item item);
  /// Starts a message by what carries it (Carriers).
  void StartMessage(DomainState& state, std::uint32_t node, const FlowHeap::Item& item);
  std::uint32_t Open(DomainState& state, const FlowPost& flow, std::uint32_t connection,
                     std::uint32_t first_flow, std::int64_t parts, bool announced) override;
  std::uint32_t OpenGrowing(DomainState& state, const FlowPost& flow,
                            std::uint32_t connection) override;
  /// Has the receiver expect the message's flows, so that it knows when all have arrived.
  void Announce(DomainState& state, NodeId destination, const CompletionNotice& notice);
  /// Sends a notice to the domain of `to`, which may be this one, for the time `at`.
  void SendNotice(DomainState& state, NodeId to, Time at, const CompletionNotice& notice);
  /// Registers the flows of a notice, which ReportReceived() or ReportBegun() waits for.
  void Expect(const CompletionNotice& notice);
  /// Whether the connection of a message may be a lasting one: its end is reported, and its ports
  /// are its own choice. True for connections of a single message.
  static bool MayLast(const FabricContext& context, const FlowPost& flow);
  /// Asks the controller for the paths of a message: for each queue pair, or for each flow of a
  /// trace.
  static void Ask(DomainState& state, const FlowPost& flow, std::uint32_t* next_request);
  /// Adds rows of a message that has not started: one for each flow, if it is known how many it
  /// becomes.
  static void AddRows(const FabricContext& context, const FlowPost& message, std::uint32_t grant,
                      std::vector<FlowRecord>* open);
  /// Returns the row of a post that has not started. `grant`: the first, if it has asked.
  static FlowRecord RowOf(const FabricContext& context, const FlowPost& flow, std::uint32_t grant);
  /// Checks the messages of one host that wait to ask or to start.
  void CheckPostQueue(const DomainState& state, const Node& node, PathClient::Claims* grants,
                      LastingConnections::Claims* turns) const;
  /// Checks the lasting connections, and claims the turns of the messages that send on them.
  void CheckConnections(const DomainState& state, const Claims& claims,
                        LastingConnections::Claims* turns) const;
  /// Checks that each expected message has as many flows as it misses.
  void CheckExpectations() const;

  FlowAgent* agent_ = nullptr;
  bool acked_ = true;  ///< a message is complete when it is acknowledged, not when it arrives
  std::vector<PostQueue> post_queues_;  ///< by host; empty without an agent
  SlotPool<PostedMessage> posts_;
  LastingConnections connections_;
  Carriers carriers_;
  FlatMap expected_;  ///< FlowId::packed() to a slot of expectations_
  SlotPool<ExpectedMessage> expectations_;
  std::map<DomainId, std::uint64_t> notices_sent_;
};

}  // namespace heddle
