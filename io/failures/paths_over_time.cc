// SPDX-License-Identifier: GPL-2.0-only
#include "io/failures/paths_over_time.h"

#include <algorithm>
#include <memory>

#include "core/base/check.h"
#include "io/analysis/controller_join.h"
#include "io/collisions/flow_paths.h"
#include "topology/paths/path_tracer.h"

namespace heddle {
namespace {

constexpr std::uint8_t kNeverStarted = 1;  // state of /flows

Time ConvergenceOf(const ReportSource& source) {
  return ParseTime(source.root().Text("option failure.convergence").value_or("0s"));
}

RouteTimeline TimelineOf(const ReportSource& source, const std::vector<FailureEvent>& events) {
  auto healthy = std::make_shared<const Routes>(RoutesOfResult(source.graph(), source.reader()));
  return {std::move(healthy), ExpandFailures(source.graph(), events), ConvergenceOf(source)};
}

void CheckEnds(const std::vector<std::uint32_t>& nodes, const Graph& graph) {
  const auto ends = [&](std::uint32_t node) {
    return node < graph.node_count() && graph.ends_flows(NodeId(node));
  };
  if (!std::all_of(nodes.begin(), nodes.end(), ends))
    throw UserError("table flows: an end that the result's topology does not have");
}

}  // namespace

PathsOverTime::PathsOverTime(const ReportSource& source, const Table& flows,
                             const std::vector<FailureEvent>& events)
    : graph_(source.graph()),
      flows_(flows),
      convergence_(ConvergenceOf(source)),
      timeline_(TimelineOf(source, events)),
      src_(&GetColumn<std::uint32_t>(flows, "src")),
      dst_(&GetColumn<std::uint32_t>(flows, "dst")),
      source_port_(&GetColumn<std::uint16_t>(flows, "source_port")),
      destination_port_(&GetColumn<std::uint16_t>(flows, "destination_port")),
      start_(&GetColumn<std::int64_t>(flows, "start_ps")),
      fct_(&GetColumn<std::int64_t>(flows, "fct_ps")),
      state_(&GetColumn<std::uint8_t>(flows, "state")) {
  CheckEnds(*src_, graph_);
  CheckEnds(*dst_, graph_);
  if (source.HasRows(kRequestTable) && source.HasColumn("flows", "request")) ReadChoices(source);
}

void PathsOverTime::ReadChoices(const ReportSource& source) {
  const Table requests = source.reader().ReadTable(kRequestTable);
  const auto& src = GetColumn<std::uint32_t>(requests, "src");
  const auto& request = GetColumn<std::uint32_t>(requests, "request");
  const auto& decided = GetColumn<std::int64_t>(requests, "decided_ps");
  const auto& port = GetColumn<std::uint16_t>(requests, "source_port");
  for (std::size_t i = 0; i < src.size(); ++i)
    choices_[{src[i], request[i]}].push_back({decided[i], port[i]});
  request_ = &GetColumn<std::uint32_t>(flows_, "request");
}

std::uint16_t PathsOverTime::PortAt(std::size_t row, std::int64_t time) const {
  const std::uint16_t last = (*source_port_)[row];
  if (request_ == nullptr) return last;
  const auto found = choices_.find({(*src_)[row], (*request_)[row]});
  if (found == choices_.end()) return last;
  // The first choice holds from the start on; 0 is the host's own port, which nothing else names.
  std::uint16_t port = found->second.front().port;
  for (const Choice& choice : found->second) {
    if (choice.time <= time) port = choice.port;
  }
  return port == 0 ? last : port;
}

bool PathsOverTime::Follow(const Routes& routes, NodeId from, NodeId to, std::uint16_t source_port,
                           std::uint16_t destination_port, std::vector<LinkId>* links) const {
  std::vector<Hop> path;
  const bool arrives = FollowFlow(graph_, routes, {from, to, source_port, destination_port}, &path);
  links->clear();
  for (const Hop& hop : path) links->push_back(graph_.ports(hop.node)[hop.port.value].link);
  return arrives;
}

bool PathsOverTime::Concerns(std::size_t row, std::uint32_t epoch) const {
  const RouteEpoch& routes = timeline_.epochs()[epoch];
  const NodeId source((*src_)[row]), destination((*dst_)[row]);
  const bool gpus = graph_.is_gpu(source) && graph_.is_gpu(destination);
  return !gpus || routes.Affects(source) || routes.Affects(destination);
}

void PathsOverTime::Of(std::size_t row, std::int64_t end_ps,
                       std::vector<PathStretch>* stretches) const {
  stretches->clear();
  if ((*state_)[row] == kNeverStarted) return;
  const std::int64_t start = std::max<std::int64_t>((*start_)[row], 0);
  const std::int64_t fct = (*fct_)[row];
  const std::int64_t end = fct < 0 ? std::max(start, end_ps) : start + fct;
  const auto& epochs = timeline_.epochs();
  for (std::uint32_t epoch = timeline_.At(Time{start}); epoch < epochs.size(); ++epoch) {
    const std::int64_t from = std::max(start, epochs[epoch].time.ps);
    if (!stretches->empty()) {
      if (from >= end) break;
      if (!Concerns(row, epoch)) continue;
      stretches->back().to_ps = from;
    }
    PathStretch stretch;
    stretch.from_ps = from;
    stretch.to_ps = end;
    stretch.epoch = epoch;
    stretch.has_path = Follow(*epochs[epoch].routes, NodeId((*src_)[row]), NodeId((*dst_)[row]),
                              PortAt(row, from), (*destination_port_)[row], &stretch.links);
    stretches->push_back(std::move(stretch));
  }
}

std::vector<LinkId> PathsOverTime::Healthy(std::size_t row) const {
  std::vector<LinkId> links;
  Follow(*timeline_.epochs().front().routes, NodeId((*src_)[row]), NodeId((*dst_)[row]),
         PortAt(row, (*start_)[row]), (*destination_port_)[row], &links);
  return links;
}

std::vector<LinkId> PathsOverTime::OfAcks(std::size_t row, std::uint32_t epoch) const {
  std::vector<LinkId> links;
  // Acknowledgements keep the ports of the flow's first packet.
  Follow(*timeline_.epochs()[epoch].routes, NodeId((*dst_)[row]), NodeId((*src_)[row]),
         (*destination_port_)[row], PortAt(row, (*start_)[row]), &links);
  return links;
}

}  // namespace heddle
