// SPDX-License-Identifier: GPL-2.0-only
/// Shared code of the fuzzers of simulations: random small fabrics and values of the transport's
/// options.
#pragma once

#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "core/base/units.h"
#include "topology/graph/graph.h"
#include "topology/scale_up/scale_up_network.h"

namespace heddle {

/// A fabric as lists, from which elements can be removed one by one.
struct DrawnFabric {
  std::uint32_t gpus = 0, nvswitches = 0, switches = 0, gpus_per_server = 1;
  std::string gpu_type = "X";
  std::vector<Link> links;
  std::vector<NetworkDimension> dimensions;  ///< not empty: of a scale-up fabric, without `links`
  std::string tables;  ///< words of a maker of forwarding tables; empty: equal-cost routes

  /// Throws UserError if the maker makes no tables of these links, or tables with loops.
  Graph Build() const;
};

/// Values of every transport option that is not boolean: around those that matter in a run of a
/// millisecond.
const std::map<std::string, std::vector<std::string>>& TransportValues();
/// The same value for every rate, in the format of the options of ECN.
std::string ValueForEveryRate(const std::string& value);

/// Random draws from one seed.
class Draw {
 protected:
  explicit Draw(std::uint64_t seed) : random_(seed) {}

  std::uint32_t Below(std::size_t limit) { return static_cast<std::uint32_t>(random_() % limit); }
  std::uint32_t Between(std::uint32_t low, std::uint32_t high) {
    return low + Below(high - low + 1);
  }
  bool Chance(std::size_t one_in) { return Below(one_in) == 0; }
  template <class T>
  const T& Pick(const std::vector<T>& from) {
    return from[Below(from.size())];
  }

  /// Draws a fabric of any kind.
  void DrawFabric(DrawnFabric* fabric);
  /// Draws a fabric with several ways between its GPUs, so that a central controller has a choice.
  void DrawManyWays(DrawnFabric* fabric);
  /// Draws a fabric of a template, or a star if the numbers make none.
  void Generated(DrawnFabric* fabric);
  /// Draws a small fabric of any family: fat trees, tori, meshes, dragonflies, rails, planes.
  void Shaped(DrawnFabric* fabric);
  /// Draws who makes the switches' forwarding tables; nobody, if these links have none of that
  /// kind.
  void DrawTables(DrawnFabric* fabric);
  /// Draws two servers, each with NVSwitches, under one or two switches.
  void Servers(DrawnFabric* fabric);
  /// Draws a scale-up fabric of up to three dimensions and 36 NPUs.
  void ScaleUp(DrawnFabric* fabric);
  /// Draws rates, delays and losses for the next fabric.
  void DrawLinks();

  std::mt19937_64 random_;

 private:
  BitRate Rate();
  void Connect(DrawnFabric* fabric, std::uint32_t a, std::uint32_t b);
  void Star(DrawnFabric* fabric);
  void Row(DrawnFabric* fabric);
  void LeafSpine(DrawnFabric* fabric, std::uint32_t spines);
  void Ring(DrawnFabric* fabric);
  void Tree(DrawnFabric* fabric);

  bool mixed_ = false, errors_ = false;
  BitRate rate_;
  Time delay_;
};

}  // namespace heddle
