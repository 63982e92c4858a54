// SPDX-License-Identifier: GPL-2.0-only
/// Carriers whose times are computed by hand, without an engine: of whole collectives, and of
/// messages.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "core/traffic/collective_carrier.h"
#include "core/traffic/flow_agent.h"

namespace heddle::testing {

/// What is to happen, by time; at equal times in the order in which it was asked for.
class Agenda {
 public:
  void At(Time when, std::function<void(Time)> what) { entries_.emplace(when, std::move(what)); }
  /// Runs what comes before `end`.
  void RunUntil(Time end) {
    while (!entries_.empty() && entries_.begin()->first < end) {
      const auto next = entries_.extract(entries_.begin());
      next.mapped()(next.key());
    }
  }

 private:
  std::multimap<Time, std::function<void(Time)>> entries_;
};

/// A collective of n bytes ends n ns after its last rank has begun.
class WholeCarrier final : public FlowPoster, public CollectiveCarrier {
 public:
  using Completed = std::function<void(const CollectiveName&, NodeId, Time)>;

  /// `log`: gets a line for each begin. All arguments must outlive it.
  WholeCarrier(Agenda* agenda, std::vector<std::string>* log, Completed completed)
      : agenda_(*agenda), log_(*log), completed_(std::move(completed)) {}

  void Post(const FlowPost&) override { throw std::logic_error("a flow was posted"); }
  void WakeAt(Time) override { throw std::logic_error("nobody is to be woken"); }
  CollectiveCarrier* collectives() override { return this; }

  void Begin(const CollectiveCall& call) override {
    log_.push_back("rank " + std::to_string(call.node().value) + ": " +
                   std::to_string(call.name.operation) + " begins");
    std::vector<CollectiveCall>& calls = calls_[{call.name.operation, call.name.group}];
    calls.push_back(call);
    if (calls.size() < call.parts()) return;
    Time last;
    for (const CollectiveCall& one : calls) last = std::max(last, one.start);
    for (const CollectiveCall& one : calls) {
      agenda_.At(last + NanoSeconds(call.bytes),
                 [this, one](Time when) { completed_(one.name, one.node(), when); });
    }
  }

 private:
  Agenda& agenda_;
  std::vector<std::string>& log_;
  Completed completed_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<CollectiveCall>> calls_;
};

/// A message leaves when it starts and arrives 1 us later.
class MessageCarrier final : public FlowPoster {
 public:
  using Moved = std::function<void(const FlowPost&, Time)>;

  MessageCarrier(Agenda* agenda, Moved sent, Moved received)
      : agenda_(*agenda), sent_(std::move(sent)), received_(std::move(received)) {}

  void Post(const FlowPost& flow) override {
    agenda_.At(flow.start, [this, flow](Time when) { sent_(flow, when); });
    agenda_.At(flow.start + MicroSeconds(1), [this, flow](Time when) { received_(flow, when); });
  }
  void WakeAt(Time) override { throw std::logic_error("nobody is to be woken"); }

 private:
  Agenda& agenda_;
  Moved sent_, received_;
};

}  // namespace heddle::testing
