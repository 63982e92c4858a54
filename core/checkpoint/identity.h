// SPDX-License-Identifier: GPL-2.0-only
/// What a checkpoint must have in common with the run that goes on from it: names and values, in an
/// order that may differ by a line more or less.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace heddle {

using Identity = std::vector<std::pair<std::string, std::string>>;

/// One name whose value differs: "NAME VALUE" on both sides, or "no NAME" where it is missing.
struct IdentityDifference {
  std::string then, now;
};

/// Returns the first difference in the order of `then`, and after these of `now`; none if both hold
/// the same pairs. A name may occur several times.
std::optional<IdentityDifference> FindDifference(const Identity& then, const Identity& now);

}  // namespace heddle
