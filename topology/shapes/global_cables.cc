// SPDX-License-Identifier: GPL-2.0-only
#include "topology/shapes/global_cables.h"

#include <fmt/format.h>

#include "topology/shapes/shape_maker.h"

namespace heddle {

void DragonflyGroups::Declare(FlagSet* flags) {
  wish.Declare(flags, "with -g: GPU ports of a group per global cable (none: 1)");
  flags->AddCount({"gl", "global_links", "global links of a router", "global links per router"},
                  &links_of_router, 1, kMaxPorts - 1);
  flags->AddCount({"groups", "group_count", "groups (0: the most)", "groups"}, &groups, 0,
                  kMaxNodes);
  DeclareRouters(&gpus_per_router, &servers, flags,
                 {"p", "router_gpus", "GPUs of a router", "GPUs per router"});
  flags->AddLinkValue({"gdl", "global_latency", "delay of global links", "delay of global links"},
                      FlagSet::Kind::kDelay, &latency);
  DeclareRates(&rates, "rates of local and of global links, joined by a comma, or one (none: -bw)",
               flags);
}

std::optional<DragonflySizes> DragonflyGroups::Settle(const std::string& fabric,
                                                      const FlagSet& flags, bool has_spines,
                                                      std::uint32_t given_routers) {
  wish.CheckFlags(fabric, flags, {});
  SettleServers(flags, &servers);
  if (!wish.is_asked()) return std::nullopt;
  CheckWholeServers(fabric, wish.gpus, servers);
  DragonflyWish dragonfly{SizeWishOf(wish, servers), has_spines, {}};
  dragonfly.given = {flags.IsGiven("p") ? gpus_per_router : 0, given_routers,
                     flags.IsGiven("groups") ? groups : 0,
                     flags.IsGiven("gl") ? links_of_router : 0};
  const std::optional<DragonflySizes> found = FindDragonflySizes(dragonfly);
  if (!found) {
    wish.RefuseSize(fabric, servers.gpus_per_server,
                    "a group has whole servers, and global cables to every other group",
                    [&](std::uint32_t gpus) {
                      dragonfly.size.gpus = gpus;
                      return FindDragonflySizes(dragonfly).has_value();
                    });
  }
  gpus_per_router = found->gpus_per_router;
  links_of_router = found->global_links;
  groups = found->groups;
  return found;
}

GlobalCables FindGlobalCables(const std::string& fabric, const DragonflyGroups& o,
                              std::uint32_t routers, const std::string& flags) {
  const std::uint64_t ports = std::uint64_t{routers} * o.links_of_router;
  if (o.groups > ports + 1) {
    RefuseFabric(fabric, fmt::format("{} groups (-groups)", o.groups),
                 fmt::format("1 to {}, as a group has {} global links; or more of them ({})",
                             ports + 1, ports, flags));
  }
  const std::uint64_t groups = o.groups == 0 ? ports + 1 : o.groups;
  if (groups > kMaxNodes) {
    RefuseFabric(fabric, fmt::format("{} groups (-groups)", groups),
                 fmt::format("at most {}; fewer global links ({})", kMaxNodes, flags));
  }
  GlobalCables global;
  global.routers = routers;
  global.links_of_router = o.links_of_router;
  global.groups = static_cast<std::uint32_t>(groups);
  if (groups > 1) global.of_pair = static_cast<std::uint32_t>(ports / (groups - 1));
  return global;
}

void GlobalCables::Add(std::uint32_t first_router, std::uint32_t stride, std::uint8_t type,
                       PlanBuilder* builder) const {
  const auto router = [&](std::uint32_t group, std::uint32_t port) {
    return first_router + group * stride + port / links_of_router;
  };
  for (std::uint32_t group = 0; group < groups; ++group) {
    for (std::uint32_t round = 0; round < of_pair; ++round) {
      const std::uint32_t first_port = round * (groups - 1);
      for (std::uint32_t peer = group + 1; peer < groups; ++peer) {
        builder->AddCables(router(group, first_port + peer - 1), router(peer, first_port + group),
                           type);
      }
    }
  }
}

std::vector<std::string> NotesOf(const std::string& fabric, const DragonflyGroups& o,
                                 const GlobalCables& global) {
  std::vector<std::string> notes = o.wish.Notes(fabric);
  if (global.unused() > 0) {
    notes.push_back(
        fmt::format("{} of a group's {} global links are left over: {} for each other group",
                    global.unused(), global.ports(), global.of_pair));
  }
  return notes;
}

}  // namespace heddle
