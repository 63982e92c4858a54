// SPDX-License-Identifier: GPL-2.0-only
#include "io/result/dimension_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/base/check.h"
#include "topology/scale_up/scale_up_network.h"
#include "topology/scale_up/scale_up_policy.h"

namespace heddle {
namespace {

const char* KindWord(Dimension::Kind kind) {
  switch (kind) {
    case Dimension::Kind::kRing:
      return "ring";
    case Dimension::Kind::kFullyConnected:
      return "mesh";
    case Dimension::Kind::kSwitch:
      break;
  }
  return "switch";
}

Dimension::Kind DimensionKindOf(const std::string& word) {
  for (const auto kind : {Dimension::Kind::kRing, Dimension::Kind::kFullyConnected}) {
    if (word == KindWord(kind)) return kind;
  }
  return Dimension::Kind::kSwitch;
}

/// Cables of a dimension in a fabric of `npus`, by arithmetic; a bound before they are made.
double CablesOf(const NetworkDimension& dimension, double npus) {
  if (dimension.size < 2) return 0;
  switch (dimension.kind) {
    case Dimension::Kind::kRing:
      return npus * std::max(dimension.clockwise, dimension.anticlockwise);
    case Dimension::Kind::kFullyConnected:
      return npus * (dimension.size - 1.0) / 2 * dimension.clockwise;
    case Dimension::Kind::kSwitch:
      break;
  }
  return npus * dimension.clockwise;
}

ScaleUpNetwork NetworkOf(const Table& rows) {
  const auto& kind = GetColumn<std::string>(rows, "kind");
  const auto& size = GetColumn<std::uint32_t>(rows, "size");
  const auto& clockwise = GetColumn<std::uint32_t>(rows, "clockwise");
  const auto& anticlockwise = GetColumn<std::uint32_t>(rows, "anticlockwise");
  const auto& one_queue = GetColumn<std::uint8_t>(rows, "one_queue");
  ScaleUpNetwork network;
  for (std::size_t d = 0; d < size.size(); ++d) {
    NetworkDimension dimension;
    dimension.kind = DimensionKindOf(kind[d]);
    dimension.size = size[d];
    dimension.clockwise = clockwise[d];
    dimension.anticlockwise = anticlockwise[d];
    dimension.rate = kLowestLinkRate;  // the links have rates of their own
    dimension.level.name = fmt::format("dimension {}", d);
    dimension.one_queue = one_queue[d] != 0;
    network.dimensions.push_back(dimension);
  }
  return network;
}

bool HaveSameCables(const Graph& a, const Graph& b) {
  return a.node_count() == b.node_count() && a.gpu_count() == b.gpu_count() &&
         std::equal(a.links().begin(), a.links().end(), b.links().begin(), b.links().end(),
                    [](const Link& x, const Link& y) { return x.a == y.a && x.b == y.b; });
}

}  // namespace

Table DimensionTable(const ScaleUpShape& shape) {
  std::vector<std::string> kind;
  std::vector<std::uint32_t> number, size, clockwise, anticlockwise;
  std::vector<std::uint8_t> one_queue;
  for (const Dimension& dimension : shape.dimensions) {
    number.push_back(static_cast<std::uint32_t>(number.size()));
    kind.emplace_back(KindWord(dimension.kind));
    size.push_back(dimension.size);
    clockwise.push_back(dimension.clockwise);
    anticlockwise.push_back(dimension.anticlockwise);
    one_queue.push_back(dimension.one_queue ? 1 : 0);
  }
  return {kDimensionTable,
          "dimensions of a scale-up fabric; NPU n has the coordinates n mod size, n / size mod the "
          "next size, ...",
          {{"dimension", "1", "its number", std::move(number)},
           {"kind", "1", "ring, mesh (a link between any two of a line), switch", std::move(kind)},
           {"size", "1", "NPUs of a line", std::move(size)},
           {"clockwise", "1", "lanes: rings this way, parallel links of a mesh, switches of a line",
            std::move(clockwise)},
           {"anticlockwise", "1", "rings the other way", std::move(anticlockwise)},
           {"one_queue", "1", "1: chunks queue at lane 0 and leave it to go the shorter way",
            std::move(one_queue)}}};
}

void SetDimensions(const Table& rows, Graph* graph) {
  const ScaleUpNetwork network = NetworkOf(rows);
  double cables = 0;
  for (const NetworkDimension& dimension : network.dimensions)
    cables += CablesOf(dimension, graph->gpu_count());
  const bool may_be =
      network.npus() == graph->gpu_count() && cables == static_cast<double>(graph->links().size());
  if (may_be) {
    const Graph made = MakeScaleUpGraph(network);
    if (HaveSameCables(made, *graph)) {
      for (std::uint32_t id = 0; id < made.links().size(); ++id)
        graph->SetLayer(LinkId(id), made.link(LinkId(id)).layer);
      graph->SetScaleUp(std::make_shared<ScaleUpShape>(*made.scale_up()));
      graph->SetRouting(std::make_shared<ScaleUpRouting>());
      return;
    }
  }
  throw UserError(fmt::format(
      "table {}: dimensions that do not have the cables of table {}. Expected: those of the fabric",
      rows.name, "topology/links"));
}

}  // namespace heddle
