// SPDX-License-Identifier: GPL-2.0-only
/// Flows that are known before the run (a trace, a flow file): each domain's agent posts its own,
/// a few at a time, shortly before they start.
///
/// Numbers follow the file: a source's flows are 0, 1, ... and its messages too, in the order
/// given, whenever they start; a pair's flows have the UDP source ports 10000, 10001, ... (SimAI: a
/// 16-bit counter a pair, which wraps). A message has as many of both as it becomes flows.
///
/// Left out: what depends on another flow's end. No agent hears of any.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/base/memory_account.h"
#include "core/traffic/flow_agent.h"
#include "core/traffic/flow_request.h"
#include "core/traffic/message_split.h"
#include "core/traffic/trace_contents.h"

namespace heddle {

/// This MPI rank's part.
class TraceDriver final : public FlowDriver {
 public:
  /// `flows`: the file's, in its order; must outlive the driver. `split`: the transport's.
  /// `send_latency`: from the software's hand-over to the start of those flows that say so
  /// (FlowRequest::send_latency).
  explicit TraceDriver(const std::vector<FlowRequest>& flows, const MessageSplit& split = {},
                       Time send_latency = {});
  ~TraceDriver() override;

  /// Makes the agent of the sources among `nodes`; null if none of them sends.
  FlowAgent* AgentOf(DomainId domain, const std::vector<NodeId>& nodes) override;
  /// Returns Time::Max(): no agent is notified of completions.
  Time notice_delay() const override { return Time::Max(); }
  /// Returns false: its flows belong to no collective.
  bool origins() const override { return false; }
  /// Makes messages carry bytes from here on, which are checked unless `checks` is kNone.
  void KeepContents(ResultChecks checks);
  /// Returns what KeepContents() made; null before.
  MessageContents* contents() override { return contents_.get(); }

  /// Returns the number of flows of all ranks, one a queue pair; or of messages, if requests decide
  /// how many they become.
  std::int64_t flow_count() const;
  /// Adds what the agents here have allocated to Structure::kFlowPlans.
  void AddMemory(MemoryAccount* account) const;

 private:
  class Agent;
  /// Returns when the software hands a flow over: one send latency before its start, not before 0,
  /// if the flow says so.
  Time AskedAt(const FlowRequest& flow) const;
  /// Fills of_source_ and starts_, in the file's order for each source.
  void SortBySource();

  const std::vector<FlowRequest>& flows_;
  MessageSplit split_;
  Time send_latency_;
  // The flows of one source after the other, in the order given; of node n from starts_[n] on.
  std::vector<std::uint32_t> of_source_;
  std::vector<std::size_t> starts_;
  std::vector<std::unique_ptr<Agent>> agents_;
  std::unique_ptr<TraceContents> contents_;  ///< null: messages carry nothing
};

}  // namespace heddle
