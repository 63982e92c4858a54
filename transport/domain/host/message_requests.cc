// SPDX-License-Identifier: GPL-2.0-only
// Messages whose flows are not known at their start, because requests decide which queue pairs send
// (transport/domain/requests/request_desk.h); and the flows that a receiver has to expect.
#include <utility>
#include <vector>

#include "transport/domain/host/message_desk.h"

namespace heddle {

void MessageDesk::StartRequests(DomainState& state, std::uint32_t node, const FlowHeap::Item& item,
                                QueuePair first) {
  const FlowPost& flow = item.flow;
  PostQueue& queue = post_queues_[state.nodes_[node].host];
  const std::int64_t most = state.context_->options.nic.qps_per_connection;
  const std::uint32_t connection = connections_.Find(flow);
  const bool lasts = connection != LastingConnections::kNone;
  if (flow.numbers.given()) {
    first.flow = {flow.source, flow.numbers.number};
    first.source_port = flow.numbers.source_port;
  } else {
    first.flow = {flow.source, queue.next_flow};
    queue.next_flow += static_cast<std::uint32_t>(most);
    first.source_port =
        lasts ? connections_.first_port(connection) : queue.ports.Next(flow.destination);
    for (std::int64_t i = 1; i < most && !lasts; ++i) queue.ports.Next(flow.destination);
  }
  if (state.context_->reports) {
    first.post = posts_.Allocate();
    // Until it is closed, it counts as a flow itself.
    posts_[first.post] = {flow.cookie, flow.origin, flow.destination, 1,
                          1,           connection,  acked_ ? 0U : 1U};
  }
  std::vector<std::uint32_t> grants;
  for (std::uint32_t grant = item.grant; grant != PathClient::kNone;
       grant = state.parts().paths.Next(grant))
    grants.push_back(grant);
  requests_.Start(state, node, flow, first, lasts, std::move(grants));
}

void MessageDesk::AddFlow(std::uint32_t post) {
  ++posts_[post].unsent;
  ++posts_[post].unacked;
}

void MessageDesk::AbandonMessage(const QueuePair& first) {
  if (first.post == QueuePair::kParked) return;
  // Its failed flow stays counted, and its destination is not notified: it is never complete.
  --posts_[first.post].unsent;
  --posts_[first.post].unacked;
}

void MessageDesk::CloseMessage(DomainState& state, const QueuePair& first,
                               const std::vector<std::uint32_t>& queue_pairs) {
  if (first.post == QueuePair::kParked) return;
  PostedMessage& message = posts_[first.post];
  --message.unsent;
  --message.unacked;
  if (acked_) return;
  std::uint64_t used = 0;
  for (std::size_t i = 0; i < queue_pairs.size(); ++i)
    used |= std::uint64_t{queue_pairs[i] != RequestDesk::kNone} << i;
  Announce(state, first.destination,
           {message.cookie, first.flow, static_cast<std::int64_t>(used | CompletionNotice::kSome)});
}

void MessageDesk::Announce(DomainState& state, NodeId destination, const CompletionNotice& notice) {
  const DomainId there = state.context_->domain_of[destination.value];
  if (there == state.id()) {
    Expect(notice);
  } else {
    SendNotice(state, destination, state.now_ + state.context_->LeastDelay(state.id(), there),
               notice);
  }
}

void MessageDesk::Expect(const CompletionNotice& notice) {
  const std::uint32_t slot = expectations_.Allocate();
  ExpectedMessage& message = expectations_[slot];
  message = {notice.cookie, 0, 0};
  const auto expect = [&](std::uint32_t number) {
    expected_.Insert(FlowId{notice.flow.source, notice.flow.number + number}.packed(), slot);
    ++message.missing;
  };
  const auto value = static_cast<std::uint64_t>(notice.value);
  if (notice.value == CompletionNotice::kFeeds) {
    message.feeds = 1;
    expect(0);
  } else if ((value & CompletionNotice::kSome) != 0) {
    for (std::uint32_t i = 0; i < CompletionNotice::kMost; ++i) {
      if ((value >> i & 1) != 0) expect(i);
    }
  } else {
    for (std::int64_t i = 0; i < notice.value; ++i) expect(static_cast<std::uint32_t>(i));
  }
}

void MessageDesk::ReturnGrant(DomainState& state, std::uint32_t grant) {
  state.parts().paths.GiveBack(state, grant);
}

}  // namespace heddle
