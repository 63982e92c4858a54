// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/traffic/trace_traffic.h"

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
  plan_.flows = driver_.flow_count();
  // Requests decide which queue pairs carry bytes.
  plan_.may_be_fewer = input.transport.divides();
  plan_.kept_flows = recording.SampleOf(static_cast<std::uint64_t>(plan_.flows));
  for (const FlowRequest& flow : input.flows) plan_.payload.count += flow.size.count;
}

void TraceTraffic::ForEachMessage(const TrafficVisit& visit) {
  for (const FlowRequest& flow : input_.flows)
    visit(flow.source, flow.destination, flow.size.count, 1);
}

TrafficProgress TraceTraffic::ProgressAt(const TrafficMeasure& measure) const {
  return {measure.books.received_bytes, backend_.ReceivedBytesOf(plan_.payload)};
}

bool TraceTraffic::Unfinished(const Communicator& /*world*/, const DomainBooks& books) const {
  return books.flows_finished < std::max(plan_.flows, books.flows_started);
}

}  // namespace heddle
