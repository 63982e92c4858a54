// SPDX-License-Identifier: GPL-2.0-only
#include "topology/infiniband/infiniband_fabric.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>

#include "core/base/check.h"
#include "topology/infiniband/fabric_places.h"
#include "topology/infiniband/infiniband_labels.h"
#include "topology/infiniband/kept_cables.h"
#include "topology/infiniband/lid_tables.h"

namespace heddle {
namespace {

using Cables = std::vector<const InfinibandCable*>;

/// A cable between two nodes of the graph.
struct PlacedCable {
  NodeId a, b;  ///< a < b
  std::uint8_t port_a = 0, port_b = 0;
  BitRate rate;  ///< 0: unknown
};

std::vector<PlacedCable> PlaceCables(const Cables& cables, const FabricPlaces& places) {
  std::vector<PlacedCable> placed;
  for (const InfinibandCable* cable : cables) {
    PlacedCable one{places.IdOf(cable->a), places.IdOf(cable->b), cable->a.port, cable->b.port,
                    cable->rate};
    if (one.b < one.a) {
      std::swap(one.a, one.b);
      std::swap(one.port_a, one.port_b);
    }
    placed.push_back(one);
  }
  std::sort(placed.begin(), placed.end(), [](const PlacedCable& x, const PlacedCable& y) {
    return std::pair(x.a, x.port_a) < std::pair(y.a, y.port_a);
  });
  return placed;
}

/// ", the first has 9xFOO": the width and speed of the first cable without a known rate, as the
/// file has them. Empty if it has neither.
std::string FirstUnknownSpeed(const Cables& cables) {
  for (const InfinibandCable* cable : cables) {
    if (cable->rate.bps != 0) continue;
    const std::string width = cable->width > 0 ? fmt::format("{}x", cable->width) : "";
    const std::string text = Printable(width + cable->speed);
    return text.empty() ? "" : ", the first has " + text;
  }
  return "";
}

/// `first`: FirstUnknownSpeed() of these cables.
void SetUnknownRates(const std::string& file, const std::string& first, BitRate rate,
                     std::vector<PlacedCable>* cables, std::vector<std::string>* warnings) {
  std::size_t unknown = 0;
  for (PlacedCable& cable : *cables) {
    if (cable.rate.bps != 0) continue;
    cable.rate = rate;
    ++unknown;
  }
  if (unknown == 0) return;
  const std::string what = fmt::format("{}: {} cables have no known speed{}", file, unknown, first);
  if (rate.bps <= 0) throw UserError(what + ". Expected: a speed to take for them");
  warnings->push_back(fmt::format("{}: {} is taken", what, ToText(rate)));
}

/// Adds the cables in their order.
void AddLinks(const std::vector<PlacedCable>& cables, Time delay, InfinibandFabric* fabric) {
  Graph& graph = fabric->graph;
  graph.ReserveLinks(cables.size());
  fabric->port_numbers.resize(graph.node_count());
  for (const PlacedCable& cable : cables) {
    graph.AddLink({cable.a, cable.b, cable.rate, delay, 0});
    fabric->port_numbers[cable.a.value].push_back(cable.port_a);
    fabric->port_numbers[cable.b.value].push_back(cable.port_b);
  }
}

void AddNames(const InfinibandNetwork& network, const FabricPlaces& places,
              InfinibandFabric* fabric) {
  for (const InfinibandEnd place : places.places()) {
    const InfinibandNode& node = network.nodes[place.node];
    const bool is_switch = node.kind == InfinibandKind::kSwitch;
    const std::uint64_t guid = is_switch ? node.guid : PortNumbered(node, place.port).guid;
    fabric->descriptions.push_back(node.description);
    fabric->names.push_back(guid == 0 && !is_switch
                                ? fmt::format("H{:016x}-{}", node.guid, place.port)
                                : fmt::format("{}{:016x}", is_switch ? 'S' : 'H', guid));
  }
}

}  // namespace

InfinibandFabric MakeFabric(const InfinibandNetwork& network, const ForwardingDump* dump,
                            const InfinibandOptions& options) {
  std::vector<std::string> warnings = network.warnings;
  const Cables cables =
      KeptCables(network, {options.drop_aggregation_nodes, dump != nullptr}, &warnings);
  const FabricPlaces places(network, cables);
  std::vector<PlacedCable> placed = PlaceCables(cables, places);
  SetUnknownRates(network.file, FirstUnknownSpeed(cables), options.default_rate, &placed,
                  &warnings);
  InfinibandFabric fabric{
      {Graph(places.hosts(), 0, places.switches(), 1, "NONE"), nullptr, {}, {}, {}, {}}, {}, {}};
  AddLinks(placed, options.cable_delay, &fabric);
  AddNames(network, places, &fabric);
  fabric.labels = InfinibandLabels(fabric.names, fabric.descriptions);
  fabric.servers = InfinibandServers(fabric.descriptions, places.hosts());
  if (dump != nullptr) {
    warnings.insert(warnings.end(), dump->warnings.begin(), dump->warnings.end());
    fabric.tables = std::make_shared<const ForwardingTables>(
        MakeLidTables({network, *dump, places, fabric.graph, fabric.port_numbers}, &warnings));
  }
  fabric.warnings = std::move(warnings);
  return fabric;
}

}  // namespace heddle
