// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/views/analyze/collision_figures.h"

#include <fmt/format.h>

#include <cstdint>
#include <utility>

#include "core/app/views/analyze/failure_words.h"
#include "core/base/table.h"
#include "topology/graph/tiers.h"

namespace heddle {
namespace {

constexpr int kCollisionsSchema = 1;
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

/// A period with its flows.
struct PeriodRow {
  const FullPeriod& period;
  std::string names;
};

/// A port with its fullest periods.
struct WorstRow {
  std::string link;
  const PortSharing& port;
  std::size_t all = 0;  ///< periods
  std::vector<PeriodRow> fullest;
};

PrintedColumns<PeriodRow> PeriodColumns() {
  return {{"from_ps", [](const PeriodRow& row) { return row.period.when.from; }},
          {"until_ps", [](const PeriodRow& row) { return row.period.when.until; }},
          {"flows", [](const PeriodRow& row) { return row.period.flows; }},
          {"names", &PeriodRow::names}};
}

PrintedColumns<WorstRow> WorstColumns() {
  return {{"link", &WorstRow::link},
          {"flows", [](const WorstRow& row) { return row.port.flows; }},
          {"pairs", [](const WorstRow& row) { return row.port.pairs; }},
          {"most_at_once", [](const WorstRow& row) { return row.port.most_at_once; }},
          {"shared_ps", [](const WorstRow& row) { return row.port.shared_ps; }},
          {"periods_count", &WorstRow::all},
          {"fullest_periods",
           [](const WorstRow& row) { return PrintedList(PeriodColumns(), row.fullest); }}};
}

OrderedJson WorstJson(const CollisionStudy& study, const NodeNames& names,
                      const WorstPorts& found) {
  const HopNumbers hops(study.graph);
  std::vector<WorstRow> rows;
  for (const PortSharing& port : found.ports) {
    const Hop hop = hops.At(port.port);
    const FullestPeriods& periods = found.fullest.at(port.port);
    rows.push_back({names.Link(hop.node, hop.port), port, periods.all, {}});
    for (const FullPeriod& period : periods.periods)
      rows.back().fullest.push_back({period, NamesOfFlows(study, names, period)});
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

std::string NamesOfFlows(const CollisionStudy& study, const NodeNames& names,
                         const FullPeriod& period) {
  const auto& source = GetColumn<std::uint32_t>(study.flows, "src");
  const auto& destination = GetColumn<std::uint32_t>(study.flows, "dst");
  std::string text;
  for (const std::uint32_t flow : period.first) {
    text += fmt::format("{}#{} {} -> {}", text.empty() ? "" : ", ", flow,
                        names.Of(NodeId(source[flow])), names.Of(NodeId(destination[flow])));
  }
  return text + (period.flows > period.first.size() ? ", ..." : "");
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
  const WorstPorts found = FindWorstPorts(study.over_time, worst);
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
