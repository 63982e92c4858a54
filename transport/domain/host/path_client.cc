// SPDX-License-Identifier: GPL-2.0-only
#include "transport/domain/host/path_client.h"

#include <algorithm>
#include <cstring>

#include "core/containers/state_count.h"
#include "transport/model/paths/path_search.h"

namespace heddle {

bool PathClient::Asks(const FabricContext& context, NodeId source, NodeId destination, Time asked) {
  if (!context.controlled() || !context.graph->is_gpu(source) ||
      !context.graph->is_gpu(destination))
    return false;
  const Routes& routes = context.RoutesAt(asked);
  // Where there is no route now, there may be a choice when there is one again.
  return routes.Hops(source, destination) == Routes::kUnreachable ||
         HasChoiceOfPath(*context.graph, routes, source, destination);
}

void PathClient::Ask(DomainState& state, const FlowPost& flow, std::int64_t parts,
                     std::uint32_t* next_request) {
  const std::uint32_t message = asking_.Allocate();
  asking_[message] = {flow, kNone, static_cast<std::uint32_t>(parts)};
  std::uint32_t before = kNone;
  for (std::int64_t part = 0; part < parts; ++part) {
    PathRequest request;
    request.id = {flow.source, flow.numbers.given()
                                   ? flow.numbers.number + static_cast<std::uint32_t>(part)
                                   : (*next_request)++};
    request.destination = flow.destination;
    request.destination_port = flow.destination_port;
    request.asked = flow.asked;
    request.start = flow.start;
    const std::uint32_t grant = SendRequest(state, request);
    grants_[grant].message = message;
    (part == 0 ? asking_[message].first_grant : grants_[before].next) = grant;
    before = grant;
  }
}

std::uint32_t PathClient::SendRequest(DomainState& state, const PathRequest& request) {
  const std::uint32_t slot = grants_.Allocate();
  grants_[slot] = PathGrant();
  grants_[slot].id = request.id;
  index_.Insert(request.id.packed(), slot);
  SendToController(state, request.asked + state.context().options.controller.latency, request);
  return slot;
}

template <class Question>
void PathClient::SendToController(DomainState& state, Time at, const Question& question) {
  static constexpr MessageTail kNoTail{};
  const DomainId to = state.context().controller;
  state.post_office().Send(state.post_office().AddressOf(to), to, at, OrderOf(question), question,
                           state.context().tails ? &kNoTail : nullptr);
}

PathClient::Answered PathClient::TakeAnswer(DomainState& state, std::uint32_t slot) {
  PathAnswer answer;
  std::memcpy(static_cast<void*>(&answer), state.cargo()[slot].bytes, sizeof answer);
  state.cargo().Free(slot);
  Answered result;
  const std::uint32_t index = index_.Find(answer.id.packed());
  if (index == FlatMap::kNone) return result;  // the flow has ended since
  PathGrant& grant = grants_[index];
  grant.source_port = answer.source_port;
  grant.remembered = answer.remembered;
  if (grant.answered == 0) {
    grant.answered = 1;
    if (--asking_[grant.message].missing == 0)
      result.start = TakeMessage(grant.message, state.now());
  } else if (grant.queue_pair != kNone) {
    result.queue_pair = grant.queue_pair;
    result.source_port = PortOf(index);
  }
  return result;
}

FlowHeap::Item PathClient::TakeMessage(std::uint32_t message, Time now) {
  FlowHeap::Item item{asking_[message].flow, asking_[message].first_grant};
  item.flow.start = std::max(now, item.flow.start);
  asking_.Free(message);
  for (std::uint32_t part = item.grant; part != kNone; part = grants_[part].next) {
    grants_[part].message = kNone;
  }
  return item;
}

std::uint16_t PathClient::Use(std::uint32_t grant, std::uint32_t queue_pair,
                              std::uint16_t own_port) {
  grants_[grant].queue_pair = queue_pair;
  grants_[grant].own_port = own_port;
  return PortOf(grant);
}

std::uint16_t PathClient::PortOf(std::uint32_t grant) const {
  return grants_[grant].source_port != 0 ? grants_[grant].source_port : grants_[grant].own_port;
}

void PathClient::GiveBack(DomainState& state, std::uint32_t grant) {
  const RequestId id = grants_[grant].id;
  if (grants_[grant].remembered != 0)
    SendToController(state, state.now() + state.context().options.controller.latency,
                     PathRelease{id});
  index_.Erase(id.packed());
  grants_[grant] = PathGrant();  // nobody's
  grants_.Free(grant);
}

std::size_t PathClient::HeldPaths() const {
  std::size_t held = 0;
  for (std::uint32_t slot = 0; slot < grants_.size(); ++slot) {
    held += grants_[slot].id.source.valid() && grants_[slot].source_port != 0 ? 1 : 0;
  }
  return held;
}

void PathClient::AddMemory(MemoryAccount* account) const {
  account->Add(Structure::kController, grants_.memory() + index_.memory() + asking_.memory());
}

PathClient::Claims::Claims(const PathClient& client)
    : client_(client), free_(client.grants_.used_slots()) {}

void PathClient::Claims::Claim(std::uint32_t grant) {
  ExpectState(grant < free_.size() && free_[grant], "a source port of nobody, or of two flows");
  free_[grant] = false;
}

void PathClient::Claims::ClaimStarted(std::uint32_t grant, std::uint32_t queue_pair,
                                      NodeId source) {
  Claim(grant);
  const PathGrant& claimed = client_.grants_[grant];
  ExpectState(
      claimed.queue_pair == queue_pair && claimed.id.source == source && claimed.answered != 0,
      "a flow with another's source port");
}

void PathClient::Claims::ClaimUnused(std::uint32_t grant, NodeId source) {
  Claim(grant);
  const PathGrant& claimed = client_.grants_[grant];
  ExpectState(claimed.queue_pair == kNone && claimed.id.source == source && claimed.answered != 0,
              "a message with another's source port");
}

std::uint32_t PathClient::Claims::ClaimMessage(std::uint32_t first) {
  std::uint32_t unanswered = 0;
  for (std::uint32_t slot = first; slot != kNone; slot = client_.grants_[slot].next) {
    Claim(slot);
    const PathGrant& grant = client_.grants_[slot];
    ExpectState(grant.queue_pair == kNone, "a source port of two flows");
    unanswered += grant.answered != 0 ? 0 : 1;
  }
  return unanswered;
}

void PathClient::Check(const DomainState& state, Claims* claims,
                       const std::function<void(const FlowPost&, const Node&)>& check_post) const {
  const std::vector<bool> asking = asking_.used_slots();
  for (std::uint32_t slot = 0; slot < asking.size(); ++slot) {
    if (!asking[slot]) continue;
    const AskingMessage& message = asking_[slot];
    ExpectState(state.IsHost(message.flow.source), "a message of nobody");
    check_post(message.flow, *state.FindNode(message.flow.source));
    ExpectState(claims->ClaimMessage(message.first_grant) == message.missing && message.missing > 0,
                "a message that waits for no answer");
    for (std::uint32_t part = message.first_grant; part != kNone; part = grants_[part].next) {
      ExpectState(grants_[part].message == slot, "an answer for another message");
    }
  }
  const std::vector<bool> used = grants_.used_slots();
  std::size_t live = 0;
  for (std::uint32_t slot = 0; slot < used.size(); ++slot) {
    const PathGrant& grant = grants_[slot];
    ExpectState(grant.id.source.valid() == used[slot],
                "a source port that is both free and in use");
    if (!used[slot]) continue;
    ++live;
    ExpectState(state.IsHost(grant.id.source) && index_.Find(grant.id.packed()) == slot,
                "a source port that nobody finds");
    const bool message = grant.message < asking.size() && asking[grant.message];
    ExpectState(grant.message == kNone || message, "a source port for no message");
    ExpectState(claims->claimed(slot), "a source port that nobody waits for");
  }
  ExpectState(index_.size() == live, "source ports of no flow");
}

}  // namespace heddle
