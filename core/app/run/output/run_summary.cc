// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/run/output/run_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "core/app/run/output/slowest_flows.h"
#include "core/base/time_limits.h"
#include "core/options/quantity_text.h"
#include "io/analysis/flow_view.h"
#include "topology/graph/node_names.h"

namespace heddle {
namespace {

// Share of time; a GPU that uses one of its two ports at a time has a half.
constexpr double kMuchIdle = 0.4;

/// The first values, and the maximum if there are more.
std::string Shares(const std::vector<double>& values, const char* format) {
  std::string text;
  const std::size_t shown = std::min<std::size_t>(values.size(), 8);
  for (std::size_t i = 0; i < shown; ++i)
    text += fmt::format(fmt::runtime(format), values[i]) + (i + 1 < shown ? " " : "");
  if (values.size() > shown) {
    text += " ... largest " +
            fmt::format(fmt::runtime(format), *std::max_element(values.begin(), values.end()));
  }
  return text;
}

}  // namespace

namespace {

/// "12 packets (buffer full 10, wire error 2)", and the ports with the most losses.
std::string DropLines(const NodeNames& names, const Table& drops, const DomainBooks& books) {
  if (books.dropped_packets == 0) return "";
  const auto& node = GetColumn<std::uint32_t>(drops, "node");
  const auto& port = GetColumn<std::uint32_t>(drops, "port");
  const auto& reason = GetColumn<std::string>(drops, "reason");
  const auto& packets = GetColumn<std::int64_t>(drops, "packets");
  std::map<std::string, std::int64_t> by_reason;
  for (std::size_t i = 0; i < packets.size(); ++i) by_reason[reason[i]] += packets[i];
  std::string reasons;
  for (const auto& [name, count] : by_reason)
    reasons += fmt::format("{}{} {}", reasons.empty() ? "" : ", ", name, count);
  const std::size_t worst =
      static_cast<std::size_t>(std::max_element(packets.begin(), packets.end()) - packets.begin());
  return fmt::format(
      "drops            {} packets, {} ({})\n                 most at {} port {}: {} packets\n",
      books.dropped_packets, ToText(Bytes{books.dropped_bytes}), reasons,
      names.Of(NodeId(node[worst])), port[worst], packets[worst]);
}

std::string RecoveryLine(const DomainBooks& books) {
  if (books.nacks == 0 && books.timeouts == 0 && books.resent_bytes == 0) return "";
  return fmt::format("recovery         {} NACKs, {} timeouts, {} sent again\n", books.nacks,
                     books.timeouts, ToText(Bytes{books.resent_bytes}));
}

std::string ReorderingLine(const DomainBooks& books) {
  if (books.most_held == 0) return "";
  return fmt::format(
      "reordering       {} packets beyond a gap; at most {} of a flow held, {} ahead of the "
      "missing "
      "one\n",
      books.out_of_order, books.most_held, books.furthest_ahead);
}

/// If a good part of the NIC ports stayed idle.
std::string NicLine(const RunFigures& figures) {
  const double idle = figures.idle_nic_share().value_or(0);
  if (idle < kMuchIdle) return "";
  return fmt::format(
      "NIC ports        {:.0f} % of their time idle while another port of the same GPU had flows; "
      "nic.ports=round-robin\n                 and nic.qps_per_connection spread a pair's flows "
      "over ports\n",
      100 * idle);
}

/// The name of a link's port and its other end: "leaf 2 port 3 (to server 0 / GPU 5)".
std::string PortText(const Graph& graph, const NodeNames& names, std::uint32_t node,
                     std::uint32_t port) {
  return fmt::format("{} port {} (to {})", names.Of(NodeId(node)), port,
                     names.Of(graph.ports(NodeId(node))[port].peer));
}

std::string CongestionLines(const Graph& graph, const NodeNames& names, const Outcome& outcome,
                            const DomainBooks& books) {
  std::string text;
  const auto& node = GetColumn<std::uint32_t>(outcome.ports, "node");
  const auto& port = GetColumn<std::uint32_t>(outcome.ports, "port");
  if (books.marked > 0) {
    const auto& marked = GetColumn<std::int64_t>(outcome.ports, "ecn_marked");
    const std::size_t most =
        static_cast<std::size_t>(std::max_element(marked.begin(), marked.end()) - marked.begin());
    text += fmt::format("ECN marks        {} packets, most at {}: {}\n", books.marked,
                        PortText(graph, names, node[most], port[most]), marked[most]);
  }
  if (books.pauses == 0) return text;
  const auto& paused = GetColumn<std::int64_t>(outcome.ports, "paused_ps");
  const std::size_t most =
      static_cast<std::size_t>(std::max_element(paused.begin(), paused.end()) - paused.begin());
  text += fmt::format("PFC pauses       {}; longest paused: {}, {}\n", books.pauses,
                      PortText(graph, names, node[most], port[most]),
                      ToText(Time{paused[most] / 1000 * 1000}));
  const auto& causes = GetColumn<std::int64_t>(outcome.pause_causes, "pauses");
  if (causes.empty()) return text;
  const std::uint32_t longest =
      GetColumn<std::uint32_t>(outcome.pause_causes, "longest_chain")[0] + 1;
  text += fmt::format(
      "worst root cause {}: {} pauses, {} in all, chains of up to {} switch{}\n",
      PortText(graph, names, GetColumn<std::uint32_t>(outcome.pause_causes, "node")[0],
               GetColumn<std::uint32_t>(outcome.pause_causes, "port")[0]),
      causes[0],
      ToText(Time{GetColumn<std::int64_t>(outcome.pause_causes, "paused_ps")[0] / 1000 * 1000}),
      longest, longest == 1 ? "" : "es");
  return text;
}

/// ", of job 0, pass 0, layer 1 'mlp', fwd ALLREDUCE of TP, channel 0 step 3" of a row of a job's
/// flows.
std::string CollectiveText(const Table& flows, std::size_t row, const NameOfCollective& name) {
  return fmt::format(", of {}, channel {} step {}",
                     name(GetColumn<std::uint16_t>(flows, "job")[row],
                          GetColumn<std::uint32_t>(flows, "operation")[row]),
                     GetColumn<std::uint16_t>(flows, "channel")[row],
                     GetColumn<std::uint32_t>(flows, "chunk")[row]);
}

/// "75 flows did not finish, 67 of them never began"; `begun` of them did.
std::string UnfinishedText(std::int64_t unfinished, std::int64_t begun) {
  const std::int64_t all = std::max(unfinished, begun), never = all - begun;
  if (all == 0) return "the work did not end";
  const std::string text = fmt::format("{} flow{} did not finish", all, all == 1 ? "" : "s");
  return never == 0 ? text : text + fmt::format(", {} of them never began", never);
}

const char* StateText(std::uint8_t state) {
  switch (static_cast<FlowState>(state)) {
    case FlowState::kFinished:
      return "finished";
    case FlowState::kNotStarted:
      return "not started";
    case FlowState::kNoRoute:
      return "no route to its destination";
    case FlowState::kRetryLimit:
      return "gave up: too many timeouts without progress";
    case FlowState::kPaused:
      return "paused by PFC";
    case FlowState::kUnderWay:
      return "under way";
  }
  return "unknown";
}

}  // namespace

std::string Summarize(const Graph& graph, const Routes& routes, const Outcome& outcome,
                      const RunFigures& figures) {
  const DomainBooks& books = figures.books;
  std::string text = fmt::format("{:<16} {} us{}\n", figures.measured ? "measured" : "simulated",
                                 MicrosecondText(figures.end), figures.stalled ? ", stalled" : "");
  if (!figures.has_flows) return text;
  text += fmt::format("flows            {} of {} finished{}\n", books.flows_finished, figures.flows,
                      figures.stalled ? fmt::format(", {} did not", figures.unfinished()) : "");
  if (figures.measured) return text;  // no ideal time, no packets
  text += figures.sample.all() && figures.keeps_flows
              ? DescribeSlowdowns(graph, figures.paths_by_flow ? &routes : nullptr, outcome.flows,
                                  outcome.recovered)
              : DescribeSlowdownHistogram(outcome.statistics[0], outcome.statistics[1]);
  const NodeNames names(graph);
  text += CongestionLines(graph, names, outcome, books);
  text += DropLines(names, outcome.drops, books);
  text += RecoveryLine(books);
  text += ReorderingLine(books);
  return text + NicLine(figures);
}

std::string DescribeSimulator(const RunFigures& figures) {
  const DomainBooks& books = figures.books;
  const double run = std::max(figures.run_seconds, 1e-9);
  const double events = static_cast<double>(figures.events) / run * 1e-6;
  std::string text;
  if (figures.has_flows && !figures.measured) {
    text = fmt::format(
        "speed            {:.2f} M packet-hops/s, {:.2f} M events/s ({} packet-hops in {:.2f} s, "
        "set-up {:.2f} s)\n",
        static_cast<double>(books.link_packets) / run * 1e-6, events, books.link_packets,
        figures.run_seconds, figures.setup_seconds);
  } else if (!figures.measured) {
    text =
        fmt::format("speed            {:.2f} M events/s ({} events in {:.2f} s, set-up {:.2f} s)\n",
                    events, figures.events, figures.run_seconds, figures.setup_seconds);
  }
  std::vector<double> blocked;
  for (double share : figures.blocked_share) blocked.push_back(100 * share);
  text += fmt::format("blocked by rank  {}\n", Shares(blocked, "{:.0f}%"));
  text += fmt::format("memory by rank   {} MiB\n", Shares(figures.memory_mib, "{:.0f}"));
  return text;
}

std::string DescribeUnfinished(const Graph& graph, const Outcome& outcome,
                               const RunFigures& figures, const NameOfCollective& name) {
  const FlowView flows(outcome.flows);
  const auto& state = GetColumn<std::uint8_t>(outcome.flows, "state");
  const NodeNames names(graph);
  std::string text;
  std::size_t count = 0;
  std::int64_t begun = 0;
  for (std::size_t i = 0; i < flows.src.size(); ++i) {
    if (flows.fct[i] >= 0) continue;
    if (static_cast<FlowState>(state[i]) != FlowState::kNotStarted) ++begun;
    if (++count <= 10) {
      text += fmt::format("\n  {} -> {} ({}), source port {}: {}", names.Of(NodeId(flows.src[i])),
                          names.Of(NodeId(flows.dst[i])), ToText(Bytes{flows.size[i]}),
                          flows.source_port[i], StateText(state[i]));
      if (name) text += CollectiveText(outcome.flows, i, name);
    }
  }
  if (count > 10) text += fmt::format("\n  ... and {} more", count - 10);
  const auto& packets = GetColumn<std::int64_t>(outcome.drops, "packets");
  const std::int64_t dropped = std::accumulate(packets.begin(), packets.end(), std::int64_t{0});
  std::string why =
      dropped > 0 ? fmt::format("{} packets were dropped, and ", dropped) : std::string();
  why += figures.out_of_time ? fmt::format("the simulated time has reached its limit, {:.0f} days",
                                           kEndOfTime.seconds() / 86400)
                             : "nothing is left to happen";
  if (!figures.deadlock.empty())
    why = "deadlock, a cycle of paused ports that wait for each other: " + figures.deadlock;
  return UnfinishedText(figures.unfinished(), begun) + ": " + why + text;
}

}  // namespace heddle
