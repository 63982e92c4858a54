// SPDX-License-Identifier: GPL-2.0-only
// Checks of a desk that was loaded from a checkpoint: what others claim, against what it has.
#include <vector>

#include "core/containers/state_count.h"
#include "transport/domain/messages/message_desk.h"
#include "transport/domain/requests/request_desk.h"

namespace heddle {

MessageDesk::Claims::Claims(const MessageDesk& desk, const DomainState& state)
    : desk_(desk),
      state_(state),
      posts_(desk.posts_.used_slots()),
      open_(posts_.size(), 0),
      starts_(state.nodes().size(), 0),
      asks_(state.nodes().size(), 0) {}

void MessageDesk::Claims::ClaimStarted(const QueuePair& pair) {
  ClaimStarted(pair.post, pair.flow.source, pair.destination);
}

void MessageDesk::Claims::ClaimStarted(std::uint32_t post, NodeId source, NodeId destination) {
  const bool posted = post != QueuePair::kParked;
  ExpectState(desk_.agent_ != nullptr && posted == state_.context().reports &&
                  (!posted || (post < posts_.size() && posts_[post])),
              "a flow of a message that does not exist");
  if (!posted) return;
  const PostedMessage& message = desk_.posts_[post];
  ExpectState(message.destination == destination &&
                  desk_.agent_->Knows(message.cookie, source, destination),
              "a message that no job has");
  ++open_[post];
}

void MessageDesk::Claims::ClaimOpen(const QueuePair& first) {
  ClaimStarted(first);
  ExpectState(first.post == QueuePair::kParked || desk_.posts_[first.post].unsent > 0,
              "a message that is sent before it is posted");
}

void MessageDesk::Claims::ClaimEvent(std::uint32_t kind, std::uint32_t node) {
  const bool at_host = desk_.agent_ != nullptr && node < state_.nodes().size() &&
                       state_.nodes()[node].host != DomainState::kNone;
  ExpectState(at_host, "an event of something that does not exist");
  ++(kind == FabricEvent::kAskPath ? asks_ : starts_)[node];
}

void MessageDesk::Check(const DomainState& state, std::size_t hosts, const Claims& claims,
                        PathClient::Claims* grants) const {
  ExpectState(post_queues_.size() == (agent_ != nullptr ? hosts : 0), "messages of other hosts");
  LastingConnections::Claims turns(connections_);
  for (std::size_t i = 0; agent_ != nullptr && i < state.nodes().size(); ++i) {
    const Node& node = state.nodes()[i];
    if (node.host == DomainState::kNone) continue;
    CheckPostQueue(state, node, grants, &turns);
    const PostQueue& queue = post_queues_[node.host];
    ExpectState(queue.starts.wakes.size() == claims.starts_[i] &&
                    queue.asks.wakes.size() == claims.asks_[i],
                "a start that nothing wakes");
  }
  for (std::uint32_t post = 0; post < posts_.size(); ++post) {
    if (!claims.posts_[post]) continue;
    const PostedMessage& message = posts_[post];
    ExpectState(agent_ != nullptr && message.unacked >= claims.open_[post] && message.unacked > 0,
                "a message of too many flows");
    ExpectState(message.announced <= 1, "a message that is announced more than once");
    ExpectState(
        message.connection == LastingConnections::kNone || message.connection < connections_.size(),
        "a message of a connection that does not exist");
  }
  CheckConnections(state, claims, &turns);
  state.parts().requests.Check(state);
  state.parts().requests.ForEachUnusedGrant(
      [&](std::uint32_t grant, NodeId source) { grants->ClaimUnused(grant, source); });
  CheckExpectations();
}

void MessageDesk::CheckConnections(const DomainState& state, const Claims& claims,
                                   LastingConnections::Claims* turns) const {
  for (std::uint32_t post = 0; post < posts_.size(); ++post) {
    const PostedMessage& message = posts_[post];
    if (claims.posts_[post] && message.unsent > 0 &&
        message.connection != LastingConnections::kNone)
      turns->Claim(message.connection, message.destination);
  }
  connections_.Check(*turns, [&](const FlowPost& post) {
    ExpectState(state.IsHost(post.source), "a message of no host");
    CheckPost(state, post, *state.FindNode(post.source));
  });
}

void MessageDesk::CheckPostQueue(const DomainState& state, const Node& node,
                                 PathClient::Claims* grants,
                                 LastingConnections::Claims* turns) const {
  const PostQueue& queue = post_queues_[node.host];
  for (const FlowHeap::Item& item : queue.asks.items()) {
    CheckPost(state, item.flow, node);
    const FlowPost& flow = item.flow;
    ExpectState(item.grant == PathClient::kNone && !item.has_turn && state.context().controlled(),
                "a message that has asked before it asks");
    ExpectState(PathClient::Asks(state.context(), flow.source, flow.destination, flow.asked),
                "a message that asks for the only path that it has");
  }
  for (const FlowHeap::Item& item : queue.starts.items()) {
    CheckPost(state, item.flow, node);
    if (item.grant != PathClient::kNone)
      ExpectState(grants->ClaimMessage(item.grant) == 0, "a message that starts without an answer");
    if (item.has_turn) turns->Claim(connections_.Find(item.flow), item.flow.destination);
  }
}

void MessageDesk::CheckPost(const DomainState& state, const FlowPost& post,
                            const Node& node) const {
  const bool known = agent_ != nullptr && post.source == node.id && state.IsEnd(post.destination) &&
                     post.destination != post.source && post.size > 0 &&
                     post.size <= kMaxFlowBytes && post.priority < kPriorities;
  ExpectState(MayLast(state.context(), post), "a message of a connection that cannot be");
  ExpectState(state.HasLane(post.lane), "a message on a lane that there is not");
  ExpectState(known && agent_->Knows(post.cookie, post.source, post.destination),
              "a posted message that no job has");
}

void MessageDesk::CheckExpectations() const {
  const std::vector<bool> used = expectations_.used_slots();
  std::vector<std::uint32_t> missing(used.size(), 0);
  expected_.ForEach([&](std::uint64_t, std::uint32_t slot) {
    ExpectState(slot < used.size() && used[slot], "an awaited message that does not exist");
    ++missing[slot];
  });
  for (std::uint32_t slot = 0; slot < used.size(); ++slot) {
    if (!used[slot]) continue;
    const ExpectedMessage& message = expectations_[slot];
    const bool known = agent_ != nullptr && agent_->Knows(message.cookie, NodeId(), NodeId());
    ExpectState(known && message.missing == missing[slot], "an awaited message that no job has");
  }
}

void MessageDesk::CheckNotice(const DomainState& state, const CompletionNotice& notice) const {
  ExpectState(agent_ != nullptr, "a notice for nobody");
  bool known;
  if (notice.flow.source.valid()) {
    const std::int64_t most = state.context().options.nic.qps_per_connection;
    const bool some = notice.value < 0 && state.context().requests.active();
    known = state.IsEnd(notice.flow.source) &&
            (some || (notice.value > 0 && notice.value <= most) ||
             (notice.value == CompletionNotice::kFeeds && state.context().graph->switches_add())) &&
            agent_->Knows(notice.cookie, notice.flow.source, NodeId());
  } else {
    known = agent_->Knows(notice.cookie, NodeId(), NodeId());
  }
  ExpectState(known, "a notice of a message that no job has");
}

}  // namespace heddle
