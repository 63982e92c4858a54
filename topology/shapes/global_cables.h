// SPDX-License-Identifier: GPL-2.0-only
/// Groups of a dragonfly: their number and the cables between them.
///
/// Source: the absolute arrangement of Hastings et al., "Comparing global link arrangements for
/// Dragonfly networks", CLUSTER 2015, which is the example of Kim et al., ISCA 2008. The global
/// ports of a group are counted router by router. With g groups port r * (g - 1) + j leads to group
/// j, or to j + 1 if j is not below the group's own number. With the most groups every pair has one
/// cable; with fewer it has as many as all pairs can have, and ports are left over.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "topology/generate/fabric_wish.h"
#include "topology/generate/plan_builder.h"
#include "topology/generate/server_options.h"
#include "topology/sizes/dragonfly_sizes.h"

namespace heddle {

/// Options of both dragonflies.
struct DragonflyGroups {
  std::uint32_t groups = 0;           ///< 0: the most
  std::uint32_t links_of_router = 2;  ///< global ports of a router that has some
  std::string latency = "0.0005ms";   ///< of cables between groups
  std::string rates = "none";         ///< within groups, between groups
  std::uint32_t gpus_per_router = 2;  ///< of a leaf, for a dragonfly+
  ServerOptions servers;              ///< a router's GPUs, unless -gps is given
  FabricWish wish;

  /// Binds all flags; those of the family's shape come before.
  void Declare(FlagSet* flags);

  /// Returns the sizes that follow from a number of GPUs, with what `given` fixes; empty if none
  /// was asked for. Sets the options of this struct by them. Throws UserError if there are none.
  std::optional<DragonflySizes> Settle(const std::string& fabric, const FlagSet& flags,
                                       bool has_spines, std::uint32_t given_routers);
};

/// The groups and the cables between them.
struct GlobalCables {
  std::uint32_t groups = 1, routers = 1, links_of_router = 1;  ///< routers with global ports
  std::uint32_t of_pair = 0;                                   ///< cables of a pair of groups

  std::uint32_t ports() const { return routers * links_of_router; }  ///< of a group
  /// Returns the global ports of a group that have no cable.
  std::uint32_t unused() const { return ports() - (groups - 1) * of_pair; }
  /// Returns the number of cables between all groups.
  double cables() const { return 0.5 * groups * (groups - 1.0) * of_pair; }

  /// Adds all cables between groups. `first_router`: number of the first router with global ports
  /// in group 0; `stride`: switches of a group.
  void Add(std::uint32_t first_router, std::uint32_t stride, std::uint8_t type,
           PlanBuilder* builder) const;
};

/// Throws UserError for more groups than routers * links_of_router + 1. `flags` names the flags
/// that change this number.
GlobalCables FindGlobalCables(const std::string& fabric, const DragonflyGroups& o,
                              std::uint32_t routers, const std::string& flags);

/// Returns notes about the sizes found, and about global ports that are left over; often empty.
std::vector<std::string> NotesOf(const std::string& fabric, const DragonflyGroups& o,
                                 const GlobalCables& global);

}  // namespace heddle
