// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/tables/least_times.h"

#include "collectives/closed_form/port_load.h"

namespace heddle {

Time LeastTimes::Of(const PlannedCollective& collective, std::uint32_t job, std::uint32_t group) {
  if (collective.schedule == nullptr) return Time{};
  const CollectiveSpec& spec = collective.spec;
  const auto [known, is_new] = known_.try_emplace(
      Key{job, group, spec.operation, spec.group, spec.bytes, spec.root, spec.peer});
  if (is_new) {
    // Without the flags of LL and LL128.
    const PortLoad load =
        LoadOf(graph_, *collective.shape, *collective.schedule, Protocol::kNone, wire_);
    constexpr double kPicoseconds = 1e12;
    known->second = Time{static_cast<std::int64_t>(load.largest() * kPicoseconds)};
  }
  return known->second;
}

}  // namespace heddle
