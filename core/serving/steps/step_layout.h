// SPDX-License-Identifier: GPL-2.0-only
/// Which GPUs of an instance are near each other, so that a collective of a step has a part within
/// groups of near GPUs and a part between them.
///
/// Near are GPUs that NVSwitches join. If all groups have equally many GPUs of the instance, the
/// GPUs of one place in their groups form a ring (in rail-optimised fabrics: of one rail). Else
/// each GPU counts as a group of its own, and one ring goes over all of them.
#pragma once

#include <cstdint>
#include <vector>

namespace heddle {

struct StepLayout {
  std::uint32_t near = 1;               ///< GPUs of a group
  std::uint32_t groups = 1;             ///< number of groups
  std::vector<std::uint32_t> rank_of;   ///< rank of a place: group x `near` + place in the group
  std::vector<std::uint32_t> place_of;  ///< the inverse, by rank

  std::uint32_t ranks() const { return near * groups; }
  /// Returns the rank at place `member` < near of a group.
  std::uint32_t RankAt(std::uint32_t group, std::uint32_t member) const {
    return rank_of[group * near + member];
  }
  std::uint32_t GroupOf(std::uint32_t rank) const { return place_of[rank] / near; }
  std::uint32_t MemberOf(std::uint32_t rank) const { return place_of[rank] % near; }
};

/// Lays out an instance. `domain_of_rank`: by rank, equal for GPUs that NVSwitches join; not empty.
/// Rank 0 is the first of the first group.
StepLayout LayOutStep(const std::vector<std::uint32_t>& domain_of_rank);

}  // namespace heddle
