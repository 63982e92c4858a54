// SPDX-License-Identifier: GPL-2.0-only
/// The cut of a fabric: nodes to domains, domains to ranks, and the lookahead that the cut allows.
#ifndef HEDDLE_PARTITION_PARTITION_H_
#define HEDDLE_PARTITION_PARTITION_H_

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

/// How nodes become domains.
struct DomainOptions {
  /// Links with a smaller delay never join two domains. 0: automatic (NVSwitch links and links
  /// under 50 ns are contracted).
  Time lookahead{0};
  /// This many neighbouring domains (in id order) are grouped into one; 0 groups all into one.
  /// kAutoGrain leaves fabrics of up to 128 domains alone, groups small neighbours (up to 16 ports)
  /// in those of up to 2,048, and runs of 6 in larger ones: a domain of a single host costs more
  /// than it simulates (docs/performance.md). Where the fabric has two sides (TwoSides), a group
  /// has domains of one only, but for grain 0.
  std::uint32_t grain = 1;
  static constexpr std::uint32_t kAutoGrain = ~0U;
  /// With the automatic grain: groups are smaller if this many ranks would not get 16 each of every
  /// layer.
  std::uint32_t ranks = 1;
};

/// "auto", "0" (all), "1" ... Throws UsageError.
std::uint32_t ParseGrain(const std::string& text);

/// Contract the links faster than the lookahead, then group by the grain.
/// Throws UserError if a requested lookahead leaves nothing to separate, naming the delays there
/// are.
Domains MakeDomains(const Graph& graph, const DomainOptions& options);

/// Owner of every domain. Every rank owns at least one.
using Assignment = std::vector<RankId>;

/// Known partitioners by name: "block", "pod", "metis", "random".
const std::vector<std::string>& PartitionerNames();
/// Throws UsageError that names --partition and the nearest known name.
void CheckPartitioner(const std::string& name);

/// Distribute domains over ranks. `seed` matters to "random" only. `weights`, by domain, are
/// balanced; none: the rates of ports. Throws UserError: unknown name (with the nearest), more
/// ranks than domains (with both numbers).
Assignment AssignDomains(const Graph& graph, const Domains& domains, std::uint32_t ranks,
                         const std::string& partitioner, std::uint64_t seed,
                         const std::vector<std::int64_t>& weights = {});

}  // namespace heddle

#endif  // HEDDLE_PARTITION_PARTITION_H_
