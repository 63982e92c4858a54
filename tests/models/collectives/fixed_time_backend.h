// SPDX-License-Identifier: GPL-2.0-only
/// A backend without flows: every collective ends a fixed time after its last participant has
/// begun.
///
/// The smallest model that carries collectives as a whole, on any number of domains: a
/// participant's domain reports its begin to the domain of the collective's first member, which
/// reports the end to all members. A report takes one lookahead, and contains the times that apply.
#ifndef HEDDLE_TESTS_MODELS_COLLECTIVES_FIXED_TIME_BACKEND_H_
#define HEDDLE_TESTS_MODELS_COLLECTIVES_FIXED_TIME_BACKEND_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <stdexcept>
#include <tuple>
#include <vector>

#include "core/events/domain.h"
#include "core/events/post_office.h"
#include "core/traffic/collective_carrier.h"
#include "core/traffic/flow_agent.h"
#include "partition/partition.h"
#include "topology/graph/graph.h"
#include "transport/backends/backend.h"

namespace heddle::testing {

/// Constants shared by all domains.
struct FixedTime {
  Time collective;  ///< from the last begin to the end
  Time lookahead;
  std::vector<DomainId> domain_of;  ///< by node
  PostOffice* post_office = nullptr;
};

class FixedTimeDomain final : public Domain, public FlowPoster, public CollectiveCarrier {
 public:
  FixedTimeDomain(DomainId id, const FixedTime* shared) : Domain(id), shared_(*shared) {}

  void Attach(FlowAgent* agent) {
    agent_ = agent;
    if (agent_ != nullptr) agent_->Begin(this);
  }

  void Post(const FlowPost&) override { throw std::logic_error("a flow was posted"); }
  void WakeAt(Time) override { throw std::logic_error("an agent asked to be woken"); }
  CollectiveCarrier* collectives() override { return this; }

  void Begin(const CollectiveCall& call) override {
    ++begun_;
    const std::uint32_t first = call.point_to_point() ? std::min(call.root, call.peer) : 0;
    const NodeId home = call.members[first];
    if (call.rank == first) calls_[KeyOf(call.name)] = call;
    Send(home, kBegun, {call.name, call.rank, call.start});
  }

  void RunUntil(Time end) override {
    running_ = true;
    Event event;
    while (queue_.PopBefore(end, &event)) {
      now_ = event.time;
      ++events_;
      Report report;
      std::memcpy(static_cast<void*>(&report), cargo_[event.argument].bytes, sizeof report);
      cargo_.Free(event.argument);
      const EventOrder order(event.order);
      if (order.kind() == kBegun) {
        CountPart(report);
      } else {
        agent_->Completed(report.name, order.node(), report.time);
      }
    }
    running_ = false;
  }

  Time now() const { return now_; }
  /// Number of participations that were handed over here.
  std::uint64_t begun() const { return begun_; }

 private:
  static constexpr std::uint32_t kBegun = 0, kEnded = 1;  // kinds of events
  using Key = std::tuple<std::uint16_t, std::uint32_t, std::uint32_t>;
  struct Report {
    CollectiveName name;
    std::uint32_t rank = 0;
    Time time;
  };
  struct Pending {
    std::uint32_t parts = 0;
    Time latest;
  };

  static Key KeyOf(const CollectiveName& name) { return {name.job, name.operation, name.group}; }

  /// Sends to its own queue while the domain runs: the post office reads inboxes before a domain
  /// runs, not afterwards.
  void Send(NodeId to, std::uint32_t kind, const Report& report) {
    const DomainId domain = shared_.domain_of[to.value];
    const Time time = now_ + shared_.lookahead;
    const std::uint64_t order = EventOrder(to, PortId(0), kind, report.rank).bits();
    if (running_ && domain == id()) {
      Deliver(time, order, Cargo::Of(report));
    } else {
      shared_.post_office->Send(domain, time, order, Cargo::Of(report));
    }
  }

  void CountPart(const Report& report) {
    const Key key = KeyOf(report.name);
    Pending& pending = pending_[key];
    ++pending.parts;
    pending.latest = std::max(pending.latest, report.time);
    const auto found = calls_.find(key);
    if (found == calls_.end() || pending.parts < found->second.parts()) return;
    const CollectiveCall& call = found->second;
    const Time end = pending.latest + shared_.collective;
    if (call.point_to_point()) {
      for (const std::uint32_t rank : {call.root, call.peer})
        Send(call.members[rank], kEnded, {call.name, rank, end});
    } else {
      for (std::uint32_t rank = 0; rank < call.ranks; ++rank)
        Send(call.members[rank], kEnded, {call.name, rank, end});
    }
    calls_.erase(found);
    pending_.erase(key);
  }

  const FixedTime& shared_;
  FlowAgent* agent_ = nullptr;
  bool running_ = false;
  Time now_;
  std::uint64_t begun_ = 0;
  std::map<Key, CollectiveCall> calls_;  ///< calls of collectives whose first member is here
  std::map<Key, Pending> pending_;       ///< reports received so far
};

/// The part of the backend on one rank.
class FixedTimeBackend final : public Backend {
 public:
  FixedTimeBackend(const Graph& graph, const Domains& cut, Time collective)
      : shared_{collective, cut.lookahead == Time::Max() ? NanoSeconds(500) : cut.lookahead,
                cut.domain_of, &post_office_},
        nodes_(cut.nodes),
        routes_(graph),
        post_office_(std::vector<RankId>(cut.nodes.size(), RankId(0)), RankId(0), 1) {
    for (std::uint32_t id = 0; id < nodes_.size(); ++id) {
      domains_.push_back(std::make_unique<FixedTimeDomain>(DomainId(id), &shared_));
      post_office_.Add(domains_.back().get());
    }
  }

  void Drive(FlowDriver* driver) override {
    for (std::uint32_t id = 0; id < nodes_.size(); ++id)
      domains_[id]->Attach(driver->AgentOf(DomainId(id), nodes_[id]));
  }
  bool carries_collectives() const override { return true; }
  const Routes& routes() const override { return routes_; }
  std::string Describe() const override {
    return "transport        collectives take a fixed time\n";
  }

  PostOffice& post_office() override { return post_office_; }
  Time Lookahead() const override { return shared_.lookahead; }

  std::uint32_t domains() const override { return static_cast<std::uint32_t>(nodes_.size()); }
  std::uint64_t events() const override {
    std::uint64_t sum = 0;
    for (const auto& domain : domains_) sum += domain->events();
    return sum;
  }
  Time now() const override {
    Time last;
    for (const auto& domain : domains_) last = std::max(last, domain->now());
    return last;
  }

  /// Number of participations that were handed over.
  std::uint64_t begun() const {
    std::uint64_t sum = 0;
    for (const auto& domain : domains_) sum += domain->begun();
    return sum;
  }

 private:
  FixedTime shared_;
  std::vector<std::vector<NodeId>> nodes_;
  Routes routes_;
  PostOffice post_office_;
  std::vector<std::unique_ptr<FixedTimeDomain>> domains_;
};

}  // namespace heddle::testing

#endif  // HEDDLE_TESTS_MODELS_COLLECTIVES_FIXED_TIME_BACKEND_H_
