// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/run/traffic/trace_traffic.h"

#include <algorithm>

namespace heddle {
namespace {

const std::vector<FlowRequest>& Checked(const std::vector<FlowRequest>& flows,
                                        const Backend& backend) {
  backend.CheckFlows(flows);
  return flows;
}

}  // namespace

TraceTraffic::TraceTraffic(const RunInput& input, const Backend& backend,
                           const Recording& recording)
    : input_(input),
      backend_(backend),
      driver_(Checked(input.flows, backend), backend.split(), input.transport.send_latency) {
  if (backend.measures() && input.physical.contents) driver_.KeepContents(input.physical.check);
  plan_.flows = driver_.flow_count();
  plan_.kept_flows = recording.SampleOf(static_cast<std::uint64_t>(plan_.flows));
  const MessageSplit split = backend.split();
  if (split.by_requests) {
    // Requests decide which queue pairs carry bytes.
    plan_.may_be_fewer = true;
    plan_.flows *= split.queue_pairs;
  }
  for (const FlowRequest& flow : input.flows) plan_.payload.count += flow.size.count;
}

void TraceTraffic::ForEachMessage(const TrafficVisit& visit) {
  for (const FlowRequest& flow : input_.flows)
    visit(flow.source, flow.destination, flow.size.count, 1);
}

TrafficProgress TraceTraffic::ProgressAt(const TrafficMeasure& measure) const {
  // What is sent again, and packets that are not full, may exceed the estimate.
  constexpr double kMostBeforeEnd = 0.999;
  const std::int64_t expected = backend_.ReceivedBytesOf(plan_.payload);
  const auto most = static_cast<std::int64_t>(static_cast<double>(expected) * kMostBeforeEnd);
  const std::int64_t done = measure.books.received_bytes;
  return {measure.goes_on ? std::min(done, most) : done, expected};
}

bool TraceTraffic::Unfinished(const Communicator& /*world*/, const DomainBooks& books) const {
  if (!plan_.may_be_fewer) return books.flows_finished < std::max(plan_.flows, books.flows_started);
  return books.messages_started < driver_.flow_count() ||
         books.flows_finished < books.flows_started;
}

}  // namespace heddle
