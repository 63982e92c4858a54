// SPDX-License-Identifier: GPL-2.0-only
/// Which tier of links a run used most, and what passed above the leaves.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/table.h"
#include "io/analysis/result_view.h"

namespace heddle {

/// The links of a tier over a run.
struct TierSum {
  std::string name;         ///< "leaf to spine", "NVLink"
  std::uint32_t links = 0;  ///< directed ones, also those that sent nothing
  double utilisations = 0;  ///< sum over the links that sent
  std::int64_t sent_bytes = 0;

  double mean() const { return links > 0 ? utilisations / links : 0; }  ///< utilisation, 0 to 1
};
/// Sums up table "ports" by tier, in the order of the fabric's tiers.
std::vector<TierSum> SumTiers(const ReportSource& source);

/// Returns the tier with the largest mean utilisation, the first of equals; NVLinks do not count.
/// Null if nothing was sent but on them.
const TierSum* HottestTier(const std::vector<TierSum>& tiers);

/// Returns the bytes that were sent between switches, without NVSwitches.
double BytesAboveLeaves(const std::vector<TierSum>& tiers);

/// Returns the largest utilisation of a tier in an interval of table "tier_load", at least `mean`.
double HighestUse(const Table& tier_load, const std::string& tier, double mean);

}  // namespace heddle
