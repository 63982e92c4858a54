// SPDX-License-Identifier: GPL-2.0-only
/// Reserved and available capacity of each link, for each direction.
///
/// The ECMP controller's specification reserves a link for one flow (section 3.4: a path conflicts
/// if any of its hops is taken). Here the limit may also be a number of flows, a rate, or the
/// link's own rate.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/ids.h"
#include "core/base/units.h"
#include "core/containers/state_count.h"
#include "topology/graph/graph.h"
#include "topology/paths/hop_numbers.h"

namespace heddle {

/// How much of a link may be reserved.
struct ShareLimit {
  enum class Unit : std::uint8_t {
    kFlows,  ///< `value` flows
    kRate,   ///< `value` bit/s
    kLine,   ///< the link's own rate
  };
  Unit unit = Unit::kFlows;
  std::int64_t value = 1;
};

/// Parses "1" to "1000000" flows, "400Gbps", or "line". Throws UserError "expected ...", as
/// OptionSet::Set requires of a setter.
ShareLimit ParseShareLimit(std::string_view text);
/// Returns the text that ParseShareLimit() parses.
std::string ToText(ShareLimit limit);

class LinkShares {
 public:
  /// UseWith() of a full link.
  static constexpr std::uint64_t kFull = 1U << 16;

  /// Starts without reservations. With kLine copies the links' rates; any other limit must be above
  /// 0.
  LinkShares(const Graph& graph, const HopNumbers& numbers, ShareLimit limit);

  /// Whether a flow with `demand` (the rate of its NIC) fits beside the reservations. A link
  /// without reservations fits any flow: a flow that demands more than the link offers claims all
  /// of it.
  bool Fits(HopIndex hop, BitRate demand) const {
    return load_[hop] + ClaimOn(hop, demand) <= CapacityOf(hop);
  }
  /// Returns the use of the link with the flow added, in units of 1 / kFull; rounded up, so that a
  /// flow fits exactly if this is at most kFull.
  std::uint64_t UseWith(HopIndex hop, BitRate demand) const {
    const auto capacity = static_cast<std::uint64_t>(CapacityOf(hop));
    const auto reserved = static_cast<std::uint64_t>(load_[hop] + ClaimOn(hop, demand));
    constexpr std::uint64_t kNarrow = std::numeric_limits<std::uint64_t>::max() / kFull / 2;
    return reserved < kNarrow ? (reserved * kFull + capacity - 1) / capacity
                              : WideUse(reserved, capacity);
  }
  /// Adds a reservation, also beyond the limit. Fails an invariant if the sum would overflow.
  void Reserve(HopIndex hop, BitRate demand);
  /// Releases a reservation with the same demand, which must exist.
  void Release(HopIndex hop, BitRate demand);
  /// Returns the reserved flows or bit/s of a link, in the unit of the limit.
  std::int64_t load(HopIndex hop) const { return load_[hop]; }
  /// Returns the number of links with reservations.
  std::uint32_t links_in_use() const { return in_use_; }
  /// Returns the bytes that it has allocated.
  std::size_t memory() const {
    return (load_.capacity() + capacity_.capacity()) * sizeof(std::int64_t);
  }

  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    const std::size_t links = load_.size();
    archive& load_& in_use_;
    ExpectState(load_.size() == links, "other links than the fabric");
  }

 private:
  /// Returns the capacity of a link in the unit of the limit.
  std::int64_t CapacityOf(HopIndex hop) const {
    return capacity_.empty() ? limit_.value : capacity_[hop];
  }
  /// Returns what a flow reserves: 1, or its demand up to the link's capacity.
  std::int64_t ClaimOn(HopIndex hop, BitRate demand) const {
    if (limit_.unit == ShareLimit::Unit::kFlows) return 1;
    return demand.bps < CapacityOf(hop) ? demand.bps : CapacityOf(hop);
  }

  /// Returns the same in 128 bits, for links that least-loaded paths have heavily overbooked.
  static std::uint64_t WideUse(std::uint64_t reserved, std::uint64_t capacity);

  ShareLimit limit_;
  std::vector<std::int64_t> load_;      ///< by hop
  std::vector<std::int64_t> capacity_;  ///< by hop, if the limit is the links' own rates
  std::uint32_t in_use_ = 0;
};

}  // namespace heddle
