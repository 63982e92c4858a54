// SPDX-License-Identifier: GPL-2.0-only
/// The ports that a flow takes at a time: by the routes, links and rates that the failures so far
/// have left.
///
/// A GPU chooses its port by nic.ports. A switch chooses by the hash of the flow, or as
/// docs/models/balancing.md says, of which fluids know the shares of ports: equal ones, or with
/// balance.weighted in proportion to what ports carry on (for `hash` one port, picked so). A switch
/// that adapts leaves a dead link at once, others when routes have followed.
/// Invariant: the parts at a node sum up to the part that came to it.
/// Not modelled: that adaptive switches avoid links that are busy.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "core/base/ids.h"
#include "core/base/units.h"
#include "topology/paths/path_capacities.h"
#include "topology/routes/nic_ports.h"
#include "topology/routes/routes.h"
#include "transport/model/fluid/fluid_units.h"
#include "transport/run/flow/fluid_run.h"

namespace heddle {

class FluidRoutes {
 public:
  /// A port and the part of a flow that it carries.
  struct Part {
    PortId port;
    FluidWeight weight = kWholeWeight;
  };

  /// `run` must outlive it. Starts with all links up, at their nominal rates.
  explicit FluidRoutes(const FluidRun* run);

  /// What this instant of FluidRun::instants changes; they come in order.
  void Apply(std::size_t instant);

  const Routes& routes() const { return *routes_; }
  bool is_down(LinkId link) const { return !down_.empty() && down_[link.value]; }
  /// Of the direction away from a node, now.
  BitRate RateOf(NodeId node, LinkId link) const;
  /// The highest rate that a link ever has, for times that are ideal (ideal_time.h).
  BitRate BestRateOf(LinkId link) const;
  /// Sets *out to the ports by which `node` sends a flow of this key, with the parts of `weight`;
  /// empty without a route. `data`: no ACK; ACKs go by hash where switches balance.
  void Choose(NodeId node, const NicFlow& flow, bool data, FluidWeight weight,
              std::vector<Part>* out) const;
  std::size_t memory() const;

 private:
  /// Whether switch `node` follows balance.*.
  bool Balances(NodeId node) const { return !run_.balances.empty() && run_.balances[node.value]; }
  void Split(NodeId node, const NicFlow& flow, FluidWeight weight, std::vector<Part>* out) const;
  /// What a port and the switches behind it carry towards a GPU [bit/s].
  BitRate Onward(NodeId node, PortId port, NodeId to) const;
  /// Leaves out ports of links that are down, unless all are.
  void LeaveDead(NodeId node, std::vector<PortId>* ports) const;

  const FluidRun& run_;
  const Routes* routes_;
  std::vector<bool> down_;  ///< by link; empty: none
  LinkRates rates_;
  std::map<LinkId, BitRate> raised_;   ///< highest rate, of links that become faster
  std::uint32_t capacities_ = 0;       ///< step of FluidRun::capacities
  mutable std::vector<PortId> ports_;  ///< scratch
};

}  // namespace heddle
