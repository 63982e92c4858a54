// SPDX-License-Identifier: GPL-2.0-only
/// Groups of leaves and spines that no cable joins: rails, planes, or the one group of a fabric.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "topology/generate/flag_set.h"
#include "topology/generate/plan_builder.h"
#include "topology/generate/server_options.h"

namespace heddle {

struct LeafOptions {
  std::uint32_t nics_per_leaf = 64;  ///< GPU ports of a leaf
  std::uint32_t spines = 0;          ///< of a group; 0: as the leaves need
  std::string leaf_spine_bandwidth = "400Gbps";
  /// GPU ports of a leaf per cable up, by rate, from which the spines follow.
  std::string oversubscription = kNoRatio;

  /// Returns the oversubscription of a leaf, > 0; 1 if none is given.
  double ratio() const { return ReadRatio(oversubscription).value_or(1); }
  /// Binds the flags; `spines_flag` is that of spines.
  void Declare(FlagSet* flags, const FlagSet::About& spines_flag);
};

/// Sizes of equal groups. Switches are numbered leaves first, group by group, then spines.
struct LeafGroups {
  std::uint32_t groups = 1;
  std::uint32_t leaves = 0;        ///< of a group
  std::uint32_t spines = 0;        ///< of a group, each linked to all of its leaves
  std::uint32_t links_of_gpu = 1;  ///< from a GPU to leaves
};

/// Makes even leaves, which share out `members` GPU ports, if there is a ratio and -npa is not
/// given. Throws UsageError for a number of spines, by the flag `spines`, beside a ratio.
void SettleLeaves(const std::string& fabric, const FlagSet& flags, const std::string& spines,
                  std::uint32_t members, LeafOptions* o);

/// Returns a note about a ratio without effect, as `whole` ("a rail") with its `members` is one
/// leaf; often empty.
std::vector<std::string> NotesOf(const LeafOptions& o, std::uint32_t members,
                                 const std::string& whole);

/// Returns the spines of a group with this many leaves, of which the fullest has `nics` GPU ports.
/// A single leaf needs none. If the options leave them open, the rate up from a full leaf is at
/// least that down from it; with a ratio, it is as near to the ratio as whole spines allow. Throws
/// UserError if that is not within 10 %.
std::uint32_t SpinesOf(const std::string& fabric, const LeafOptions& o,
                       const ServerOptions& servers, std::uint32_t leaves, std::uint32_t nics);

/// Makes the plan. `leaf_of(gpu, link)` is the number of a leaf, for each link of a GPU. Throws
/// UserError for a size out of bounds; `remedy` is for too many ports. The texts must have been
/// checked.
FabricPlan MakeLeafGroups(
    const std::string& fabric, std::uint32_t gpus, const ServerOptions& servers,
    const LeafOptions& o, const LeafGroups& groups,
    const std::function<std::uint32_t(std::uint32_t gpu, std::uint32_t link)>& leaf_of,
    const std::string& remedy);

}  // namespace heddle
