// SPDX-License-Identifier: GPL-2.0-only
/// The state of the domain of fluids: saved, loaded and checked; and what of it is open.
#include <boost/serialization/vector.hpp>
#include <numeric>

#include "core/base/check.h"
#include "core/checkpoint/state_archive.h"
#include "core/containers/state_count.h"
#include "transport/run/flow/fluid_domain.h"
#include "transport/run/flow/fluid_post.h"

namespace heddle {
void FluidDomain::AddOpen(std::vector<FlowRecord>* open) const {
  for (std::uint32_t id = 0; id < flows_.size(); ++id) {
    if (!network_.is_open(id)) continue;
    open->push_back(RowOf(flows_[id]));
    const FluidMessage& message = messages_[flows_[id].message];
    FluidPath path = known_paths_[flows_[id].path];
    const FluidTimes& times =
        paths_.TimesOf(&path, message.source, message.destination, flows_[id].size);
    open->back().ideal = flows_[id].ideal >= Time{0} ? flows_[id].ideal : times.ideal;
  }
  for (const Stranded& stranded : stranded_) {
    open->push_back(RowOf(stranded.flow));
    open->back().state = FlowState::kNoRoute;
    open->back().ideal = stranded.flow.ideal;
  }
  starts_.ForEach([&](const FluidStarts::Item& item) { AddRows(run_.split, item.flow, open); });
  connections_.ForEachWaiting([&](const FlowPost& post) { AddRows(run_.split, post, open); });
  for (const Event& event : queue_.Sorted()) {
    if (EventOrder(event.order).kind() == FluidEvent::kPost)
      AddRows(run_.split, PostOf(cargo_[event.argument], tails_[event.argument]), open);
  }
}

template <class Archive>
void FluidDomain::SerializeState(Archive& archive) {
  SerializeBase(archive);
  archive& network_;
  if (control_) archive&* control_;
  archive& now_& last_& turns_& starts_& connections_& messages_& free_messages_;
  archive& flows_& carried_& books_& ledger_;
  archive& stranded_& next_instant_;
  for (Host& host : hosts_) archive& host.next_flow& host.next_message& host.ports;
}

void FluidDomain::Save(StateWriter* to) const {
  // Archives take state that is not const, for saving as for loading.
  const_cast<FluidDomain*>(this)->SerializeState(*to);
}

void FluidDomain::Load(StateReader* from) {
  const std::size_t links = carried_.size();
  SerializeState(*from);
  ExpectState(carried_.size() == links, "links of another fabric");
  ExpectState(next_instant_ <= run_.instants.size(), "failures of another run");
  CheckLoaded();
  RedoInstants();
  FindPathsAgain();
}

void FluidDomain::FindPathsAgain() {
  known_paths_.clear();
  free_paths_.clear();
  lasting_paths_.clear();
  for (std::uint32_t id = 0; id < flows_.size(); ++id) {
    if (network_.is_open(id)) flows_[id].path = PathOf(flows_[id]);
  }
  for (Stranded& stranded : stranded_) stranded.flow.path = PathOf(stranded.flow);
}

void FluidDomain::RedoInstants() {
  for (std::size_t i = 0; i < next_instant_; ++i) {
    paths_.Apply(i);
    SetLinkRates(run_.instants[i]);
  }
  network_.ForgetChanges();
}

/// A post that has not started.
void FluidDomain::CheckPost(const FlowPost& post) const {
  const Graph& graph = *run_.graph;
  const auto ends_flows = [&](NodeId node) {
    return node.value < graph.node_count() && graph.ends_flows(node);
  };
  ExpectState(ends_flows(post.source) && ends_flows(post.destination) &&
                  post.source != post.destination &&
                  run_.routes->Hops(post.source, post.destination) != Routes::kUnreachable,
              "a message of no pair of hosts");
  ExpectState(post.size > 0 && post.size < std::int64_t{1} << 50 && post.start >= Time{0},
              "a message without bytes, or of the past");
  ExpectState(post.connection == FlowPost::kOwnConnection ||
                  (post.connection < FlowPost::kMaxConnections && !post.numbers.given()),
              "a message of no connection");
}

void FluidDomain::CheckLoaded() const {
  std::vector<std::uint32_t> open(messages_.size(), 0);
  std::vector<bool> is_free(messages_.size(), false);
  for (const std::uint32_t id : free_messages_) {
    ExpectState(id < messages_.size() && !is_free[id] && messages_[id].open == 0,
                "a message that is free twice");
    is_free[id] = true;
  }
  LastingConnections::Claims turns(connections_);
  for (std::uint32_t id = 0; id < messages_.size(); ++id) {
    if (is_free[id]) continue;
    const FluidMessage& message = messages_[id];
    FlowPost ends;
    ends.source = message.source;
    ends.destination = message.destination;
    ends.size = 1;
    CheckPost(ends);
    if (message.connection != LastingConnections::kNone)
      turns.Claim(message.connection, message.destination);
  }
  const auto count = [&](const FluidFlow& flow) {
    ExpectState(flow.message < messages_.size() && !is_free[flow.message] && flow.size > 0 &&
                    flow.part < static_cast<std::uint32_t>(run_.split.queue_pairs) &&
                    flow.carried >= 0,
                "a flow of no message");
    ++open[flow.message];
  };
  for (std::uint32_t id = 0; id < flows_.size(); ++id) {
    if (network_.is_open(id)) count(flows_[id]);
  }
  for (const Stranded& stranded : stranded_) {
    ExpectState(stranded.left > 0, "a flow that waits with nothing left");
    count(stranded.flow);
  }
  for (std::uint32_t id = 0; id < messages_.size(); ++id)
    ExpectState(open[id] == messages_[id].open, "a message with too few flows, or too many");
  ExpectState(network_.open() + stranded_.size() ==
                  std::accumulate(open.begin(), open.end(), std::size_t{0}),
              "a fluid of no flow");
  CheckWaiting(&turns);
}

void FluidDomain::CheckWaiting(LastingConnections::Claims* turns) const {
  starts_.ForEach([&](const FluidStarts::Item& item) {
    CheckPost(item.flow);
    if (item.has_turn) turns->Claim(connections_.Find(item.flow), item.flow.destination);
  });
  connections_.Check(*turns, [this](const FlowPost& post) { CheckPost(post); });
  std::size_t pending = 0;
  std::vector<bool> unclaimed = cargo_.used_slots();
  for (const Event& event : queue_.Sorted()) {
    ExpectState(event.time >= now_ + run_.lag, "an event of the past");
    if (EventOrder(event.order).kind() == FluidEvent::kTurn) {
      ++pending;
      ExpectState(
          pending <= turns_.size() && turns_[turns_.size() - pending] + run_.lag == event.time,
          "a turn that nobody asked for");
      continue;
    }
    ExpectState(EventOrder(event.order).kind() == FluidEvent::kPost &&
                    event.argument < unclaimed.size() && unclaimed[event.argument] &&
                    event.argument < tails_.size(),
                "an event without a message of its own");
    unclaimed[event.argument] = false;
    CheckPost(PostOf(cargo_[event.argument], tails_[event.argument]));
  }
  ExpectState(pending == turns_.size(), "too few turns");
}

}  // namespace heddle
