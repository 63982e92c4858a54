// SPDX-License-Identifier: GPL-2.0-only
/// The partition of a fabric: nodes to domains, domains to ranks, and the resulting lookahead.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/ids.h"
#include "core/base/units.h"
#include "topology/graph/graph.h"

namespace heddle {

/// Domains of a fabric. Domain ids are dense and ordered by their lowest node.
struct Domains {
  std::vector<DomainId> domain_of;         ///< by node
  std::vector<std::vector<NodeId>> nodes;  ///< by domain, ascending
  Time lookahead;  ///< smallest delay of a link between two domains; Time::Max() if none
};

/// How nodes are grouped into domains.
struct DomainOptions {
  /// Links with a smaller delay are contracted: their ends are in one domain. 0: automatic
  /// (contracts NVSwitch links and links under 50 ns).
  Time lookahead{0};
  /// Number of neighbouring domains (in id order) that are grouped into one; 0 groups all into one.
  /// kAutoGrain leaves fabrics of up to 128 domains unchanged, groups small neighbours (up to 16
  /// ports) in those of up to 2,048, and runs of 6 in larger ones, as a domain of a single host
  /// costs more than it simulates (docs/performance.md). If the fabric has two sides (TwoSides), a
  /// group has domains of one side only, except for grain 0.
  std::uint32_t grain = 1;
  static constexpr std::uint32_t kAutoGrain = ~0U;
  /// For the automatic grain: groups are smaller if this many ranks would get fewer than 16 groups
  /// of each layer.
  std::uint32_t ranks = 1;
  /// For the automatic grain, if above 0: as many domains, each of whole segments (CountSegments)
  /// and a share of the other switches; at most as many as there are segments, at least one.
  std::uint32_t segment_domains = 0;
};

/// Parses "auto", "0" (all), "1" ... Throws UsageError.
std::uint32_t ParseGrain(const std::string& text);

/// Contracts the links faster than the lookahead, then groups by the grain. Throws UserError with
/// the existing delays if a requested lookahead contracts the whole fabric.
Domains MakeDomains(const Graph& graph, const DomainOptions& options);

/// Counts the segments that a fabric has: servers, and the switches linked to their GPUs, directly
/// or through each other.
std::uint32_t CountSegments(const Graph& graph);

/// Owner of every domain. Every rank owns at least one.
using Assignment = std::vector<RankId>;

/// Returns the names of the partitioners: "block", "pod", "metis", "random".
const std::vector<std::string>& PartitionerNames();
/// Throws UsageError that names --partition and the nearest known name.
void CheckPartitioner(const std::string& name);

/// Distributes domains over ranks. Only "random" uses `seed`. `weights`, by domain, are balanced;
/// if empty, the rates of ports. Throws UserError: unknown name (with the nearest), more ranks than
/// domains (with both numbers).
Assignment AssignDomains(const Graph& graph, const Domains& domains, std::uint32_t ranks,
                         const std::string& partitioner, std::uint64_t seed,
                         const std::vector<std::int64_t>& weights = {});

}  // namespace heddle
