// SPDX-License-Identifier: GPL-2.0-only
// Messages whose flows are not known at their start, because requests decide which queue pairs send
// (transport/domain/requests/request_desk.h); and the flows that a receiver has to expect.
#include <vector>

#include "transport/domain/messages/message_desk.h"
#include "transport/domain/requests/request_desk.h"

namespace heddle {

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
  const DomainId there = state.context().domain_of[destination.value];
  if (there == state.id()) {
    Expect(notice);
  } else {
    SendNotice(state, destination, state.now() + state.context().LeastDelay(state.id(), there),
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
