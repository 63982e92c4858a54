// SPDX-License-Identifier: GPL-2.0-only
/// Options of a switch's choice among equally good ports.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "core/base/units.h"

namespace heddle {

class OptionSet;

struct PortOptions {
  /// transport/model/replay/replay_permission.h: TransportOptions refuses paths by packet.
  static constexpr bool kMayBeReplayed = true;

  /// The port of a data packet: of its flow's hash, or chosen for each packet or flowlet.
  enum class Scheme : std::uint8_t {
    kHash,
    kRandom,
    kRoundRobin,
    kFlowlet,
    kAdaptive,
    kAdaptiveFlowlet
  };
  friend constexpr auto WordsOf(Scheme /*type*/) {
    return std::array{"hash", "random", "round-robin", "flowlet", "adaptive", "adaptive-flowlet"};
  }

  Scheme scheme = Scheme::kHash;
  bool weighted = false;       ///< hash, random and flowlets: in proportion to what ports carry on
  std::string levels = "all";  ///< of the switches that follow the scheme; others hash
  Time gap = MicroSeconds(100);  ///< silence after which a flow's next packet begins a flowlet
  std::int64_t flowlets = 4096;  ///< entries of a switch's table of flowlets
  /// Ends of the grades of a port's load [percent of grade_full].
  std::array<std::int64_t, 3> grades = {5, 10, 20};
  std::int64_t grade_full = 0;  ///< [byte]; 0: the fabric's largest bandwidth-delay product

  /// Adds balance.*.
  void Declare(OptionSet* options);
  /// Whether any switch may choose by more than the hash of the flow.
  bool any() const { return scheme != Scheme::kHash || weighted; }
  /// Whether switches of this level (topology/graph/link_tiers.h) follow the scheme.
  bool AppliesTo(std::uint32_t level) const;
};

}  // namespace heddle
