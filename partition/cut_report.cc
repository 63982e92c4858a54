// SPDX-License-Identifier: GPL-2.0-only
#include "partition/cut_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "core/base/check.h"

namespace heddle {
namespace {

void CountDomains(const Graph& graph, const Domains& domains, const Assignment& assignment,
                  PartitionReport* report) {
  report->domains = domains.nodes.size();
  for (std::size_t domain = 0; domain < domains.nodes.size(); ++domain) {
    auto& rank = report->ranks[assignment[domain].value];
    const auto& nodes = domains.nodes[domain];
    report->largest_domain = std::max<std::uint64_t>(report->largest_domain, nodes.size());
    ++rank.domains;
    rank.nodes += static_cast<std::uint32_t>(nodes.size());
    rank.gpus += static_cast<std::uint32_t>(
        std::count_if(nodes.begin(), nodes.end(), [&](NodeId n) { return graph.is_gpu(n); }));
  }
}

void CountLinks(const Graph& graph, const Domains& domains, const Assignment& assignment,
                const EfficiencyModel& model, PartitionReport* report) {
  std::vector<std::set<std::uint32_t>> neighbours(report->ranks.size());
  report->links = graph.links().size();
  for (const Link& link : graph.links()) {
    const std::uint32_t a = assignment[domains.domain_of[link.a.value].value].value;
    const std::uint32_t b = assignment[domains.domain_of[link.b.value].value].value;
    const double packets_per_us =
        static_cast<double>(link.rate.bps) / (8 * model.packet_bytes) * 1e-6;
    report->ranks[a].packet_hops_per_us += packets_per_us;
    report->ranks[b].packet_hops_per_us += packets_per_us;
    if (a == b) {
      continue;
    }
    ++report->cut_links;
    report->messages_per_us += 2 * packets_per_us;
    neighbours[a].insert(b);
    neighbours[b].insert(a);
    for (const std::uint32_t rank : {a, b}) {
      ++report->ranks[rank].cut_links;
      report->ranks[rank].messages_per_us += 2 * packets_per_us;
    }
  }
  for (std::size_t rank = 0; rank < neighbours.size(); ++rank) {
    report->ranks[rank].neighbours = static_cast<std::uint32_t>(neighbours[rank].size());
  }
}

void Predict(const EfficiencyModel& model, PartitionReport* report) {
  const double ranks = static_cast<double>(report->ranks.size());
  double load_sum = 0;
  double load_max = 0;
  for (const auto& rank : report->ranks) {
    load_sum += rank.packet_hops_per_us;
    load_max = std::max(load_max, rank.packet_hops_per_us);
  }
  report->load_imbalance = load_sum > 0 ? load_max * ranks / load_sum : 1;
  // A fabric of a single domain has one rank, which never waits.
  if (report->ranks.size() == 1 || report->lookahead == Time::Max()) {
    return;
  }
  const double window_us = report->lookahead.microseconds();
  double slowest = 0;
  double compute_sum = 0;
  for (const auto& rank : report->ranks) {
    const double compute = window_us * rank.packet_hops_per_us / model.packet_hops_per_second;
    const double talk =
        TimeOfExchange(static_cast<std::uint32_t>(report->ranks.size()), rank.neighbours,
                       model.edge) +
        window_us * rank.messages_per_us * model.record_bytes / model.bytes_per_second;
    compute_sum += compute;
    slowest = std::max(slowest, compute + talk);
  }
  report->efficiency = slowest > 0 ? compute_sum / (ranks * slowest) : 1;
}

}  // namespace

PartitionReport AnalysePartition(const Graph& graph, const Domains& domains,
                                 const Assignment& assignment, std::uint32_t ranks,
                                 const EfficiencyModel& model) {
  HEDDLE_EXPECT(ranks > 0 && assignment.size() == domains.nodes.size());
  PartitionReport report;
  report.ranks.resize(ranks);
  report.lookahead = domains.lookahead;
  CountDomains(graph, domains, assignment, &report);
  CountLinks(graph, domains, assignment, model, &report);
  Predict(model, &report);
  return report;
}

std::string ToText(const PartitionReport& report) {
  const double share = report.links == 0 ? 0
                                         : 100.0 * static_cast<double>(report.cut_links) /
                                               static_cast<double>(report.links);
  std::string text = fmt::format(
      "ranks       {}\ndomains     {}, the largest of {} nodes\nlookahead   {}\n"
      "cut links   {} of {} ({:.1f} %)\n"
      "messages    {:.1f} packets change ranks per simulated us at full load\n"
      "load        {:.2f} (largest over mean)\nefficiency  {:.0f} % predicted at full load\n",
      report.ranks.size(), report.domains, report.largest_domain,
      report.lookahead == Time::Max() ? "unbounded" : ToText(report.lookahead), report.cut_links,
      report.links, share, report.messages_per_us, report.load_imbalance, 100 * report.efficiency);
  text += fmt::format("{:>6} {:>8} {:>8} {:>8} {:>11} {:>10} {:>14} {:>13}\n", "rank", "domains",
                      "nodes", "GPUs", "neighbours", "cut links", "pkt-hops/us", "messages/us");
  for (std::size_t i = 0; i < report.ranks.size(); ++i) {
    const auto& rank = report.ranks[i];
    text += fmt::format("{:>6} {:>8} {:>8} {:>8} {:>11} {:>10} {:>14.1f} {:>13.1f}\n", i,
                        rank.domains, rank.nodes, rank.gpus, rank.neighbours, rank.cut_links,
                        rank.packet_hops_per_us, rank.messages_per_us);
  }
  return text;
}

}  // namespace heddle
