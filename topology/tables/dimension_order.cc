// SPDX-License-Identifier: GPL-2.0-only
/// Tables by dimension order, for tori, meshes and full meshes.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/base/check.h"
#include "topology/tables/paths_to_switches.h"
#include "topology/tables/table_makers.h"

namespace heddle {
namespace {

class Grid {
 public:
  Grid(const SwitchWiring& wiring, const std::vector<std::uint32_t>& lengths)
      : wiring_(wiring), lengths_(lengths) {}

  /// The ports of switch `from` towards switch `to`, another one. Throws UserError without a link.
  std::vector<PortId> Next(std::uint32_t from, std::uint32_t to) const {
    std::uint64_t stride = 1;
    for (const std::uint32_t length : lengths_) {
      const std::uint32_t here = Coordinate(from, stride, length);
      const std::uint32_t there = Coordinate(to, stride, length);
      if (here != there) {
        std::vector<PortId> ports = PortsTo(from, Moved(from, stride, here, there));
        return ports.empty() ? Step(from, stride, {here, there, length}) : ports;
      }
      stride *= length;
    }
    return {};  // never: two switches differ in a coordinate
  }

 private:
  struct Way {
    std::uint32_t here, there, length;
  };
  static std::uint32_t Coordinate(std::uint32_t index, std::uint64_t stride, std::uint32_t length) {
    return static_cast<std::uint32_t>(index / stride % length);
  }
  static std::uint32_t Moved(std::uint32_t index, std::uint64_t stride, std::uint32_t here,
                             std::uint32_t there) {
    return static_cast<std::uint32_t>(index + stride * there - stride * here);
  }
  /// Takes one step in the direction with fewer links, or in the only one where the ends are not
  /// linked.
  std::vector<PortId> Step(std::uint32_t from, std::uint64_t stride, const Way& way) const {
    const std::uint32_t up = (way.there + way.length - way.here) % way.length;
    const bool is_ring =
        !PortsTo(Moved(from, stride, way.here, way.length - 1), Moved(from, stride, way.here, 0))
             .empty();
    const bool upwards = is_ring ? 2 * up <= way.length : way.there > way.here;
    const std::uint32_t next = (way.here + (upwards ? 1 : way.length - 1)) % way.length;
    const std::uint32_t to = Moved(from, stride, way.here, next);
    std::vector<PortId> ports = PortsTo(from, to);
    if (ports.empty()) {
      throw UserError(fmt::format("dimension-order:{}: no link between {} and {}. Expected: one",
                                  fmt::join(lengths_, "x"),
                                  Describe(wiring_.graph(), wiring_.node(from)),
                                  Describe(wiring_.graph(), wiring_.node(to))));
    }
    return ports;
  }
  std::vector<PortId> PortsTo(std::uint32_t from, std::uint32_t to) const {
    std::vector<PortId> ports;
    const auto& all = wiring_.neighbours(from);
    auto at = std::lower_bound(
        all.begin(), all.end(), to,
        [](const SwitchWiring::Neighbour& a, std::uint32_t node) { return a.node < node; });
    for (; at != all.end() && at->node == to; ++at) ports.push_back(at->port);
    return ports;
  }

  const SwitchWiring& wiring_;
  const std::vector<std::uint32_t>& lengths_;
};

void CheckLengths(const SwitchWiring& wiring, const std::vector<std::uint32_t>& lengths) {
  std::uint64_t product = 1;
  for (const std::uint32_t length : lengths) {
    product *= length;
    if (length == 0 || product > wiring.size()) break;
  }
  if (lengths.empty() || product != wiring.size())
    throw UserError(fmt::format("dimension-order:{}: {} switches. Expected: as many as the product",
                                fmt::join(lengths, "x"), wiring.size()));
}

}  // namespace

ForwardingTables DimensionOrderTables(const Graph& graph,
                                      const std::vector<std::uint32_t>& lengths) {
  const SwitchWiring wiring(graph);
  CheckLengths(wiring, lengths);
  const Grid grid(wiring, lengths);
  return FillTables(
      wiring,
      [&](const SwitchWiring::Group& group) {
        PathsToGroup ways(wiring.size());
        if (group.switches.empty()) return ways;
        const std::uint32_t to = group.switches.front();
        for (std::uint32_t index = 0; index < wiring.size(); ++index) {
          if (std::find(group.switches.begin(), group.switches.end(), index) ==
              group.switches.end())
            ways[index] = grid.Next(index, to);
        }
        return ways;
      },
      [](std::uint32_t, NodeId gpu, const std::vector<PortId>& ports) {
        return gpu.value % ports.size();
      });
}

}  // namespace heddle
