// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/views/inspect/fabric_json.h"

#include <vector>

#include "topology/graph/node_names.h"
#include "topology/graph/oversubscription.h"

namespace heddle {
namespace {

constexpr int kTopoShowSchema = 1;

PrintedColumns<TierSwitches> TierColumns() {
  return {{"tier", &TierSwitches::name}, {"switches", &TierSwitches::switches}};
}

PrintedColumns<TierLinks> LinkColumns() {
  return {{"tiers", &TierLinks::tiers},
          {"number", &TierLinks::number},
          {"rate_bps", [](const TierLinks& links) { return links.rate.bps; }},
          {"delay_ps", [](const TierLinks& links) { return links.delay.ps; }}};
}

PrintedColumns<TierBandwidth> BandwidthColumns() {
  return {{"tier", &TierBandwidth::name},
          {"down_gbps", &TierBandwidth::down_gbps},
          {"up_gbps",
           [](const TierBandwidth& tier) { return NullUnless(!tier.is_top(), tier.up_gbps); }},
          {"oversubscription", [](const TierBandwidth& tier) {
             return tier.is_top() ? OrderedJson(nullptr) : OrderedJson(tier.ratio());
           }}};
}

/// Paths with the names of their ends.
struct PathRow {
  const NodeNames& names;
  const EqualPaths& paths;
};

PrintedColumns<PathRow> PathColumns() {
  return {{"between", [](const PathRow& row) { return row.paths.name; }},
          {"from", [](const PathRow& row) { return row.names.Of(row.paths.from); }},
          {"to", [](const PathRow& row) { return row.names.Of(row.paths.to); }},
          {"hops", [](const PathRow& row) { return row.paths.hops; }},
          {"paths", [](const PathRow& row) { return row.paths.number; }}};
}

PrintedColumns<TableSpread> SpreadColumns() {
  return {{"ports", &TableSpread::ports},
          {"used_ports", &TableSpread::used},
          {"mean_destinations", &TableSpread::mean},
          {"most_destinations", &TableSpread::most}};
}

}  // namespace

OrderedJson FabricJson(const std::string& file, const Graph& graph, const FabricOverview& facts,
                       const TableSpread* spread) {
  const NodeNames names(graph);
  std::vector<PathRow> paths;
  for (const EqualPaths& one : facts.paths) paths.push_back({names, one});
  OrderedJson document = JsonDocument("topo show", kTopoShowSchema);
  document["topology"] = file;
  document["nodes"] = graph.node_count();
  document["gpus"] = graph.gpu_count();
  document["gpu_type"] = NullIfEmpty(graph.gpu_type());
  document["nvswitches"] = graph.nvswitch_count();
  document["switches"] = graph.switch_count();
  document["servers"] = facts.servers;
  document["gpus_per_server"] = graph.gpus_per_server();
  document["links_count"] = graph.links().size();
  document["tiers"] = PrintedList(TierColumns(), facts.tiers);
  document["links"] = PrintedList(LinkColumns(), facts.links);
  document["bandwidths"] = PrintedList(BandwidthColumns(), TierBandwidths(graph));
  document["diameter_hops"] = facts.diameter.hops;
  document["destination_classes"] = facts.classes;
  document["equal_cost_paths"] = PrintedList(PathColumns(), paths);
  document["tables"] =
      spread == nullptr ? OrderedJson(nullptr) : PrintedObject(SpreadColumns(), *spread);
  document["warnings"] = facts.warnings;
  return document;
}

}  // namespace heddle
