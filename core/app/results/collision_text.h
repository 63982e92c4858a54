// SPDX-License-Identifier: GPL-2.0-only
/// Collisions of flows in words, for people.
#ifndef HEDDLE_CORE_APP_RESULTS_COLLISION_TEXT_H_
#define HEDDLE_CORE_APP_RESULTS_COLLISION_TEXT_H_

#include <cstddef>
#include <string>

#include "io/analysis/collision_study.h"

namespace heddle {

/// Several lines: how many flows collide, what the controller avoided, load of the spines, and the
/// `worst` ports: which flows shared them when.
std::string DescribeCollisions(const CollisionStudy& study, std::size_t worst);

/// A table of completion times and collisions of two results of the same traffic, with the change
/// from `other` to `study`.
std::string CompareCollisions(const CollisionStudy& study, const CollisionStudy& other);

}  // namespace heddle

#endif  // HEDDLE_CORE_APP_RESULTS_COLLISION_TEXT_H_
