// SPDX-License-Identifier: GPL-2.0-only
#include "topology/infiniband/kept_cables.h"

#include <fmt/format.h>

#include <cstddef>

namespace heddle {
namespace {

/// What a CA inside of a switch that computes for SHARP is called.
constexpr const char* kAggregation = "Aggregation Node";

class Filter {
 public:
  Filter(const InfinibandNetwork& network, const CableFilter& filter)
      : network_(network), filter_(filter) {}

  bool Keeps(const InfinibandCable& cable) {
    const bool a = KeepsEnd(cable.a), b = KeepsEnd(cable.b);
    if (!a || !b) return false;
    if (cable.a.node != cable.b.node) return true;
    // Ports of a CA are hosts of their own, those of a switch are not.
    if (IsCa(cable.a) && cable.a.port != cable.b.port) return true;
    ++circles_;
    return false;
  }

  void Warn(std::vector<std::string>* warnings) const {
    const auto warn = [&](std::size_t count, const char* what) {
      if (count > 0)
        warnings->push_back(fmt::format("{}: left out: {} {}", network_.file, count, what));
    };
    warn(routers_, "cables of routers");
    warn(aggregation_, "cables of aggregation nodes");
    warn(without_lid_, "ports of CAs without a LID");
    warn(circles_, "cables from a node to itself");
  }

 private:
  bool IsCa(InfinibandEnd end) const {
    return network_.nodes[end.node].kind == InfinibandKind::kCa;
  }
  bool KeepsEnd(InfinibandEnd end) {
    const InfinibandNode& node = network_.nodes[end.node];
    if (node.kind == InfinibandKind::kSwitch) return true;
    if (node.kind == InfinibandKind::kRouter) {
      ++routers_;
      return false;
    }
    if (filter_.drop_aggregation_nodes &&
        node.description.find(kAggregation) != std::string::npos) {
      ++aggregation_;
      return false;
    }
    if (filter_.need_lids && PortNumbered(node, end.port).lid == 0) {
      ++without_lid_;
      return false;
    }
    return true;
  }

  const InfinibandNetwork& network_;
  const CableFilter& filter_;
  std::size_t routers_ = 0, aggregation_ = 0, without_lid_ = 0, circles_ = 0;
};

}  // namespace

std::vector<const InfinibandCable*> KeptCables(const InfinibandNetwork& network,
                                               const CableFilter& filter,
                                               std::vector<std::string>* warnings) {
  Filter chosen(network, filter);
  std::vector<const InfinibandCable*> kept;
  for (const InfinibandCable& cable : network.cables) {
    if (chosen.Keeps(cable)) kept.push_back(&cable);
  }
  chosen.Warn(warnings);
  return kept;
}

}  // namespace heddle
