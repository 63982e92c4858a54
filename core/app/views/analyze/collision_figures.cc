// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/views/analyze/collision_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "core/app/views/analyze/failure_words.h"
#include "core/base/table.h"
#include "topology/graph/tiers.h"

namespace heddle {
namespace {

constexpr int kCollisionsSchema = 1;
constexpr std::size_t kPeriodsShown = 3;  // of a port
constexpr std::size_t kFlowsShown = 8;    // of a period

/// "#2 server 0 / GPU 2 -> server 1 / GPU 2, #4 ...": row and ends.
std::string NameFlows(const CollisionStudy& study, const NodeNames& names,
                      std::vector<std::uint32_t> flows) {
  const auto& source = GetColumn<std::uint32_t>(study.flows, "src");
  const auto& destination = GetColumn<std::uint32_t>(study.flows, "dst");
  std::sort(flows.begin(), flows.end());
  std::string text;
  for (std::size_t i = 0; i < std::min(flows.size(), kFlowsShown); ++i) {
    text +=
        fmt::format("{}#{} {} -> {}", i == 0 ? "" : ", ", flows[i],
                    names.Of(NodeId(source[flows[i]])), names.Of(NodeId(destination[flows[i]])));
  }
  return text + (flows.size() > kFlowsShown ? ", ..." : "");
}

bool Fuller(const NamedPeriod& a, const NamedPeriod& b) {
  if (a.flows != b.flows) return a.flows > b.flows;
  const std::int64_t a_length = a.when.until - a.when.from, b_length = b.when.until - b.when.from;
  return a_length != b_length ? a_length > b_length : a.when.from < b.when.from;
}

/// The fullest periods by port, sorted by time. A period of many flows is shown alone, because the
/// next ones differ by one flow.
std::map<HopIndex, FullestPeriods> FindFullest(const CollisionStudy& study, const NodeNames& names,
                                               const std::vector<HopIndex>& ports) {
  std::map<HopIndex, FullestPeriods> fullest;
  study.over_time.ForEachPeriod(
      ports, [&](const SharedPeriod& when, const std::vector<std::uint32_t>& flows) {
        FullestPeriods& port = fullest[when.port];
        ++port.all;
        const NamedPeriod period{when, flows.size()};
        port.periods.insert(
            std::upper_bound(port.periods.begin(), port.periods.end(), period, Fuller), period);
        if (port.periods.size() > kPeriodsShown) port.periods.pop_back();
      });
  for (auto& [number, port] : fullest) {
    if (port.periods.front().flows > kFlowsShown) port.periods.resize(1);
    std::sort(port.periods.begin(), port.periods.end(),
              [](auto& x, auto& y) { return x.when.from < y.when.from; });
  }
  // Looks up names only for the periods shown: a period can have thousands of flows.
  study.over_time.ForEachPeriod(
      ports, [&](const SharedPeriod& when, const std::vector<std::uint32_t>& flows) {
        for (NamedPeriod& period : fullest[when.port].periods) {
          if (period.when.from == when.from) period.names = NameFlows(study, names, flows);
        }
      });
  return fullest;
}

PrintedColumns<CollisionCounts> CountColumns() {
  return {{"colliding_pairs", &CollisionCounts::pairs},
          {"links_used", &CollisionCounts::ports_used},
          {"shared_links", &CollisionCounts::ports},
          {"most_flows_on_link", &CollisionCounts::most_on_port}};
}

OrderedJson FiguresJson(const CollisionFigures& figures) {
  return {{"ignoring_time", PrintedObject(CountColumns(), figures.any_time)},
          {"at_once", PrintedObject(CountColumns(), figures.at_once)},
          {"shared_ps", figures.at_once.shared_ps}};
}

PrintedColumns<CompletionFigures> CompletionColumns() {
  using Figures = CompletionFigures;
  return {{"flows", &Figures::flows},
          {"finished", &Figures::finished},
          {"mean_fct_ps", &Figures::mean_fct_ps},
          {"p99_fct_ps", &Figures::p99_fct_ps},
          {"max_fct_ps", &Figures::max_fct_ps},
          {"mean_slowdown", &Figures::mean_slowdown},
          {"max_slowdown", &Figures::max_slowdown},
          {"last_end_ps", &Figures::last_end_ps}};
}

/// A port with its fullest periods.
struct WorstRow {
  std::string link;
  const PortSharing& port;
  const FullestPeriods& periods;
};

PrintedColumns<NamedPeriod> PeriodColumns() {
  return {{"from_ps", [](const NamedPeriod& period) { return period.when.from; }},
          {"until_ps", [](const NamedPeriod& period) { return period.when.until; }},
          {"flows", &NamedPeriod::flows},
          {"names", &NamedPeriod::names}};
}

PrintedColumns<WorstRow> WorstColumns() {
  return {{"link", &WorstRow::link},
          {"flows", [](const WorstRow& row) { return row.port.flows; }},
          {"pairs", [](const WorstRow& row) { return row.port.pairs; }},
          {"most_at_once", [](const WorstRow& row) { return row.port.most_at_once; }},
          {"shared_ps", [](const WorstRow& row) { return row.port.shared_ps; }},
          {"periods_count", [](const WorstRow& row) { return row.periods.all; }},
          {"fullest_periods",
           [](const WorstRow& row) { return PrintedList(PeriodColumns(), row.periods.periods); }}};
}

OrderedJson WorstJson(const CollisionStudy& study, const NodeNames& names,
                      const WorstPorts& found) {
  const HopNumbers hops(study.graph);
  std::vector<WorstRow> rows;
  for (const PortSharing& port : found.ports) {
    const Hop hop = hops.At(port.port);
    rows.push_back({names.Link(hop.node, hop.port), port, found.fullest.at(port.port)});
  }
  return PrintedList(WorstColumns(), rows);
}

OrderedJson SpinesJson(const CollisionStudy& study, const NodeNames& names) {
  OrderedJson list = OrderedJson::array();
  for (const SpineTier& tier : study.spines) {
    for (const SpineLoad& spine : tier.spines) {
      list.push_back({{"tier", TierName(tier.tier)},
                      {"switch", names.Of(spine.spine)},
                      {"flows", spine.flows},
                      {"bytes", spine.bytes}});
    }
  }
  return list;
}

OrderedJson ControllerJson(const CollisionStudy& study) {
  if (!study.controlled) return nullptr;
  return {{"flows_chosen", study.chosen},
          {"mean_wait_ps", study.mean_wait_ps},
          {"max_wait_ps", study.max_wait_ps},
          {"with_hosts_own_ports", FiguresJson(*study.own_ports)}};
}

}  // namespace

WorstPorts FindWorst(const CollisionStudy& study, const NodeNames& names, std::size_t worst) {
  WorstPorts found;
  found.ports = study.over_time.ports();
  std::vector<PortSharing>& ports = found.ports;
  ports.erase(
      std::remove_if(ports.begin(), ports.end(), [](auto& port) { return port.pairs == 0; }),
      ports.end());
  found.all = ports.size();
  std::stable_sort(ports.begin(), ports.end(), [](auto& a, auto& b) {
    return a.pairs != b.pairs ? a.pairs > b.pairs : a.shared_ps > b.shared_ps;
  });
  ports.resize(std::min(worst, found.all));
  std::vector<HopIndex> numbers;
  for (const PortSharing& port : ports) numbers.push_back(port.port);
  if (!numbers.empty()) found.fullest = FindFullest(study, names, numbers);
  return found;
}

std::vector<std::string> CaveatsOf(const CollisionStudy& study) {
  std::vector<std::string> notes;
  if (study.unfinished > 0) {
    notes.push_back(
        fmt::format("{} did not finish; those that started count until the last flow finished",
                    CountText(static_cast<std::int64_t>(study.unfinished), "flow")));
  }
  if (study.topology_changed) {
    notes.push_back(
        fmt::format("links failed or changed during the run; paths are those with all links up{}",
                    study.controlled ? ", or the last ones that the controller reserved" : ""));
  }
  return notes;
}

OrderedJson CollisionJson(const CollisionStudy& study, std::size_t worst) {
  const NodeNames names(study.graph);
  const WorstPorts found = FindWorst(study, names, worst);
  return {{"result", study.file},
          {"flows_between_servers", study.between_servers},
          {"unfinished_flows", study.unfinished},
          {"completion", PrintedObject(CompletionColumns(), study.completion)},
          {"collisions", FiguresJson(study.figures)},
          {"controller", ControllerJson(study)},
          {"middle_switches", SpinesJson(study, names)},
          {"shared_links_count", found.all},
          {"most_shared_links", WorstJson(study, names, found)},
          {"notes", CaveatsOf(study)}};
}

OrderedJson CollisionsJson(std::vector<OrderedJson> results, OrderedJson against) {
  OrderedJson document = JsonDocument("analyze collisions", kCollisionsSchema);
  document["results"] = std::move(results);
  document["against"] = std::move(against);
  return document;
}

}  // namespace heddle
